//! Where a chain ended: all that it needs to run on, as a text for mixgist alone.

use std::borrow::Cow;

use mixgist::{Error, Result};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::algorithm::State;
use crate::checkpoint::record::{checksum, damaged, decode, encode};
use crate::checkpoint::{Saved, StateRecord};
use crate::draws::ChainDraws;
use crate::settings::FitSettings;

/// The state of a chain after its last iteration and the position of its random stream, bound to data and settings.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainEnd(Vec<u8>);

impl ChainEnd {
    pub(crate) fn new(run: u64, chain: u64, state: &State, sticks: Option<usize>, rng: &ChaCha8Rng) -> Result<Self> {
        Ok(ChainEnd(encode(&(run, chain, StateRecord::new(state, sticks, rng)))?))
    }

    /// What the chain goes on from, without its draws.
    pub(crate) fn restore(&self, run: u64, chain: u64, stride: usize, points: usize) -> Result<Saved> {
        let (own_run, own_chain, record): (u64, u64, StateRecord) = decode(&self.0)?;
        if (own_run, own_chain) != (run, chain) {
            return Err(Error::input("the chains that are to run on have other settings or other data"));
        }
        let (state, sticks, rng) = record.restore(stride, points).ok_or_else(damaged)?;
        Ok(Saved { state, rng, draws: ChainDraws::default(), sticks, segments: 0 })
    }
}

/// What a run is known by: its settings and data. The number of iterations is no part of it, so that a run can be made longer.
pub(crate) fn run_number(settings: &FitSettings, data: &[f64]) -> u64 {
    let settings = settings.clone().with_iterations(0);
    let data = data.iter().flat_map(|v| v.to_bits().to_le_bytes());
    checksum(format!("{settings:?}").into_bytes().into_iter().chain(data))
}

impl Serialize for ChainEnd {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        use std::fmt::Write;
        let mut text = String::with_capacity(2 * self.0.len());
        for byte in &self.0 {
            let _ = write!(text, "{byte:02x}"); // a string takes all that is written to it
        }
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for ChainEnd {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let pairs = text.as_bytes().chunks(2);
        let bytes: Option<Vec<u8>> = pairs.map(|pair| Some(16 * digit(pair[0])? + digit(*pair.get(1)?)?)).collect();
        bytes.map(ChainEnd).ok_or_else(|| de::Error::custom("the end of a chain must be hexadecimal digits"))
    }
}

impl schemars::JsonSchema for ChainEnd {
    fn schema_name() -> Cow<'static, str> {
        "ChainEnd".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "The state of a chain after its last iteration, in hexadecimal digits: for mixgist alone, to let the chain run on.",
            "pattern": "^([0-9a-f]{2})*$"
        })
    }
}
