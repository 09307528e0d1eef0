//! The figures of the estimate, and figures by name.

use mixgist::Result;

use super::Page;
use crate::kind::Kind;
use crate::subject::Subject;

pub fn estimate(subject: &Subject, page: &mut Page) -> Result<String> {
    let main = Kind::of_estimate(subject.estimate.dim());
    let mut text = page.figure(&main.draw(subject)?);
    if subject.estimate.dim() > 1 {
        text.push_str(&drawn(&["bands"], subject, page)?);
    }
    Ok(text)
}

/// Those of the figures for which everything is at hand.
pub fn drawn(names: &[&str], subject: &Subject, page: &mut Page) -> Result<String> {
    let mut text = String::new();
    for name in names {
        let kind = Kind::from_name(name)?;
        if kind.fits(subject) {
            text.push_str(&page.figure(&kind.draw(subject)?));
        }
    }
    Ok(text)
}
