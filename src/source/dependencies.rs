//! What a function rests on: everything a call of it may run or read, by recorded edges and by the names in its text.
//!
//! Errs on the side of too much: an attribute `x.total` may be any method `total` of a module that has to do with the
//! user's. Import-time code counts as one node per module, classes as one each.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use crate::base::hash::{Digest, Hasher};
use crate::base::paths::RelPath;
use crate::domain::function::{Class, FunctionId, Module};
use crate::domain::subject::Subject;

use super::data::DataFiles;
use super::entry::Entry;
use super::index::Index;
use super::moved::last_name;
use super::names::absolute;
use super::reached::{self, Sum};

/// In larger projects every module is taken to have to do with every other.
const RELATED_MAX: usize = 8_000;
/// Methods of one name from which on they stand behind one node, where a module may mean all of them.
const HUB: usize = 8;

mod introspection;
mod relations;
mod within;

use introspection::Looked;
use relations::relations;
use within::Within;

type Node = usize;

/// Who may reach whom, as of one state of the index.
pub struct Reach {
    /// Hash of what each node is and of its code.
    nodes: Vec<Digest>,
    /// The function or file of each node, for those that are one.
    subjects: Vec<Option<Subject>>,
    by_id: HashMap<FunctionId, Vec<Node>>,
    /// Import-time code of modules by their names.
    inits: HashMap<String, Vec<Node>>,
    files: HashMap<RelPath, Node>,
    /// Import-time code and classes of each file.
    by_path: HashMap<RelPath, Vec<Node>>,
    /// Who uses a name, for functions that are gone.
    users: HashMap<String, Vec<Node>>,
    uses: Vec<Vec<Node>>,
    used_by: Vec<Vec<Node>>,
    /// The group of each node: nodes of one group reach each other, and so the same code.
    groups: Vec<usize>,
    /// How many groups there are; what a group uses has a lower number, or is the group itself.
    count: usize,
    /// A hash of the code each group reaches, made when the first is asked for.
    keys: OnceLock<Vec<Digest>>,
    data: Arc<DataFiles>,
    /// Where names are followed that lead elsewhere now.
    index: Index,
    /// What code learns by looking at definitions, by file.
    looked: HashMap<RelPath, Looked>,
    /// Which class derives from what.
    bases: Option<Node>,
    /// Recorded functions that are found under another id today, with their nodes.
    moved: Vec<(FunctionId, Vec<Node>)>,
}

impl Reach {
    /// Reads the names in the index and joins them with recorded edges, caller first.
    #[must_use]
    pub fn new<'a>(index: &Index, edges: impl IntoIterator<Item = &'a (Subject, Subject)>) -> Self {
        Self::with_data(index, edges, &Arc::default())
    }

    /// As [`Reach::new`], with files that are no code: each is a callee of its readers.
    #[must_use]
    pub fn with_data<'a>(index: &Index, edges: impl IntoIterator<Item = &'a (Subject, Subject)>, data: &Arc<DataFiles>) -> Self {
        let mut reach = Self {
            nodes: Vec::new(),
            subjects: Vec::new(),
            by_id: HashMap::new(),
            inits: HashMap::new(),
            files: HashMap::new(),
            by_path: HashMap::new(),
            users: HashMap::new(),
            uses: Vec::new(),
            used_by: Vec::new(),
            groups: Vec::new(),
            count: 0,
            keys: OnceLock::new(),
            data: data.clone(),
            index: index.clone(),
            looked: HashMap::new(),
            bases: None,
            moved: Vec::new(),
        };
        for (path, digest) in data.iter() {
            reach.add_known(Subject::File(path.clone()), digest);
        }
        let project = Project::new(index, &mut reach);
        project.link(&mut reach);
        let mut imported: HashMap<Node, Vec<Node>> = HashMap::new();
        for (caller, callee) in edges {
            let (callers, callees) = (reach.nodes_of(caller), reach.nodes_of(callee));
            for from in &callers {
                reach.uses[*from].extend(callees.iter().copied());
                if matches!(callee, Subject::ImportCode(_)) {
                    imported.entry(*from).or_default().extend(&callees);
                }
            }
        }
        project.look(&mut reach, &imported);
        reach.used_by = vec![Vec::new(); reach.nodes.len()];
        for (from, targets) in reach.uses.iter_mut().enumerate() {
            targets.sort_unstable();
            targets.dedup();
            for to in targets {
                reach.used_by[*to].push(from);
            }
        }
        (reach.groups, reach.count) = reached::groups(&reach.uses);
        reach
    }

    /// Gives all functions whose calls may run through what changed, the changed ones that exist included.
    #[must_use]
    pub fn resting_on(&self, changed: &[Subject], changed_modules: &[RelPath]) -> BTreeSet<FunctionId> {
        let mut start: Vec<Node> = changed_modules.iter().filter_map(|path| self.by_path.get(path)).flatten().copied().collect();
        for subject in changed {
            match (self.nodes_known(subject), subject) {
                (Some(nodes), _) => start.extend(nodes),
                (None, Subject::Function(id)) => start.extend(self.users.get(name(id)).into_iter().flatten()),
                (None, Subject::ImportCode(_) | Subject::File(_)) => {}
            }
        }
        let found = self.closure(start, &self.used_by);
        let moved = self.moved.iter().filter(|(_, nodes)| nodes.iter().any(|node| found.contains(node)));
        let moved: Vec<FunctionId> = moved.map(|(id, _)| id.clone()).collect();
        found.into_iter().filter_map(|node| self.subjects[node].as_ref()?.function().cloned()).chain(moved).collect()
    }

    /// Gives the nodes of a function, under the id that it has today.
    fn start(&self, function: &FunctionId) -> Vec<Node> {
        let today = || self.index.today(function).and_then(|today| self.by_id.get(&today.id));
        self.by_id.get(function).or_else(today).cloned().unwrap_or_default()
    }

    /// Gives one hash of all code that a call of the function may run, and of the data it may read: equal hashes, equal code.
    #[must_use]
    pub fn code_key(&self, function: &FunctionId) -> Digest {
        let start = self.start(function);
        match start.as_slice() {
            [node] => {
                self.keys.get_or_init(|| reached::keys(&self.parts(), &self.uses, &self.groups, self.count))[self.groups[*node]]
            }
            _ => self.closure(start, &self.uses).into_iter().map(|node| Sum::of(self.nodes[node])).sum::<Sum>().digest(),
        }
    }

    /// Gives the files that calls read, as they were when this was made.
    #[must_use]
    pub fn data(&self) -> &Arc<DataFiles> {
        &self.data
    }

    /// Sums up the code of each node.
    fn parts(&self) -> Vec<Sum> {
        self.nodes.iter().map(|digest| Sum::of(*digest)).collect()
    }

    /// Gives all functions that a call of this one may run through, itself included, and all files that it may read.
    #[must_use]
    pub fn reached_from(&self, function: &FunctionId) -> BTreeSet<Subject> {
        self.closure(self.start(function), &self.uses).into_iter().filter_map(|node| self.subjects[node].clone()).collect()
    }

    /// Lists the nodes that these lead to, themselves included, each once.
    fn closure(&self, start: Vec<Node>, edges: &[Vec<Node>]) -> Vec<Node> {
        let mut seen = vec![false; edges.len()];
        let mut found = Vec::new();
        let mut next = start;
        while let Some(node) = next.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                found.push(node);
                next.extend(edges[node].iter().copied().filter(|next| !seen[*next]));
            }
        }
        found
    }

    fn add(&mut self, what: &str, code: Digest, subject: Option<Subject>) -> Node {
        let mut hasher = Hasher::default();
        hasher.part(what.as_bytes()).part(&code.0.to_le_bytes());
        self.nodes.push(hasher.digest());
        self.subjects.push(subject);
        self.uses.push(Vec::new());
        self.nodes.len() - 1
    }

    /// Lets edges lead to a class by its name, where no function has that name.
    fn name_class(&mut self, module: &str, qualname: &str, node: Node) {
        self.by_id.entry(FunctionId::new(module, qualname)).or_insert_with(|| vec![node]);
    }

    /// Adds a node of its own for something, with its name.
    fn add_known(&mut self, subject: Subject, code: Digest) -> Node {
        let node = self.add(&subject.text(), code, Some(subject.clone()));
        match subject {
            Subject::Function(id) => self.by_id.entry(id).or_default().push(node),
            Subject::ImportCode(module) => self.inits.entry(module).or_default().push(node),
            Subject::File(path) => {
                self.files.insert(path, node);
            }
        }
        node
    }

    fn nodes_known(&self, subject: &Subject) -> Option<&[Node]> {
        match subject {
            Subject::Function(id) => self.by_id.get(id).map(Vec::as_slice),
            Subject::ImportCode(module) => self.inits.get(module).map(Vec::as_slice),
            Subject::File(path) => self.files.get(path).map(std::slice::from_ref),
        }
    }

    /// Gives the nodes of something; what is not in the index any more gets one of its own.
    fn nodes_of(&mut self, subject: &Subject) -> Vec<Node> {
        if let Some(nodes) = self.nodes_known(subject) {
            return nodes.to_vec();
        }
        let moved = subject.function().and_then(|id| self.index.today(id)).and_then(|today| self.by_id.get(&today.id)).cloned();

        match (subject, moved) {
            (Subject::Function(id), Some(nodes)) => {
                self.by_id.insert(id.clone(), nodes.clone());
                self.moved.push((id.clone(), nodes.clone()));
                nodes
            }
            _ => vec![self.add_known(subject.clone(), Digest::default())],
        }
    }
}

fn name(id: &FunctionId) -> &str {
    let qualname = super::find::plain(id.qualname());
    qualname.rsplit('.').next().unwrap_or(qualname)
}

/// One module with its nodes and what its names stand for.
struct Place<'i> {
    entry: &'i Entry,
    init: Node,
    /// Nodes of `entry.module.functions`.
    functions: Vec<Node>,
    /// Qualified names and nodes of classes.
    classes: Vec<(&'i str, Node)>,
    /// Functions and classes by their last name.
    defines: HashMap<&'i str, Vec<Node>>,
    /// Functions by what they stand in and their last name.
    owned: HashMap<(&'i str, &'i str), Vec<Node>>,
    /// Names bound by imports.
    binds: HashMap<String, Vec<Target<'i>>>,
    /// Modules of the project that this one imports.
    imports: Vec<usize>,
}

#[derive(Clone, Copy)]
enum Target<'i> {
    Module(usize),
    Name(usize, &'i str),
}

impl Target<'_> {
    fn module(&self) -> Option<usize> {
        match self {
            Self::Module(number) => Some(*number),
            Self::Name(..) => None,
        }
    }
}

struct Project<'i> {
    places: Vec<Place<'i>>,
    /// Methods and nested functions by name: module and node.
    methods: HashMap<&'i str, Vec<(usize, Node)>>,
    /// Classes by the last name of a base of theirs, and by their own: module, and place in its `classes`.
    derived: HashMap<&'i str, Vec<(usize, usize)>>,
    classes: HashMap<&'i str, Vec<(usize, usize)>>,
    related: Option<Vec<Vec<u64>>>,
}

impl<'i> Project<'i> {
    fn new(index: &'i Index, reach: &mut Reach) -> Self {
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (number, entry) in index.entries.values().enumerate() {
            by_name.entry(entry.module.name.as_str()).or_default().push(number);
        }
        let mut methods: HashMap<&str, Vec<(usize, Node)>> = HashMap::new();
        let mut places = Vec::new();
        for (number, entry) in index.entries.values().enumerate() {
            let module = &entry.module;
            let init = reach.add(&format!("{}:", module.name), introspection::init_digest(module), None);
            reach.inits.entry(module.name.clone()).or_default().push(init);
            let mut place = Place {
                entry,
                init,
                functions: Vec::new(),
                classes: Vec::new(),
                defines: HashMap::new(),
                owned: HashMap::new(),
                binds: HashMap::new(),
                imports: Vec::new(),
            };
            for class in &module.classes {
                let node = reach.add(
                    &format!("{}:{} class", module.name, class.qualname),
                    introspection::class_digest(module, class),
                    None,
                );
                place.classes.push((&class.qualname, node));
                place.defines.entry(last(&class.qualname)).or_default().push(node);
            }
            for function in &module.functions {
                let node = reach.add_known(Subject::Function(function.id.clone()), function.fingerprint.code());
                place.functions.push(node);
                if function.id.qualname().contains('.') {
                    methods.entry(function.name()).or_default().push((number, node));
                }
                place.defines.entry(function.name()).or_default().push(node);
                place.owned.entry((owner(function.written()), function.name())).or_default().push(node);
                for used in &function.uses {
                    reach.users.entry(used.clone()).or_default().push(node);
                }
            }
            for (qualname, node) in &place.classes {
                reach.name_class(&module.name, qualname, *node);
            }
            let nodes = std::iter::once(init).chain(place.classes.iter().map(|(_, node)| *node));
            reach.by_path.insert(module.path.clone(), nodes.collect());
            bind(&mut place, module, &by_name);
            places.push(place);
        }
        let related = (places.len() <= RELATED_MAX).then(|| relations(&places));
        let (mut derived, mut classes): (HashMap<&str, Vec<_>>, HashMap<&str, Vec<_>>) = Default::default();
        for (number, entry) in index.entries.values().enumerate() {
            for (at, class) in entry.module.classes.iter().enumerate() {
                classes.entry(last(&class.qualname)).or_default().push((number, at));
                for base in &class.bases {
                    derived.entry(last_name(base)).or_default().push((number, at));
                }
            }
        }
        Self { places, methods, derived, classes, related }
    }

    fn link(&self, reach: &mut Reach) {
        // Methods that any module may mean by their name, behind one node for each name.
        let mut hubs: HashMap<&str, Node> = HashMap::new();
        for (number, place) in self.places.iter().enumerate() {
            let module = &place.entry.module;
            let mut near: HashMap<&str, Vec<Node>> = HashMap::new();
            let mut init: Vec<Node> = place.imports.iter().map(|other| self.places[*other].init).collect();
            for used in place.entry.init_uses.iter() {
                self.bare(number, used, &mut init);
            }
            reach.uses[place.init].extend(init);
            // What an import changes in another module, that module rests on.
            let mut changed = Vec::new();
            for name in &module.acts_on {
                self.inits_of(number, name, &mut changed);
            }
            for init in changed.into_iter().filter(|init| *init != place.init) {
                reach.uses[init].push(place.init);
            }
            let within = Within::new(place);
            for (qualname, node) in &place.classes {
                let mut targets = vec![place.init];
                for used in place.entry.class_uses.get(*qualname).into_iter().flatten() {
                    self.bare(number, used, &mut targets);
                }
                // What an object of the class does without being named: `__init__`, `__eq__`, `__getattr__`.
                targets.extend(within.special.get(qualname).into_iter().flatten());
                let hooks = self.class_hooks(number, qualname);
                if !qualname.contains("<locals>") {
                    // The import defines the class, and a hook may tell the whole module of it: a registry has one more entry.
                    reach.uses[place.init].extend(&hooks);
                }
                targets.extend(hooks);
                reach.uses[*node].extend(targets);
            }
            for (function, node) in module.functions.iter().zip(&place.functions) {
                let mut targets = vec![place.init];
                let qualname = super::find::plain(function.id.qualname());
                targets.extend(within.classes.get(owner(qualname)).into_iter().flatten());
                // Of twins the last one is what their name leads to.
                targets.extend(place.owned.get(&(owner(qualname), function.name())).into_iter().flatten());
                if within.classes.contains_key(owner(qualname)) {
                    self.overrides(owner(qualname), function.name(), &mut targets);
                }
                targets.extend(within.nested.get(qualname).into_iter().flatten());
                let binds = function.uses.iter().filter_map(|used| place.binds.get(used));
                let modules: Vec<usize> = binds.flatten().filter_map(Target::module).collect();
                for used in &function.uses {
                    self.bare(number, used, &mut targets);
                    if !is_special(used) {
                        let near = near.entry(used).or_insert_with(|| self.near(number, used, &mut hubs, reach));
                        targets.extend(near.iter());
                    }
                    for module in &modules {
                        self.bare(*module, used, &mut targets);
                    }
                }
                reach.uses[*node].extend(targets);
            }
        }
    }

    /// Lists what runs when a class is defined, though its text does not call it: `__init_subclass__` of its bases, `__set_name__` of
    /// what it holds, and all special methods of a metaclass (Python's data model, "Customizing class creation").
    fn class_hooks(&self, number: usize, class: &str) -> Vec<Node> {
        let mut hooks = Vec::new();
        let mut seen: HashSet<(usize, usize)> = HashSet::new();
        let mut stack: Vec<&str> = self.names_in(number, class).collect();
        while let Some(name) = stack.pop() {
            for (number, at) in self.classes.get(name).into_iter().flatten().filter(|place| seen.insert(**place)) {
                let Some(class) = self.places[*number].entry.module.classes.get(*at) else { continue };
                hooks.extend(self.specials(*number, &class.qualname, makes_classes(class)));
                stack.extend(class.bases.iter().map(|base| last_name(base)));
                // The metaclass of a base makes the classes that derive from it, too.
                let is_metaclass = |name: &&str| {
                    let mut named = self.classes.get(name).into_iter().flatten();
                    named.any(|(number, at)| self.places[*number].entry.module.classes.get(*at).is_some_and(makes_classes))
                };
                stack.extend(self.names_in(*number, &class.qualname).filter(is_metaclass));
            }
        }
        hooks
    }

    /// Lists the names that a class statement uses.
    fn names_in(&self, number: usize, class: &str) -> impl Iterator<Item = &'i str> {
        self.places[number].entry.class_uses.get(class).into_iter().flatten().map(|used| last_name(used))
    }

    /// Gives the methods of a class that run when another class is defined by it: all special ones of a metaclass.
    fn specials(&self, number: usize, class: &str, is_metaclass: bool) -> Vec<Node> {
        let owned = &self.places[number].owned;
        if is_metaclass {
            let of_class = owned.iter().filter(|((owner, name), _)| *owner == class && is_special(name));
            return of_class.flat_map(|(_, nodes)| nodes).copied().collect();
        }
        ["__init_subclass__", "__set_name__"].iter().filter_map(|name| owned.get(&(class, *name))).flatten().copied().collect()
    }

    /// Adds what may run in the place of a method: the overrides of subclasses, and what their other bases have.
    fn overrides(&self, class: &'i str, method: &str, targets: &mut Vec<Node>) {
        let mut seen: HashSet<(usize, usize)> = HashSet::new();
        let mut stack = vec![last(class)];
        while let Some(base) = stack.pop() {
            for (number, at) in self.derived.get(base).into_iter().flatten().filter(|place| seen.insert(**place)) {
                let place = &self.places[*number];
                let Some(((sub, node), written)) = place.classes.get(*at).zip(place.entry.module.classes.get(*at)) else {
                    continue;
                };
                targets.push(*node);
                targets.extend(place.owned.get(&(*sub, method)).into_iter().flatten());
                for other in written.bases.iter().map(|base| last_name(base)).filter(|other| *other != base) {
                    for (number, at) in self.classes.get(other).into_iter().flatten() {
                        let place = &self.places[*number];
                        let owner = place.classes.get(*at).map_or("", |(qualname, _)| *qualname);
                        targets.extend(place.owned.get(&(owner, method)).into_iter().flatten());
                    }
                }
                stack.push(last(sub));
            }
        }
    }

    /// Adds what a bare name in a module may stand for, through the modules that pass it on.
    fn bare(&self, number: usize, name: &str, targets: &mut Vec<Node>) {
        let mut seen: HashSet<(usize, &str)> = HashSet::new();
        let mut stack = vec![(number, name)];
        while let Some((number, name)) = stack.pop() {
            let place = &self.places[number];
            targets.extend(place.defines.get(name).into_iter().flatten());
            for bound in place.binds.get(name).into_iter().chain(place.binds.get("*")).flatten() {
                match *bound {
                    Target::Module(other) => targets.push(self.places[other].init),
                    Target::Name(other, original) => {
                        targets.push(self.places[other].init);
                        let next = (other, if original == "*" { name } else { original });
                        if seen.insert(next) {
                            stack.push(next);
                        }
                    }
                }
            }
        }
    }

    /// Adds the import-time code of the modules that a name leads to, through those that pass it on.
    fn inits_of(&self, number: usize, name: &str, targets: &mut Vec<Node>) {
        let mut seen: HashSet<(usize, &str)> = HashSet::new();
        let mut stack = vec![(number, name)];
        while let Some((number, name)) = stack.pop() {
            let place = &self.places[number];
            for bound in place.binds.get(name).into_iter().chain(place.binds.get("*")).flatten() {
                targets.push(
                    self.places[match *bound {
                        Target::Module(other) | Target::Name(other, _) => other,
                    }]
                    .init,
                );
                if let Target::Name(other, original) = *bound
                    && seen.insert((other, if original == "*" { name } else { original }))
                {
                    stack.push((other, if original == "*" { name } else { original }));
                }
            }
        }
    }

    /// Finds what a name after a dot may stand for in a module: a method somewhere near.
    fn near(&self, number: usize, name: &str, hubs: &mut HashMap<&'i str, Node>, reach: &mut Reach) -> Vec<Node> {
        let Some((name, all)) = self.methods.get_key_value(name) else { return Vec::new() };
        let near: Vec<Node> = all.iter().filter(|(other, _)| self.is_related(number, *other)).map(|(_, node)| *node).collect();
        if near.len() < HUB || near.len() < all.len() {
            return near;
        }
        let hub = *hubs.entry(name).or_insert_with(|| {
            let hub = reach.add(name, Digest::default(), None);
            reach.uses[hub] = near;
            hub
        });
        vec![hub]
    }

    fn is_related(&self, a: usize, b: usize) -> bool {
        let has = |set: &[u64], member: usize| set.get(member / 64).is_some_and(|word| word & (1 << (member % 64)) != 0);
        self.related.as_ref().is_none_or(|sets| has(&sets[a], b) || has(&sets[b], a))
    }
}

/// Notes what a module's imports bind.
fn bind<'i>(place: &mut Place<'i>, module: &'i Module, by_name: &HashMap<&str, Vec<usize>>) {
    for import in &module.imports {
        let Some(from) = absolute(module, &import.module) else { continue };
        let modules = |name: &str| by_name.get(name).cloned().unwrap_or_default();
        match &import.name {
            None => {
                // `import a.b` runs both and binds the first.
                let bound = import.alias.clone().unwrap_or_else(|| from.split('.').next().unwrap_or(&from).to_owned());
                let ends = from.match_indices('.').map(|(at, _)| at).chain([from.len()]);
                let all: Vec<usize> = ends.flat_map(|end| modules(&from[..end])).collect();
                place.imports.extend(&all);
                place.binds.entry(bound).or_default().extend(all.into_iter().map(Target::Module));
            }
            Some(name) => {
                let bound = place.binds.entry(import.alias.clone().unwrap_or_else(|| name.clone())).or_default();
                for other in modules(&from) {
                    bound.push(Target::Name(other, name));
                    place.imports.push(other);
                }
                for other in modules(&format!("{from}.{name}")) {
                    bound.push(Target::Module(other));
                    place.imports.push(other);
                }
            }
        }
    }
    place.imports.sort_unstable();
    place.imports.dedup();
}

fn makes_classes(class: &Class) -> bool {
    class.bases.iter().map(|base| last_name(base)).any(|base| base == "type" || base.ends_with("Meta"))
}

fn last(qualname: &str) -> &str {
    qualname.rsplit('.').next().unwrap_or(qualname)
}

fn owner(qualname: &str) -> &str {
    qualname.rsplit_once('.').map_or("", |(owner, _)| owner)
}

fn is_special(name: &str) -> bool {
    name.starts_with("__") && name.ends_with("__")
}

#[cfg(test)]
mod tests;
