//! What the command line says.

const SIZES: [&str; 3] = ["small", "usual", "large"];

pub(crate) struct Arguments {
    pub(crate) entities_too: bool,
    pub(crate) events_too: bool,
    pub(crate) sizes: Vec<String>,
    pub(crate) entities: usize,
    pub(crate) json: bool,
}

impl Arguments {
    pub(crate) fn parse() -> Self {
        let mut parsed = Self {
            entities_too: true,
            events_too: true,
            sizes: SIZES.map(str::to_owned).to_vec(),
            entities: 20_000,
            json: false,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().unwrap_or_else(|| panic!("{word} needs a value"));
            match word.as_str() {
                "--what" => {
                    let what = value();
                    let of = |name| what.split(',').any(|word| word == name);
                    (parsed.entities_too, parsed.events_too) = (of("entities"), of("events"));
                }
                "--sizes" => parsed.sizes = value().split(',').map(size).collect(),
                "--entities" => parsed.entities = value().parse().expect("a number"),
                "--json" => parsed.json = true,
                // Cargo's own.
                "--bench" => {}
                other => panic!("unknown argument {other}; see benches/memory.rs"),
            }
        }
        assert!(
            parsed.entities >= 100,
            "at least 100, or there is nothing to divide by"
        );
        parsed
    }
}

fn size(name: &str) -> String {
    assert!(SIZES.contains(&name), "no size `{name}`");
    name.to_owned()
}
