//! The documents: which results are written under which schema, how older versions are read, and the JSON Schema of each.

use std::path::{Path, PathBuf};

use mixgist::components::Components;
use mixgist::credible::Credible;
use mixgist::narrative::Narrate;
use mixgist::partition::PartitionAnswer;
use mixgist::representatives::{Condition, Representatives};
use mixgist::stability::{Outcome, Stability};
use mixgist::text::Spelling;
use mixgist::{Alignment, Answer, HowMany, Memberships, MixingMeasure, Result, Summary, Warning};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::formats::json::{Schema, holds, read_json};

/// Summaries.
pub const SUMMARY_SCHEMA: Schema = Schema { name: "mixgist.summary", version: 2 };
/// Credible sets.
pub const CREDIBLE_SCHEMA: Schema = Schema { name: "mixgist.credible", version: 2 };
/// Components of an estimate.
pub const COMPONENTS_SCHEMA: Schema = Schema { name: "mixgist.components", version: 2 };
/// Representatives of the modes.
pub const REPRESENTATIVES_SCHEMA: Schema = Schema { name: "mixgist.representatives", version: 2 };
/// Stability cards.
pub const STABILITY_SCHEMA: Schema = Schema { name: "mixgist.stability", version: 2 };
/// Aligned draws.
pub const ALIGNMENT_SCHEMA: Schema = Schema { name: "mixgist.alignment", version: 2 };
/// Numbers of components.
pub const HOW_MANY_SCHEMA: Schema = Schema { name: "mixgist.how-many", version: 2 };
/// Memberships of observations.
pub const MEMBERSHIPS_SCHEMA: Schema = Schema { name: "mixgist.memberships", version: 2 };
/// Estimated partitions.
pub const PARTITION_SCHEMA: Schema = Schema { name: "mixgist.partition", version: 2 };
/// A fit without its draws.
pub const FIT_SCHEMA: Schema = Schema { name: "mixgist.fit", version: 2 };

/// Where the document of a fit stands beside its draws: `draws.fit.json` beside `draws.npz`, so that `draws.json` is free for a summary.
pub fn fit_document_path(draws: &Path) -> PathBuf {
    draws.with_extension("fit.json")
}

/// A result that is written as a document.
pub trait Documented: Narrate + Serialize + JsonSchema {
    /// The name and version of its document.
    const SCHEMA: Schema;
    /// A heading, for a notebook say.
    const TITLE: &'static str;

    /// What the reader should know.
    fn warnings(&self) -> &[Warning];

    /// What documents hold in neutral words or not at all, in a front's words.
    fn said(&self, _spelling: &dyn Spelling) -> Value {
        Value::Null
    }
}

macro_rules! documented {
    ($($result:ty: $schema:expr, $title:literal $(, $said:expr)?;)+) => {$(
        impl Documented for $result {
            const SCHEMA: Schema = $schema;
            const TITLE: &'static str = $title;

            fn warnings(&self) -> &[Warning] {
                &self.warnings
            }

            $(fn said(&self, spelling: &dyn Spelling) -> Value {
                $said(self, spelling)
            })?
        }
    )+};
}

documented! {
    Summary: SUMMARY_SCHEMA, "Summary";
    Credible: CREDIBLE_SCHEMA, "Credible ball";
    Components: COMPONENTS_SCHEMA, "Components";
    Alignment: ALIGNMENT_SCHEMA, "Aligned draws";
    Memberships: MEMBERSHIPS_SCHEMA, "Memberships";
    HowMany: HOW_MANY_SCHEMA, "How many";
    Representatives: REPRESENTATIVES_SCHEMA, "Representatives", refusals;
    Stability: STABILITY_SCHEMA, "Stability", changes;
}

/// The conditions that each test does not meet.
fn refusals(found: &Representatives, _: &dyn Spelling) -> Value {
    let names = |refused: Vec<Condition>| refused.into_iter().map(Condition::name).collect::<Vec<_>>();
    json!({ "refused_by": found.tests.iter().map(|test| names(test.refused_by())).collect::<Vec<_>>() })
}

/// Changes, errors and advice.
fn changes(card: &Stability, spelling: &dyn Spelling) -> Value {
    let error = |outcome: &Outcome| match outcome {
        Outcome::Failed { error } => Some(error.spelled(spelling)),
        Outcome::Moved(_) => None,
    };
    json!({
        "advice": card.verdict.advice.iter().map(|text| text.spelled(spelling)).collect::<Vec<_>>(),
        "changes": card.checks.iter().map(|check| check.change.spelled(spelling)).collect::<Vec<_>>(),
        "errors": card.checks.iter().map(|check| error(&check.outcome)).collect::<Vec<_>>(),
    })
}

/// Reads a summary, of this version or an older one.
pub fn read_summary(path: &Path) -> Result<Answer<Summary>> {
    read_json(path, SUMMARY_SCHEMA)
}

/// The components of a fit and their names: those of aligned draws, or the atoms of a summary by their numbers.
pub fn read_named_components(path: &Path) -> Result<(MixingMeasure, Vec<String>)> {
    if holds(path, ALIGNMENT_SCHEMA)? {
        let answer: Answer<Alignment> = read_json(path, ALIGNMENT_SCHEMA)?;
        return Ok((answer.result.estimate, answer.result.names));
    }
    let estimate = read_summary(path)?.result.estimate;
    let names = (0..estimate.len()).map(|k| k.to_string()).collect();
    Ok((estimate, names))
}

/// A document of an older version as its present form.
pub(crate) fn upgraded(schema: Schema, version: u64, fields: &mut Map<String, Value>) {
    if schema == SUMMARY_SCHEMA && version == 1 {
        upgrade_summary(fields);
    }
}

/// Version 1 of a summary had its settings among its other fields, warnings as sentences alone, and losses of the medoid at the top.
fn upgrade_summary(fields: &mut Map<String, Value>) {
    let mut take = |name: &str| fields.remove(name).unwrap_or(Value::Null);
    let estimator = match take("estimator") {
        Value::Null => json!("medoid"),
        name => name,
    };
    let scheme = take("scheme");
    let given = scheme == json!("given");
    let mut settings = json!({
        "distance": take("distance"),
        "order": take("order"),
        "loss": take("loss"),
        "scheme": if given { json!("iid") } else { scheme },
        "seed": take("seed"),
        "route": "auto",
        "prune": "rounding",
        "estimate": estimator,
    });
    let runner_up = take("runner_up");
    let (loss, separation) = (take("runner_up_expected_loss"), take("separation"));
    if !runner_up.is_null() {
        let runner_up = json!({ "draw": runner_up, "expected_loss": loss, "separation": separation });
        fields.insert("runner_up".into(), runner_up);
    }
    let copy = |fields: &Map<String, Value>, name: &str| fields.get(name).cloned().unwrap_or(Value::Null);
    settings["slices"] = copy(fields, "slices");
    settings["units"] = copy(fields, "units")["name"].clone();
    if given {
        settings["directions"] = json!({ "slices": settings["slices"], "fingerprint": "" });
    }
    for name in ["expected_loss", "expected_loss_se"] {
        fields.insert(format!("medoid_{name}"), copy(fields, name));
    }
    let (estimate, distances) = (copy(fields, "estimate"), copy(fields, "distances"));
    if let Some(free) = fields.get_mut("assessment").and_then(|assessment| assessment.get_mut("free"))
        && estimator == json!("free")
    {
        let chosen = free["path"][free["chosen"].as_u64().unwrap_or(0) as usize]["atoms"].clone();
        settings["atoms"] = if chosen.is_null() { json!("auto") } else { chosen };
        free["estimate"] = estimate;
        free["distances"] = distances;
        let loss = free["expected_loss"].clone();
        fields.insert("expected_loss".into(), loss);
        fields.insert("expected_loss_se".into(), Value::Null);
    }
    if let Some(warnings) = fields.get_mut("warnings").and_then(Value::as_array_mut) {
        for warning in warnings {
            *warning = json!({
                "name": "recorded", "of": warning["name"], "sentence": warning["message"], "help": warning["advice"]
            });
        }
    }
    if let Some(certainty) = fields.remove("certainty") {
        fields.insert("membership_probability".into(), certainty);
    }
    fields.insert("chains".into(), json!(0));
    fields.insert("settings".into(), settings);
}

/// The JSON Schema of every document that these crates hold, by the name of its file.
pub fn json_schemas() -> Vec<(String, Value)> {
    vec![
        json_schema::<Answer<Summary>>(Summary::SCHEMA),
        json_schema::<Answer<Credible>>(Credible::SCHEMA),
        json_schema::<Answer<Components>>(Components::SCHEMA),
        json_schema::<Answer<Representatives>>(Representatives::SCHEMA),
        json_schema::<Answer<Stability>>(Stability::SCHEMA),
        json_schema::<Answer<Alignment>>(Alignment::SCHEMA),
        json_schema::<Answer<HowMany>>(HowMany::SCHEMA),
        json_schema::<Answer<Memberships>>(Memberships::SCHEMA),
        json_schema::<PartitionAnswer>(PARTITION_SCHEMA),
    ]
}

/// The JSON Schema of a document, with the name of its file.
pub fn json_schema<T: JsonSchema>(schema: Schema) -> (String, Value) {
    let generator = schemars::generate::SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut root = generator.into_root_schema_for::<T>();
    let head = json!({
        "schema": { "const": schema.name, "description": "What the document holds." },
        "schema_version": { "const": schema.version, "description": "Version of the schema." }
    });
    if let Some(Value::Object(properties)) = root.get_mut("properties") {
        properties.extend(head.as_object().expect("an object").clone());
    }
    root.insert("title".into(), schema.name.into());
    (format!("{}.json", schema.name.trim_start_matches("mixgist.")), root.to_value())
}
