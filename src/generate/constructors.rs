//! The parameters that the text of a class's constructor keeps in attributes, base classes and setters among them.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::domain::function::{Function, Param, ParamKind};
use crate::domain::value::TypeName;
use crate::generate::project::{BASES_MAX, Kept, Lookup, Project, resolve};
use crate::source::constructor::{Constructor, Keeps, constructor};

impl<'a> Project<'a> {
    /// Lists the parameters that the text of a class's constructor keeps in attributes, those of base classes that it calls among
    /// them.
    #[must_use]
    pub fn kept_by_text(&self, ty: &TypeName) -> Rc<[Kept<'a>]> {
        if let Some(known) = self.definitions.kept.borrow().get(ty) {
            return Rc::clone(known);
        }
        let found: Rc<[Kept<'a>]> = self.kept_within(ty, BASES_MAX).into();
        self.definitions.kept.borrow_mut().insert(ty.clone(), Rc::clone(&found));
        found
    }

    fn kept_within(&self, ty: &TypeName, depth: usize) -> Vec<Kept<'a>> {
        let Lookup::Found(init) = self.method(ty, "__init__") else { return Vec::new() };
        let Some(class) = init.written().strip_suffix(".__init__") else { return Vec::new() };
        let read = self.constructor(init);
        let own: BTreeMap<&str, &'a Param> = init
            .params
            .iter()
            .skip(1)
            .filter(|param| !param.kind.is_variadic())
            .map(|param| (param.name.as_str(), param))
            .collect();
        let mut found: Vec<Kept<'a>> = Vec::new();
        for (name, (attribute, keeps)) in &read.attributes {
            if let Some(param) = own.get(name.as_str()) {
                let (attribute, keeps) = match self.set_by_property(ty, attribute, BASES_MAX) {
                    Some(kept) if *keeps == Keeps::Itself => kept,
                    _ => (mangled(class, attribute), *keeps),
                };
                found.push(Kept { param, attribute, keeps, is_handed_on: false });
            }
        }
        let Some(base) = read.base.as_ref().filter(|_| depth > 0) else { return found };
        let Some((module, defined)) = self.class(&TypeName::new(init.id.module(), class)) else { return found };
        let bases = defined.bases.iter().filter(|base| !base.contains('=')).map(|base| resolve(module, defined, base));
        let Some(next) = bases.into_iter().find(|base| matches!(self.method(base, "__init__"), Lookup::Found(_))) else {
            return found;
        };
        let Lookup::Found(next_init) = self.method(&next, "__init__") else { return found };
        let mut kept_there = self.kept_within(&next, depth - 1);
        // The others may be kept under their own names: nothing else is known of them.
        for param in next_init.params.iter().skip(1).filter(|param| !param.kind.is_variadic()) {
            if kept_there.iter().all(|kept| kept.param.name != param.name) {
                let attribute = param.name.clone();
                kept_there.push(Kept { param, attribute, keeps: Keeps::Itself, is_handed_on: false });
            }
        }
        for kept in kept_there {
            let place = next_init.params.iter().skip(1).position(|param| param.name == kept.param.name);
            let by_place = place.filter(|_| !kept.is_handed_on).and_then(|place| base.by_place.get(place));
            let given = by_place.or_else(|| base.by_name.get(&kept.param.name));
            let kept = match given {
                Some(Some(name)) => own.get(name.as_str()).map(|param| Kept { param, is_handed_on: false, ..kept }),
                Some(None) => None,
                None => (base.hands_on_keywords
                    && kept.param.kind != ParamKind::PositionalOnly
                    && !own.contains_key(kept.param.name.as_str()))
                .then_some(Kept { is_handed_on: true, ..kept }),
            };
            found.extend(kept.filter(|kept| found.iter().all(|other| other.param.name != kept.param.name)));
        }
        found
    }

    /// Finds where the setter of a property keeps what it is given.
    fn set_by_property(&self, ty: &TypeName, name: &str, depth: usize) -> Option<(String, Keeps)> {
        let (module, class) = self.class(ty)?;
        let written = format!("{}.{name}", class.qualname);
        let is_setter = |function: &&Function| {
            function.written() == written && function.decorators.iter().any(|decorator| decorator.ends_with(".setter"))
        };
        if let Some(setter) = module.functions.iter().find(is_setter) {
            let given = &setter.params.get(1)?.name;
            return self.constructor(setter).attributes.get(given).map(|(name, keeps)| (mangled(&class.qualname, name), *keeps));
        }
        let mut bases = class.bases.iter().filter(|base| depth > 0 && !base.contains('='));
        bases.find_map(|base| self.set_by_property(&resolve(module, class, base), name, depth - 1))
    }

    fn constructor(&self, init: &Function) -> Rc<Constructor> {
        if let Some(known) = self.definitions.constructors.borrow().get(&init.id) {
            return Rc::clone(known);
        }
        let text = (self.text)(&init.path, init.span);
        let found = Rc::new(text.and_then(|text| constructor(&text)).unwrap_or_default());
        self.definitions.constructors.borrow_mut().insert(init.id.clone(), Rc::clone(&found));
        found
    }
}

/// Gives the name under which `vars` knows an attribute that a method of a class names: those with two underscores are its own.
fn mangled(class: &str, attribute: &str) -> String {
    if !attribute.starts_with("__") || attribute.ends_with("__") {
        return attribute.to_owned();
    }
    let class = class.rsplit('.').next().unwrap_or(class).trim_start_matches('_');
    format!("_{class}{attribute}")
}
