//! A figure as a PNG image.

use mixgist::{Error, Result};
use resvg::tiny_skia::{Color, Pixmap, Transform};

use crate::figure::Figure;
use crate::pdf::broken;

/// More pixels than this on a side are refused.
const MOST_PIXELS: f64 = 20_000.0;

/// A unit of a figure is 1/96 of an inch, as in CSS.
const UNITS_PER_INCH: f64 = 96.0;

impl Figure {
    /// The figure as a PNG image with so many dots an inch; 300 suits print.
    pub fn to_png(&self, dots_per_inch: f64) -> Result<Vec<u8>> {
        let scale = dots_per_inch / UNITS_PER_INCH;
        let tree = self.tree()?;
        let (width, height) = (f64::from(tree.size().width()) * scale, f64::from(tree.size().height()) * scale);
        if !(width >= 1.0 && height >= 1.0 && width <= MOST_PIXELS && height <= MOST_PIXELS) {
            return Err(Error::usage(format!(
                "a figure of {width:.0} × {height:.0} pixels, each side must have 1 to {MOST_PIXELS}"
            ))
            .hint("choose other --dpi, or write SVG or PDF"));
        }
        let mut image = Pixmap::new(width.ceil() as u32, height.ceil() as u32).ok_or_else(|| broken(&"no memory"))?;
        // The last row and column of pixels may reach beyond the figure: they are paper too.
        image.fill(Color::WHITE);
        resvg::render(&tree, Transform::from_scale(scale as f32, scale as f32), &mut image.as_mut());
        let mut bytes = image.encode_png().map_err(|cause| broken(&cause))?;
        bytes.splice(END_OF_HEADER..END_OF_HEADER, resolution(dots_per_inch));
        Ok(bytes)
    }
}

/// Where the chunk with the size of a PNG image ends: after 8 bytes of signature and 25 of that chunk.
const END_OF_HEADER: usize = 33;

/// The chunk that says how large an image is meant to be, in pixels a metre.
fn resolution(dots_per_inch: f64) -> Vec<u8> {
    let density = ((dots_per_inch / 0.0254).round() as u32).to_be_bytes();
    let mut body = b"pHYs".to_vec();
    body.extend(density);
    body.extend(density);
    // The unit is the metre.
    body.push(1);
    let length = (body.len() - 4) as u32;
    let checksum = crc32fast::hash(&body);
    [&length.to_be_bytes(), body.as_slice(), &checksum.to_be_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Axis, Panel};

    #[test]
    fn images_are_opaque_and_say_their_resolution() {
        let panel = Panel::new(Axis::linear("x", 0.0, 1.0), Axis::linear("y", 0.0, 1.0)).sized(101.0, 77.0);
        let figure = Figure::single(panel).described("a frame", "A frame.");
        for dots_per_inch in [50.0, 130.0, 300.0] {
            let png = figure.to_png(dots_per_inch).unwrap();
            let image = Pixmap::decode_png(&png).unwrap();
            assert!(image.pixels().iter().all(|pixel| pixel.alpha() == 255));
            let chunk = &png[END_OF_HEADER..END_OF_HEADER + 21];
            assert_eq!((&chunk[4..8], chunk[16]), (&b"pHYs"[..], 1));
            let density = u32::from_be_bytes([chunk[8], chunk[9], chunk[10], chunk[11]]);
            assert!((f64::from(density) * 0.0254 - dots_per_inch).abs() < 0.02);
        }
        // The checksum of the chunk that 96 dots an inch have, by another program (zlib).
        assert_eq!(resolution(96.0)[17..], [0x95, 0x2b, 0x0e, 0x1b]);
    }
}
