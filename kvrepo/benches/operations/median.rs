//! What many rounds say together.

/// Round by round, so that what disturbs both does not count.
pub(crate) fn ratios(these: &[f64], those: &[f64]) -> Vec<f64> {
    these.iter().zip(those).map(|(this, that)| this / that).collect()
}

pub(crate) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (half, odd) = (sorted.len() / 2, sorted.len() % 2 == 1);
    let upper = sorted.get(half)?;
    Some(if odd {
        *upper
    } else {
        (sorted[half - 1] + upper) / 2.0
    })
}
