use super::operator::Operator::{self, *};
use super::parse::{Signature, parse};
use super::plan::{Finder, NONE, Verb};
use super::returned::Returns;
use super::role;
use crate::query::Holder;
use crate::query::table::FieldInfo;

mod refused;

const ADDRESS: &[FieldInfo] = &[
    FieldInfo::new("city").equality().range().text().sortable(),
    FieldInfo::new("street"),
    FieldInfo::new("place").nested(&[FieldInfo::new("floor").equality()]),
];

const PERSON: &[FieldInfo] = &[
    FieldInfo::new("id").id(),
    FieldInfo::new("firstname").equality(),
    FieldInfo::new("lastname").equality().range().text().sortable(),
    FieldInfo::new("age").equality().range().sortable(),
    FieldInfo::new("address").nested(ADDRESS),
    FieldInfo::new("email"),
    FieldInfo::new("logged_in").equality().boolean(),
    FieldInfo::new("brand").equality(),
    FieldInfo::new("model").equality(),
    FieldInfo::new("brand_and_model").equality(),
    FieldInfo::new("valid").equality().range().sortable(),
    FieldInfo::new("valid_before").equality().range(),
    FieldInfo::new("location").geo(),
    FieldInfo::new("order_by").equality(),
    FieldInfo::new("city").equality().sortable(),
    FieldInfo::new("one").nested(&[FieldInfo::new("two").equality()]),
    FieldInfo::new("one_two").equality(),
    FieldInfo::new("ärger").equality(),
    FieldInfo::new("tags").equality().holder(Holder::List),
    FieldInfo::new("marks").equality().holder(Holder::Map),
    FieldInfo::new("homes").nested(ADDRESS).holder(Holder::List),
    FieldInfo::new("kin").nested(ADDRESS).holder(Holder::Map),
];

fn with(method: &'static str, values: usize, returns: Returns) -> Result<Finder, String> {
    parse(
        "Person",
        PERSON,
        &Signature {
            method,
            values,
            returns,
            sort: false,
            page: matches!(returns, Returns::Page),
        },
    )
    .map_err(|message| message.text().to_owned())
}

/// The conditions of a method that returns a `Vec`: field, operator, group.
fn conditions(method: &'static str, values: usize) -> Vec<(&'static str, Operator, usize)> {
    let finder = with(method, values, Returns::Many).unwrap();
    finder
        .conditions()
        .iter()
        .map(|condition| (condition.name, condition.operator, condition.group))
        .collect()
}

fn orders(method: &'static str) -> Vec<(&'static str, bool)> {
    let finder = with(method, 1, Returns::Many).unwrap();
    finder
        .orders()
        .iter()
        .map(|order| (order.name, order.descending))
        .collect()
}

#[track_caller]
fn refused(method: &'static str, values: usize, why: &str) {
    assert_eq!(with(method, values, Returns::Many).unwrap_err(), why);
}

#[test]
fn one_field_is_equal() {
    assert_eq!(conditions("find_by_lastname", 1), [("lastname", Equal, 0)]);
    assert_eq!(conditions("find_by_ärger", 1), [("ärger", Equal, 0)]);
}

#[test]
fn all_verbs_are_read() {
    for (method, verb, returns) in [
        ("find_by_age", Verb::Find, Returns::Many),
        ("read_by_age", Verb::Find, Returns::Optional),
        ("get_by_age", Verb::Find, Returns::Page),
        ("query_by_age", Verb::Find, Returns::Many),
        ("find_all_by_age", Verb::Find, Returns::Many),
        ("find_distinct_by_age", Verb::Find, Returns::Many),
        ("stream_by_age", Verb::Stream, Returns::Stream),
        ("stream_all_by_age", Verb::Stream, Returns::Stream),
        ("count_by_age", Verb::Count, Returns::Number),
        ("count_distinct_by_age", Verb::Count, Returns::Number),
        ("exists_by_age", Verb::Exists, Returns::Truth),
        ("delete_by_age", Verb::Delete, Returns::Number),
        ("remove_by_age", Verb::Delete, Returns::Number),
    ] {
        assert_eq!(with(method, 1, returns).unwrap().verb(), verb, "{method}");
    }
}

#[test]
fn a_limit_is_read_in_all_forms() {
    for (method, limit) in [
        ("find_by_age", None),
        ("find_first_by_age", Some(1)),
        ("find_top_by_age", Some(1)),
        ("find_first_10_by_age", Some(10)),
        ("find_first10_by_age", Some(10)),
        ("find_top10_by_age", Some(10)),
        ("find_top_10_by_age", Some(10)),
        ("find_distinct_top_10_by_age", Some(10)),
        ("find_top_10_distinct_by_age", Some(10)),
    ] {
        assert_eq!(with(method, 1, Returns::Many).unwrap().limit(), limit, "{method}");
    }
    assert!(with("find_first_by_age", 1, Returns::Optional).is_ok());
    assert!(with("stream_first_3_by_age", 1, Returns::Stream).is_ok());
}

#[test]
fn all_operators_are_read() {
    for (method, values, operator) in [
        ("find_by_age_is", 1, Equal),
        ("find_by_age_equals", 1, Equal),
        ("find_by_age_in", 1, In),
        ("find_by_age_is_in", 1, In),
        ("find_by_age_between", 2, Between),
        ("find_by_age_less_than", 1, LessThan),
        ("find_by_age_is_less_than", 1, LessThan),
        ("find_by_age_less_than_equal", 1, LessThanEqual),
        ("find_by_age_greater_than", 1, GreaterThan),
        ("find_by_age_greater_than_equal", 1, GreaterThanEqual),
        ("find_by_age_before", 1, LessThan),
        ("find_by_age_after", 1, GreaterThan),
        ("find_by_lastname_starting_with", 1, StartingWith),
        ("find_by_lastname_starts_with", 1, StartingWith),
        ("find_by_logged_in_true", 0, True),
        ("find_by_logged_in_is_true", 0, True),
        ("find_by_logged_in_false", 0, False),
        ("find_by_location_near", 2, Near),
        ("find_by_location_within", 1, Within),
    ] {
        let [(_, found, 0)] = conditions(method, values)[..] else {
            panic!("{method}")
        };
        assert_eq!(found, operator, "{method}");
    }
}

#[test]
fn and_binds_closer_than_or() {
    assert_eq!(
        conditions("find_by_age_or_city_and_lastname_starting_with_or_brand", 4),
        [
            ("age", Equal, 0),
            ("city", Equal, 1),
            ("lastname", StartingWith, 1),
            ("brand", Equal, 2)
        ]
    );
}

#[test]
fn the_longest_field_wins() {
    assert_eq!(conditions("find_by_logged_in", 1), [("logged_in", Equal, 0)]);
    assert_eq!(conditions("find_by_logged_in_in", 1), [("logged_in", In, 0)]);
    assert_eq!(
        conditions("find_by_brand_and_model", 1),
        [("brand_and_model", Equal, 0)]
    );
    assert_eq!(
        conditions("find_by_model_and_brand", 2),
        [("model", Equal, 0), ("brand", Equal, 0)]
    );
    assert_eq!(
        conditions("find_by_valid_before", 1),
        [("valid_before", Equal, 0)]
    );
    assert_eq!(
        conditions("find_by_valid_before_before", 1),
        [("valid_before", LessThan, 0)]
    );
    assert_eq!(conditions("find_by_valid_after", 1), [("valid", GreaterThan, 0)]);
    assert_eq!(
        conditions("find_by_order_by_order_by_age", 1),
        [("order_by", Equal, 0)]
    );
}

#[test]
fn a_shorter_field_is_read_if_the_longest_makes_no_sense() {
    // Not `brand_and_model`, behind which `x` would be unknown.
    const TABLE: &[FieldInfo] = &[
        FieldInfo::new("a").equality(),
        FieldInfo::new("b_c").equality(),
        FieldInfo::new("a_and_b").equality(),
    ];
    let signature = Signature {
        method: "find_by_a_and_b_c",
        values: 2,
        returns: Returns::Many,
        sort: false,
        page: false,
    };
    assert_eq!(parse("T", TABLE, &signature).unwrap().conditions().len(), 2);
}

#[test]
fn nested_fields_are_found_at_any_depth() {
    let finder = with("find_by_address_place_floor_and_address_city", 2, Returns::Many).unwrap();
    let ways: Vec<_> = finder
        .conditions()
        .iter()
        .map(|condition| condition.way)
        .collect();
    assert_eq!(ways, [[4, 2, 0, NONE], [4, 0, NONE, NONE]]);
}

#[test]
fn orders_are_read() {
    assert_eq!(orders("find_by_city_order_by_age"), [("age", false)]);
    assert_eq!(orders("find_by_city_order_by_age_asc"), [("age", false)]);
    assert_eq!(
        orders("find_by_city_order_by_city_asc_age_desc_address_city"),
        [("city", false), ("age", true), ("address_city", false)]
    );
}

#[test]
fn values_belong_to_their_conditions() {
    let finder = with(
        "find_by_logged_in_true_and_age_between_and_location_near_and_logged_in_false",
        4,
        Returns::Many,
    )
    .unwrap();
    let of = |value| (finder.step(value, 0), finder.step(value, 1), finder.role(value));
    assert_eq!(of(0), (3, NONE, role::BOUND));
    assert_eq!(of(1), (3, NONE, role::BOUND));
    assert_eq!(of(2), (12, NONE, role::POINT));
    assert_eq!(of(3), (12, NONE, role::DISTANCE));
    // What the name itself says.
    assert_eq!(of(4), (6, NONE, role::VALUE));
    assert!(finder.says_true(4));
    assert_eq!(of(5), (6, NONE, role::VALUE));
    assert!(!finder.says_true(5));
    assert_eq!(of(6), (NONE, NONE, NONE));
}

#[test]
fn a_finder_is_read_when_compiling() {
    const READ: Result<Finder, super::Message> = parse(
        "Person",
        PERSON,
        &Signature {
            method: "find_first_10_by_lastname_or_address_city_and_age_between_order_by_age_desc",
            values: 4,
            returns: Returns::Many,
            sort: false,
            page: false,
        },
    );
    const STEP: usize = super::or_none(&READ).step(1, 1);
    assert_eq!(STEP, 0);
}

#[test]
fn a_struct_that_is_wrong_has_no_mistakes_in_finders() {
    const TABLE: &[FieldInfo] = &[FieldInfo::new("address").nested(FieldInfo::UNKNOWN)];
    for table in [TABLE, FieldInfo::UNKNOWN] {
        let signature = Signature {
            method: "find_by_address_city",
            values: 1,
            returns: Returns::Many,
            sort: false,
            page: false,
        };
        assert_eq!(parse("T", table, &signature).unwrap(), Finder::EMPTY);
    }
}

#[test]
fn any_name_is_answered() {
    // Whatever is cut off, nothing is out of bounds.
    let name =
        "find_first_10_by_brand_and_model_and_ärger_is_in_or_address_place_floor_order_by_valid_before_desc";
    for from in name.char_indices().map(|(i, _)| i) {
        for to in name.char_indices().map(|(i, _)| i).filter(|to| *to >= from) {
            let method: &'static str = name.get(from..to).unwrap();
            let _ = with(method, 1, Returns::Many);
            for tail in ["_", "__", "_or_", "_is", "_is_", "_order_by_"] {
                let method: &'static str = Box::leak(format!("{method}{tail}").into_boxed_str());
                let _ = with(method, 1, Returns::Many);
            }
        }
    }
}
