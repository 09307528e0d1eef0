//! A figure as a PNG image.

use mixgist::{Error, Result};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use crate::figure::Figure;

/// More pixels than this on a side are refused.
const MOST_PIXELS: f64 = 20_000.0;

/// A unit of a figure is 1/96 of an inch, as in CSS.
const UNITS_PER_INCH: f64 = 96.0;

impl Figure {
    /// The figure as a PNG image with so many dots an inch; 300 suits print.
    pub fn to_png(&self, dots_per_inch: f64) -> Result<Vec<u8>> {
        let scale = dots_per_inch / UNITS_PER_INCH;
        let broken = |cause: &dyn std::fmt::Display| Error::input(format!("the figure cannot be drawn: {cause}"));
        let tree = Tree::from_str(&self.to_outlines(), &Options::default()).map_err(|cause| broken(&cause))?;
        let (width, height) = (f64::from(tree.size().width()) * scale, f64::from(tree.size().height()) * scale);
        if !(width >= 1.0 && height >= 1.0 && width <= MOST_PIXELS && height <= MOST_PIXELS) {
            return Err(Error::usage(format!(
                "a figure of {width:.0} × {height:.0} pixels, each side must have 1 to {MOST_PIXELS}"
            ))
            .hint("choose other --dpi, or write SVG"));
        }
        let mut image = Pixmap::new(width.ceil() as u32, height.ceil() as u32).ok_or_else(|| broken(&"no memory"))?;
        resvg::render(&tree, Transform::from_scale(scale as f32, scale as f32), &mut image.as_mut());
        image.encode_png().map_err(|cause| broken(&cause))
    }
}
