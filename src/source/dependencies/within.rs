//! What lies within what in a module: methods in classes, functions in functions.

use std::collections::HashMap;

use super::{Node, Place, is_special, owner};

/// What lies within what in a module.
pub(super) struct Within<'i> {
    /// Classes by their name.
    pub classes: HashMap<&'i str, Vec<Node>>,
    /// Functions and classes inside a function, however deep.
    pub nested: HashMap<&'i str, Vec<Node>>,
    /// What an object of a class does without being named.
    pub special: HashMap<&'i str, Vec<Node>>,
}

impl<'i> Within<'i> {
    pub fn new(place: &Place<'i>) -> Self {
        let mut within = Self { classes: HashMap::new(), nested: HashMap::new(), special: HashMap::new() };
        let functions = place.entry.module.functions.iter().zip(&place.functions);
        for (function, node) in functions.clone().filter(|(function, _)| is_special(function.name())) {
            within.special.entry(owner(function.id.qualname())).or_default().push(*node);
        }
        for (qualname, node) in &place.classes {
            within.classes.entry(qualname).or_default().push(*node);
        }
        let functions = functions.map(|(function, node)| (function.id.qualname(), node));
        for (qualname, node) in functions.chain(place.classes.iter().map(|(qualname, node)| (*qualname, node))) {
            for (end, _) in qualname.match_indices(".<locals>.") {
                within.nested.entry(&qualname[..end]).or_default().push(*node);
            }
        }
        within
    }
}
