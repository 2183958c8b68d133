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

pub(crate) use text_form;
