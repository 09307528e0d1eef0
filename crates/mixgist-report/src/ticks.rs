//! Where the marks of an axis go, and what is written at them.

/// A mark of an axis.
#[derive(Debug, Clone, PartialEq)]
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
    let positions = (0..=(last - first) as i64).map(|i| (first + i as f64) * step);
    let digits = -step.log10().floor() as i32;
    positions.map(|at| Tick { at, text: number(at, step, digits) }).collect()
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
                format!("1e{exponent}").replace('-', "\u{2212}")
            } else {
                format!("{digit}e{exponent}").replace('-', "\u{2212}")
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

fn number(at: f64, step: f64, digits: i32) -> String {
    let at = if at.abs() < step * 1e-6 { 0.0 } else { at };
    let exponent = at.abs().max(step).log10().floor() as i32;
    if at == 0.0 {
        "0".into()
    } else if (-4..7).contains(&digits) && exponent < 6 {
        plain(at, digits.max(0) as usize)
    } else {
        let decimals = (exponent + digits).clamp(0, 12) as usize;
        format!("{at:.decimals$e}").replace('-', "\u{2212}")
    }
}

/// With a real minus sign.
fn plain(x: f64, decimals: usize) -> String {
    format!("{x:.decimals$}").replace('-', "\u{2212}")
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
            ["0", "5e\u{2212}7", "1.0e\u{2212}6", "1.5e\u{2212}6", "2.0e\u{2212}6", "2.5e\u{2212}6"]
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
