//! Figures and reports of mixgist: data first ([`Figure`]), then SVG, PNG and HTML. No display, no font of the machine and no
//! network is needed.

pub mod contour;
pub mod evidence;
pub mod figure;
pub mod font;
pub mod kind;
pub mod mds;
pub mod page;
pub mod palette;
mod png;
mod replay;
pub mod subject;
mod svg;
pub mod ticks;
pub mod words;

pub use figure::Figure;
pub use kind::{KINDS, Kind, Need};
pub use page::html;
pub use subject::Subject;
pub use svg::glyph_definitions;
