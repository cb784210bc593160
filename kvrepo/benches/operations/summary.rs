//! The lines that say most, as a table for README.md.

use std::fmt;

use crate::report::Line;

/// Of each operation on entities of one size the line with the most callers.
#[derive(Debug)]
pub(crate) struct Summary<'a>(pub(crate) Vec<&'a Line>);

impl<'a> Summary<'a> {
    /// Of the usual size, or else the first.
    pub(crate) fn of(lines: &'a [Line]) -> Self {
        let sizes = || lines.iter().map(|line| line.size);
        let size = sizes().find(|size| *size == "usual").or(sizes().next());
        let mut chosen: Vec<&Line> = Vec::new();
        for line in lines.iter().filter(|line| Some(line.size) == size) {
            match chosen.iter_mut().find(|other| other.op == line.op) {
                Some(other) if other.concurrency < line.concurrency => *other = line,
                Some(_) => {}
                None => chosen.push(line),
            }
        }
        Self(chosen)
    }

    /// The most callers of all.
    pub(crate) fn concurrency(&self) -> usize {
        let callers = self.0.iter().map(|line| line.concurrency);
        callers.max().unwrap_or_default()
    }

    /// The operation, and how many callers it has where others have more.
    pub(crate) fn label(&self, line: &Line) -> String {
        match line.concurrency {
            most if most == self.concurrency() => line.op.to_owned(),
            1 => format!("{}, one caller", line.op),
            callers => format!("{}, {callers} callers", line.op),
        }
    }
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| operation | speed beside the same promises by hand | beside unguarded commands | server's processor | round trips, by hand |"
        )?;
        writeln!(f, "| --- | --- | --- | --- | --- |")?;
        for line in &self.0 {
            let unguarded = line.unguarded_ratio.map(|ratio| format!("{ratio:.2}"));
            writeln!(
                f,
                "| {} | {:.2} ({:.2} to {:.2}) | {} | {:.2} | {}, {} |",
                self.label(line),
                line.ratio,
                line.ratio_min,
                line.ratio_max,
                unguarded.unwrap_or_default(),
                line.server_ratio,
                Count(line.round_trips),
                Count(line.raw_round_trips),
            )?;
        }
        Ok(())
    }
}

/// Mostly whole.
struct Count(f64);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = usize::from(self.0.fract() != 0.0);
        write!(f, "{:.digits$}", self.0)
    }
}
