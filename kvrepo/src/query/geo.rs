//! Points on the earth, distances between them, and areas.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::backend::{Area, Extent};

/// A point on the earth, in degrees: *longitude first*, as the fields say.
///
/// Stored as Spring's `x` and `y`. In a field with `#[geo_indexed]` the longitude is from -180 to 180 and the latitude from
/// -85.05112878 to 85.05112878, or the entity is not saved.
///
/// ```
/// use kvrepo::Point;
///
/// let oslo = Point { lon: 10.75, lat: 59.91 };
/// assert_eq!(oslo, Point::new(10.75, 59.91));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The longitude: how far to the east.
    #[serde(rename = "x", alias = "lon")]
    pub lon: f64,
    /// The latitude: how far to the north.
    #[serde(rename = "y", alias = "lat")]
    pub lat: f64,
}

impl Point {
    /// A point at this longitude and this latitude.
    #[must_use]
    pub const fn new(lon: f64, lat: f64) -> Self {
        Self { lon, lat }
    }
}

/// How far it is.
///
/// ```
/// use kvrepo::Distance;
///
/// assert_eq!(Distance::kilometers(1.5).in_meters(), 1500.0);
/// assert_eq!(Distance::meters(20.0).to_string(), "20 m");
/// assert_eq!(format!("{:.1}", Distance::kilometers(0.123_45)), "123.5 m");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Distance(f64);

impl Distance {
    /// So many meters.
    #[must_use]
    pub const fn meters(meters: f64) -> Self {
        Self(meters)
    }

    /// So many kilometers.
    #[must_use]
    pub const fn kilometers(kilometers: f64) -> Self {
        Self(kilometers * 1000.0)
    }

    /// So many miles of 1609.34 meters, as servers count them.
    #[must_use]
    pub const fn miles(miles: f64) -> Self {
        Self(miles * 1609.34)
    }

    /// So many feet of 0.3048 meters.
    #[must_use]
    pub const fn feet(feet: f64) -> Self {
        Self(feet * 0.3048)
    }

    /// In meters.
    #[must_use]
    pub const fn in_meters(self) -> f64 {
        self.0
    }

    /// In kilometers.
    #[must_use]
    pub const fn in_kilometers(self) -> f64 {
        self.0 / 1000.0
    }
}

impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)?;
        f.write_str(" m")
    }
}

/// All within a distance of a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Circle {
    /// Its middle.
    pub middle: Point,
    /// How far it goes in each direction.
    pub radius: Distance,
}

impl Circle {
    /// A circle around a point.
    #[must_use]
    pub const fn new(middle: Point, radius: Distance) -> Self {
        Self { middle, radius }
    }
}

/// A box around a point, its sides to the north, east, south and west.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundingBox {
    /// Its middle.
    pub middle: Point,
    /// From its west to its east.
    pub width: Distance,
    /// From its south to its north.
    pub height: Distance,
}

impl BoundingBox {
    /// A box around a point.
    #[must_use]
    pub const fn new(middle: Point, width: Distance, height: Distance) -> Self {
        Self {
            middle,
            width,
            height,
        }
    }
}

/// What `within` takes: a [`Circle`] or a [`BoundingBox`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no area",
    note = "`within` takes a `kvrepo::Circle` or a `kvrepo::BoundingBox`"
)]
pub trait Shape {
    #[doc(hidden)]
    fn area(&self) -> Area;
}

impl Shape for Circle {
    fn area(&self) -> Area {
        let Point { lon, lat } = self.middle;
        Area::new(lon, lat, Extent::Radius(self.radius.in_meters()))
    }
}

impl Shape for BoundingBox {
    fn area(&self) -> Area {
        let Point { lon, lat } = self.middle;
        let extent = Extent::Box {
            width: self.width.in_meters(),
            height: self.height.in_meters(),
        };
        Area::new(lon, lat, extent)
    }
}

impl<S: Shape> Shape for &S {
    fn area(&self) -> Area {
        (**self).area()
    }
}

/// What is wrong with an area, if anything is.
pub(super) fn flaw(area: &Area) -> Option<&'static str> {
    let length = |length: f64| length.is_finite() && length >= 0.0;
    let extent = match area.extent {
        Extent::Radius(radius) => length(radius),
        Extent::Box { width, height } => length(width) && length(height),
    };
    if !(-180.0..=180.0).contains(&area.lon) {
        Some("the longitude of its middle has to be from -180 to 180")
    } else if !(-85.051_128_78..=85.051_128_78).contains(&area.lat) {
        Some("the latitude of its middle has to be from -85.05112878 to 85.05112878; is it the longitude?")
    } else if !extent {
        Some("its size has to be a number that is not negative")
    } else {
        None
    }
}

/// A field that `#[geo_indexed]` can stand on.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no point",
    label = "not a `kvrepo::Point`",
    note = "`#[geo_indexed]` stands on a `kvrepo::Point`, or an `Option` of one"
)]
pub trait GeoField {}

impl GeoField for Point {}
impl GeoField for Option<Point> {}
