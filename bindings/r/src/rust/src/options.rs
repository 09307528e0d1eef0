//! Options as R hands them over: a named list of texts, numbers and flags, in the words of the command line.

use mixgist::slice::{Array, NamedArrays, Scheme};
use mixgist::{
    CovarianceForm, Error, Estimator, GaussianAtoms, GivenDirections, Loss, MixingMeasure, Order, Pruning, Route,
    Settings, SliceCount, SlicerName, Units,
};
use mixgist_io::DataTable;
use savvy::{ListSexp, Sexp, StringSexp, TypedSexp};

use crate::arrays::{numbers, row_major};
use crate::error::Result;

/// A named list.
pub struct Options(pub ListSexp);

impl Options {
    /// What is given by that name, unless it is `NULL`.
    pub fn get(&self, name: &str) -> Option<Sexp> {
        self.0.get(name).filter(|found| !found.is_null())
    }

    /// A text.
    pub fn text(&self, name: &str) -> Result<Option<String>> {
        self.get(name).map(|found| one_text(name, found)).transpose()
    }

    /// A number.
    pub fn number(&self, name: &str) -> Result<Option<f64>> {
        let Some(found) = self.get(name) else { return Ok(None) };
        match numbers(name, found)?.as_slice() {
            [one] if !one.is_nan() => Ok(Some(*one)),
            _ => Err(Error::usage(format!("{name} must be one number")).into()),
        }
    }

    /// A whole number that is not negative.
    pub fn count(&self, name: &str) -> Result<Option<u64>> {
        let Some(x) = self.number(name)? else { return Ok(None) };
        if x.fract() == 0.0 && (0.0..9e15).contains(&x) {
            return Ok(Some(x as u64));
        }
        Err(Error::usage(format!("{name} is {x}, must be a whole number from 0")).into())
    }

    /// A number of things in memory.
    pub fn size(&self, name: &str) -> Result<Option<usize>> {
        Ok(self.count(name)?.map(|count| usize::try_from(count).unwrap_or(usize::MAX)))
    }

    /// Whether something is wanted; not without it.
    pub fn flag(&self, name: &str) -> Result<bool> {
        let Some(found) = self.get(name) else { return Ok(false) };
        bool::try_from(found).map_err(|_| Error::usage(format!("{name} must be TRUE or FALSE")).into())
    }

    /// A seed: a number, or a text where R's numbers are too coarse.
    pub fn seed(&self) -> Result<Option<u64>> {
        let Some(text) = self.text("seed")? else { return Ok(None) };
        let parsed = text.parse();
        parsed.map(Some).map_err(|_| {
            let error = Error::usage(format!("seed is '{text}', must be a whole number from 0 to {}", u64::MAX));
            error.hint("beyond 2^53 give it as a text").into()
        })
    }

    /// Several numbers.
    pub fn numbers(&self, name: &str) -> Result<Option<Vec<f64>>> {
        self.get(name).map(|found| numbers(name, found)).transpose()
    }

    /// Several texts.
    pub fn texts(&self, name: &str) -> Result<Option<Vec<String>>> {
        let Some(found) = self.get(name) else { return Ok(None) };
        let texts = StringSexp::try_from(found).map_err(|_| Error::usage(format!("{name} must be text")))?;
        Ok(Some(texts.iter().map(str::to_owned).collect()))
    }

    /// A list of options within.
    pub fn within(&self, name: &str) -> Result<Option<Options>> {
        let Some(found) = self.get(name) else { return Ok(None) };
        let list = ListSexp::try_from(found).map_err(|_| Error::usage(format!("{name} must be a list")))?;
        Ok(Some(Options(list)))
    }

    /// The settings of everything that measures and estimates.
    pub fn settings(&self) -> Result<Settings> {
        let usual = Settings::default();
        let estimate = self.text("estimate")?.unwrap_or_else(|| usual.estimator.name().to_owned());
        let mut settings = usual
            .with_directions(self.directions()?)
            .with_estimator(Estimator::from_name(&estimate, self.text("atoms")?.as_deref())?)
            .with_candidate(self.measure("candidate")?);
        self.by_name("distance", &mut settings.slicer, SlicerName::from_name)?;
        self.by_name("slices", &mut settings.slices, SliceCount::from_name)?;
        self.by_name("scheme", &mut settings.scheme, Scheme::from_name)?;
        self.by_name("units", &mut settings.units, Units::from_name)?;
        self.by_name("prune", &mut settings.pruning, Pruning::from_name)?;
        self.by_name("loss", &mut settings.loss, Loss::from_name)?;
        self.by_name("route", &mut settings.route, Route::from_name)?;
        if let Some(order) = self.number("order")? {
            settings.order = Order::new(order)?;
        }
        settings.seed = self.seed()?.unwrap_or(settings.seed);
        Ok(settings)
    }

    /// Sets what an option names, when it was given.
    fn by_name<T>(&self, option: &str, setting: &mut T, read: fn(&str) -> mixgist::Result<T>) -> Result<()> {
        if let Some(name) = self.text(option)? {
            *setting = read(&name)?;
        }
        Ok(())
    }

    fn directions(&self) -> Result<Option<GivenDirections>> {
        let Some(given) = self.within("directions")? else { return Ok(None) };
        let mut arrays = NamedArrays::new();
        for (name, array) in given.0.iter() {
            let found = real_array(&format!("directions${name}"), array)?;
            arrays.insert(name.to_owned(), Array { values: row_major(&found.0, &found.1), shape: found.1 });
        }
        Ok(Some(GivenDirections::new(arrays)))
    }

    /// A mixing measure: a list of `weights` K, `means` K × d and `covariances` K × d × d.
    pub fn measure(&self, name: &str) -> Result<Option<MixingMeasure>> {
        let Some(given) = self.within(name)? else { return Ok(None) };
        let missing = |what: &str| Error::usage(format!("{name} has no {what}"));
        let weights = given.numbers("weights")?.ok_or_else(|| missing("weights"))?;
        let means = real_array("means", given.get("means").ok_or_else(|| missing("means"))?)?;
        let covariances = real_array("covariances", given.get("covariances").ok_or_else(|| missing("covariances"))?)?;
        let dim = if means.1.len() == 2 { means.1[1] } else { 1 };
        let atoms = GaussianAtoms::new(
            dim,
            row_major(&means.0, &means.1),
            row_major(&covariances.0, &covariances.1),
            CovarianceForm::Covariance,
        )?;
        Ok(Some(MixingMeasure::new(weights, atoms)?))
    }

    /// Data: a matrix n × d by that name, with the names of its columns as `columns`.
    pub fn data(&self, name: &str) -> Result<Option<DataTable>> {
        let Some(given) = self.get(name) else { return Ok(None) };
        let (values, shape) = real_array(name, given)?;
        let &[_, columns] = shape.as_slice() else {
            return Err(Error::input(format!("{name} must be a matrix")).into());
        };
        Ok(Some(DataTable::new(columns, row_major(&values, &shape), self.texts("columns")?)?))
    }
}

fn one_text(name: &str, found: Sexp) -> Result<String> {
    match found.into_typed() {
        TypedSexp::String(words) if words.len() == 1 => Ok(words.iter().next().unwrap_or_default().to_owned()),
        _ => Err(Error::usage(format!("{name} must be one text")).into()),
    }
}

/// The numbers of an array in R's order, with its shape; a vector has one dimension.
pub fn real_array(what: &str, found: Sexp) -> Result<(Vec<f64>, Vec<usize>)> {
    let shape = found.get_dim().map(|dim| dim.iter().map(|&n| usize::try_from(n).unwrap_or(0)).collect::<Vec<_>>());
    let values = numbers(what, found)?;
    let shape = shape.unwrap_or_else(|| vec![values.len()]);
    if shape.iter().product::<usize>() != values.len() {
        return Err(Error::input(format!("{what} has {} numbers, its dimensions ask for others", values.len())).into());
    }
    Ok((values, shape))
}

/// The form of covariances by name.
pub fn covariance_form(name: &str) -> Result<CovarianceForm> {
    Ok(CovarianceForm::from_name(name)?)
}
