//! How much memory a JSON text will take, told by a look through it that keeps nothing: two characters such as `0,` become a hundred bytes.

use std::fmt;
use std::io::Read;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// Bytes that the parts of a document take at most, while lists grow and the document becomes its type: every part is then there twice.
const SCALAR: u64 = 128;
const LIST: u64 = 320;
const OBJECT: u64 = 1400;

/// More than a character of any text can take: texts that are short enough need no look. An object of one field is `{"":0}`.
pub(super) const MOST_PER_CHARACTER: u64 = (OBJECT + 3 * SCALAR) / 6;

/// The message of a text that does not fit.
pub(super) const TOO_HEAVY: &str = "takes more memory than there is";

/// Whether a JSON text fits into `budget` bytes; an error that says [`TOO_HEAVY`] if not, or what is wrong with the text.
pub(super) fn fits(source: impl Read, budget: u64) -> serde_json::Result<()> {
    let mut left = budget;
    let mut reader = serde_json::Deserializer::from_reader(source);
    Scale { left: &mut left }.deserialize(&mut reader)?;
    reader.end()
}

struct Scale<'a> {
    left: &'a mut u64,
}

impl Scale<'_> {
    fn take<E: Error>(&mut self, bytes: u64) -> Result<(), E> {
        *self.left = self.left.checked_sub(bytes).ok_or_else(|| E::custom(TOO_HEAVY))?;
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Scale<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Scale<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_bool<E: Error>(mut self, _: bool) -> Result<(), E> {
        self.take(SCALAR)
    }

    fn visit_i64<E: Error>(mut self, _: i64) -> Result<(), E> {
        self.take(SCALAR)
    }

    fn visit_u64<E: Error>(mut self, _: u64) -> Result<(), E> {
        self.take(SCALAR)
    }

    fn visit_f64<E: Error>(mut self, _: f64) -> Result<(), E> {
        self.take(SCALAR)
    }

    fn visit_unit<E: Error>(mut self) -> Result<(), E> {
        self.take(SCALAR)
    }

    fn visit_str<E: Error>(mut self, text: &str) -> Result<(), E> {
        self.take(SCALAR + 2 * text.len() as u64)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        self.take(LIST)?;
        while items.next_element_seed(Scale { left: self.left })?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut fields: A) -> Result<(), A::Error> {
        self.take(OBJECT)?;
        while fields.next_key_seed(Scale { left: self.left })?.is_some() {
            fields.next_value_seed(Scale { left: self.left })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_count() {
        let fits = |text: &str, budget: u64| super::fits(text.as_bytes(), budget);
        assert!(fits("[0, 1]", LIST + 2 * SCALAR).is_ok());
        assert!(fits("[0, 1]", LIST + 2 * SCALAR - 1).unwrap_err().to_string().starts_with(TOO_HEAVY));
        assert!(fits("{\"ab\": null}", OBJECT + 2 * SCALAR + 4).is_ok());
        assert!(fits("{\"ab\": null}", OBJECT + 2 * SCALAR + 3).is_err());
        assert!(fits("[0, 1", 10_000).unwrap_err().is_eof());
        assert!(fits("[] []", 10_000).is_err());
    }

    /// What is short enough to need no look does fit.
    #[test]
    fn no_text_is_heavier_than_the_bound() {
        for text in
            ["{\"\":0}", "[{\"\":0},{\"\":0}]", "[[]]", "[0,0]", "{\"\":{\"\":[]}}", "\"\"", "0", "[{},{}]", "{}"]
        {
            let most = MOST_PER_CHARACTER * (text.len() as u64 + 6);
            assert!(super::fits(text.as_bytes(), most).is_ok(), "{text}");
        }
    }
}
