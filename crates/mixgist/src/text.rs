//! Sentences that name options, verbs and indices without spelling them: each front writes them in its own way.
//!
//! An error says "use [units = sd]"; the command line prints `use --units sd`, Python `use units="sd"`, R `use units = "sd"`. The first draw is
//! draw 0 at the command line and in Python, and draw 1 in R.

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
    /// Which draw, atom, row or column it is; the first is 0 here.
    Index(usize),
}

/// The schema of an index in a document, for fields that count from 0: `#[schemars(with = "Index")]`. Fronts that count from 1 find them by it.
#[derive(schemars::JsonSchema)]
#[schemars(inline, description = "An index, counted from 0.", extend("format" = Index::FORMAT))]
pub struct Index(#[expect(dead_code, reason = "the schema alone is used")] usize);

impl Index {
    /// What the schema of an index says as its format.
    pub const FORMAT: &'static str = "index";
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

/// Which draw, atom, row or column, for [`text!`](crate::text!).
pub fn index(place: usize) -> Span {
    Span::Index(place)
}

/// Several of them, with commas between them.
pub fn indices(places: &[usize]) -> Text {
    joined(places.iter().map(|&place| index(place)), ", ")
}

/// Parts with words between them.
pub fn joined<T: Into<Text>>(parts: impl IntoIterator<Item = T>, between: &str) -> Text {
    parts.into_iter().enumerate().fold(
        Text::default(),
        |all, (i, part)| {
            if i == 0 { part.into() } else { all.then(between).then(part) }
        },
    )
}

/// How a front writes options, verbs and indices.
pub trait Spelling {
    /// An option, with its value when there is one.
    fn option(&self, option: &str, value: Option<&str>) -> String;

    /// A verb.
    fn verb(&self, name: &str) -> String;

    /// The number of the first draw, atom, row or column.
    fn first(&self) -> usize {
        0
    }
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
            Span::Index(place) => place.saturating_add(spelling.first()).to_string(),
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

/// A [`Text`] from words, numbers' texts, options, verbs and indices: `text!["use ", option("units", "sd")]`.
#[macro_export]
macro_rules! text {
    ($($part:expr),+ $(,)?) => {{
        let text = $crate::text::Text::default();
        $(let text = text.then($part);)+
        text
    }};
}

/// A word as a shell takes it.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-,:=+".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(shell_word("a/b-1.npz"), "a/b-1.npz");
        assert_eq!(shell_word("my draws.npz"), "'my draws.npz'");
        assert_eq!(shell_word("it's"), "'it'\\''s'");
        assert_eq!(shell_word(""), "''");
    }

    #[test]
    fn each_front_spells_options_in_its_own_way() {
        let text = text!["drop ", named("burn_in"), " or use ", option("units", "sd"), ", see ", verb("inspect")];
        assert_eq!(text.to_string(), "drop burn_in or use units = sd, see 'inspect'");
        assert_eq!(text.spelled(&CommandLine), "drop --burn-in or use --units sd, see mixgist inspect");
        let options: Vec<_> = text.options().map(|found| (found.option, found.value.as_deref())).collect();
        assert_eq!(options, [("burn_in", None), ("units", Some("sd"))]);
        assert_eq!(text![option("force", true)].spelled(&CommandLine), "--force");
    }

    #[test]
    fn each_front_counts_from_its_own_first() {
        struct FromOne;
        impl Spelling for FromOne {
            fn option(&self, _: &str, _: Option<&str>) -> String {
                String::new()
            }
            fn verb(&self, _: &str) -> String {
                String::new()
            }
            fn first(&self) -> usize {
                1
            }
        }
        let text = text!["draw ", index(3), " has atoms ", indices(&[0, 2]), " (counted from ", index(0), ")"];
        assert_eq!(text.to_string(), "draw 3 has atoms 0, 2 (counted from 0)");
        assert_eq!(text.spelled(&FromOne), "draw 4 has atoms 1, 3 (counted from 1)");
        assert_eq!(joined(["a", "b"], "; ").to_string(), "a; b");
        assert!(indices(&[]).is_empty());
    }
}
