//! Types that documents hold by the name that options use.

/// Writes a type as its `name()` and reads it back with its `from_name()`; an unknown name is an error, never a default.
macro_rules! by_name {
    ($type:ty, $title:literal, $names:expr, $text:literal) => {
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
                $crate::by_name::string_schema($text, &$names)
            }
        }
    };
}

pub(crate) use by_name;

/// The same for a type with a table `NAMES` of its values: `from_name()` and `name()` look there too.
macro_rules! named {
    ($type:ty, $title:literal, $kind:literal, $text:literal) => {
        impl $type {
            /// The value of that name.
            pub fn from_name(name: &str) -> $crate::Result<Self> {
                let known = const { &Self::NAMES };
                known.iter().find(|(known, _)| *known == name).map(|(_, value)| *value).ok_or_else(|| {
                    let all: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
                    $crate::Error::usage(format!("unknown {} '{name}'", $kind))
                        .hint(format!("one of: {}", all.join(", ")))
                })
            }

            /// The name that options use.
            pub fn name(self) -> &'static str {
                Self::NAMES.iter().find(|(_, value)| *value == self).expect("every value is named").0
            }
        }

        $crate::by_name::by_name!($type, $title, <$type>::NAMES.map(|(name, _)| name), $text);
    };
}

pub(crate) use named;

/// The schema of a string: one of some names, or any when there are none.
pub(crate) fn string_schema(description: &str, names: &[&str]) -> schemars::Schema {
    let mut schema = schemars::json_schema!({ "type": "string", "description": description });
    if !names.is_empty() {
        schema.insert("enum".into(), names.into());
    }
    schema
}
