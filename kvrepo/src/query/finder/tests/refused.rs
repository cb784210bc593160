//! What a name cannot say, and what is said of it.

use super::super::operator::Operator::*;
use super::super::parse::{Signature, parse};
use super::super::returned::Returns;
use super::{PERSON, conditions, orders, refused, with};

#[test]
fn an_unknown_field_is_named_and_the_nearest_offered() {
    refused(
        "find_by_lastnme",
        1,
        "`Person` has no field `lastnme`; did you mean `lastname`?",
    );
    refused(
        "find_by_address_ctiy_less_than_and_age",
        2,
        "`Person` has no field `address_ctiy`; did you mean `address_city`?",
    );
    refused("find_by_age_and_zoo", 2, "`Person` has no field `zoo`");
    refused(
        "find_by_age_order_by_agee_desc",
        1,
        "`Person` has no field `agee`; did you mean `age`?",
    );
}

#[test]
fn an_unknown_word_behind_a_field_is_named() {
    refused(
        "find_by_age_less_then",
        1,
        "unknown word `less_then` behind the field `age`; did you mean `less_than`?",
    );
    refused(
        "find_by_address_city_grater_than_and_age",
        2,
        "unknown word `grater_than` behind the field `address_city`; did you mean `greater_than`?",
    );
    refused(
        "find_by_valid_befor",
        1,
        "unknown word `befor` behind the field `valid`; did you mean `before`?",
    );
    refused("find_by_age_xyz", 1, "unknown word `xyz` behind the field `age`");
    refused(
        "find_by_city_order_by_age_descending",
        1,
        "behind `age` comes `asc` or `desc`, and not `descending`",
    );
}

#[test]
fn what_no_index_serves_is_refused() {
    for (method, word) in [
        ("find_by_lastname_containing", "containing"),
        ("find_by_lastname_like", "like"),
        ("find_by_lastname_ignore_case", "ignore_case"),
        ("find_by_lastname_exists", "exists"),
        ("find_by_lastname_is_null", "null"),
        ("find_by_lastname_not_in", "not_in"),
        ("find_by_lastname_is_not_null_and_age", "not_null"),
    ] {
        refused(
            method,
            1,
            &format!("`{word}` is not supported, since no index serves it (behind `lastname`)"),
        );
    }
}

#[test]
fn a_field_without_the_index_is_refused() {
    refused(
        "find_by_email",
        1,
        "the field `email` of `Person` is not indexed, so nothing is found by it; put `#[indexed]` on it",
    );
    refused(
        "find_by_email_less_than",
        1,
        "the field `email` of `Person` is not indexed, so nothing is found by it; put `#[indexed(range)]` on it",
    );
    refused(
        "find_by_firstname_less_than",
        1,
        "`less_than` takes a field with `#[indexed(range)]`, which `firstname` is not",
    );
    refused(
        "find_by_age_near",
        2,
        "`near` takes a field with `#[geo_indexed]`, which `age` is not",
    );
    refused(
        "find_by_age_true",
        0,
        "`true` takes a `bool` with `#[indexed]`, which `age` is not",
    );
    refused(
        "find_by_address",
        1,
        "`address` holds a struct; name one of its fields: `address_city`",
    );
    refused(
        "find_by_age_order_by_firstname",
        1,
        "`order_by` takes a field with a single value, which `firstname` has not",
    );
    refused(
        "find_by_location",
        1,
        "`location` is a place, of which `near` and `within` can be asked, and not `equals`",
    );
}

#[test]
fn what_the_id_is_asked_is_what_it_can_be_asked() {
    assert_eq!(
        conditions("find_by_id_in_and_city", 2),
        [("id", In, 0), ("city", Equal, 0)]
    );
    assert_eq!(
        conditions("find_by_age_and_id_not", 2),
        [("age", Equal, 0), ("id", NotEqual, 0)]
    );
    assert_eq!(orders("find_by_city_order_by_id"), [("id", false)]);
    refused(
        "find_by_id_starting_with",
        1,
        "`starting_with` cannot be asked of the id; `is`, `in` and `not` can",
    );
    refused(
        "find_by_city_order_by_id_desc",
        1,
        "ids come in ascending order only; remove `desc` behind `id`",
    );
}

#[test]
fn lists_are_asked_what_is_in_them_and_maps_need_a_key() {
    assert_eq!(conditions("find_by_tags", 1), [("tags", Equal, 0)]);
    assert_eq!(conditions("find_by_homes_city_in", 1), [("homes_city", In, 0)]);
    refused(
        "find_by_age_order_by_homes_city",
        1,
        "`order_by` takes a field with a single value, which `homes_city` has not",
    );
    for field in ["marks", "kin_city"] {
        let why = format!(
            "`{field}` stands in a map, and a name cannot say under which key; give the method a body, and use `find` \
             there"
        );
        refused(format!("find_by_{field}").leak(), 1, &why);
    }
}

#[test]
fn not_leaves_out_of_what_another_condition_finds() {
    assert_eq!(
        conditions("find_by_city_and_age_not", 2),
        [("city", Equal, 0), ("age", NotEqual, 0)]
    );
    refused(
        "find_by_city_or_age_not",
        2,
        "`not` behind `age` can only leave out of what another condition finds; join one with `and`",
    );
}

#[test]
fn two_readings_are_refused() {
    refused(
        "find_by_one_two",
        1,
        "`one_two` is `one.two` or `one_two`; rename one of the fields",
    );
}

#[test]
fn the_number_of_values_is_checked() {
    refused(
        "find_by_city_and_age_between",
        2,
        "the name asks for 3 values (`city`, `age`: 2), and the method takes 2 values",
    );
    refused(
        "find_by_logged_in_true",
        1,
        "the name asks for no value, and the method takes 1 value",
    );
}

#[test]
fn the_result_goes_with_the_verb() {
    for (method, returns, why) in [
        (
            "count_by_age",
            Returns::Many,
            "`count` returns `u64`, and not a `Vec`",
        ),
        (
            "exists_by_age",
            Returns::Number,
            "`exists` returns `bool`, and not `u64`",
        ),
        (
            "find_by_age",
            Returns::Truth,
            "`find` returns `Vec`, `Option` or `Page`, and not `bool`",
        ),
        (
            "delete_by_age",
            Returns::Truth,
            "`delete` returns `u64`, and not `bool`",
        ),
        (
            "find_first_2_by_age",
            Returns::Optional,
            "the first 2 are not one; return a `Vec`, or write `first` without a number",
        ),
        (
            "find_first_2_by_age",
            Returns::Page,
            "the page says how many; remove `first` or `top`, or return a `Vec`",
        ),
        (
            "find_by_age",
            Returns::Near,
            "only `near` measures how far it is; return the entities without `Near`",
        ),
        (
            "find_by_location_within",
            Returns::Near,
            "only `near` measures how far it is; return the entities without `Near`",
        ),
        (
            "count_by_age_order_by_age",
            Returns::Number,
            "only what is found can be put in order",
        ),
        (
            "find_by_age",
            Returns::Stream,
            "`find` returns `Vec`, `Option` or `Page`, and not a stream",
        ),
    ] {
        assert_eq!(with(method, 1, returns).unwrap_err(), why, "{method}");
    }
}

#[test]
fn sorts_and_pages_go_with_what_is_returned() {
    for (method, returns, sort, page, why) in [
        (
            "find_by_age",
            Returns::Page,
            false,
            false,
            "a `Page` takes a `PageRequest` as the last parameter",
        ),
        (
            "find_by_age",
            Returns::Many,
            false,
            true,
            "a `PageRequest` makes a `Page`; return one, or remove it",
        ),
        (
            "delete_by_age",
            Returns::Number,
            true,
            false,
            "only what is found can be put in order",
        ),
    ] {
        let signature = Signature {
            method,
            values: 1,
            returns,
            sort,
            page,
        };
        assert_eq!(parse("Person", PERSON, &signature).unwrap_err().text(), why);
    }
}

#[test]
fn what_has_a_distance_is_in_its_order() {
    let near = |method, values, sort| {
        let signature = Signature {
            method,
            values,
            returns: Returns::Near,
            sort,
            page: false,
        };
        parse("Person", PERSON, &signature).map_err(|message| message.text().to_owned())
    };
    assert!(near("find_by_location_near_and_city_not", 3, false).is_ok());
    assert!(near("find_first_3_by_city_and_location_near", 3, false).is_ok());
    for (method, values, sort, why) in [
        (
            "find_by_location_near_or_city",
            3,
            false,
            "beside an `or` it is not known how far all are; return the entities without `Near`",
        ),
        (
            "find_by_location_near_order_by_age",
            2,
            false,
            "what has a distance is ordered by it; remove `order_by`, or return the entities without `Near`",
        ),
        (
            "find_by_location_near",
            2,
            true,
            "what has a distance is ordered by it; remove the `Sort`, or return the entities without `Near`",
        ),
    ] {
        assert_eq!(near(method, values, sort).unwrap_err(), why);
    }
}

#[test]
fn a_beginning_that_makes_no_sense_is_refused() {
    for (method, why) in [
        (
            "fnid_by_age",
            "a finder does not begin with `fnid`; did you mean `find`?",
        ),
        (
            "adults",
            "a finder does not begin with `adults`; write `find_by_…`, `stream_by_…`, `count_by_…`, `exists_by_…` \
             or `delete_by_…`, or give the method a body",
        ),
        (
            "find",
            "`find` does not say by which field: write `by_…` behind it",
        ),
        (
            "find_by",
            "`find_by` does not say by which field: write `by_…` behind it",
        ),
        (
            "find_frist_by_age",
            "unknown word `frist` in `find_frist_by_age`; did you mean `first`?",
        ),
        (
            "find_people_by_age",
            "unknown word `people` in `find_people_by_age`; before `by` come only `first_10`, `top_10`, `distinct` \
             and `all`",
        ),
        ("find_first_0_by_age", "the first 0 are none"),
        (
            "find_first_9999999999_by_age",
            "`first_9999999999` does not say how many: write `first_10` or `top_10`",
        ),
        (
            "find_firstly_by_age",
            "`firstly` does not say how many: write `first_10` or `top_10`",
        ),
        (
            "find_first_2_top_3_by_age",
            "the name states twice how many are found",
        ),
        (
            "count_first_2_by_age",
            "only what is found can be limited; remove `first`",
        ),
    ] {
        refused(method, 1, why);
    }
}

#[test]
fn an_end_that_makes_no_sense_is_refused() {
    for (method, why) in [
        (
            "find_by_age_and",
            "`find_by_age_and` names no field behind its last word",
        ),
        (
            "find_by_age_and_",
            "`find_by_age_and_` names no field behind its last word",
        ),
        ("find_by_", "`find_by_` names no field behind its last word"),
        (
            "find_by_age_order_by",
            "`find_by_age_order_by` names no field behind its last word",
        ),
        (
            "find_by_age_order_by_",
            "`find_by_age_order_by_` names no field behind its last word",
        ),
        ("find_by_and_age", "`Person` has no field `and_age`"),
        (
            "find_by_age_or_age_or_age_or_age_or_age_or_age_or_age_or_age_or_age",
            "a finder has 8 conditions at most",
        ),
        (
            "find_by_age_order_by_age_asc_age_asc_age_asc_age_asc_age",
            "a finder orders by 4 fields at most",
        ),
    ] {
        refused(method, 1, why);
    }
}
