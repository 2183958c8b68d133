//! R8: attributes of objects that `==` does not compare: one by one, and from some number on several on a line.

use crate::domain::value::Value;
use crate::generate::alike::is_short;
use crate::generate::build::{Builder, Stop};
use crate::generate::expect::{Assertion, Relation};
use crate::generate::layout::Expr;
use crate::generate::scope::is_identifier;

/// Attributes asserted of one object one by one.
const ATTRIBUTES_MAX: usize = 6;

/// Names that lead from an object to what is asserted of it.
const NAMES_MAX: usize = 1;

/// Columns of the names of attributes that are asserted together.
const TOGETHER_MAX: usize = 60;

impl Builder<'_, '_> {
    /// R8: asserts attributes that have a code form: public ones, or private ones where there is nothing else.
    pub(in crate::generate) fn attributes(&mut self, subject: &str, fields: &[(&str, &Value)]) -> Result<Vec<Assertion>, Stop> {
        let mut all = Vec::new();
        for private in [false, true] {
            let mut shown = fields.iter().filter(|(name, _)| name.starts_with('_') == private && is_identifier(name));
            for (name, value) in shown.by_ref() {
                match self.part(&format!("{subject}.{name}"), value) {
                    Ok(found) => all.extend(found),
                    Err(Stop::Again(ordinal)) => return Err(Stop::Again(ordinal)),
                    Err(Stop::No(_)) => all.extend(self.attributes_of_part(&format!("{subject}.{name}"), value)?),
                }
                if all.len() >= ATTRIBUTES_MAX {
                    break;
                }
            }
            let rest: Vec<(&str, &Value)> = shown.copied().collect();
            all.extend(self.together(subject, &rest)?);
            if !all.is_empty() {
                break;
            }
        }
        Ok(all)
    }

    /// Asserts the public attributes of an object that an attribute holds and that `==` does not compare.
    fn attributes_of_part(&mut self, subject: &str, value: &Value) -> Result<Vec<Assertion>, Stop> {
        let resolved = self.expecting.as_ref().map_or(value, |expecting| expecting.resolve(value)).clone();
        let Value::Object { ordinal, ty, fields, .. } = &resolved else { return Ok(Vec::new()) };
        if self.work.made(*ordinal) || subject.matches('.').count() > NAMES_MAX {
            return Ok(Vec::new());
        }
        let public = fields.iter().filter(|(name, value)| !name.starts_with('_') && !self.project.is_cache(ty, name, value));
        let public: Vec<(&str, &Value)> = public.map(|(name, value)| (name.as_str(), value)).collect();
        self.attributes(subject, &public)
    }

    /// Asserts attributes some at a time, as many as a line has room for.
    fn together(&mut self, subject: &str, fields: &[(&str, &Value)]) -> Result<Vec<Assertion>, Stop> {
        let mut all: Vec<(Vec<String>, Vec<Expr>)> = Vec::new();
        for (name, value) in fields {
            let resolved = self.expecting.as_ref().map_or(*value, |expecting| expecting.resolve(value)).clone();
            if matches!(&resolved, Value::Float(number) if !is_short(*number)) {
                continue;
            }
            let Some(expected) = self.if_any(&resolved)? else { continue };
            let place = format!("{subject}.{name}");
            let fits = |names: &[String]| names.iter().map(|name| name.len() + 2).sum::<usize>() + place.len() <= TOGETHER_MAX;
            match all.last_mut() {
                Some((names, values)) if fits(names) => {
                    names.push(place);
                    values.push(expected);
                }
                _ => all.push((vec![place], vec![expected])),
            }
        }
        let assertion = |(names, mut values): (Vec<String>, Vec<Expr>)| match (names.as_slice(), values.pop()) {
            ([name], Some(value)) => Assertion::new(name, Relation::Equal, value),
            (_, last) => {
                values.extend(last);
                Assertion::new(&format!("({})", names.join(", ")), Relation::Equal, Expr::tuple(values))
            }
        };
        Ok(all.into_iter().map(assertion).collect())
    }

    /// Asserts an attribute's value, but does not look into the attributes of attributes.
    fn part(&mut self, subject: &str, value: &Value) -> Result<Vec<Assertion>, Stop> {
        let resolved = self.expecting.as_ref().map_or(value, |expecting| expecting.resolve(value));
        if let Value::Object { ordinal, .. } = resolved
            && !self.work.made(*ordinal)
        {
            let resolved = resolved.clone();
            let expected = self.expected(&resolved)?;
            return self.with_details(subject, &resolved, vec![Assertion::new(subject, Relation::Equal, expected)]);
        }
        let resolved = resolved.clone();
        // A field of a field may be the object itself.
        if let Value::Sub { ordinal, ty, base, fields } = &resolved
            && !fields.is_empty()
            && self.work.name_of(*ordinal).is_none()
        {
            return self.content(subject, ty, base);
        }
        self.assertions(subject, &resolved)
    }
}
