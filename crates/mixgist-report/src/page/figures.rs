//! The figures of the estimate, and figures by name.

use mixgist::Result;

use super::Page;
use crate::kind::Kind;
use crate::presentation::Presentation;

pub fn estimate(presentation: &Presentation, page: &mut Page) -> Result<String> {
    let main = Kind::of_estimate(presentation.estimate().dim());
    let mut text = page.figure(&main.draw(presentation)?);
    if presentation.estimate().dim() > 1 {
        text.push_str(&drawn(&["axes", "bands"], presentation, page)?);
    }
    Ok(text)
}

/// Those of the figures for which everything is at hand.
pub fn drawn(names: &[&str], presentation: &Presentation, page: &mut Page) -> Result<String> {
    let mut text = String::new();
    for name in names {
        let kind = Kind::from_name(name)?;
        if kind.fits(presentation) {
            text.push_str(&page.figure(&kind.draw(presentation)?));
        }
    }
    Ok(text)
}
