//! A figure as data: panels with axes and layers. Nothing here knows how it is drawn.

use mixgist::Result;
use serde::Serialize;

use crate::palette::{Color, Marker};
use crate::ticks::{FarTicks, Tick, far_ticks, linear_ticks, log_ticks};

/// A position in data coordinates.
pub type Position = [f64; 2];

/// Panels in a grid, with a legend below them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// What the figure shows, in a line; drawn above the panels unless empty.
    pub title: String,
    /// What a reader sees, for those who cannot: the alternative text.
    pub description: String,
    /// What the marks mean and how the figure was made; not drawn, fronts put it below.
    pub caption: String,
    /// Number of panels in a row.
    pub columns: usize,
    /// Row by row; `None` leaves a place empty.
    pub panels: Vec<Option<Panel>>,
    /// Entries of the legend.
    pub legend: Vec<LegendEntry>,
}

impl Figure {
    /// How names of files with a figure may end.
    pub const EXTENSIONS: [&str; 3] = ["svg", "pdf", "png"];

    /// The figure as the content of a file, by the extension of its name; an image has so many dots an inch.
    pub fn to_file(&self, path: &std::path::Path, dots_per_inch: f64) -> Result<Vec<u8>> {
        let extension = path.extension().unwrap_or_default();
        match Self::EXTENSIONS.iter().find(|known| extension.eq_ignore_ascii_case(known)) {
            Some(&"png") => self.to_png(dots_per_inch),
            Some(&"pdf") => self.to_pdf(),
            _ => Ok(self.to_svg().into_bytes()),
        }
    }

    /// A figure of one panel.
    pub fn single(panel: Panel) -> Self {
        Self::grid(1, vec![Some(panel)])
    }

    /// A figure of several panels, row by row.
    pub fn grid(columns: usize, panels: Vec<Option<Panel>>) -> Self {
        Figure {
            title: String::new(),
            description: String::new(),
            caption: String::new(),
            columns: columns.max(1),
            panels,
            legend: Vec::new(),
        }
    }

    /// With a title.
    #[must_use]
    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// With an alternative text and a caption.
    #[must_use]
    pub fn described(mut self, description: impl Into<String>, caption: impl Into<String>) -> Self {
        self.description = description.into();
        self.caption = caption.into();
        self
    }

    /// With one more entry of the legend.
    #[must_use]
    pub fn with_legend(mut self, key: Key, text: impl Into<String>) -> Self {
        self.legend.push(LegendEntry { key, text: text.into() });
        self
    }

    /// With a word in the legend on those of `all` that it does not list.
    #[must_use]
    pub fn and_more(self, all: usize, listed: usize) -> Self {
        match all > listed {
            true => self.with_legend(Key::Point(Marker::Circle, Color::WHITE), format!("and {} more", all - listed)),
            false => self,
        }
    }
}

/// An entry of the legend.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LegendEntry {
    /// The sample that is shown.
    pub key: Key,
    /// What it stands for.
    pub text: String,
}

/// A sample of how something is drawn.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Key {
    /// A point.
    Point(Marker, Color),
    /// A line.
    Line(Stroke),
    /// An area.
    Area(Fill),
}

/// A frame with two axes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Panel {
    /// Written above the frame unless empty.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Width of the frame.
    pub width: f64,
    /// Height of the frame.
    pub height: f64,
    /// What is drawn, from back to front.
    pub layers: Vec<Layer>,
}

impl Panel {
    /// A panel of the usual size.
    pub fn new(x: Axis, y: Axis) -> Self {
        Panel { title: String::new(), x, y, width: 440.0, height: 320.0, layers: Vec::new() }
    }

    /// With another size.
    #[must_use]
    pub fn sized(mut self, width: f64, height: f64) -> Self {
        (self.width, self.height) = (width, height);
        self
    }

    /// With a title.
    #[must_use]
    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// With one more layer in front.
    #[must_use]
    pub fn with(mut self, layer: Layer) -> Self {
        self.layers.push(layer);
        self
    }

    /// With more layers in front.
    #[must_use]
    pub fn with_all(mut self, layers: impl IntoIterator<Item = Layer>) -> Self {
        self.layers.extend(layers);
        self
    }
}

/// An axis: what it measures, from where to where.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Axis {
    /// What is measured; not drawn when empty.
    pub label: String,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Linear or logarithmic.
    pub scale: Scale,
    /// Where the marks are.
    pub ticks: Ticks,
}

/// How an axis is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Equal steps are equal differences.
    Linear,
    /// Equal steps are equal ratios.
    Log,
}

/// Which marks an axis has.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ticks {
    /// Round numbers, as many as there is room for.
    Auto,
    /// None.
    Hidden,
    /// These.
    At(Vec<Tick>),
}

impl Axis {
    /// A linear axis. Ends that are equal or not finite are replaced by some that can be drawn.
    pub fn linear(label: impl Into<String>, low: f64, high: f64) -> Self {
        let (low, high) = drawable(low, high);
        Axis { label: label.into(), low, high, scale: Scale::Linear, ticks: Ticks::Auto }
    }

    /// A logarithmic axis; ends must be positive, otherwise it is linear.
    pub fn log(label: impl Into<String>, low: f64, high: f64) -> Self {
        let mut axis = Self::linear(label, low, high);
        if axis.low > 0.0 {
            axis.scale = Scale::Log;
        }
        axis
    }

    /// A linear axis around all of the values, with a margin of 4 % at both ends.
    pub fn around(label: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.into_iter().filter(|value| value.is_finite()) {
            (low, high) = (low.min(value), high.max(value));
        }
        let margin = 0.04 * (high - low);
        Self::linear(label, low - margin, high + margin)
    }

    /// With other marks.
    #[must_use]
    pub fn with_ticks(mut self, ticks: Ticks) -> Self {
        self.ticks = ticks;
        self
    }

    /// Where a value lies between the lower (0) and the upper end (1).
    pub fn fraction(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        }
    }

    /// The marks of the axis, about `wanted` of them where that is free.
    pub fn marks(&self, wanted: usize) -> Marks {
        let near = |ticks| Marks { ticks, origin: None };
        match (&self.ticks, self.scale) {
            (Ticks::Hidden, _) => near(Vec::new()),
            (Ticks::At(ticks), _) => near(ticks.clone()),
            (Ticks::Auto, Scale::Log) => near(log_ticks(self.low, self.high)),
            (Ticks::Auto, Scale::Linear) => match far_ticks(self.low, self.high, wanted) {
                Some(FarTicks { origin, ticks }) => Marks { ticks, origin: Some(origin) },
                None => near(linear_ticks(self.low, self.high, wanted)),
            },
        }
    }
}

/// The marks of an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Marks {
    /// Where they are and what is written there.
    pub ticks: Vec<Tick>,
    /// The number from which those of the ticks are counted, where it is not 0.
    pub origin: Option<f64>,
}

fn drawable(low: f64, high: f64) -> (f64, f64) {
    if !(low.is_finite() && high.is_finite() && (high - low).is_finite()) || low > high {
        return (0.0, 1.0);
    }
    // Widened where the numbers would not be told apart.
    let least = 1e-12 * low.abs().max(high.abs());
    if high - low > least { (low, high) } else { (low - least.max(0.5), high + least.max(0.5)) }
}

/// What is drawn in a panel.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "layer", rename_all = "snake_case")]
pub enum Layer {
    /// Dots of one look.
    Dots(Dots),
    /// A line through positions.
    Line {
        /// The positions, in order.
        path: Vec<Position>,
        /// How it looks.
        stroke: Stroke,
    },
    /// An area within rings, holes included.
    Area {
        /// Closed outlines; what lies within an odd number of them is filled.
        rings: Vec<Vec<Position>>,
        /// How it is filled.
        fill: Fill,
        /// How its outline looks.
        outline: Option<Stroke>,
    },
    /// Short strokes at the lower edge, one for each value.
    Rug {
        /// The values on the horizontal axis.
        values: Vec<f64>,
        /// Their colour.
        color: Color,
    },
    /// A matrix of shades: rows from the top of the panel, each of the whole width.
    Shades {
        /// The rows; numbers from 0 (white) to 1 (darkest).
        rows: Vec<Vec<f64>>,
        /// The darkest colour.
        color: Color,
    },
    /// A line across the panel.
    Rule {
        /// Where it crosses.
        at: Crossing,
        /// How it looks.
        stroke: Stroke,
    },
    /// A short text.
    Text {
        /// Where it is.
        at: Position,
        /// What it says.
        text: String,
        /// On which side of the position it stands, unless it would cover a mark there that it need not cover elsewhere.
        side: Side,
        /// Its colour.
        color: Color,
    },
}

/// Dots of one look.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Dots {
    /// The positions.
    pub at: Vec<Position>,
    /// Their shape.
    pub marker: Marker,
    /// Their radius.
    pub radius: f64,
    /// Their colour.
    pub color: Color,
    /// From 0 (cannot be seen) to 1.
    pub opacity: f64,
    /// The number of the group that they are, for those who want to find them in the drawing.
    pub group: Option<usize>,
}

/// Where a line crosses the panel.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Crossing {
    /// A vertical line at this value.
    X(f64),
    /// A horizontal line at this value.
    Y(f64),
}

/// On which side of its position a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Centred on it.
    Centre,
    /// Above it.
    Above,
    /// Below it.
    Below,
    /// To the right.
    Right,
    /// To the left.
    Left,
}

/// How a line looks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Stroke {
    /// Its colour.
    pub color: Color,
    /// Its width.
    pub width: f64,
    /// From 0 (cannot be seen) to 1.
    pub opacity: f64,
    /// Whether it is broken.
    pub dash: Dash,
}

/// Whether a line is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Dash {
    /// It is not.
    Solid,
    /// Dashes.
    Dashed,
    /// Dots.
    Dotted,
}

impl Stroke {
    /// A solid line.
    pub fn new(color: Color, width: f64) -> Self {
        Stroke { color, width, opacity: 1.0, dash: Dash::Solid }
    }

    /// Broken.
    #[must_use]
    pub fn dashed(mut self, dash: Dash) -> Self {
        self.dash = dash;
        self
    }

    /// Less than opaque.
    #[must_use]
    pub fn with_opacity(mut self, opacity: f64) -> Self {
        self.opacity = opacity;
        self
    }
}

/// How an area is filled.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Fill {
    /// Its colour.
    pub color: Color,
    /// From 0 (cannot be seen) to 1.
    pub opacity: f64,
}
