//! How results are written where JSON has no form of its own for them: square matrices as rows, numbers that are not finite as null.

/// A square matrix that is stored flat, as a list of its rows.
pub(crate) mod square {
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::{Serialize, Serializer};

    pub(crate) fn serialize<T: Serialize, S: Serializer>(flat: &[T], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(flat.chunks(flat.len().isqrt().max(1)))
    }

    pub(crate) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<T>, D::Error> {
        let rows = Vec::<Vec<T>>::deserialize(deserializer)?;
        let size = rows.len();
        match rows.iter().find(|row| row.len() != size) {
            Some(row) => Err(D::Error::custom(format!("a row of {} numbers in a matrix of {size} rows", row.len()))),
            None => Ok(rows.into_iter().flatten().collect()),
        }
    }
}

/// The same for a matrix that may be missing.
pub(crate) mod optional_square {
    use serde::de::{Deserialize, Deserializer};
    use serde::ser::Serializer;

    pub(crate) fn serialize<S: Serializer>(flat: &Option<Vec<f64>>, serializer: S) -> Result<S::Ok, S::Error> {
        match flat {
            Some(flat) => super::square::serialize(flat, serializer),
            None => serializer.serialize_none(),
        }
    }

    #[derive(serde::Deserialize)]
    struct Square(#[serde(with = "super::square")] Vec<f64>);

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<f64>>, D::Error> {
        Ok(Option::<Square>::deserialize(deserializer)?.map(|Square(flat)| flat))
    }
}

/// Numbers some of which may be missing (NaN), which are written as null.
pub(crate) mod missing_is_null {
    use serde::de::{Deserialize, Deserializer};
    use serde::ser::Serializer;

    pub(crate) fn serialize<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(|value| value.is_finite().then_some(*value)))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
        let values = Vec::<Option<f64>>::deserialize(deserializer)?;
        Ok(values.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect())
    }
}

/// A number that may be infinite, which is written as null.
pub(crate) mod infinite_is_null {
    use serde::de::{Deserialize, Deserializer};
    use serde::ser::{Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        value.is_finite().then_some(*value).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(Option::<f64>::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
    }
}
