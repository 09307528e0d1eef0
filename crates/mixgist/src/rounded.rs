//! Numbers that do not depend on the order of draws and atoms, nor on whether an atom is given in two parts.
//!
//! Sums in another order round otherwise. A fit goes down a landscape with many valleys, and differences in the last digit would decide in which one
//! it ends. So what it starts from and what it is fitted to is rounded to fewer digits, far below the error over slices; then, but for rare
//! numbers half-way between two, a fit sees the same bits.

/// Binary digits that are kept.
const DIGITS: i32 = 28;

/// `x` to a multiple of a small power of two, that many digits below `size`.
pub(crate) fn rounded(x: f64, size: f64) -> f64 {
    // The power of two at or below the size.
    let power = f64::from_bits(size.abs().to_bits() & f64::INFINITY.to_bits());
    let unit = power * f64::powi(2.0, -DIGITS);
    if unit.is_normal() { (x / unit).round() * unit } else { x }
}

/// All of them, by the size of the largest.
pub(crate) fn all_rounded(values: &mut [f64]) {
    let size = values.iter().fold(0.0, |size, x| f64::max(size, x.abs()));
    values.iter_mut().for_each(|x| *x = rounded(*x, size));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_digits_do_not_matter() {
        for x in [0.3, -1.7, 1e-9, 0.0] {
            let (one, other) = (rounded(x, 1.5), rounded(x + 3e-16, 1.5));
            assert_eq!(one.to_bits(), other.to_bits());
            assert!((one - x).abs() <= f64::powi(2.0, -29));
        }
        assert_eq!(rounded(3.0, f64::INFINITY), 3.0);
        assert_eq!(rounded(5e-320, 5e-320), 5e-320);
        assert_eq!(rounded(2.0, 0.0), 2.0);
    }
}
