//! The membership probabilities of the observations that the main figure shows, for the reader who points at one.

use std::fmt::Write;

use mixgist::for_each_membership_block;
use mixgist::{Mixture, Result};

use crate::kind::Kind;
use crate::presentation::Presentation;

/// An object that has for each atom with observations the list of its members in the order in which the figure draws them: row,
/// probability in thousandths, second atom, its probability. `{}` without labels.
pub fn json(presentation: &Presentation) -> Result<String> {
    let (Some(data), Some(labels)) = (presentation.data, presentation.labels()) else { return Ok("{}".into()) };
    // What the figure shows depends on the number of its panels.
    let d = presentation.estimate().dim();
    if Kind::of_estimate(d).name == "density" {
        return Ok("{}".into());
    }
    let count = crate::kind::pairs_shown(d);
    let shown = presentation.shown(count * (count - 1) / 2);
    let mut members = vec![String::new(); presentation.estimate().len()];
    let mut next = shown.into_iter().peekable();
    for_each_membership_block(&Mixture::new(presentation.estimate())?, data, presentation.progress, |block| {
        let (atoms, first) = (block.atoms, block.first_row);
        let rows = block.probabilities.len() / atoms;
        while let Some(i) = next.next_if(|i| *i < first + rows) {
            let row = &block.probabilities[(i - first) * atoms..(i - first + 1) * atoms];
            let own = labels[i] as usize;
            let second = (0..atoms).filter(|k| *k != own).max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap_or(own);
            let list = &mut members[own];
            let comma = if list.is_empty() { "" } else { "," };
            let thousandths = |k: usize| (1000.0 * row[k]).round() as u32;
            let _ = write!(list, "{comma}{i},{},{second},{}", thousandths(own), thousandths(second));
        }
        Ok(())
    })?;
    let lists = members.iter().enumerate().filter(|(_, list)| !list.is_empty());
    let lists: Vec<String> = lists.map(|(k, list)| format!("\"{k}\":[{list}]")).collect();
    Ok(format!("{{{}}}", lists.join(",")))
}
