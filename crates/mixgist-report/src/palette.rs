//! Colours and markers that people with any colour vision, and grey printers, can tell apart.

use std::fmt;

/// A colour in sRGB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Color(pub u8, pub u8, pub u8);

impl serde::Serialize for Color {
    /// As web pages and Matplotlib write it: `#0072b2`.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2))
    }
}

impl Color {
    /// Text and axes.
    pub const INK: Color = Color(0x22, 0x22, 0x22);
    /// What stands behind: rugs, grids, remarks.
    pub const GREY: Color = Color(0x77, 0x77, 0x77);
    /// Paper.
    pub const WHITE: Color = Color(0xff, 0xff, 0xff);
    /// The first colour of the palette, for a single curve.
    pub const BLUE: Color = Color(0x00, 0x72, 0xb2);
    /// The second colour of the palette, for what stands against the first.
    pub const VERMILION: Color = Color(0xd5, 0x5e, 0x00);

    /// The colour that lies the share `t` of the way to `other`.
    #[must_use]
    pub fn mix(self, other: Color, t: f64) -> Color {
        let part = |a: u8, b: u8| (f64::from(a) + t.clamp(0.0, 1.0) * (f64::from(b) - f64::from(a))).round() as u8;
        Color(part(self.0, other.0), part(self.1, other.1), part(self.2, other.2))
    }

    /// Relative luminance as the accessibility guidelines of the W3C define it: 0 for black, 1 for white.
    pub fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let c = f64::from(channel) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

/// The palette of Okabe and Ito without its yellow, which is lost on white, and its black, which is ink.
///
/// In this order neighbours differ in lightness.
pub const PALETTE: [Color; 6] = [
    Color::BLUE,
    Color::VERMILION,
    Color(0x00, 0x9e, 0x73),
    Color(0xcc, 0x79, 0xa7),
    Color(0x56, 0xb4, 0xe9),
    Color(0xe6, 0x9f, 0x00),
];

/// The shape of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Marker {
    /// A disc.
    Circle,
    /// A triangle that points up.
    Triangle,
    /// A square.
    Square,
    /// An upright cross.
    Plus,
    /// A square on its corner.
    Diamond,
    /// A triangle that points down.
    TriangleDown,
    /// A diagonal cross: what has no interval, and nothing else.
    Cross,
}

/// The markers in the order in which clusters take them.
pub const MARKERS: [Marker; 6] =
    [Marker::Circle, Marker::Triangle, Marker::Square, Marker::Plus, Marker::Diamond, Marker::TriangleDown];

/// So many atoms have colours of their own.
pub const MOST_COLORED: usize = 12;

/// Colour and marker of the atom of this rank, the heaviest first: light atoms beyond the first twelve are grey.
pub fn atom_style(rank: usize) -> (Color, Marker) {
    if rank < MOST_COLORED { group_style(rank) } else { (Color::GREY, Marker::Circle) }
}

/// Colour and marker of the group of this rank; no pair is repeated among the first 36.
pub fn group_style(rank: usize) -> (Color, Marker) {
    let color = PALETTE[rank % PALETTE.len()];
    // After a round the same hues come darker, then lighter: no two of the first eighteen are the same.
    let color = match rank / PALETTE.len() % 3 {
        0 => color,
        1 => color.mix(Color(0, 0, 0), 0.4),
        _ => color.mix(Color::WHITE, 0.45),
    };
    // Each round begins with another marker, so that a hue is not bound to one.
    (color, MARKERS[(rank + rank / PALETTE.len()) % MARKERS.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_differ_and_stand_out_from_paper() {
        let styles: Vec<_> = (0..36).map(group_style).collect();
        for (i, a) in styles.iter().enumerate() {
            assert!(styles[..i].iter().all(|b| a != b), "{i}");
        }
        let colors: Vec<Color> = styles.iter().take(18).map(|style| style.0).collect();
        for (i, a) in colors.iter().enumerate() {
            assert!(colors[..i].iter().all(|b| a != b), "{i}");
        }
        assert!(styles.iter().all(|style| style.1 != Marker::Cross), "a cross is what has no interval");
        let atoms: Vec<_> = (0..MOST_COLORED).map(atom_style).collect();
        assert!(atoms.iter().all(|style| style.0 != Color::GREY));
        assert_eq!(atom_style(MOST_COLORED), atom_style(36));
        for color in PALETTE {
            assert!((1.0 + 0.05) / (color.luminance() + 0.05) > 1.9, "{color}");
        }
        assert!((PALETTE[0].luminance() - PALETTE[1].luminance()).abs() > 0.04);
    }

    #[test]
    fn luminance_and_mixing_have_their_ends() {
        assert_eq!((Color(0, 0, 0).luminance(), Color::WHITE.to_string()), (0.0, "#ffffff".into()));
        assert!((Color::WHITE.luminance() - 1.0).abs() < 1e-12);
        assert_eq!(Color(0, 0, 0).mix(Color(10, 20, 30), 0.5), Color(5, 10, 15));
    }
}
