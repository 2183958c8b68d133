//! What each kind of job keeps while the project is open: its owner alone knows the type, so that what the jobs share need
//! not know the jobs.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

/// One part of each type, made when it is asked for first.
#[derive(Default)]
pub struct Parts(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl Parts {
    /// Gives the part of a type.
    pub fn get<T: Any + Send + Sync + Default>(&self) -> Arc<T> {
        let part = self.0.lock().entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default())).clone();
        // It is of that type: it stands under its name.
        part.downcast().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct One(Mutex<u8>);
    #[derive(Default)]
    struct Other(Mutex<u8>);

    #[test]
    fn there_is_one_part_of_each_type() {
        let parts = Parts::default();
        *parts.get::<One>().0.lock() = 1;
        assert_eq!((*parts.get::<One>().0.lock(), *parts.get::<Other>().0.lock()), (1, 0));
    }
}
