//! The ratios as bars.

use crate::arguments::Arguments;
use crate::report::Line;
use crate::summary::Summary;
use crate::svg::{Anchor, LEADING, Svg, grouped, wrapped};

const WIDTH: f64 = 760.0;
const LEFT: f64 = 200.0;
const RIGHT: f64 = 610.0;
const TOP: f64 = 96.0;
const ROW: f64 = 25.0;

pub(crate) fn draw(summary: &Summary<'_>, arguments: &Arguments, machine: &str) -> Svg {
    let bottom = TOP + ROW * summary.0.len() as f64;
    let caption = wrapped(&measured(summary, arguments, machine), WIDTH - 48.0);
    let height = bottom + 46.0 + LEADING * caption.len() as f64 + 6.0;
    let title = "Speed: kvrepo beside the tightest commands by hand";
    let mut picture = Svg::new(WIDTH, height, title, &description(summary));
    let words = "calls in a second by those of scripts with the same promises; thin: from the least to the greatest of all rounds";
    picture.words(24.0, 52.0, "faint", Anchor::Start, words);
    let greatest = summary.0.iter().map(|line| line.ratio_max).fold(1.2, f64::max);
    // What a round that was disturbed says is not to make all else small.
    let scale = Scale {
        end: (greatest * 5.0).ceil().min(10.0) / 5.0,
    };
    scale.draw(&mut picture, bottom);
    for (number, line) in summary.0.iter().enumerate() {
        let middle = TOP + ROW * (number as f64 + 0.5);
        bar(&mut picture, &scale, middle, summary, line);
    }
    // Over the bars, since it is what they are compared with.
    let one = scale.x(1.0);
    picture.line((one, TOP - 6.0), (one, bottom), "thin");
    picture.words(one, TOP - 14.0, "ink", Anchor::Middle, "by hand = 1.0");
    picture.caption((24.0, bottom + 46.0), &caption);
    picture
}

fn description(summary: &Summary<'_>) -> String {
    let said = |line: &&Line| format!("{} {:.2}", summary.label(line), line.ratio);
    let all: Vec<String> = summary.0.iter().map(said).collect();
    format!("Bars, one for each operation. {}.", all.join("; "))
}

fn measured(summary: &Summary<'_>, arguments: &Arguments, machine: &str) -> String {
    let rounds = || summary.0.iter().map(|line| line.rounds);
    let rounds = match (rounds().min(), rounds().max()) {
        (Some(fewest), Some(most)) if fewest < most => format!("{fewest} to {most}"),
        (fewest, _) => fewest.unwrap_or_default().to_string(),
    };
    let size = summary.0.first().map_or("", |line| line.size);
    let fields = match size {
        "small" => 3,
        "usual" => 10,
        _ => 100,
    };
    format!(
        "{machine}, notifications off. Entities of {fields} fields, {} callers at once unless it says otherwise, \
         {rounds} rounds of about {} ms. Queries among {} entities find a twentieth; save_all and delete_all are about {}.",
        summary.concurrency(),
        arguments.duration.as_millis(),
        grouped(arguments.entities),
        grouped(arguments.batch),
    )
}

struct Scale {
    /// The ratio at the right edge.
    end: f64,
}

impl Scale {
    fn x(&self, ratio: f64) -> f64 {
        LEFT + (ratio / self.end).min(1.0) * (RIGHT - LEFT)
    }

    fn draw(&self, picture: &mut Svg, bottom: f64) {
        let steps = (self.end * 5.0).round() as u32;
        for step in 0..=steps {
            let ratio = f64::from(step) / 5.0;
            let x = self.x(ratio);
            picture.line((x, TOP), (x, bottom), if step == 0 { "axis" } else { "grid" });
            picture.words(x, bottom + 18.0, "faint", Anchor::Middle, format!("{ratio:.1}"));
        }
    }
}

fn bar(picture: &mut Svg, scale: &Scale, middle: f64, summary: &Summary<'_>, line: &Line) {
    let baseline = middle + 4.5;
    picture.words(LEFT - 10.0, baseline, "ink", Anchor::End, summary.label(line));
    let long = scale.x(line.ratio) - LEFT;
    picture.bar((LEFT, middle - 7.0), (long, 14.0), "one pale");
    let (least, greatest) = (scale.x(line.ratio_min), scale.x(line.ratio_max));
    picture.line((least, middle), (greatest, middle), "thin");
    let numbers = format!("{:.2}", line.ratio);
    picture.words(RIGHT + 50.0, baseline, "ink", Anchor::End, numbers);
    let spread = format!("{:.2} to {:.2}", line.ratio_min, line.ratio_max);
    picture.words(WIDTH - 16.0, baseline, "faint", Anchor::End, spread);
}
