//! Names of the components of one fit, carried over to another by transport.
//!
//! The components of the new fit are coupled with those of the old one by exact optimal transport. A new component continues the old one that it belongs to, by the
//! rules of [`crate::components`]: it is near it, and it is clearly closest or gets most of its mass from there. Of several that continue the same one the
//! heaviest keeps the name, the others are parts that split off. What continues nothing is new; old components that nothing continues are gone.

use crate::components::{Coupler, Prepared, Rules, coupling_units};
use crate::ensemble::{Ensemble, MixingMeasure};
use crate::overlap::overlap_of;
use crate::text;
use crate::text::index;
use crate::units::Units;
use crate::{Error, Result};

/// How the components of one fit became those of another.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Carried {
    /// The components of the new fit, in its order.
    pub components: Vec<CarriedComponent>,
    /// The components of the old fit that nothing continues.
    pub gone: Vec<Gone>,
}

/// Where a component of the new fit comes from.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct CarriedComponent {
    /// Its name.
    pub name: String,
    /// The component of the old fit that it continues or split off from; null when it is new.
    pub from: Option<String>,
    /// Whether it split off: another, heavier component has the name.
    pub split: bool,
    /// Its overlap with the old component (Bhattacharyya's coefficient, 1 when they are equal); null when it is new.
    pub overlap: Option<f64>,
    /// How much its weight changed since; null when it is new or split off.
    pub weight_change: Option<f64>,
}

/// A component of the old fit that nothing continues.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct Gone {
    /// Its name.
    pub name: String,
    /// Its weight in the old fit.
    pub weight: f64,
    /// The component of the new fit that lies at its place but belongs to another, if there is one: the two may have merged.
    pub merged_into: Option<String>,
}

/// Carries the names of the components of `old` over to those of `new`.
///
/// Cost: one exact transport.
pub fn carry(
    old: &MixingMeasure,
    names: &[String],
    new: &MixingMeasure,
    units: &Units,
    rules: Rules,
) -> Result<Carried> {
    if old.dim() != new.dim() {
        let (before, now) = (old.dim(), new.dim());
        return Err(Error::input(format!("the components of the old fit have dimension {before}, the new ones {now}")));
    }
    if names.len() != old.len() {
        return Err(Error::input(format!("{} names for {} components of the old fit", names.len(), old.len())));
    }
    check_names(names)?;
    let both = Ensemble::from_measures(&[new.clone(), old.clone()])?;
    let resolved = coupling_units(units, &both)?;
    let owners = Coupler::new(old, &resolved, rules)?.couple(&Prepared::new(&both, 0, &resolved)?, &[])?.owners;
    let heaviest_of = |k: usize| {
        let mine = (0..new.len()).filter(|&j| owners[j] == Some(k));
        mine.reduce(|best, j| if new.weights()[j] > new.weights()[best] { j } else { best })
    };
    let mut taken: Vec<String> = names.to_vec();
    let mut free_name = |wanted: String| {
        let mut name = wanted.clone();
        let mut number = 2;
        while taken.contains(&name) {
            name = format!("{wanted} {number}");
            number += 1;
        }
        taken.push(name.clone());
        name
    };
    let component = |j: usize| {
        let Some(k) = owners[j] else {
            return CarriedComponent {
                name: free_name("new".into()),
                from: None,
                split: false,
                overlap: None,
                weight_change: None,
            };
        };
        let split = heaviest_of(k) != Some(j);
        CarriedComponent {
            name: if split { free_name(format!("{} split", names[k])) } else { names[k].clone() },
            from: Some(names[k].clone()),
            split,
            overlap: Some(overlap_of(old.atoms(), k, new.atoms(), j)),
            weight_change: (!split).then(|| new.weights()[j] - old.weights()[k]),
        }
    };
    let components: Vec<CarriedComponent> = (0..new.len()).map(component).collect();
    let gone = |k: usize| {
        let at = |j: usize| overlap_of(old.atoms(), k, new.atoms(), j);
        let nearest = (0..new.len()).reduce(|best, j| if at(j) > at(best) { j } else { best });
        Gone {
            name: names[k].clone(),
            weight: old.weights()[k],
            merged_into: nearest.filter(|&j| at(j) >= rules.overlap).map(|j| components[j].name.clone()),
        }
    };
    let gone = (0..old.len()).filter(|&k| heaviest_of(k).is_none()).map(gone).collect();
    Ok(Carried { components, gone })
}

/// Refuses names that cannot tell components apart.
pub fn check_names(names: &[String]) -> Result<()> {
    for (k, name) in names.iter().enumerate() {
        if name.trim().is_empty() {
            return Err(Error::usage(text!["the name of component ", index(k), " is empty"]));
        }
        if names[..k].contains(name) {
            return Err(Error::usage(format!("two components have the name '{name}'")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CovarianceForm, GaussianAtoms};

    fn line(atoms: &[(f64, f64)]) -> MixingMeasure {
        let means = atoms.iter().map(|a| a.1).collect();
        let stored = GaussianAtoms::new(1, means, vec![1.0; atoms.len()], CovarianceForm::Covariance).unwrap();
        MixingMeasure::new(atoms.iter().map(|a| a.0).collect(), stored).unwrap()
    }

    fn names(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    fn carried(old: &[(f64, f64)], words: &[&str], new: &[(f64, f64)]) -> Carried {
        carry(&line(old), &names(words), &line(new), &Units::Sd, Rules::default()).unwrap()
    }

    #[test]
    fn names_follow_places_whatever_the_order_and_weights() {
        let found = carried(&[(0.6, 0.0), (0.4, 8.0)], &["low", "high"], &[(0.7, 8.3), (0.3, -0.2)]);
        let told: Vec<&str> = found.components.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(told, ["high", "low"]);
        assert!((found.components[0].weight_change.unwrap() - 0.3).abs() < 1e-12 && found.gone.is_empty());
        // exp(−0.3²/8), Bhattacharyya's coefficient of two unit normals at that distance.
        assert!((found.components[0].overlap.unwrap() - (-0.09f64 / 8.0).exp()).abs() < 1e-12);
    }

    #[test]
    fn what_is_new_gone_split_and_merged_is_told() {
        let found = carried(&[(0.6, 0.0), (0.4, 8.0)], &["low", "high"], &[(0.5, 0.1), (0.5, 30.0)]);
        assert_eq!((found.components[0].name.as_str(), found.components[1].name.as_str()), ("low", "new"));
        assert_eq!(found.gone, [Gone { name: "high".into(), weight: 0.4, merged_into: None }]);

        let found =
            carried(&[(0.6, 0.0), (0.4, 20.0)], &["low", "new"], &[(0.4, -0.5), (0.2, 0.5), (0.2, 50.0), (0.2, 80.0)]);
        let told: Vec<(&str, bool)> = found.components.iter().map(|one| (one.name.as_str(), one.split)).collect();
        // The name "new" is that of an old component.
        assert_eq!(told, [("low", false), ("low split", true), ("new 2", false), ("new 3", false)]);

        let found = carried(&[(0.5, 0.0), (0.5, 2.0)], &["a", "b"], &[(1.0, 0.4)]);
        assert_eq!(found.components[0].name, "a");
        assert_eq!(found.gone, [Gone { name: "b".into(), weight: 0.5, merged_into: Some("a".into()) }]);
    }

    #[test]
    fn names_and_dimensions_that_do_not_fit_are_refused() {
        let (two, plane) = (
            line(&[(0.5, 0.0), (0.5, 8.0)]),
            Ensemble::builder(2)
                .atoms_per_draw(1)
                .weights(&[1.0])
                .means(&[0.0; 2])
                .covariances(&[1.0, 0.0, 0.0, 1.0])
                .build()
                .unwrap(),
        );
        let refused = |names: &[String], new: &MixingMeasure| {
            carry(&two, names, new, &Units::Sd, Rules::default()).unwrap_err().to_string()
        };
        assert!(refused(&names(&["a"]), &two).contains("1 names for 2 components"));
        assert!(refused(&names(&["a", "a"]), &two).contains("two components have the name 'a'"));
        assert!(refused(&names(&["a", " "]), &two).contains("component 1 is empty"));
        assert!(refused(&names(&["a", "b"]), &plane.draw(0)).contains("dimension 1"));
    }
}
