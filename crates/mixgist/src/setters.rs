//! Methods `with_FIELD` for settings that other crates cannot write down field by field, because fields will be added.

/// Writes one method for each line: it takes the value and gives the same settings with it.
#[doc(hidden)]
#[macro_export]
macro_rules! setters {
    ($target:ident { $($method:ident: $field:ident: $type:ty, $what:literal;)* }) => {
        impl $target {
            $(#[doc = concat!("The same with ", $what, ".")]
            #[must_use]
            pub fn $method(mut self, $field: $type) -> Self {
                self.$field = $field;
                self
            })*
        }
    };
}
