//! What an answer is about and how it was computed: all that is needed to get it again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::fits::{Document, damaged, has_length};
use crate::settings::Settings;

/// What an answer is about and how it was computed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct About {
    /// Version of mixgist that computed it.
    pub mixgist_version: String,
    /// Number of draws.
    pub draws: usize,
    /// Number of chains.
    pub chains: usize,
    /// Dimension of the atoms' means.
    pub dim: usize,
    /// Names of the columns of the data, when they have any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<String>>,
    /// How it was computed.
    pub settings: Settings,
    /// The files that it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
}

impl About {
    /// The name of coordinate `a`: that of its column, or x1, x2, …
    pub fn column(&self, a: usize) -> String {
        match &self.columns {
            Some(names) if a < names.len() => names[a].clone(),
            _ => format!("x{}", a + 1),
        }
    }
}

impl Document for About {
    fn check(&self) -> Result<()> {
        if self.draws == 0 || self.dim == 0 {
            return damaged(format!("it is about {} draws of dimension {}", self.draws, self.dim));
        }
        self.columns.as_ref().map_or(Ok(()), |names| has_length("columns", names.len(), self.dim))
    }
}

/// The files that an answer came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Source {
    /// The files of draws, in order.
    pub draws: Vec<SourceFile>,
    /// How they were read.
    pub reading: Reading,
    /// The file of data, unless they came with the draws or there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<SourceFile>,
    /// The file of directions, when they were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directions: Option<SourceFile>,
    /// The file of the user's own measure, when one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate: Option<SourceFile>,
}

/// A file as it was when it was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SourceFile {
    /// Where it is: relative to the folder of the answer when it lies within, so that the folder can be moved as a whole.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// The CRC-32 of its content.
    pub crc32: u32,
}

/// How files of draws were read, and which draws were kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reading {
    /// The format, when the extension does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The form of the covariances.
    pub covariance_form: String,
    /// The variables that hold weights, means and covariances, in files with variables of any name.
    #[serde(alias = "stan_variables")]
    pub variables: [String; 3],
    /// The variable that holds labels.
    #[serde(default, alias = "stan_labels", skip_serializing_if = "Option::is_none")]
    pub label_variable: Option<String>,
    /// Draws dropped at the start of each chain.
    pub burn_in: usize,
    /// Every n-th draw of each chain was kept.
    pub thin: usize,
}
