//! A case, and what is expected of kvrepo.

use serde_json::{Map, Value, json};

/// One case of a file.
#[derive(Debug, Clone)]
pub struct Case {
    fields: Map<String, Value>,
}

/// Where `design.md` rules otherwise than a case does.
#[derive(Debug, Clone, Copy)]
pub struct Ruling {
    /// The case.
    pub id: &'static str,
    /// What the design says.
    pub why: &'static str,
    /// What is expected instead, in the notation of a case's `kvrepo`; and `when_errors`, as `when_results`, for
    /// steps that must fail.
    pub instead: &'static str,
}

/// A case, or cases of one feature, that belong to a later issue or cannot be said in Rust.
#[derive(Debug, Clone, Copy)]
pub struct LeftOut {
    /// What they need, or what they meet.
    pub group: &'static str,
    /// Features or areas that are left out as a whole.
    pub features: &'static [&'static str],
    /// Single cases.
    pub ids: &'static [&'static str],
}

impl Case {
    /// The cases of a file.
    ///
    /// # Panics
    ///
    /// If it is none.
    #[must_use]
    pub fn all(file: &str) -> Vec<Self> {
        let cases: Vec<Map<String, Value>> = serde_json::from_str(file).expect("a list of cases");
        cases.into_iter().map(|fields| Self { fields }).collect()
    }

    #[must_use]
    pub fn get(&self, field: &str) -> Option<&Value> {
        self.fields.get(field)
    }

    /// A text field; empty where there is none.
    #[must_use]
    pub fn text(&self, field: &str) -> &str {
        self.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    /// An object; empty where there is none.
    #[must_use]
    pub fn object(&self, field: &str) -> Map<String, Value> {
        self.get(field)
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default()
    }

    /// A list; empty where there is none.
    #[must_use]
    pub fn list(&self, field: &str) -> &[Value] {
        self.get(field)
            .and_then(Value::as_array)
            .map_or(&[], Vec::as_slice)
    }

    #[must_use]
    pub fn id(&self) -> &str {
        self.text("id")
    }

    /// The name of the type.
    #[must_use]
    pub fn type_name(&self) -> &str {
        self.get("type")
            .and_then(|found| found["name"].as_str())
            .unwrap_or_default()
    }

    /// The group under which this case is left out, if it is.
    #[must_use]
    pub fn left_out(&self, left_out: &[LeftOut]) -> Option<&'static str> {
        let (id, feature, area) = (self.id(), self.text("feature"), self.text("area"));
        let here = |one: &&LeftOut| {
            one.ids.contains(&id) || one.features.iter().any(|name| [feature, area].contains(name))
        };
        left_out.iter().find(here).map(|one| one.group)
    }

    /// The case as kvrepo has to fulfil it: with its `kvrepo` fields, and those of a ruling, in place of the peer's.
    ///
    /// # Panics
    ///
    /// If a ruling is no JSON.
    #[must_use]
    pub fn desired(&self, ruling: Option<&Ruling>) -> Self {
        let mut case = self.clone();
        case.replace(&self.object("kvrepo"));
        if let Some(ruling) = ruling {
            case.replace(&serde_json::from_str(ruling.instead).expect("a ruling is a JSON object"));
        }
        case
    }

    fn replace(&mut self, by: &Map<String, Value>) {
        for field in [
            "hash",
            "value",
            "value_back",
            "error",
            "absent",
            "then",
            "all_keys",
        ] {
            let Some(value) = by.get(field) else { continue };
            match (field, self.text("kind")) {
                // It is the index cases' state; see below.
                ("absent", "index") => continue,
                // What the calls come to, the last of all.
                ("error", "behaviour") => {
                    let last = self.list("when").len().saturating_sub(1);
                    self.replace_step(last, "error", &json!({ "kind": value }));
                    continue;
                }
                ("hash", _) => drop(self.fields.remove("absent")),
                // What cannot be written is a value.
                ("error", kind) if kind != "write" => drop(self.fields.remove("value")),
                _ => {}
            }
            self.fields.insert(field.to_owned(), value.clone());
        }
        if self.text("kind") == "index" {
            self.replace_keys(by);
        }
        for (from, to) in [("when_results", "result"), ("when_errors", "error")] {
            for (number, value) in by.get(from).and_then(Value::as_object).into_iter().flatten() {
                let number = number.parse().expect("steps have numbers");
                self.replace_step(number, to, value);
            }
        }
    }

    /// Other keys than the peer's, and so none of which it is said that they are not there.
    fn replace_keys(&mut self, by: &Map<String, Value>) {
        let keys = ["sets", "geo", "absent"].map(|field| (field, by.get(field)));
        if keys.iter().all(|(_, value)| value.is_none()) {
            return;
        }
        let then = self.fields.entry("then").or_insert_with(|| json!({}));
        let then = then.as_object_mut().expect("a state is an object");
        then.remove("absent");
        for (field, value) in keys {
            if let Some(value) = value {
                then.insert(field.to_owned(), value.clone());
            }
        }
    }

    /// What a step comes to.
    fn replace_step(&mut self, number: usize, what: &str, value: &Value) {
        let steps = ["when", "steps"]
            .into_iter()
            .find(|steps| self.get(steps).is_some());
        let step = steps
            .and_then(|steps| self.fields.get_mut(steps)?.as_array_mut())
            .and_then(|steps| steps.get_mut(number)?.as_object_mut());
        let step = step.unwrap_or_else(|| panic!("there is no step {number}"));
        step.remove("error");
        step.remove("result");
        if value.as_str() != Some("ok") {
            step.insert(what.to_owned(), value.clone());
        }
    }
}
