//! Documents of every kind, changed here and there: what is still read as one must be told in words.

use std::sync::LazyLock;

use mixgist::components::Rules;
use mixgist::credible::Question;
use mixgist::fits::{Document, Fits};
use mixgist::narrative::Narrate;
use mixgist::partition::{self, LossOptions, PartitionAnswer, estimate_partition};
use mixgist::representatives::Count;
use mixgist::text::Neutral;
use mixgist::{
    Answer, AtomCount, Ensemble, Estimator, PartitionDraws, Points, Posterior, Result, Route, Settings, Silent,
    SliceCount, Units, summarize,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::change::alter;

/// A kind of document.
pub struct Kind {
    /// What it is.
    pub name: String,
    /// A sound one.
    pub sound: Value,
    /// Reads one and tells it in words; an error if it is refused.
    pub tell: fn(Value) -> Result<String>,
    /// Reads one and writes it again; an error if it is refused.
    pub again: fn(Value) -> Result<Value>,
}

/// How many of them are summaries; they come first.
pub(crate) const SUMMARIES: usize = 3;

/// A sound document of every kind.
pub static KINDS: LazyLock<Vec<Kind>> = LazyLock::new(|| kinds().expect("sound draws give sound documents"));

/// Draws of two components in the plane, in two chains.
pub(crate) fn draws() -> Result<Ensemble> {
    let near = |i: usize, place: f64| place + ((i * i) % 17) as f64 * 0.05;
    let means: Vec<f64> =
        (0..60).flat_map(|i| [near(i, 0.0), near(i + 3, 1.0), near(i + 5, 6.0), near(i + 7, 5.0)]).collect();
    let weights: Vec<f64> = (0..60).flat_map(|i| [0.4 + 0.01 * (i % 7) as f64, 0.6 - 0.01 * (i % 7) as f64]).collect();
    let covariances = [1.0, 0.3, 0.3, 1.0].repeat(120);
    let chains = (0..60).map(|i| i / 30).collect();
    Ensemble::builder(2)
        .atoms_per_draw(2)
        .weights(&weights)
        .means(&means)
        .covariances(&covariances)
        .build()?
        .with_chains(chains, (0..60).map(|i| i % 30).collect())
}

fn kinds() -> Result<Vec<Kind>> {
    let ensemble = draws()?;
    let data: Vec<f64> = (0..24).map(|i| f64::from(i % 8)).collect();
    let points = Points::new(2, &data)?;
    let settings = Settings::default().with_slices(SliceCount::Fixed(16)).with_units(Units::Sd);
    let columns = ["length".to_owned(), "pause".to_owned()];
    let mut found = Vec::new();
    let estimators: [_; SUMMARIES] = [Estimator::Medoid, Estimator::Aligned, Estimator::Free(AtomCount::Fixed(3))];
    for estimator in estimators {
        let route = if estimator == Estimator::Medoid { Route::Pairs } else { Route::Auto };
        let settings =
            settings.clone().with_estimator(estimator).with_route(route).with_candidate(Some(ensemble.draw(3)));
        let mut answer = summarize(&ensemble, Some(points), &settings, &Silent)?;
        answer.about.columns = Some(columns.to_vec());
        found.push(kind("summary", &answer));
    }
    let posterior = Posterior::new(&ensemble, Some(points), settings)?.with_columns(Some(&columns));
    let hypothesis = ensemble.draw(5);
    let question = Question { level: 0.9, hypothesis: Some((&hypothesis, None)), conformal: true };
    found.push(kind("credible", &posterior.credible(&question, &Silent)?));
    found.push(kind("components", &posterior.components(Rules::default(), &Silent)?));
    found.push(kind("representatives", &posterior.representatives(Count::Fixed(2), 0, &Silent)?));
    found.push(kind("stability", &posterior.stability(0.9, &Silent)?));
    found.push(kind("aligned", &posterior.aligned(Rules::default(), &Silent)?));
    found.push(kind("how many", &posterior.how_many(None, &Silent)?));
    found.push(kind("memberships", &posterior.memberships(Rules::default(), &Silent)?));
    let labels: Vec<u8> = (0..120).map(|i| (i % 12 / 6) as u8 + u8::from(i % 31 == 0)).collect();
    let question = partition::Question::new("vi", LossOptions::default(), None, None, 0.9)?;
    let answer = estimate_partition(&PartitionDraws::from_dense(12, &labels)?, &question, &Silent)?;
    let tell = |value| {
        let answer: PartitionAnswer = read(value)?;
        answer.check().map(|()| String::new())
    };
    let again = |value| {
        let answer: PartitionAnswer = read(value)?;
        answer.check().map(|()| json(&answer))
    };
    found.push(Kind { name: "partition".into(), sound: json(&answer), tell, again });
    Ok(found)
}

fn read<T: DeserializeOwned>(value: Value) -> Result<T> {
    serde_json::from_value(value).map_err(|cause| mixgist::Error::input(cause.to_string()))
}

fn kind<T>(name: &str, answer: &Answer<T>) -> Kind
where
    T: serde::Serialize + DeserializeOwned + Fits + Narrate,
{
    Kind { name: name.to_owned(), sound: json(answer), tell: tell::<T>, again: again::<T> }
}

fn json(answer: &impl serde::Serialize) -> Value {
    serde_json::to_value(answer).expect("an answer is JSON")
}

fn again<T: DeserializeOwned + serde::Serialize + Fits>(value: Value) -> Result<Value> {
    let answer: Answer<T> = read(value)?;
    answer.check()?;
    Ok(json(&answer))
}

fn tell<T: DeserializeOwned + Fits + Narrate>(value: Value) -> Result<String> {
    let answer: Answer<T> = read(value)?;
    answer.check()?;
    Ok(answer.narrative().plain(&Neutral))
}

/// The first byte says which kind; then each four bytes are a change, and the rest is text to put in.
pub fn documents(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let kind = &KINDS[usize::from(*first) % KINDS.len()];
    let (changes, text) = rest.split_at(rest.len().min(32) / 4 * 4);
    let mut value = kind.sound.clone();
    alter(&mut value, changes, &String::from_utf8_lossy(text));
    let _ = (kind.tell)(value);
}
