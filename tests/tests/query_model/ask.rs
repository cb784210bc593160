//! What is looked for: as a filter of kvrepo, and as a question that is answered by looking at one thing.

use std::fmt;

use kvrepo::{BoundingBox, Circle, Distance, Filter, Point};

use crate::thing::Thing;

/// Meters.
const EARTH: f64 = 6_372_797.560_856;

/// Where things can be.
pub(crate) const SPOTS: [Point; 6] = [
    Point::new(10.75, 59.91),
    Point::new(10.80, 59.95),
    Point::new(5.32, 60.39),
    Point::new(6.58, 61.09),
    Point::new(179.5, -16.5),
    Point::new(0.0, 0.0),
];

/// What is asked for.
pub(crate) const AREAS: [Area; 6] = [
    Area::circle(Point::new(10.7, 59.9), 40_000.0),
    Area::circle(Point::new(10.7, 59.9), 400_000.0),
    Area::circle(Point::new(5.0, 60.0), 200_000.0),
    Area::circle(Point::new(-179.8, -16.6), 300_000.0),
    Area::rectangle(Point::new(10.7, 59.9), 700_000.0, 100_000.0),
    Area::rectangle(Point::new(6.0, 60.5), 200_000.0, 400_000.0),
];

/// A circle, or a rectangle with a width and a height.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Area {
    middle: Point,
    radius: f64,
    sides: Option<(f64, f64)>,
}

impl Area {
    const fn circle(middle: Point, radius: f64) -> Self {
        Self {
            middle,
            radius,
            sides: None,
        }
    }

    const fn rectangle(middle: Point, width: f64, height: f64) -> Self {
        Self {
            middle,
            radius: 0.0,
            sides: Some((width, height)),
        }
    }

    pub(crate) fn is_circle(&self) -> bool {
        self.sides.is_none()
    }

    pub(crate) fn distance(&self, spot: &Point) -> f64 {
        meters(&self.middle, spot)
    }

    /// How far a point is within the edge.
    pub(crate) fn margin(&self, spot: &Point) -> f64 {
        match self.sides {
            None => self.radius - self.distance(spot),
            Some((width, height)) => {
                let to_the_side = meters(&Point::new(self.middle.lon, spot.lat), spot);
                let up = (spot.lat - self.middle.lat).abs().to_radians() * EARTH;
                (width / 2.0 - to_the_side).min(height / 2.0 - up)
            }
        }
    }
}

fn meters(a: &Point, b: &Point) -> f64 {
    let [lon, lat, other_lon, other_lat] = [a.lon, a.lat, b.lon, b.lat].map(f64::to_radians);
    let (up, across) = (((other_lat - lat) / 2.0).sin(), ((other_lon - lon) / 2.0).sin());
    2.0 * EARTH
        * (up * up + lat.cos() * other_lat.cos() * across * across)
            .sqrt()
            .asin()
}

/// A place among others.
#[derive(Debug, Clone)]
pub(crate) enum Span<V> {
    Lt(V),
    Le(V),
    Gt(V),
    Ge(V),
    Between(V, V),
    OneOf(Vec<V>),
}

impl<V: PartialOrd> Span<V> {
    fn has(&self, value: &V) -> bool {
        match self {
            Self::Lt(edge) => value < edge,
            Self::Le(edge) => value <= edge,
            Self::Gt(edge) => value > edge,
            Self::Ge(edge) => value >= edge,
            Self::Between(least, greatest) => least <= value && value <= greatest,
            Self::OneOf(values) => values.contains(value),
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) enum Ask {
    Ids(Vec<&'static str>),
    Kind(Vec<String>),
    Mood(Vec<String>),
    Tags(Vec<String>),
    Marks(String, Vec<String>),
    Share(Vec<Number>),
    Weight(Span<u64>),
    Ratio(Span<Number>),
    Title(Span<String>),
    StartsWith(String),
    Mail(Vec<String>),
    City(Vec<String>),
    Floor(Span<i64>),
    Port(Vec<String>),
    Depth(Span<i32>),
    Kin(String, Vec<String>),
    Near(usize),
    Within(usize),
    And(Box<Ask>, Box<Ask>),
    Or(Box<Ask>, Box<Ask>),
    AndNot(Box<Ask>, Box<Ask>),
    NotAnd(Box<Ask>, Box<Ask>),
}

/// A float that is shown with its sign.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub(crate) struct Number(pub(crate) f64);

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Asks a range index.
macro_rules! spanned {
    ($field:expr, $span:expr, $value:expr) => {{
        let field = $field;
        match $span {
            Span::Lt(edge) => field.lt($value(edge)),
            Span::Le(edge) => field.le($value(edge)),
            Span::Gt(edge) => field.gt($value(edge)),
            Span::Ge(edge) => field.ge($value(edge)),
            Span::Between(least, greatest) => field.between($value(least), $value(greatest)),
            Span::OneOf(values) => match &values[..] {
                [one] => field.eq($value(one)),
                many => field.is_in(many.iter().map($value)),
            },
        }
    }};
}

/// Asks an equality index.
macro_rules! one_of {
    ($field:expr, $values:expr) => {
        match &$values[..] {
            [one] => $field.eq(one),
            many => $field.is_in(many),
        }
    };
}

impl Ask {
    pub(crate) fn filter(&self) -> Filter<Thing> {
        let thing = Thing::fields();
        match self {
            Self::Ids(ids) => match &ids[..] {
                [one] => thing.id.eq(*one),
                many => thing.id.is_in(many.iter().copied()),
            },
            Self::Kind(values) => one_of!(thing.kind, values),
            Self::Mood(values) => one_of!(thing.mood, values),
            Self::Tags(values) => one_of!(thing.tags, values),
            Self::Marks(key, values) => one_of!(thing.marks.key(key), values),
            Self::Share(values) => thing.share.is_in(values.iter().map(|number| number.0)),
            Self::Weight(span) => spanned!(thing.weight, span, |value: &u64| *value),
            Self::Ratio(span) => spanned!(thing.ratio, span, |value: &Number| value.0),
            Self::Title(span) => spanned!(thing.title, span, |value: &String| value.clone()),
            Self::StartsWith(prefix) => thing.title.starts_with(prefix),
            Self::Mail(values) => one_of!(thing.mail, values),
            Self::City(values) => one_of!(thing.home.city, values),
            Self::Floor(span) => spanned!(thing.home.floor, span, |value: &i64| *value),
            Self::Port(values) => one_of!(thing.berths.port, values),
            Self::Depth(span) => spanned!(thing.berths.depth, span, |value: &i32| *value),
            Self::Kin(key, values) => one_of!(thing.kin.city.under(key), values),
            Self::Near(area) => {
                let area = AREAS[*area];
                thing.spot.near(area.middle, Distance::meters(area.radius))
            }
            Self::Within(area) => {
                let area = AREAS[*area];
                match area.sides {
                    None => thing
                        .spot
                        .within(Circle::new(area.middle, Distance::meters(area.radius))),
                    Some((width, height)) => {
                        let (width, height) = (Distance::meters(width), Distance::meters(height));
                        thing.spot.within(BoundingBox::new(area.middle, width, height))
                    }
                }
            }
            Self::And(a, b) => a.filter().and(b.filter()),
            Self::Or(a, b) => a.filter() | b.filter(),
            Self::AndNot(a, b) => a.filter() & !b.filter(),
            Self::NotAnd(a, b) => b.filter().not() & a.filter(),
        }
    }

    /// Whether a thing is one of those that are looked for.
    pub(crate) fn holds(&self, thing: &Thing) -> bool {
        let has =
            |values: &Vec<String>, value: Option<&String>| value.is_some_and(|own| values.contains(own));
        let home = thing.home.as_ref();
        match self {
            Self::Ids(ids) => ids.contains(&thing.id.as_str()),
            Self::Kind(values) => values.contains(&thing.kind),
            Self::Mood(values) => has(values, thing.mood.as_ref()),
            Self::Tags(values) => thing.tags.iter().any(|tag| values.contains(tag)),
            Self::Marks(key, values) => has(values, thing.marks.get(key)),
            Self::Share(values) => {
                // The text of a number, of which `NaN` has one.
                let text = |number: f64| format!("{number:?}");
                values.iter().any(|value| text(value.0) == text(thing.share))
            }
            Self::Weight(span) => thing.weight.is_some_and(|own| span.has(&own)),
            Self::Ratio(span) => thing.ratio.is_some_and(|own| span.has(&Number(own))),
            Self::Title(span) => thing.title.as_ref().is_some_and(|own| span.has(own)),
            Self::StartsWith(prefix) => thing.title.as_ref().is_some_and(|own| own.starts_with(prefix)),
            Self::Mail(values) => has(values, thing.mail.as_ref()),
            Self::City(values) => has(values, home.and_then(|home| home.city.as_ref())),
            Self::Floor(span) => home.and_then(|home| home.floor).is_some_and(|own| span.has(&own)),
            Self::Port(values) => thing.berths.iter().any(|berth| values.contains(&berth.port)),
            Self::Depth(span) => thing.berths.iter().any(|berth| span.has(&berth.depth)),
            Self::Kin(key, values) => has(values, thing.kin.get(key).map(|kin| &kin.city)),
            Self::Near(area) | Self::Within(area) => {
                thing.spot.is_some_and(|spot| AREAS[*area].margin(&spot) > 0.0)
            }
            Self::And(a, b) => a.holds(thing) && b.holds(thing),
            Self::Or(a, b) => a.holds(thing) || b.holds(thing),
            Self::AndNot(a, b) | Self::NotAnd(a, b) => a.holds(thing) && !b.holds(thing),
        }
    }

    /// The area by whose middle the finds are sorted, if nothing else is said: that of the first `near`.
    pub(crate) fn near(&self) -> Option<Area> {
        match self {
            Self::Near(area) => Some(AREAS[*area]),
            Self::And(a, b) => a.near().or_else(|| b.near()),
            Self::AndNot(a, _) | Self::NotAnd(a, _) => a.near(),
            _ => None,
        }
    }
}
