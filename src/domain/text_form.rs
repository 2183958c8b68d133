//! Types that databases, files and JSON hold as one text.

/// Shows, writes and reads a type by its functions `text` and `from_text`: every text is one, and comes back as it was.
macro_rules! text_form {
    ($name:ty) => {
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.text())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.text())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Ok(Self::from_text(&<String as serde::Deserialize>::deserialize(deserializer)?))
            }
        }
    };
}

/// Orders such a type by its text, and what has the text of a function after that function.
macro_rules! text_order {
    ($name:ty) => {
        impl Ord for $name {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                self.text().cmp(&other.text()).then_with(|| self.function().is_none().cmp(&other.function().is_none()))
            }
        }

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }
    };
}

pub(crate) use {text_form, text_order};
