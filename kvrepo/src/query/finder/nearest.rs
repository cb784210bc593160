//! The name that was probably meant.

/// Longer names are not compared.
const LONGEST: usize = 64;

/// How many characters are wrong, missing, or too many; two that changed places count as one. `None` if it is too much for
/// the one to be meant by the other.
pub(super) const fn distance(written: &str, meant: &str) -> Option<usize> {
    let (a, b) = (written.as_bytes(), meant.as_bytes());
    if a.len() > LONGEST || b.len() > LONGEST {
        return None;
    }
    let longer = if a.len() > b.len() { a.len() } else { b.len() };
    let shorter = a.len() + b.len() - longer;
    // A third of it, and one at least.
    let most = 1 + longer.saturating_sub(1) / 3;
    if longer - shorter > most {
        return None;
    }
    let mut rows = [[0; LONGEST + 1]; 3];
    let mut j = 0;
    while j <= b.len() {
        rows[0][j] = j;
        j += 1;
    }
    let mut i = 1;
    while i <= a.len() {
        let (this, last, before) = (i % 3, (i - 1) % 3, (i + 1) % 3);
        rows[this][0] = i;
        let mut j = 1;
        while j <= b.len() {
            let differs = if a[i - 1] == b[j - 1] { 0 } else { 1 };
            let mut best = rows[last][j - 1] + differs;
            best = least(best, rows[last][j] + 1);
            best = least(best, rows[this][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = least(best, rows[before][j - 2] + 1);
            }
            rows[this][j] = best;
            j += 1;
        }
        i += 1;
    }
    let distance = rows[a.len() % 3][b.len()];
    // Of short names, not all characters.
    if distance <= most && distance < shorter {
        Some(distance)
    } else {
        None
    }
}

const fn least(a: usize, b: usize) -> usize {
    if a < b { a } else { b }
}

/// The nearest of these names, and how far it is.
pub(super) const fn nearest(written: &str, names: &[&'static str]) -> Option<(&'static str, usize)> {
    let mut found: Option<(&'static str, usize)> = None;
    let mut i = 0;
    while i < names.len() {
        if let Some(distance) = distance(written, names[i]) {
            let nearer = match found {
                Some((_, other)) => distance < other,
                None => true,
            };
            if nearer {
                found = Some((names[i], distance));
            }
        }
        i += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn a_slip_is_near() {
        for (written, meant, far) in [
            ("lastnme", "lastname", 1),
            ("lastnaem", "lastname", 1),
            ("last_name", "lastname", 1),
            ("city", "city", 0),
            ("ctiy", "city", 1),
            ("less_then", "less_than", 1),
        ] {
            assert_eq!(distance(written, meant), Some(far), "{written} {meant}");
        }
    }

    #[test]
    fn what_is_far_is_not_meant() {
        for (written, meant) in [
            ("lastname", "city"),
            ("a", "b"),
            ("age", "bag_of_tea"),
            ("", "x"),
            ("", ""),
            ("x", ""),
        ] {
            assert_eq!(distance(written, meant), None, "{written} {meant}");
        }
    }

    #[test]
    fn the_nearest_of_several_is_taken() {
        assert_eq!(nearest("agee", &["city", "ages", "age"]), Some(("ages", 1)));
        assert_eq!(nearest("zzz", &["city", "age"]), None);
    }
}
