//! A picture, as text: shapes and words on a card that is light or dark as the reader's screen is.
//!
//! Shared by the benches, each of which includes it by its path. No scripts, no fonts of its own, no colours but by class.

#![expect(clippy::expect_used, reason = "a benchmark ends where it cannot go on")]

use std::fmt::{Display, Write as _};
use std::path::{Path, PathBuf};

/// Classes: `ink` and `faint` for words, `axis` and `grid` for lines, and for data `one` (kvrepo), `two`, `three`, each of
/// which colours words and marks; with `line` only the outline.
const STYLE: &str = "\
text { font: 13px system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; fill: #1f2328 }
text.title { font-size: 16px; font-weight: 600 }
text.faint { fill: #59636e; font-size: 12px }
.card { fill: #ffffff }
.axis { stroke: #59636e; stroke-width: 1 }
.grid { stroke: #d1d9e0; stroke-width: 1 }
.one { fill: #0969da } .two { fill: #bc4c00 } .three { fill: #6639ba }
.line { fill: none; stroke-width: 2; stroke-linejoin: round }
.one.line { stroke: #0969da } .two.line { stroke: #bc4c00 } .three.line { stroke: #6639ba }
.thin { stroke: #1f2328; stroke-width: 1 }
.pale { opacity: 0.6 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
text.faint { fill: #9198a1 }
.card { fill: #0d1117 }
.axis { stroke: #9198a1 }
.grid { stroke: #30363d }
.one { fill: #58a6ff } .two { fill: #f0883e } .three { fill: #bc8cff }
.one.line { stroke: #58a6ff } .two.line { stroke: #f0883e } .three.line { stroke: #bc8cff }
.line { fill: none }
.thin { stroke: #e6edf3 }
}
";

/// From line to line of small text.
pub(crate) const LEADING: f64 = 17.0;

/// Where a text is held.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

#[derive(Debug)]
pub(crate) struct Svg {
    text: String,
}

impl Svg {
    /// The title stands at the top, and with the description is what a screen reader says.
    pub(crate) fn new(width: f64, height: f64, title: &str, description: &str) -> Self {
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\" aria-labelledby=\"title desc\">\n\
             <title id=\"title\">{}</title>\n<desc id=\"desc\">{}</desc>\n<style>\n{STYLE}</style>\n",
            escaped(title),
            escaped(description),
        );
        let _ = writeln!(
            text,
            "<rect class=\"card\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>"
        );
        let mut svg = Self { text };
        svg.words(24.0, 30.0, "title", Anchor::Start, title);
        svg
    }

    pub(crate) fn words(&mut self, x: f64, y: f64, class: &str, anchor: Anchor, words: impl Display) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.element(format_args!(
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
            escaped(&words.to_string())
        ));
    }

    pub(crate) fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), class: &str) {
        self.element(format_args!(
            "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        ));
    }

    pub(crate) fn bar(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), class: &str) {
        self.element(format_args!(
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
        ));
    }

    /// Small text, line by line.
    pub(crate) fn caption(&mut self, (x, y): (f64, f64), lines: &[String]) {
        for (number, line) in lines.iter().enumerate() {
            self.words(x, y + LEADING * number as f64, "faint", Anchor::Start, line);
        }
    }

    /// What only one picture has.
    pub(crate) fn element(&mut self, element: impl Display) {
        let _ = writeln!(self.text, "{element}");
    }

    /// Writes it where `path` says, seen from the root of the workspace, whose benches cargo runs elsewhere.
    pub(crate) fn write(mut self, path: &Path) {
        self.text.push_str("</svg>\n");
        let path = resolved(path);
        let folder = path.parent().expect("a file has a folder");
        std::fs::create_dir_all(folder).expect("a folder for the picture");
        std::fs::write(&path, self.text).expect("a picture");
    }
}

fn resolved(path: &Path) -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package).join(path)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Small text in lines that are no wider.
pub(crate) fn wrapped(words: &str, wide: f64) -> Vec<String> {
    // Of a letter, about and rather more, since the font is the reader's.
    let most = (wide / 6.4) as usize;
    let mut lines = vec![String::new()];
    for word in words.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.len() + 1 + word.len() <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// `1,000,000`
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// What a measurement was made on: the server and its version, and the machine's cores.
pub(crate) async fn machine(server: &kvrepo_tests::harness::TestServer) -> String {
    let info: String = server.query(&["INFO", "server"]).await;
    let field = |name: &str| {
        info.lines()
            .find_map(|line| line.strip_prefix(name))
            .map(str::trim)
    };
    let server = match (field("valkey_version:"), field("redis_version:")) {
        (Some(version), _) => format!("Valkey {version}"),
        (None, version) => format!("Redis {}", version.unwrap_or("of no known version")),
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{server}, {cores} cores for server and program")
}
