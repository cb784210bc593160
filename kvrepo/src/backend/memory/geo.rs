//! Points and distances as a server has them: coordinates are kept to 26 bits each, and the earth is a sphere.

/// In meters.
const RADIUS: f64 = 6_372_797.560_856;
const LATITUDES: (f64, f64) = (-85.051_128_78, 85.051_128_78);
const LONGITUDES: (f64, f64) = (-180.0, 180.0);
const CELLS: f64 = (1_u64 << 26) as f64;

use super::super::{Area, Extent};

/// A coordinate as a geo index holds it: the middle of its cell.
fn kept(value: f64, (least, greatest): (f64, f64)) -> f64 {
    let span = greatest - least;
    // A cell has 32 bits on the server, so the very end of the range has one of its own.
    let cell = ((value - least) / span * CELLS).floor();
    let (low, high) = (least + cell / CELLS * span, least + (cell + 1.0) / CELLS * span);
    ((low + high) / 2.0).clamp(least, greatest)
}

/// Whether a point, as stored, is in an area; if so, how many meters it is from the middle.
pub(super) fn distance_within(area: &Area, lon: f64, lat: f64) -> Option<f64> {
    let (lon, lat) = (kept(lon, LONGITUDES), kept(lat, LATITUDES));
    let distance = meters(area.lon, area.lat, lon, lat);
    let inside = match area.extent {
        Extent::Radius(radius) => distance <= radius,
        Extent::Box { width, height } => {
            (lat - area.lat).abs().to_radians() * RADIUS <= height / 2.0
                && meters(area.lon, lat, lon, lat) <= width / 2.0
        }
    };
    inside.then_some(distance)
}

fn meters(lon1: f64, lat1: f64, lon2: f64, lat2: f64) -> f64 {
    let [lon1, lat1, lon2, lat2] = [lon1, lat1, lon2, lat2].map(f64::to_radians);
    let (u, v) = (((lat2 - lat1) / 2.0).sin(), ((lon2 - lon1) / 2.0).sin());
    2.0 * RADIUS * (u * u + lat1.cos() * lat2.cos() * v * v).sqrt().asin()
}
