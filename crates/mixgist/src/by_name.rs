//! Types that documents hold by the name that options use.

/// Writes a type as its `name()` and reads it back with its `from_name()`; an unknown name is an error, never a default.
macro_rules! by_name {
    ($type:ty, $title:literal, [$($name:expr),* $(,)?], $text:literal) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name().as_ref())
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
                let name = <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(deserializer)?;
                <$type>::from_name(&name).map_err(serde::de::Error::custom)
            }
        }

        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $title.into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $crate::by_name::string_schema($text, &[$($name),*])
            }
        }
    };
}

pub(crate) use by_name;

/// The schema of a string: one of some names, or any when there are none.
pub(crate) fn string_schema(description: &str, names: &[&str]) -> schemars::Schema {
    let mut schema = schemars::json_schema!({ "type": "string", "description": description });
    if !names.is_empty() {
        schema.insert("enum".into(), names.into());
    }
    schema
}
