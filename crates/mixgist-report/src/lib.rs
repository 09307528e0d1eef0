//! Figures and reports of mixgist: data first ([`Figure`]), then SVG, PNG, PDF and HTML. No display, no font of the machine and no
//! network is needed.

mod behind;
mod contour;
pub mod figure;
mod font;
pub mod kind;
mod mds;
pub mod page;
pub mod palette;
mod pdf;
mod png;
mod presentation;
mod svg;
pub mod ticks;

pub use behind::{Behind, check_parts};
pub use figure::Figure;
pub use kind::{KINDS, Kind, Need, of_draws, of_partitions};
pub use page::html;
pub use presentation::{Known, Presentation};
