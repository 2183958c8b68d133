"""How what Django keeps with a model is written: by the name that leads to it, as `Book._meta`, `Book.title.field` and `Book.objects`.

What no name leads to is written as any object. Only namespaces are read: no descriptor is asked.
"""

from pytead_tui.recorder import plans
from pytead_tui.recorder.objects import dict_of, mro_of, names_of
from pytead_tui.recorder.objects import state as held_by
from pytead_tui.recorder.own import __builtins__
from pytead_tui.recorder.plans import isinstance_type, lookup, state, state_readers
from pytead_tui.recorder.values import TAG


def handler(cls: type, mro: tuple) -> object:
    """Gives the handler of options, fields and managers of models; None for other classes."""
    way = next((_WAYS[names] for names in map(names_of, mro) if names in _WAYS), None)
    readers = None if way is None else state_readers(cls, ())
    if readers is None:
        return None
    plain = plans._object(cls, mro, readers)

    def write(w, v, d):
        held = dict(state(readers, v))
        model = held.get("model")
        if isinstance_type(model):
            module, qualname = names_of(model)
            name = way(v, held, model) if lookup(module, qualname) is model else None
            if name is not None:
                return (TAG, "name", module, qualname + "." + name)
        return plain(w, v, d)

    write.by_state = True
    return write


def _options(v, held, model):
    return "_meta" if dict_of(model).get("_meta") is v else None


def _field(v, held, model):
    name = held.get("name")
    if type(name) is not str or not name.isidentifier():
        return None
    return name + ".field" if held_by(dict_of(model).get(name)).get("field") is v else None


def _manager(v, held, model):
    name = held.get("name")
    if type(name) is not str or held.get("_db") is not None or held.get("_hints"):
        return None
    kept = next((dict_of(base)[name] for base in mro_of(model) if name in dict_of(base)), None)
    return name if names_of(type(kept)) == ("django.db.models.manager", "ManagerDescriptor") else None


_WAYS = {
    ("django.db.models.options", "Options"): _options,
    ("django.db.models.fields", "Field"): _field,
    ("django.db.models.manager", "BaseManager"): _manager,
}
