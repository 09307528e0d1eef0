//! Where the marks of an axis go, and what is written at them.

/// A mark of an axis.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Tick {
    /// Where it is, in data coordinates.
    pub at: f64,
    /// What is written there; empty for a small mark.
    pub text: String,
}

/// Round positions (1, 2 or 5 times a power of ten) inside of `low` … `high`, about `wanted` of them.
///
/// All texts show the same number of decimals; large and small numbers share one power of ten, which is written out.
pub fn linear_ticks(low: f64, high: f64, wanted: usize) -> Vec<Tick> {
    let span = high - low;
    if !(span > 0.0 && span.is_finite()) {
        return vec![];
    }
    let step = round_step(span / wanted.max(1) as f64);
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    // An axis far from zero and very short has no distinct round numbers left.
    if last - first > 1000.0 || first.abs() > 1e15 {
        return vec![];
    }
    let digits = -step.log10().floor() as i32;
    let exponent = (first.abs().max(last.abs()) * step).max(step).log10().floor() as i32;
    let shown = match is_plain(exponent, digits) {
        true => Notation::Plain { decimals: digits.max(0) as usize },
        false => Notation::Power { exponent, decimals: (exponent + digits).clamp(0, 12) as usize },
    };
    let positions = (0..=(last - first) as i64).map(|i| first + i as f64);
    positions.map(|count| Tick { at: count * step, text: shown.text(count * step) }).collect()
}

/// Whether numbers of this size, with so many decimals, are written without a power of ten.
fn is_plain(exponent: i32, decimals: i32) -> bool {
    (-4..7).contains(&decimals) && exponent < 6
}

/// Marks of an axis that lies far from zero, as seen from a round number in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct FarTicks {
    /// The round number.
    pub origin: f64,
    /// The marks; their texts say how far from `origin` they are.
    pub ticks: Vec<Tick>,
}

/// Numbers with so many digits are not written at every mark, and those with a power of ten not with so many.
const MANY_DIGITS: [i32; 2] = [7, 5];

/// As [`linear_ticks`], where most digits of these would be the same: numbers of times since 1970, or of large addresses. `None`
/// elsewhere.
pub fn far_ticks(low: f64, high: f64, wanted: usize) -> Option<FarTicks> {
    let span = high - low;
    if !(span > 0.0 && span.is_finite()) {
        return None;
    }
    let step = round_step(span / wanted.max(1) as f64);
    let (size, fine) = (low.abs().max(high.abs()).log10().floor() as i32, step.log10().floor() as i32);
    if size - fine + 1 < MANY_DIGITS[usize::from(!is_plain(size, -fine))] {
        return None;
    }
    let middle = low + span / 2.0;
    // The roundest number near the axis.
    let at = |power: i32| match power {
        0.. => (middle / 10f64.powi(power)).round() * 10f64.powi(power),
        _ => (middle * 10f64.powi(-power)).round() / 10f64.powi(-power),
    };
    let origin = (fine..=size).rev().map(at).find(|origin| *origin != 0.0 && (origin - middle).abs() <= 10.0 * span)?;
    let mut ticks = linear_ticks(low - origin, high - origin, wanted);
    ticks.iter_mut().for_each(|tick| tick.at += origin);
    Some(FarTicks { origin, ticks })
}

/// A label for an axis whose numbers are seen from `origin`, apart from the name: " − 1.7e9".
pub fn origin_text(origin: f64) -> String {
    let size = origin.abs();
    let number = if (1e-4..1e7).contains(&size) { format!("{size}") } else { format!("{size:e}").replace('-', MINUS) };
    format!("{} {number}", if origin < 0.0 { "+" } else { MINUS })
}

/// Powers of ten inside of `low` … `high`, with small marks between them; low must be positive.
pub fn log_ticks(low: f64, high: f64) -> Vec<Tick> {
    if !(low > 0.0 && high > low && high.is_finite()) {
        return vec![];
    }
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    // With less than two decades the powers of ten alone say too little.
    let few = high / low < 100.0;
    let every = ((last - first) / 8).max(1);
    let mut ticks = Vec::new();
    for exponent in first..=last {
        for digit in 1..10 {
            let at = f64::from(digit) * 10f64.powi(exponent);
            if at < low * (1.0 - 1e-9) || at > high * (1.0 + 1e-9) {
                continue;
            }
            let named = (digit == 1 && (exponent - first) % every == 0) || (few && matches!(digit, 2 | 5));
            let text = if !named {
                String::new()
            } else if (-3..6).contains(&exponent) {
                plain(at, (-exponent).max(0) as usize)
            } else if digit == 1 {
                format!("1e{exponent}").replace('-', MINUS)
            } else {
                format!("{digit}e{exponent}").replace('-', MINUS)
            };
            ticks.push(Tick { at, text });
        }
    }
    ticks
}

/// 1, 2 or 5 times a power of ten, at least `least`.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= least * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

const MINUS: &str = "\u{2212}";

/// How the numbers of an axis are written.
enum Notation {
    Plain { decimals: usize },
    Power { exponent: i32, decimals: usize },
}

impl Notation {
    fn text(&self, at: f64) -> String {
        match *self {
            _ if at == 0.0 => "0".into(),
            Notation::Plain { decimals } => plain(at, decimals),
            // In two steps: a power of ten beyond the range of numbers would give 0 or infinity.
            Notation::Power { exponent, decimals } => {
                let mantissa = at / 10f64.powi(exponent / 2) / 10f64.powi(exponent - exponent / 2);
                format!("{}e{}", plain(mantissa, decimals), exponent.to_string().replace('-', MINUS))
            }
        }
    }
}

/// With a real minus sign.
fn plain(x: f64, decimals: usize) -> String {
    format!("{x:.decimals$}").replace('-', MINUS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|tick| tick.text.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(texts(&linear_ticks(0.0, 1.0, 5)), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(texts(&linear_ticks(-1.3, 2.2, 4)), ["\u{2212}1", "0", "1", "2"]);
        assert_eq!(texts(&linear_ticks(41.0, 98.0, 5)), ["60", "80"]);
        assert_eq!(texts(&linear_ticks(0.0, 3e7, 3)), ["0", "1e7", "2e7", "3e7"]);
        assert_eq!(
            texts(&linear_ticks(0.0, 2.5e-6, 5)),
            ["0", "0.5e\u{2212}6", "1.0e\u{2212}6", "1.5e\u{2212}6", "2.0e\u{2212}6", "2.5e\u{2212}6"]
        );
        for (low, high) in [(1e-300, 2e-300), (-5e200, 3e201), (1e10, 1e10 + 1.0), (3.0, 3.0 + 1e-9)] {
            for wanted in 1..12 {
                let ticks = linear_ticks(low, high, wanted);
                let slack = (high - low) * 1e-6;
                assert!(ticks.iter().all(|t| t.at >= low - slack && t.at <= high + slack), "{low} {high} {ticks:?}");
                assert!(ticks.len() <= wanted + 1, "{low} {high} {wanted} {ticks:?}");
            }
        }
    }

    #[test]
    fn numbers_share_one_power_of_ten() {
        assert_eq!(texts(&linear_ticks(-1e6, 1.1e7, 3)), ["0", "0.5e7", "1.0e7"]);
        assert_eq!(texts(&linear_ticks(-2e12, 8e12, 3)), ["0", "5e12"]);
        let small = ["\u{2212}2e\u{2212}8", "0", "2e\u{2212}8", "4e\u{2212}8"];
        assert_eq!(texts(&linear_ticks(-2.1e-8, 4.1e-8, 4)), small);
    }

    #[test]
    fn far_from_zero_numbers_are_seen_from_a_round_one() {
        let far = far_ticks(1e8 - 2.5, 1e8 + 8.0, 6).unwrap();
        assert_eq!((far.origin, origin_text(far.origin)), (1e8, "\u{2212} 1e8".into()));
        assert_eq!(texts(&far.ticks), ["\u{2212}2", "0", "2", "4", "6", "8"]);
        assert_eq!(far.ticks[2].at, 1e8 + 2.0);
        for (low, high, origin, text) in [
            (1.7e9 - 9.0, 1.7e9 + 40.0, 1.7e9, "\u{2212} 1.7e9"),
            (-4e7 - 1.0, -4e7 + 3.0, -4e7, "+ 4e7"),
            (100_000_003.0, 100_000_009.0, 1e8, "\u{2212} 1e8"),
            (0.3 - 1e-9, 0.3 + 2e-9, 0.3, "\u{2212} 0.3"),
            (1.23e-6, 1.23e-6 + 1e-13, 1.23e-6, "\u{2212} 1.23e\u{2212}6"),
        ] {
            let far = far_ticks(low, high, 4).unwrap();
            assert_eq!((far.origin, origin_text(far.origin).as_str()), (origin, text));
            assert!(far.ticks.len() >= 2, "{far:?}");
            assert!(far.ticks.iter().all(|tick| tick.text.chars().count() <= 7), "{far:?}");
        }
        for (low, high) in [(0.0, 1.0), (2000.0, 2024.0), (99_990.0, 100_010.0), (-1e12, 3e12), (f64::NAN, 1.0)] {
            assert_eq!(far_ticks(low, high, 5), None, "{low} {high}");
        }
    }

    #[test]
    fn senseless_axes_have_no_ticks() {
        for (low, high) in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
            assert!(linear_ticks(low, high, 5).is_empty());
            assert!(log_ticks(low, high).is_empty());
        }
        assert!(linear_ticks(1e17, 1e17 + 32.0, 5).is_empty());
    }

    #[test]
    fn powers_of_ten_are_named() {
        let ticks = log_ticks(1.0, 1000.0);
        let named: Vec<&str> = texts(&ticks).into_iter().filter(|text| !text.is_empty()).collect();
        assert_eq!(named, ["1", "10", "100", "1000"]);
        assert_eq!(ticks.len(), 28);
        let named: Vec<Tick> = log_ticks(0.15, 3.0).into_iter().filter(|tick| !tick.text.is_empty()).collect();
        assert_eq!(texts(&named), ["0.2", "0.5", "1", "2"]);
    }
}
