//! Sentences that name options and verbs without spelling them: each front writes them in its own way.
//!
//! An error says "use [units = sd]"; the command line prints `use --units sd`, Python `use units="sd"`, R `use units = "sd"`.

use std::fmt;

/// A sentence, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Text(Vec<Span>);

/// A part of a [`Text`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Span {
    /// Words that are the same in every front.
    Words(String),
    /// An option of a call.
    Option(OptionValue),
    /// A verb of the command line, a function elsewhere.
    Verb(&'static str),
}

/// An option and the value that it should have; without a value the option itself is meant.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct OptionValue {
    /// Name of the option, with underscores between words.
    pub option: &'static str,
    /// The value; absent when the option itself is meant.
    pub value: Option<String>,
}

/// An option with a value, for [`text!`](crate::text!).
pub fn option(option: &'static str, value: impl fmt::Display) -> Span {
    Span::Option(OptionValue { option, value: Some(value.to_string()) })
}

/// An option without a value, for [`text!`](crate::text!).
pub fn named(option: &'static str) -> Span {
    Span::Option(OptionValue { option, value: None })
}

/// A verb, for [`text!`](crate::text!).
pub fn verb(name: &'static str) -> Span {
    Span::Verb(name)
}

/// How a front writes options and verbs.
pub trait Spelling {
    /// An option, with its value when there is one.
    fn option(&self, option: &str, value: Option<&str>) -> String;

    /// A verb.
    fn verb(&self, name: &str) -> String;
}

/// The spelling of documents, which belong to no front: `units = sd`, `summarize`.
pub struct Neutral;

impl Spelling for Neutral {
    fn option(&self, option: &str, value: Option<&str>) -> String {
        value.map_or_else(|| option.to_owned(), |value| format!("{option} = {value}"))
    }

    fn verb(&self, name: &str) -> String {
        format!("'{name}'")
    }
}

/// The spelling of the command line: `--burn-in 500`, `mixgist summarize`.
pub struct CommandLine;

impl CommandLine {
    /// Options that are there or not.
    const FLAGS: [&str; 2] = ["force", "conformal"];
}

impl Spelling for CommandLine {
    fn option(&self, option: &str, value: Option<&str>) -> String {
        let flag = format!("--{}", option.replace('_', "-"));
        match value {
            Some(value) if !Self::FLAGS.contains(&option) => format!("{flag} {value}"),
            _ => flag,
        }
    }

    fn verb(&self, name: &str) -> String {
        format!("mixgist {name}")
    }
}

impl Text {
    /// From its parts; [`text!`](crate::text!) is shorter.
    pub fn new(spans: Vec<Span>) -> Self {
        Text(spans)
    }

    /// The sentence as a front writes it.
    pub fn spelled(&self, spelling: &dyn Spelling) -> String {
        let spell = |span: &Span| match span {
            Span::Words(words) => words.clone(),
            Span::Option(OptionValue { option, value }) => spelling.option(option, value.as_deref()),
            Span::Verb(name) => spelling.verb(name),
        };
        self.0.iter().map(spell).collect()
    }

    /// The options that it names, in order.
    pub fn options(&self) -> impl Iterator<Item = &OptionValue> {
        self.0.iter().filter_map(|span| match span {
            Span::Option(option) => Some(option),
            _ => None,
        })
    }

    /// This sentence, and another after it.
    #[must_use]
    pub fn then(mut self, other: impl Into<Text>) -> Self {
        self.0.extend(other.into().0);
        self
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Text {
    /// In the neutral spelling of documents.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spelled(&Neutral))
    }
}

impl serde::Serialize for Text {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Text {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(String::deserialize(deserializer)?.into())
    }
}

impl schemars::JsonSchema for Text {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Text".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "description": "A sentence for people." })
    }
}

impl From<Span> for Text {
    fn from(span: Span) -> Self {
        Text(vec![span])
    }
}

impl From<String> for Text {
    fn from(words: String) -> Self {
        Text(vec![Span::Words(words)])
    }
}

impl From<&str> for Text {
    fn from(words: &str) -> Self {
        words.to_owned().into()
    }
}

/// A [`Text`] from words, numbers' texts, options and verbs: `text!["use ", option("units", "sd")]`.
#[macro_export]
macro_rules! text {
    ($($part:expr),+ $(,)?) => {{
        let text = $crate::text::Text::default();
        $(let text = text.then($part);)+
        text
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_front_spells_options_in_its_own_way() {
        let text = text!["drop ", named("burn_in"), " or use ", option("units", "sd"), ", see ", verb("inspect")];
        assert_eq!(text.to_string(), "drop burn_in or use units = sd, see 'inspect'");
        assert_eq!(text.spelled(&CommandLine), "drop --burn-in or use --units sd, see mixgist inspect");
        let options: Vec<_> = text.options().map(|found| (found.option, found.value.as_deref())).collect();
        assert_eq!(options, [("burn_in", None), ("units", Some("sd"))]);
        assert_eq!(text![option("force", true)].spelled(&CommandLine), "--force");
    }
}
