//! Minimisation of a function of some hundred variables: limited-memory BFGS with a diagonal start and a line search that also
//! copes with kinks (bisection for the weak Wolfe conditions, as Lewis and Overton describe).

use std::collections::VecDeque;

/// Pairs of steps and changes of the gradient that are remembered.
const MEMORY: usize = 10;

/// A step must decrease the function by this part of what its slope promises.
const DECREASE: f64 = 1e-4;

/// A step must flatten the slope to this part.
const FLATTEN: f64 = 0.9;

/// Tries of a line search.
const TRIES: usize = 25;

/// Iterations over which progress is judged.
const WINDOW: usize = 5;

/// A place with its value and gradient.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) x: Vec<f64>,
    pub(super) value: f64,
    gradient: Vec<f64>,
}

/// When to stop.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    /// Most iterations.
    pub(super) iterations: usize,
    /// Decrease over five iterations, as a part of the function and what it leaves out, below which it is not worth going on.
    pub(super) tolerance: f64,
    /// What the function leaves out: a constant that the value which matters has besides.
    pub(super) constant: f64,
}

/// Minimises from `x`; `curvature` is a positive diagonal that stands for the second derivatives. The value never exceeds that at
/// the start.
pub(super) fn minimize(f: impl Fn(&[f64], &mut [f64]) -> f64, x: Vec<f64>, curvature: &[f64], effort: Effort) -> Place {
    let at = |x: Vec<f64>| {
        let mut gradient = vec![0.0; x.len()];
        let value = f(&x, &mut gradient);
        Place { x, value, gradient }
    };
    let mut place = at(x);
    let mut memory: VecDeque<Pair> = VecDeque::new();
    let mut recent = VecDeque::from([place.value]);
    for _ in 0..effort.iterations {
        let direction = direction(&place.gradient, &memory, curvature);
        let Some(next) = search_line(&at, &place, &direction) else {
            if memory.is_empty() {
                break;
            }
            memory.clear();
            continue;
        };
        if memory.len() == MEMORY {
            memory.pop_front();
        }
        memory.extend(Pair::new(&place, &next));
        place = next;
        recent.push_back(place.value);
        if recent.len() > WINDOW {
            let before = recent.pop_front().expect("more than one value");
            if before - place.value <= effort.tolerance * (before.abs() + effort.constant) {
                break;
            }
        }
    }
    place
}

/// A step that satisfies the weak Wolfe conditions, or at least decreases the function enough; `None` when none was found.
fn search_line(at: &impl Fn(Vec<f64>) -> Place, place: &Place, direction: &[f64]) -> Option<Place> {
    let slope = dot(direction, &place.gradient);
    // Not a descent, or what is left to gain is below rounding.
    if slope.is_nan() || slope >= -1e-15 * place.value.abs() {
        return None;
    }
    let (mut step, mut low, mut high) = (1.0, 0.0, f64::INFINITY);
    let mut best = None;
    for _ in 0..TRIES {
        let trial = at(place.x.iter().zip(direction).map(|(x, d)| x + step * d).collect());
        if trial.value <= place.value + DECREASE * step * slope {
            let flat = dot(direction, &trial.gradient) >= FLATTEN * slope;
            best = Some(trial);
            if flat {
                break;
            }
            low = step;
        } else {
            high = step;
        }
        step = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * low };
    }
    best
}

/// A step s, the change of the gradient y over it, and 1 / sᵀy.
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    inverse: f64,
}

impl Pair {
    /// `None` where the function curves down along the step.
    fn new(from: &Place, to: &Place) -> Option<Self> {
        let difference = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
        let (step, change) = (difference(&to.x, &from.x), difference(&to.gradient, &from.gradient));
        let product = dot(&step, &change);
        let scale = (dot(&step, &step) * dot(&change, &change)).sqrt();
        (product > 1e-12 * scale).then(|| Pair { step, change, inverse: product.recip() })
    }
}

/// The two-loop recursion, from the diagonal scaled to the last pair.
fn direction(gradient: &[f64], memory: &VecDeque<Pair>, curvature: &[f64]) -> Vec<f64> {
    let mut q: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut factors = Vec::with_capacity(memory.len());
    for pair in memory.iter().rev() {
        let factor = pair.inverse * dot(&pair.step, &q);
        add(&mut q, -factor, &pair.change);
        factors.push(factor);
    }
    let scale = memory.back().map_or(1.0, |pair| {
        let size: f64 = pair.change.iter().zip(curvature).map(|(y, c)| y * y / c).sum();
        1.0 / (pair.inverse * size)
    });
    q.iter_mut().zip(curvature).for_each(|(q, c)| *q *= scale / c);
    for (pair, factor) in memory.iter().zip(factors.into_iter().rev()) {
        let back = pair.inverse * dot(&pair.change, &q);
        add(&mut q, factor - back, &pair.step);
    }
    q
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(x: &mut [f64], factor: f64, y: &[f64]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += factor * y);
}

#[cfg(test)]
mod tests {
    use super::*;

    const EFFORT: Effort = Effort { iterations: 500, tolerance: 1e-14, constant: 0.0 };

    #[test]
    fn the_valley_of_rosenbrock_is_followed_to_its_end() {
        let f = |x: &[f64], g: &mut [f64]| {
            let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
            g.copy_from_slice(&[-2.0 * a - 400.0 * x[0] * b, 200.0 * b]);
            a * a + 100.0 * b * b
        };
        let end = minimize(f, vec![-1.2, 1.0], &[1.0, 1.0], EFFORT);
        assert!((end.x[0] - 1.0).abs() < 1e-6 && (end.x[1] - 1.0).abs() < 1e-6, "{:?}", end.x);
    }

    #[test]
    fn a_badly_scaled_bowl_needs_few_steps_with_its_diagonal() {
        let scales: Vec<f64> = (0..20).map(|i| 10f64.powi(i % 9 - 4)).collect();
        let f = |x: &[f64], g: &mut [f64]| {
            x.iter()
                .zip(&scales)
                .zip(g)
                .map(|((x, s), g)| {
                    *g = 2.0 * s * (x - 1.0);
                    s * (x - 1.0) * (x - 1.0)
                })
                .sum()
        };
        let effort = Effort { iterations: 10, tolerance: 0.0, constant: 0.0 };
        let end = minimize(f, vec![0.0; 20], &scales.iter().map(|s| 2.0 * s).collect::<Vec<_>>(), effort);
        assert!(end.x.iter().all(|x| (x - 1.0).abs() < 1e-9));
    }

    #[test]
    fn kinks_do_not_stop_it_far_from_the_minimum() {
        let f = |x: &[f64], g: &mut [f64]| {
            g.copy_from_slice(&[x[0].signum(), 4.0 * x[1].signum()]);
            x[0].abs() + 4.0 * x[1].abs()
        };
        let end = minimize(f, vec![3.0, -2.3], &[1.0, 1.0], EFFORT);
        assert!(end.value < 1e-2, "{}", end.value);
    }

    #[test]
    fn nothing_moves_at_a_minimum_and_values_that_are_no_numbers_are_stepped_back_from() {
        let flat = minimize(
            |_, g| {
                g.fill(0.0);
                0.0
            },
            vec![1.5],
            &[1.0],
            EFFORT,
        );
        assert_eq!((flat.x[0], flat.value), (1.5, 0.0));
        let f = |x: &[f64], g: &mut [f64]| {
            g[0] = 1.0 - 1.0 / x[0];
            x[0] - x[0].ln()
        };
        let end = minimize(f, vec![8.0], &[1e-3], EFFORT);
        assert!((end.x[0] - 1.0).abs() < 1e-6, "{}", end.x[0]);
    }
}
