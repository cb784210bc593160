//! Whether what a finder's name asks can be answered, and the method's signature goes with it.

use super::message::Message;
use super::operator::Operator;
use super::parse::Signature;
use super::path::{self, Hold};
use super::plan::{Condition, Finder, Order, Verb};
use super::predicate::Reading;
use super::returned::Returns;

/// The first of the mistakes; the compiler shows one a method.
pub(super) const fn check(of: &Reading, finder: &Finder, signature: &Signature) -> Option<Message> {
    let mut i = 0;
    while i < finder.len {
        if let Some(message) = condition(of, finder, i) {
            return Some(message);
        }
        i += 1;
    }
    let mut i = 0;
    while i < finder.ordered {
        if let Some(message) = order(of, &finder.orders[i]) {
            return Some(message);
        }
        i += 1;
    }
    if let Some(message) = values(finder, signature) {
        return Some(message);
    }
    if let Some(message) = returns(finder, signature.returns) {
        return Some(message);
    }
    parameters(finder, signature)
}

const fn order(of: &Reading, order: &Order) -> Option<Message> {
    let field = path::field_at(of.table, &order.way);
    if !field.nested.is_empty() {
        return Some(whole_struct(order.name, field.nested[0].name));
    }
    if !field.uses.sortable || path::is_held(of.table, &order.way, Hold::Any) {
        return Some(
            Message::new("`order_by` takes a field with a single value, which ")
                .name(order.name)
                .and(" has not"),
        );
    }
    if field.uses.id && order.descending {
        return Some(
            Message::new("ids come in ascending order only; remove `desc` behind ").name(order.name),
        );
    }
    None
}

const fn whole_struct(name: &str, first: &str) -> Message {
    Message::new("")
        .name(name)
        .and(" holds a struct; name one of its fields: `")
        .and(name)
        .and("_")
        .and(first)
        .and("`")
}

const fn condition(of: &Reading, finder: &Finder, which: usize) -> Option<Message> {
    let Condition {
        way, operator, name, ..
    } = &finder.conditions[which];
    let field = path::field_at(of.table, way);
    if !field.nested.is_empty() {
        return Some(whole_struct(name, field.nested[0].name));
    }
    if path::is_held(of.table, way, Hold::Map) {
        return Some(
            Message::new("")
                .name(name)
                .and(" stands in a map, and a name cannot say under which key; give the method a body, and use `find` there"),
        );
    }
    let uses = &field.uses;
    if !operator.is_served(uses) {
        if uses.id {
            return Some(
                Message::new("")
                    .name(operator.word())
                    .and(" cannot be asked of the id; `is`, `in` and `not` can"),
            );
        }
        if uses.geo {
            return Some(
                Message::new("")
                    .name(name)
                    .and(" is a place, of which `near` and `within` can be asked, and not ")
                    .name(operator.word()),
            );
        }
        let indexed = uses.equality || uses.range;
        return Some(if indexed {
            Message::new("")
                .name(operator.word())
                .and(" takes ")
                .and(operator.wants())
                .and(", which ")
                .name(name)
                .and(" is not")
        } else {
            Message::new("the field ")
                .name(name)
                .and(" of ")
                .name(of.entity)
                .and(" is not indexed, so nothing is found by it; ")
                .and(match operator {
                    Operator::Near | Operator::Within => "put `#[geo_indexed]` on it",
                    Operator::Equal
                    | Operator::NotEqual
                    | Operator::In
                    | Operator::True
                    | Operator::False => "put `#[indexed]` on it",
                    _ => "put `#[indexed(range)]` on it",
                })
        });
    }
    if matches!(operator, Operator::NotEqual) && !has_positive(finder, finder.conditions[which].group) {
        return Some(
            Message::new("`not` behind ")
                .name(name)
                .and(" can only leave out of what another condition finds; join one with `and`"),
        );
    }
    None
}

/// Whether a condition of this group finds something by itself.
const fn has_positive(finder: &Finder, group: usize) -> bool {
    let mut i = 0;
    while i < finder.len {
        let condition = &finder.conditions[i];
        if condition.group == group && !matches!(condition.operator, Operator::NotEqual) {
            return true;
        }
        i += 1;
    }
    false
}

const fn values(finder: &Finder, signature: &Signature) -> Option<Message> {
    let asked = finder.values();
    if signature.values == asked {
        return None;
    }
    let message = count(Message::new("the name asks for "), asked);
    if asked == 0 {
        return Some(count(message.and(", and the method takes "), signature.values));
    }
    let mut message = message.and(" (");
    let mut first = true;
    let mut i = 0;
    while i < finder.len {
        let condition = &finder.conditions[i];
        let takes = condition.operator.values();
        if takes > 0 {
            if !first {
                message = message.and(", ");
            }
            first = false;
            message = message.name(condition.name);
            if takes > 1 {
                message = message.and(": ").number(takes);
            }
        }
        i += 1;
    }
    Some(count(message.and("), and the method takes "), signature.values))
}

const fn count(message: Message, values: usize) -> Message {
    match values {
        0 => message.and("no value"),
        1 => message.and("1 value"),
        values => message.number(values).and(" values"),
    }
}

const fn returns(finder: &Finder, returns: Returns) -> Option<Message> {
    let (verb, wants, right) = match finder.verb {
        Verb::Find => (
            "find",
            "`Vec`, `Option` or `Page`",
            matches!(
                returns,
                Returns::Many | Returns::Optional | Returns::Page | Returns::Near
            ),
        ),
        Verb::Stream => ("stream", "`impl Stream`", matches!(returns, Returns::Stream)),
        Verb::Count => ("count", "`u64`", matches!(returns, Returns::Number)),
        Verb::Exists => ("exists", "`bool`", matches!(returns, Returns::Truth)),
        Verb::Delete => ("delete", "`u64`", matches!(returns, Returns::Number)),
    };
    if !right {
        return Some(
            Message::new("")
                .name(verb)
                .and(" returns ")
                .and(wants)
                .and(", and not ")
                .and(returns.shown()),
        );
    }
    match (returns, finder.limit) {
        (Returns::Optional, Some(limit)) if limit > 1 => Some(
            Message::new("the first ")
                .number(limit as usize)
                .and(" are not one; return a `Vec`, or write `first` without a number"),
        ),
        (Returns::Page, Some(_)) => Some(Message::new(
            "the page says how many; remove `first` or `top`, or return a `Vec`",
        )),
        (Returns::Near, _) if !has_near(finder) => Some(Message::new(
            "only `near` measures how far it is; return the entities without `Near`",
        )),
        (Returns::Near, _) if finder.conditions[finder.len - 1].group > 0 => Some(Message::new(
            "beside an `or` it is not known how far all are; return the entities without `Near`",
        )),
        (Returns::Near, _) if finder.ordered > 0 => Some(Message::new(
            "what has a distance is ordered by it; remove `order_by`, or return the entities without `Near`",
        )),
        _ => None,
    }
}

const fn has_near(finder: &Finder) -> bool {
    let mut i = 0;
    while i < finder.len {
        if matches!(finder.conditions[i].operator, Operator::Near) {
            return true;
        }
        i += 1;
    }
    false
}

const fn parameters(finder: &Finder, signature: &Signature) -> Option<Message> {
    let found = matches!(finder.verb, Verb::Find | Verb::Stream);
    let paged = matches!(signature.returns, Returns::Page);
    if paged && !signature.page {
        return Some(Message::new(
            "a `Page` takes a `PageRequest` as the last parameter",
        ));
    }
    if signature.page && !paged {
        return Some(Message::new(
            "a `PageRequest` makes a `Page`; return one, or remove it",
        ));
    }
    if !found && (signature.sort || finder.ordered > 0) {
        return Some(Message::new("only what is found can be put in order"));
    }
    if signature.sort && matches!(signature.returns, Returns::Near) {
        return Some(Message::new(
            "what has a distance is ordered by it; remove the `Sort`, or return the entities without `Near`",
        ));
    }
    None
}
