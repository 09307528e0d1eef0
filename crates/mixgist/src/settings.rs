//! Everything that an answer depends on besides draws and data: one type, which is also what documents hold.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::by_name::string_schema;
use crate::ensemble::MixingMeasure;
use crate::free::{AtomCount, Estimator};
use crate::line::Order;
use crate::loss::Loss;
use crate::prune::Pruning;
use crate::random::{Purpose, stream};
use crate::select::Route;
use crate::setters;
use crate::slice::{Freeze, NamedArrays, Replicates, SLICERS, Scheme, Slicer, Slices, slicer};
use crate::text;
use crate::text::{named, option};
use crate::units::{ResolvedUnits, Units};
use crate::work::Study;
use crate::{Error, Result};
use rand::Rng;

/// How many slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SliceCount {
    /// This many.
    Fixed(usize),
    /// As many groups of slices as the answer needs: until the standard error of the expected loss is below a hundredth of it, and the winner is
    /// safe, or three standard errors of its lead are below that too, or the finite number of draws makes the lead less sure than that of slices.
    Auto {
        /// The most slices that are tried.
        cap: usize,
    },
}

impl SliceCount {
    /// `auto` starts with at least so many slices, and so many independent groups of them.
    const LEAST: usize = 128;
    const LEAST_GROUPS: usize = 5;

    /// Enough slices for a standard error under any scheme.
    pub const PLENTY: usize = 1000;

    /// The default cap of `auto`.
    pub const DEFAULT_CAP: usize = 16_000;

    /// More slices than this are a slip of the keyboard.
    const MOST: usize = 100_000_000;

    /// A number, `auto` with the default cap, or `auto:CAP`.
    pub fn from_name(text: &str) -> Result<Self> {
        let number = |text: &str| text.parse().ok().filter(|count| (1..=Self::MOST).contains(count));
        let found = match text.strip_prefix("auto") {
            Some("") => Some(SliceCount::Auto { cap: Self::DEFAULT_CAP }),
            Some(cap) => cap.strip_prefix(':').and_then(number).map(|cap| SliceCount::Auto { cap }),
            None => number(text).map(SliceCount::Fixed),
        };
        found.ok_or_else(|| {
            let range = format!(" is '{text}', must be 'auto' or a number from 1 to {}", Self::MOST);
            Error::usage(text![named("slices"), range])
        })
    }

    /// The name that options use.
    pub fn name(self) -> String {
        match self {
            SliceCount::Fixed(count) => count.to_string(),
            SliceCount::Auto { cap: Self::DEFAULT_CAP } => "auto".into(),
            SliceCount::Auto { cap } => format!("auto:{cap}"),
        }
    }

    /// The most slices that are tried.
    pub fn most(self) -> usize {
        match self {
            SliceCount::Fixed(count) | SliceCount::Auto { cap: count } => count,
        }
    }
}

impl Default for SliceCount {
    fn default() -> Self {
        SliceCount::Auto { cap: Self::DEFAULT_CAP }
    }
}

impl Serialize for SliceCount {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            SliceCount::Fixed(count) => serializer.serialize_u64(*count as u64),
            SliceCount::Auto { .. } => serializer.serialize_str(&self.name()),
        }
    }
}

/// A number or a word, as options that take either are written in documents.
#[derive(Deserialize)]
#[serde(untagged)]
enum NumberOrWord<'a> {
    Number(f64),
    Word(Cow<'a, str>),
}

impl NumberOrWord<'_> {
    fn text(self) -> String {
        match self {
            NumberOrWord::Number(number) => number.to_string(),
            NumberOrWord::Word(word) => word.into_owned(),
        }
    }
}

impl<'de> Deserialize<'de> for SliceCount {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        Self::from_name(&NumberOrWord::deserialize(deserializer)?.text()).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for SliceCount {
    fn schema_name() -> Cow<'static, str> {
        "SliceCount".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Number of slices; 'auto', or 'auto:' and the most slices, adds slices until there are enough.",
            "type": ["integer", "string"]
        })
    }
}

impl Serialize for Pruning {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Pruning::Off => serializer.serialize_str("off"),
            Pruning::Rounding => serializer.serialize_str("rounding"),
            Pruning::Tolerance(tolerance) => serializer.serialize_f64(*tolerance),
        }
    }
}

impl<'de> Deserialize<'de> for Pruning {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        Self::from_name(&NumberOrWord::deserialize(deserializer)?.text()).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Pruning {
    fn schema_name() -> Cow<'static, str> {
        "Pruning".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Which light atoms were dropped: 'off', 'rounding' (no result changes), or a tolerance.",
            "type": ["number", "string"]
        })
    }
}

/// A sliced distance by its name: one of [`SLICERS`], or slices of the caller's own, of which the name alone is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct SlicerName(Cow<'static, str>);

impl SlicerName {
    /// The name of a registered distance.
    pub fn from_name(name: &str) -> Result<Self> {
        Ok(slicer(name)?.into())
    }

    /// A name for slices of the caller's own.
    pub fn own(name: impl Into<String>) -> Self {
        SlicerName(Cow::Owned(name.into()))
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// The slicer; an error for slices of the caller's own, which cannot be made again.
    pub fn slicer(&self) -> Result<&'static dyn Slicer> {
        slicer(&self.0).map_err(|_| {
            Error::usage(format!("the distance '{}' cannot be computed again: it is none of mixgist's own", self.0))
                .hint("use a distance that has a name, such as smix-w")
        })
    }
}

impl From<&'static dyn Slicer> for SlicerName {
    fn from(slicer: &'static dyn Slicer) -> Self {
        SlicerName(Cow::Borrowed(slicer.name()))
    }
}

impl<'de> Deserialize<'de> for SlicerName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Ok(SLICERS.iter().find(|slicer| slicer.name() == name).map_or_else(|| Self::own(name), |known| (*known).into()))
    }
}

impl JsonSchema for SlicerName {
    fn schema_name() -> Cow<'static, str> {
        "Distance".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let known: Vec<&str> = SLICERS.iter().map(|slicer| slicer.name()).collect();
        string_schema(&format!("Name of the distance: {}, or that of the user's own slices.", known.join(", ")), &[])
    }
}

/// Directions that the user gave. A document holds their number and fingerprint; the numbers themselves are in a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct GivenDirections {
    /// How many there are.
    pub slices: usize,
    /// 64-bit FNV-1a hash of the names, shapes and numbers of the arrays, in hexadecimal digits.
    pub fingerprint: String,
    #[serde(skip)]
    #[schemars(skip)]
    arrays: Option<NamedArrays>,
}

impl GivenDirections {
    /// From the arrays.
    pub fn new(arrays: NamedArrays) -> Self {
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        let mut eat = |bytes: &[u8]| {
            bytes.iter().for_each(|&byte| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        };
        for (name, array) in &arrays {
            eat(name.as_bytes());
            array.shape.iter().for_each(|&axis| eat(&(axis as u64).to_le_bytes()));
            array.values.iter().for_each(|value| eat(&value.to_bits().to_le_bytes()));
        }
        let slices = arrays.values().next().and_then(|array| array.shape.first().copied()).unwrap_or(0);
        GivenDirections { slices, fingerprint: format!("{hash:016x}"), arrays: Some(arrays) }
    }

    /// The arrays, or what to do when a document alone is at hand.
    pub fn arrays(&self) -> Result<&NamedArrays> {
        self.arrays.as_ref().ok_or_else(|| {
            Error::usage("the directions that were given are not at hand")
                .hint(text!["give them: ", named("directions")])
        })
    }
}

/// Everything that the answer depends on besides draws and data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Settings {
    /// Name of the distance.
    #[serde(rename = "distance")]
    pub slicer: SlicerName,
    /// The order p.
    pub order: Order,
    /// What is averaged over the posterior.
    pub loss: Loss,
    /// How many slices were asked for.
    pub slices: SliceCount,
    /// How directions are spread.
    pub scheme: Scheme,
    /// Seed of the directions.
    pub seed: u64,
    /// Directions given by the user instead; then `slices`, `scheme` and `seed` do not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directions: Option<GivenDirections>,
    /// Units in which distances are computed.
    pub units: Units,
    /// How the medoid is found.
    pub route: Route,
    /// Which light atoms may be dropped.
    #[serde(rename = "prune")]
    pub pruning: Pruning,
    /// Which estimate is wanted.
    #[serde(flatten)]
    pub estimator: Estimator,
    /// A measure of the user's own, in the original units, judged beside the estimate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate: Option<MixingMeasure>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            slicer: SlicerName(Cow::Borrowed("smix-w")),
            order: Order::TWO,
            loss: Loss::default(),
            slices: SliceCount::default(),
            scheme: Scheme::default(),
            seed: 0,
            directions: None,
            units: Units::default(),
            route: Route::default(),
            pruning: Pruning::default(),
            estimator: Estimator::default(),
            candidate: None,
        }
    }
}

setters! {
    Settings {
        with_slicer: slicer: SlicerName, "this distance";
        with_order: order: Order, "this order";
        with_loss: loss: Loss, "this loss";
        with_slices: slices: SliceCount, "this number of slices";
        with_scheme: scheme: Scheme, "directions spread this way";
        with_seed: seed: u64, "this seed of the directions";
        with_directions: directions: Option<GivenDirections>, "these directions";
        with_units: units: Units, "these units";
        with_route: route: Route, "this way to find the medoid";
        with_pruning: pruning: Pruning, "this rule for light atoms";
        with_estimator: estimator: Estimator, "this kind of estimate";
        with_candidate: candidate: Option<MixingMeasure>, "this measure judged beside the estimate";
    }
}

/// Directions may take this many numbers, 4 GB.
const MOST_NUMBERS: usize = 1 << 29;

/// At most this many slices are held out.
const MOST_HELD_OUT: usize = 500;

impl Settings {
    /// The first `count` slices, or the given ones, for atoms of dimension `dim`.
    pub fn freeze(&self, dim: usize, count: usize) -> Result<Box<dyn Slices>> {
        let slicer = self.slicer.slicer()?;
        match &self.directions {
            Some(directions) => slicer.given(dim, directions.arrays()?),
            None if count == 0 => Err(Error::usage("number of slices is 0, must be at least 1")),
            None if count.saturating_mul(dim * (dim + 1)) > MOST_NUMBERS => Err(Error::resource(format!(
                "the directions of {count} slices in dimension {dim} take {:.0} GB, the most is {:.0} GB",
                count as f64 * (dim * (dim + 1)) as f64 * 8e-9,
                MOST_NUMBERS as f64 * 8e-9
            ))
            .hint(text![
                "use fewer slices; ",
                option("scheme", "balanced"),
                " needs fewer for the same error"
            ])),
            None => Ok(slicer.freeze(&Freeze { dim, slices: 0..count, seed: self.seed, scheme: self.scheme })),
        }
    }

    /// What workers need to know about the slices of [`Settings::freeze`], and the draws in working units.
    pub(crate) fn study(&self, slices: usize, units: &ResolvedUnits) -> Result<Study> {
        let study = Study::new(self.slicer.name(), self.order, self.pruning, self.scheme, self.seed, slices);
        let study = match &self.directions {
            Some(directions) => study.with_directions(directions.arrays()?),
            None => study,
        };
        Ok(Study { transform: units.transform.clone(), ..study })
    }

    /// The same for those of [`Settings::freeze_held_out`].
    pub(crate) fn held_out_study(&self, slices: usize, units: &ResolvedUnits) -> Study {
        let study = Study::new(self.slicer.name(), self.order, self.pruning, self.scheme, self.held_out_seed(), slices);
        Study { transform: units.transform.clone(), ..study }
    }

    fn held_out_seed(&self) -> u64 {
        stream(self.seed, Purpose::HeldOut, 0).next_u64()
    }

    /// Number of slices that [`Settings::freeze`] gives for atoms of dimension `dim`: `auto` has not ended yet, and says with how many
    /// it starts.
    pub fn slice_count(&self, dim: usize) -> Result<usize> {
        match &self.directions {
            Some(directions) => Ok(self.slicer.slicer()?.given(dim, directions.arrays()?)?.len()),
            None => match self.slices {
                SliceCount::Fixed(count) => Ok(count),
                SliceCount::Auto { cap } => Ok(self.whole_groups(dim, SliceCount::LEAST)?.min(cap)),
            },
        }
    }

    /// At least so many slices, in whole groups that are independent of each other and not too few for a standard error.
    pub(crate) fn whole_groups(&self, dim: usize, slices: usize) -> Result<usize> {
        let one = Freeze { dim, slices: 0..1, seed: self.seed, scheme: self.scheme };
        let group = match self.slicer.slicer()?.freeze(&one).replicates() {
            Replicates::Consecutive(size) => size,
            Replicates::Interleaved(count) => count,
        };
        Ok(slices.max(SliceCount::LEAST_GROUPS * group).next_multiple_of(group))
    }

    /// Slices of the same distribution that are independent of those of [`Settings::freeze`]: what estimates are judged on.
    pub(crate) fn freeze_held_out(&self, dim: usize, count: usize) -> Result<Box<dyn Slices>> {
        let (seed, slices) = (self.held_out_seed(), 0..count.min(MOST_HELD_OUT));
        Ok(self.slicer.slicer()?.freeze(&Freeze { dim, slices, seed, scheme: self.scheme }))
    }
}

/// How documents write an estimator: its name, and the number of atoms where it has one.
#[derive(Serialize, Deserialize, JsonSchema)]
struct EstimatorFields {
    /// Which estimate: 'medoid', one of the draws, or 'free', a measure with few atoms that is not confined to them.
    estimate: String,
    /// Number of atoms of a free estimate: a number, or 'auto'.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    atoms: Option<AtomCount>,
}

impl Serialize for Estimator {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        EstimatorFields { estimate: self.name().into(), atoms: self.atoms() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Estimator {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let fields = EstimatorFields::deserialize(deserializer)?;
        let atoms = fields.atoms.map(AtomCount::name);
        Estimator::from_name(&fields.estimate, atoms.as_deref()).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Estimator {
    fn schema_name() -> Cow<'static, str> {
        "Estimator".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        EstimatorFields::json_schema(generator)
    }
}

impl Serialize for AtomCount {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            AtomCount::Fixed(count) => serializer.serialize_u64(*count as u64),
            AtomCount::Auto { .. } => serializer.serialize_str(&self.name()),
        }
    }
}

impl<'de> Deserialize<'de> for AtomCount {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        Self::from_name(&NumberOrWord::deserialize(deserializer)?.text()).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for AtomCount {
    fn schema_name() -> Cow<'static, str> {
        "AtomCount".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Number of atoms; 'auto' takes the smallest number that cannot be told from the best.",
            "type": ["integer", "string"]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back(settings: &Settings) -> Settings {
        serde_json::from_str(&serde_json::to_string(settings).unwrap()).unwrap()
    }

    #[test]
    fn settings_are_their_own_document() {
        let defaults = Settings::default();
        assert_eq!(back(&defaults), defaults);
        let other = Settings {
            slicer: SlicerName::from_name("mix-sw").unwrap(),
            order: Order::new(1.5).unwrap(),
            loss: Loss::Power,
            slices: SliceCount::Auto { cap: 5000 },
            scheme: Scheme::from_name("orthogonal").unwrap(),
            seed: u64::MAX,
            units: Units::Scale(vec![0.1, 3.0]),
            route: Route::Pairs,
            pruning: Pruning::Tolerance(1e-3),
            estimator: Estimator::Free(AtomCount::Fixed(7)),
            ..Settings::default()
        };
        assert_eq!(back(&other), other);
        let own = Settings { slicer: SlicerName::own("my_slices"), ..Settings::default() };
        assert_eq!(back(&own), own);
        assert!(
            own.freeze(1, 3).is_err_and(|error| error.to_string().contains("'my_slices' cannot be computed again"))
        );
    }

    #[test]
    fn unknown_names_are_refused() {
        let document = serde_json::to_value(Settings::default()).unwrap();
        for (field, value) in
            [("loss", "squared"), ("scheme", "random"), ("route", "short"), ("estimate", "mean"), ("slices", "many")]
        {
            let mut changed = document.clone();
            changed[field] = value.into();
            let error = serde_json::from_value::<Settings>(changed).unwrap_err().to_string();
            assert!(error.contains(value), "{field}: {error}");
        }
    }

    #[test]
    fn given_directions_keep_their_fingerprint() {
        let array = |x: f64| crate::slice::Array { shape: vec![2, 1], values: vec![1.0, x] };
        let directions = |x: f64| GivenDirections::new(NamedArrays::from([("v".to_owned(), array(x))]));
        let settings = Settings { directions: Some(directions(-1.0)), ..Settings::default() };
        let read = back(&settings).directions.unwrap();
        assert_eq!((read.slices, &read.fingerprint), (2, &directions(-1.0).fingerprint));
        assert_ne!(read.fingerprint, directions(1.0).fingerprint);
        assert!(read.arrays().is_err());
    }
}
