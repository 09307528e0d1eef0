//! Tail probabilities of Student's t and Fisher's F, by the regularised incomplete beta function.

/// P(T > t) for Student's t with `freedom` degrees of freedom, which need not be whole.
pub(crate) fn student_tail(t: f64, freedom: f64) -> f64 {
    if t.is_nan() || freedom.is_nan() {
        return f64::NAN;
    }
    let both = if t.is_infinite() { 0.0 } else { incomplete_beta(freedom / (freedom + t * t), freedom / 2.0, 0.5) };
    if t >= 0.0 { 0.5 * both } else { 1.0 - 0.5 * both }
}

/// P(F > f) for Fisher's F with so many degrees of freedom above and below.
pub(crate) fn fisher_tail(f: f64, above: f64, below: f64) -> f64 {
    if f.is_nan() {
        return f64::NAN;
    }
    if f.is_infinite() { 0.0 } else { incomplete_beta(below / (below + above * f.max(0.0)), below / 2.0, above / 2.0) }
}

/// I_x(a, b): the continued fraction, evaluated by the method of Lentz.
pub(crate) fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    // The fraction converges fast below the mean; beyond it the other end is taken. (Never both: near the mean rounding can put 1 − x beyond it too.)
    if x > (a + 1.0) / (a + b + 2.0) { 1.0 - lower_beta(1.0 - x, b, a) } else { lower_beta(x, a, b) }
}

/// I_x(a, b) for x about the mean or below it.
fn lower_beta(x: f64, a: f64, b: f64) -> f64 {
    let log_beta = libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b);
    let front = libm::exp(a * libm::log(x) + b * libm::log1p(-x) - log_beta) / a;
    let term = |k: usize| {
        let m = (k / 2) as f64;
        match k % 2 {
            0 => m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            _ => -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        }
    };
    let not_zero = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    // 1 / (1 + t_1 / (1 + t_2 / …)): the first convergent is 1 / (1 + t_1).
    let (mut c, mut d) = (1.0, 1.0 / not_zero(1.0 + term(1)));
    let mut value = d;
    for k in 2..1000 {
        d = 1.0 / not_zero(1.0 + term(k) * d);
        c = not_zero(1.0 + term(k) / c);
        value *= c * d;
        if (c * d - 1.0).abs() < 1e-15 {
            break;
        }
    }
    front * value
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Closed forms: Student's t with 1 and 2 degrees of freedom, F with 2 above.
    #[test]
    fn tails_have_their_closed_forms() {
        for t in [-3.0f64, -0.5, 0.0, 0.3, 1.0, 2.5, 12.0, 300.0] {
            let cauchy = 0.5 - t.atan() / std::f64::consts::PI;
            assert!((student_tail(t, 1.0) - cauchy).abs() < 1e-13 + 1e-9 * cauchy, "{t}");
            let two = 0.5 - t / (2.0 * (2.0 + t * t).sqrt());
            assert!((student_tail(t, 2.0) - two).abs() < 1e-13, "{t}");
        }
        for f in [0.0f64, 0.2, 1.0, 4.0, 50.0] {
            for below in [1.0f64, 3.0, 10.0, 77.5] {
                let closed = (1.0 + 2.0 * f / below).powf(-below / 2.0);
                assert!((fisher_tail(f, 2.0, below) - closed).abs() < 1e-12, "{f}, {below}");
            }
        }
        assert_eq!((student_tail(f64::INFINITY, 3.0), fisher_tail(f64::INFINITY, 1.0, 2.0)), (0.0, 0.0));
    }

    /// At the mean both ends can be beyond it by rounding; I_x(a, b) + I_(1 - x)(b, a) = 1 there too.
    #[test]
    fn the_place_where_the_ends_change_over_is_no_trap() {
        for i in 1..60 {
            for j in 1..60 {
                let (a, b) = (f64::from(i) * 0.37, f64::from(j) * 0.61);
                let mean = (a + 1.0) / (a + b + 2.0);
                for x in [mean.next_down(), mean, mean.next_up(), 1.0 - (b + 1.0) / (a + b + 2.0)] {
                    let sum = incomplete_beta(x, a, b) + incomplete_beta(1.0 - x, b, a);
                    assert!((sum - 1.0).abs() < 1e-12, "{x} {a} {b}: {sum}");
                }
            }
        }
    }

    /// With many degrees of freedom t is normal, and t² is F with 1 above.
    #[test]
    fn tails_agree_with_each_other() {
        for t in [0.5f64, 1.0, 2.0, 3.0, 5.0] {
            let normal = 0.5 * libm::erfc(t / std::f64::consts::SQRT_2);
            assert!((student_tail(t, 1e7) / normal - 1.0).abs() < 1e-4, "{t}");
            for freedom in [2.5, 7.0, 31.0] {
                assert!((2.0 * student_tail(t, freedom) - fisher_tail(t * t, 1.0, freedom)).abs() < 1e-13);
            }
        }
    }
}
