"""Looks at values with the recorder's own eyes, so that a replayed outcome compares with the recorded one."""

import marshal

# `known` and what it rests on tell `values` how each type is written; alone it knows none.
from pytead_tui.recorder import known, redact, values  # noqa: F401
from pytead_tui.recorder.objects import Objects
from pytead_tui.worker import whole_values

values.whole.append(whole_values.digest)


def tree_of(value: object, *scopes: dict) -> object:
    """Gives one value's tree; in the scopes it may find single objects that have no state."""
    return values.capture(Objects(), values.CALLS, (value,), (), scopes)[0][0]


def brief(value: object, limits: values.Limits, word: "str | None", scope: dict) -> object:
    """Gives one value's tree within limits of their own; `word`, which makes it a secret, hides it."""
    return values.capture(Objects(), limits, (value,), (word,) if word else (), scope)[0][0]


class Eyes:
    """Sees arguments before a call, and what it left behind."""

    def __init__(self, names: list, held: list, scope: dict) -> None:
        self.objects = Objects()
        self.scope = scope
        self.given: object = None  # what the call returned
        self.watched = []
        for name, value in zip(names, held):
            word = redact.word_of_all(name)
            blob, mutable = self._blob(value, word)
            if mutable:
                self.watched.append((name, value, word, blob))

    def _blob(self, value: object, word: "str | None") -> tuple:
        trees, walk = values.capture(self.objects, values.CALLS, (value,), (word,) if word else (), self.scope)
        return values.normal(marshal.dumps(trees[0], 2), walk.marks), walk.mutable

    def item(self, value: object) -> object:
        """Gives the tree of what a generator yielded, as it is now."""
        return values.capture(self.objects, values.CALLS, (value,))[0][0]

    def changed(self) -> list:
        """Gives how the arguments look that may change."""
        return [self._blob(value, word)[0] for _, value, word, _ in self.watched]

    def end(self, value: object) -> tuple:
        """Gives the tree of the outcome's value and the arguments that changed."""
        changed = [(n, v, w) for n, v, w, blob in self.watched if self._blob(v, w)[0] != blob]
        words = (None, *(w for _, _, w in changed)) if changed else ()
        held = (value, *(v for _, v, _ in changed))
        trees, _ = values.capture(self.objects, values.CALLS, held, words, self.scope)
        return trees[0], dict(zip([n for n, _, _ in changed], trees[1:]))
