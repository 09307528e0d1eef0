//! Figures of mixgist: data first ([`Figure`]), then SVG and PNG. No display and no font of the machine is needed.

pub mod contour;
pub mod figure;
pub mod font;
pub mod kind;
pub mod palette;
mod png;
pub mod subject;
mod svg;
pub mod ticks;

pub use figure::Figure;
pub use kind::{KINDS, Kind, Need};
pub use subject::Subject;
pub use svg::glyph_definitions;
