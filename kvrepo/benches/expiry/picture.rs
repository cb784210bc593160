//! The lags as curves: how much had been delivered how long after its deadline.

use std::time::Duration;

use crate::arguments::Arguments;
use crate::lag::Line;
use crate::svg::{Anchor, LEADING, Svg, grouped, wrapped};

const WIDTH: f64 = 760.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = WIDTH - 36.0;
const TOP: f64 = 84.0;
const BOTTOM: f64 = 324.0;
/// The first row below the plot, and how far apart rows are.
const ROWS: f64 = BOTTOM + 66.0;
const ROW: f64 = 22.0;
/// Where the columns of numbers end.
const COLUMNS: [(&str, f64); 4] = [
    ("delivered", 380.0),
    ("p50", 480.0),
    ("p99", 580.0),
    ("max", 680.0),
];
const MARKS: [(&str, f64); 3] = [("p50", 0.5), ("p99", 0.99), ("max", 1.0)];
/// As many points of a curve as can be seen.
const POINTS: usize = 300;

pub(crate) fn draw(lines: &[Line], arguments: &Arguments, machine: &str) -> Svg {
    let caption = wrapped(&measured(arguments, machine), WIDTH - 48.0);
    let below = ROWS + ROW * lines.len() as f64 + 6.0;
    let height = below + LEADING * caption.len() as f64 + 6.0;
    let title = "Lag: from the deadline to the event, value decoded, in hand";
    let mut picture = Svg::new(WIDTH, height, title, &description(lines));
    let words = "share of all that was due and had been delivered; the axis of time is logarithmic";
    picture.words(24.0, 52.0, "faint", Anchor::Start, words);
    let scale = Scale::of(lines);
    scale.draw(&mut picture);
    let mut labels = Labels::default();
    for line in lines {
        let points = points(&scale, line);
        draw_curve(&mut picture, &points, class(line));
        labels.keep_off(&points);
    }
    let marks: Vec<_> = lines
        .iter()
        .map(|line| marks(&mut picture, &scale, line))
        .collect();
    for mark in marks.iter().flatten() {
        labels.keep_off(&[mark.place]);
    }
    for mark in marks.iter().flatten() {
        labels.draw(&mut picture, mark);
    }
    table(&mut picture, lines, arguments);
    picture.caption((24.0, below), &caption);
    picture
}

fn description(lines: &[Line]) -> String {
    let line = |line: &Line| {
        let [p50, p99, max] = MARKS.map(|(_, quantile)| said(line, quantile));
        let delivered = delivered(line);
        format!(
            "{}: {delivered} delivered, p50 {p50}, p99 {p99}, max {max}.",
            line.who
        )
    };
    let lines: Vec<String> = lines.iter().map(line).collect();
    format!("Cumulative distributions. {}", lines.join(" "))
}

fn measured(arguments: &Arguments, machine: &str) -> String {
    let of_keyspaces = match arguments.keyspaces {
        1 => String::new(),
        many => format!(" in {many} keyspaces of one store"),
    };
    format!(
        "{machine}. {} other keys with a TTL, notifications {}; {} entities due {}{of_keyspaces}. \
         The plain listener waits for notifications, reads a copy of the hash, and was given half a minute.",
        grouped(arguments.background),
        if arguments.notifications { "on" } else { "off" },
        grouped(arguments.due),
        if arguments.burst {
            "at one instant"
        } else {
            "within two seconds"
        },
    )
}

fn class(line: &Line) -> &'static str {
    match line.who {
        "kvrepo" => "one",
        "plain-listener" => "two",
        _ => "three",
    }
}

fn delivered(line: &Line) -> String {
    format!("{} of {}", grouped(line.lags.all().len()), grouped(line.due))
}

fn said(line: &Line, quantile: f64) -> String {
    match line.lags.quantile(quantile) {
        Some((_, lag)) if lag >= Duration::from_secs(1) => format!("{:.1} s", lag.as_secs_f64()),
        Some((_, lag)) if lag >= Duration::from_millis(100) => format!("{} ms", lag.as_millis()),
        Some((_, lag)) => format!("{:.1} ms", lag.as_secs_f64() * 1e3),
        None => "-".to_owned(),
    }
}

/// From lags and shares to places in the plot.
struct Scale {
    /// Powers of ten, in seconds.
    from: i32,
    to: i32,
}

impl Scale {
    fn of(lines: &[Line]) -> Self {
        let all = lines.iter().flat_map(|line| line.lags.all());
        let (mut least, mut most) = (1e-3_f64, 1e-2_f64);
        for lag in all {
            least = least.min(lag.as_secs_f64());
            most = most.max(lag.as_secs_f64());
        }
        Self {
            from: least.max(1e-4).log10().floor() as i32,
            to: most.log10().ceil() as i32,
        }
    }

    fn x(&self, seconds: f64) -> f64 {
        let decades = f64::from(self.to - self.from);
        let along = (seconds.log10() - f64::from(self.from)) / decades;
        LEFT + along.clamp(0.0, 1.0) * (RIGHT - LEFT)
    }

    fn y(share: f64) -> f64 {
        BOTTOM - share * (BOTTOM - TOP)
    }

    /// Of the one with this rank, of so many.
    fn place(&self, (rank, lag): (usize, Duration), due: usize) -> (f64, f64) {
        (self.x(lag.as_secs_f64()), Self::y(rank as f64 / due as f64))
    }

    fn draw(&self, picture: &mut Svg) {
        for quarter in 0..=4 {
            let y = Self::y(f64::from(quarter) / 4.0);
            picture.line((LEFT, y), (RIGHT, y), if quarter == 0 { "axis" } else { "grid" });
            let share = format!("{} %", quarter * 25);
            picture.words(LEFT - 8.0, y + 4.0, "faint", Anchor::End, share);
        }
        for power in self.from..=self.to {
            let seconds = 10_f64.powi(power);
            let x = self.x(seconds);
            picture.line((x, TOP), (x, BOTTOM), "grid");
            let time = if seconds < 0.999 {
                format!("{} ms", (seconds * 1e4).round() / 10.0)
            } else {
                format!("{seconds:.0} s")
            };
            picture.words(x, BOTTOM + 18.0, "faint", Anchor::Middle, time);
        }
    }
}

/// Where not all came it goes on to the edge, as high as it has come.
fn points(scale: &Scale, line: &Line) -> Vec<(f64, f64)> {
    let lags = line.lags.all();
    let Some(first) = lags.first() else {
        return Vec::new();
    };
    let mut points = vec![(scale.x(first.as_secs_f64()), BOTTOM)];
    let ranks = (1..lags.len()).step_by(lags.len().div_ceil(POINTS));
    for rank in ranks.chain([lags.len()]) {
        points.push(scale.place((rank, lags[rank - 1]), line.due));
    }
    if lags.len() < line.due {
        points.push((RIGHT, Scale::y(lags.len() as f64 / line.due as f64)));
    }
    points
}

fn draw_curve(picture: &mut Svg, points: &[(f64, f64)], class: &str) {
    let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let points = points.join(" ");
    picture.element(format_args!(
        "<polyline class=\"{class} line\" points=\"{points}\"/>"
    ));
}

struct Mark {
    place: (f64, f64),
    class: &'static str,
    words: String,
}

fn marks(picture: &mut Svg, scale: &Scale, line: &Line) -> Vec<Mark> {
    let class = class(line);
    let mark = |(name, quantile): (&str, f64)| {
        let place = scale.place(line.lags.quantile(quantile)?, line.due);
        let words = format!("{name} {}", said(line, quantile));
        Some(Mark { place, class, words })
    };
    let [p50, p99, max] = MARKS.map(mark);
    // If there is no room for all, the first are written.
    let marks: Vec<Mark> = [p50, max, p99].into_iter().flatten().collect();
    for Mark { place: (x, y), .. } in &marks {
        picture.element(format_args!(
            "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\"/>"
        ));
    }
    marks
}

/// The words at the marks: none over others, or over a curve.
#[derive(Default)]
struct Labels {
    /// Left, right, top and bottom of where something is.
    taken: Vec<[f64; 4]>,
}

impl Labels {
    fn keep_off(&mut self, points: &[(f64, f64)]) {
        if let [(x, y)] = points {
            self.taken.push([x - 5.0, x + 5.0, y - 5.0, y + 5.0]);
        }
        for pair in points.windows(2) {
            let ((x1, y1), (x2, y2)) = (pair[0], pair[1]);
            self.taken.push([x1, x2, y1.min(y2) - 1.0, y1.max(y2) + 1.0]);
        }
    }

    /// What finds no place stands in the table all the same.
    fn draw(&mut self, picture: &mut Svg, mark: &Mark) {
        let Mark { place: (x, y), .. } = *mark;
        // About and rather more, since the font is the reader's.
        let wide = mark.words.chars().count() as f64 * 7.2;
        let (right, middle, left) = (x + 9.0, x - wide / 2.0, x - wide - 9.0);
        let places = [
            (right, y),
            (right, y + 15.0),
            (middle, y - 16.0),
            (right, y - 16.0),
            (left, y),
            (left, y - 16.0),
            (right, y - 32.0),
        ];
        let at = |(x, y): (f64, f64)| [x, x + wide, y - 7.0, y + 7.0];
        if let Some((x, y)) = places.into_iter().find(|place| self.is_free(at(*place))) {
            self.taken.push(at((x, y)));
            picture.words(x, y + 4.5, mark.class, Anchor::Start, &mark.words);
        }
    }

    fn is_free(&self, [left, right, top, bottom]: [f64; 4]) -> bool {
        let inside = left > LEFT && right < WIDTH - 8.0 && top > TOP - 26.0 && bottom < BOTTOM;
        inside
            && self
                .taken
                .iter()
                .all(|[other_left, other_right, other_top, other_bottom]| {
                    left > *other_right || right < *other_left || top > *other_bottom || bottom < *other_top
                })
    }
}

fn table(picture: &mut Svg, lines: &[Line], arguments: &Arguments) {
    for (name, end) in COLUMNS {
        picture.words(end, ROWS - ROW, "faint", Anchor::End, name);
    }
    for (number, line) in lines.iter().enumerate() {
        let y = ROWS + ROW * number as f64;
        picture.bar((24.0, y - 9.0), (10.0, 10.0), class(line));
        let who = match line.who {
            "kvrepo-group" => format!("kvrepo, a group of {}", arguments.groups),
            who => who.replace('-', " "),
        };
        picture.words(42.0, y, "ink", Anchor::Start, who);
        let numbers = MARKS.map(|(_, quantile)| said(line, quantile));
        let numbers = [delivered(line)].into_iter().chain(numbers);
        for ((_, end), number) in COLUMNS.iter().zip(numbers) {
            picture.words(*end, y, "ink", Anchor::End, number);
        }
    }
}
