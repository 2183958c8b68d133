"""What a test of pytest did with the fixtures of its project: the steps by which calls of a web application came about.

A step is a call that the code of a test file makes on the value of a fixture (`client.get("/")`, `auth.login()`), or a row that it makes
and saves. Owns which steps there were, the answers to requests, and which kept calls each step made. How values are described,
and where their fixtures are defined, is in staging.py. No object is kept alive for it.
"""

from pytead_tui.recorder import folders, staging
from pytead_tui.recorder.objects import names_of, oid, state
from pytead_tui.recorder.own import __builtins__, _thread, _weakref
from pytead_tui.recorder.staging import text

STEPS = 20  # of a test; one with more is read by nobody
WALK = 60  # frames between what a step does and the test
CALLS = 12  # of a function for which the steps are recorded
BODY = 32 << 10  # characters of an answer
LONGEST = 48 << 10  # characters of the steps to one call
_of_class: list = []  # the class of tests that was set up last, as a weak reference, and the steps of that


class Step:
    """What a test did by one call."""

    __slots__ = ("told", "key", "after", "asked", "answer", "calls", "row", "pk", "held", "is_of_class", "before")

    def __init__(self, told: dict, key: tuple, after: list) -> None:
        self.told = told
        self.key = key  # tells the frame of its call from others
        self.after = after  # what was called before it: a request after a login is another one
        self.asked = False  # a client made a request in it
        self.answer: "dict | None" = None
        self.calls: list = []  # (id, spool) of the calls that it made and that were written
        self.row: object = None  # a weak reference to the row that it saved
        self.pk = ""
        self.held: dict = {}  # the plain values of that row's fields then
        self.is_of_class = False  # it sets up the class of the test
        self.before: "tuple | None" = None  # of a command: the temporary folder, its files, and those that the command may read


class Scene:
    """One test while it runs, from the setup of its fixtures on."""

    def __init__(self, item: object, before: list, is_own: object) -> None:
        self.stage = staging.Stage(item, is_own)
        self.steps: "list[Step]" = list(before)
        self.current: "Step | None" = None
        self.is_too_long = False
        self.other: "tuple | None" = None  # tells the frame of a call that is no step
        self.requests: list = []  # (a weak reference to a request that a factory made, how)
        self.applications: list = []  # (a weak reference to an application that a function of the project made for the test, how)
        self.contexts: list = []  # (a weak reference to the context of a request that the test made, how)
        self.base: "str | None" = None  # pytest's temporary folder, and its files when the test began
        self.files: dict = {}
        self.seen: dict = {}  # how the values of fixtures looked when the test began, by name
        self.thread = _thread.get_ident()

    # Steps.

    def step_of(self, frame: object, client: object = None) -> "Step | None":
        """Gives the step that a frame belongs to: the one that is open, or a new one. `client` asks for something in this frame."""
        found = self.stage.outermost(frame, WALK)
        if found is None:
            # Some clients run the application in a thread of its own.
            is_asked = self.current is not None and self.current.asked and _thread.get_ident() != self.thread
            return self.current if is_asked else None
        # A frame that ended may have left its address to the next one.
        key = (oid(found), oid(found.f_back), found.f_back.f_lasti)
        open_one = self.current
        if client is None and key == self.other:
            return None
        if open_one is not None and open_one.key == key:
            again = client is not None and open_one.asked and not _is_within(frame, found)
            if not again or not self.stage.is_on(found, client):
                open_one.asked = open_one.asked or client is not None
                return open_one
        told = self.stage.call(found, self)
        if told is None:
            self.other = key
            return None
        step = self.begin(told, key)
        if step is not None:
            step.asked = client is not None
        return step

    def begin(self, told: dict, key: tuple) -> "Step | None":
        """Begins a step; the one before is over."""
        self.flush()
        if len(self.steps) >= STEPS:
            self.is_too_long = True
            return None
        after = [step.told.get("method") for step in self.steps if step.told["kind"] == "call"]
        self.current = Step(told, key, after)
        self.current.before = self.look_at_files(told)
        self.steps.append(self.current)
        return self.current

    def look_at_files(self, told: dict) -> "tuple | None":
        """Looks at the temporary folder before a command runs."""
        base = self.stage.base
        if told.get("method") != "invoke" or base is None:
            return None
        before = folders.look(base)
        if before is None:
            return None
        of_fixtures = self.files if base == self.base else {}
        return base, before, folders.needed(base, before, of_fixtures, self.stage.words, self.tell, self.tell_named)

    def tell(self, value: object) -> object:
        """Tells a value of a file."""
        return self.stage.value(value, self)

    def tell_named(self, name: object, value: object) -> object:
        """Tells a value of a column."""
        return self.stage.named(name, value, self)

    def flush(self) -> None:
        """Tells of the calls that the last step made how they came about."""
        step, self.current = self.current, None
        if step is None or not step.calls:
            return
        calls, step.calls = step.calls, []
        if self.is_too_long:
            return
        said = self.said(step)
        if len(said) > LONGEST:
            return
        for cid, spool in calls:
            spool.write(("E", cid, "scene", said))

    def said(self, step: "Step | None") -> str:
        """Writes the steps up to this one, with its answer, as JSON."""
        return text(self.so_far(step))

    def so_far(self, step: "Step | None", last: "dict | None" = None) -> dict:
        """Tells the steps up to this one, with its answer; or all steps and `last`, a call that the test makes itself."""
        steps = []
        for one in self.steps:
            self.note_pk(one)
            told = dict(one.told)
            if one.pk:
                told["pk"] = one.pk
            if one.answer is not None:
                told["answer"] = one.answer if one is step else {k: v for k, v in one.answer.items() if k != "body"}
            steps.append(told)
            if one is step:
                break
        if last is not None:
            steps.append(last)
        return {**self.stage.told(self), "steps": steps}

    def note_pk(self, step: Step) -> None:
        """Notes the primary key of a saved row, which it has by now."""
        row = None if step.row is None or step.pk else step.row()
        if row is None:
            return
        pk = state(row).get("id")
        if type(pk) is int:
            step.pk = str(pk)

    def row_number(self, value: object) -> "int | None":
        """Gives the number of the step that saved a row; a test of Django gets copies of those of its class."""
        for at, step in enumerate(self.steps):
            row = None if step.row is None else step.row()
            if row is value and row is not None:
                return at
        for at, step in enumerate(self.steps):
            if step.row is not None and step.told["model"] == list(names_of(type(value))):
                self.note_pk(step)
                if step.pk and str(state(value).get("id")) == step.pk:
                    return at
        return None

    def direct(self, frame: object, function: object, held: tuple) -> tuple:
        """Tells of a call that the code of the test makes itself which of its arguments fixtures and rows gave, and of the
        temporary folder that it works in what lies there.
        """
        by = frame.f_back
        if by is None or by.f_code.co_filename not in self.stage.files or by.f_code.co_name == "<module>":
            return None, None
        self.flush()
        given, changed = {}, []
        for name, value in zip(function.names, held):
            told = self.stage.value(value, self)
            kind = next(iter(told), "") if type(told) is dict else ""
            if kind in ("way", "row", "request"):
                given[name] = told
            if kind == "way" and not self.is_as_it_was(told["way"], value):
                changed.append(told["way"])
        context = self.stage.context()
        step = None
        if any("request" not in told for told in given.values()) and len(self.steps) < STEPS:
            # What it does to them is a step of those that follow.
            step = self.stage.call(frame, self)
        within = self.stage.within(self)
        last = {"kind": "direct", "given": given, "context": context, "changed": changed, **within}
        way = folder = None
        if not self.is_too_long:
            told = self.so_far(None, last)
            way = text(told) if given or context or within else None
            base = folders.of(self.stage.values, held, self.stage.root)
            before = None if base is None else folders.look(base)
            folder = None if before is None else (base, before, told)
        if step is not None:
            self.begin(step, (oid(frame), oid(by), by.f_lasti))
        return way if way is not None and len(way) <= LONGEST else None, folder

    def look(self) -> None:
        """Notes how the values of fixtures look before the test does anything with them."""
        self.base = folders.of(self.stage.values, (), self.stage.root)
        self.files = (None if self.base is None else folders.look(self.base)) or {}
        for name, value in self.stage.values.items():
            if staging.has_identity(value):
                self.seen[name] = staging.looks(value)

    def is_as_it_was(self, name: str, value: object) -> bool:
        """Whether a fixture's value looks as it did when the test began; once a step had it, nobody can tell."""
        if any(name in (step.told.get("on"), *step.told.get("with", ())) for step in self.steps):
            return True
        return name not in self.seen or self.seen[name] == staging.looks(value)

    def of_class(self) -> list:
        """Gives the first steps: those that set up the class of the test."""
        return [step for step in self.steps if step.is_of_class]


# What functions of frameworks report to: see library.py.


def test_begins(recorder: object, item: object) -> None:
    """Notes that the fixtures of a test are set up: it may save rows there."""
    test_ends(recorder)  # that of unittest before, which does not say so
    if recorder.every or item is None:
        return
    known = _of_class[-1] if _of_class else (None, [])
    before = known[1] if known[0] is not None and known[0]() is getattr(item, "cls", None) else []
    recorder.scene = Scene(item, before, recorder.project.file)


def test_runs(recorder: object, item: object) -> None:
    """Notes that the function of a test begins, whose fixtures have their values by now."""
    scene = recorder.scene
    if scene is None or item is None:
        return
    scene.flush()
    cls = getattr(item, "cls", None)
    if cls is not None and scene.of_class():
        _of_class[:] = [(_weakref.ref(cls), scene.of_class())]
    scene.stage.fill(item)
    scene.look()


def test_ends(recorder: object) -> None:
    """Notes that the fixtures of a test are torn down."""
    scene, recorder.scene = recorder.scene, None
    if scene is not None:
        scene.flush()


def begins(recorder: object, call: object, frame: object, held: tuple) -> None:
    """Notes which step a kept call belongs to, or that the test makes it itself."""
    if recorder.scene is None or len(call.function.scenes) >= CALLS:
        return
    call.step = recorder.scene.step_of(frame.f_back)
    if call.step is None:
        call.way, call.folder = recorder.scene.direct(frame, call.function, held)


def written(call: object) -> None:
    """Tells of a call that was written how a test came to it, or will do so when the step ends."""
    step, call.step = call.step, None
    if step is not None:
        note(step, call.function, call.cid, call.spool)
    elif call.way is not None and call.folder is None:
        _write(call, call.way)


def ended(recorder: object, call: object) -> None:
    """Tells of a call that works in a temporary folder how a test came to it, and what it wrote there."""
    (base, before, told), call.folder = call.folder, None
    scene = recorder.scene
    wrote = None if scene is None else folders.changed(base, before, lambda held: scene.stage.value(held, scene))
    way = call.way
    if wrote is not None:
        told["steps"][-1]["folder"] = wrote
        way = text(told)
    if way is not None and len(way) <= LONGEST:
        _write(call, way)


def _write(call: object, way: str) -> None:
    call.function.scenes.add(text([call.cid]))
    call.spool.write(("E", call.cid, "scene", way))


def request_made(recorder: object, frame: object, args: tuple) -> None:
    """Notes how a test made a request of Django's by a factory."""
    scene = recorder.scene
    if scene is None:
        return
    told = scene.stage.factory(frame, WALK, scene)
    if told is not None:
        scene.requests.append((_weakref.ref(args[0]), told))


def again(recorder: object, function: object, frame: object, earlier: "int | None") -> None:
    """Notes another way to a call that is kept already: a web application's calls often have no arguments."""
    if earlier is None or recorder.scene is None or len(function.scenes) >= CALLS:
        return
    step = recorder.scene.step_of(frame.f_back)
    if step is not None:
        note(step, function, earlier, recorder.spools.current())


def note(step: Step, function: object, cid: int, spool: object) -> None:
    """Notes that a step made a call. Equal steps, after the same ones, to calls of one function are recorded once."""
    told = step.told
    way = text([told["kind"], told.get("method"), told["args"], told["kwargs"], step.after])
    if way not in function.scenes:
        function.scenes.add(way)
        step.calls.append((cid, spool))


def _is_within(frame: object, outer: object) -> bool:
    """Whether a request follows from another one of the same call, a redirect."""
    code, at = frame.f_code, frame.f_back
    while at is not None and at is not outer:
        if at.f_code is code or at.f_code is outer.f_code:
            return True
        at = at.f_back
    return at is not None and at is not frame and at.f_code is code


def request(recorder: object, frame: object, args: tuple) -> None:
    """Notes that a client of a framework's tests makes a request, logs somebody in or runs a command."""
    if recorder.scene is not None:
        recorder.scene.step_of(frame, args[0])


def answered_by_werkzeug(recorder: object, frame: object, args: tuple) -> None:
    """Notes an answer of Flask, or of what else is made of werkzeug's responses."""
    step = _answering(recorder)
    if step is None:
        return
    held = object.__getattribute__(args[0], "__dict__")
    headers = object.__getattribute__(held["headers"], "__dict__")["_list"]
    _answer(step, "werkzeug", held["_status_code"], headers, held["response"])


def answered_by_django(recorder: object, frame: object, args: tuple) -> None:
    """Notes an answer of Django, as its test client gets it."""
    step = _answering(recorder)
    if step is None:
        return
    held = object.__getattribute__(args[1], "__dict__")
    store = object.__getattribute__(held["headers"], "__dict__")["_store"]
    status = held.get("status_code", getattr(type(args[1]), "status_code", None))
    _answer(step, "django", status, list(dict.values(store)), held.get("_container"))


def answered_by_starlette(recorder: object, frame: object, args: tuple) -> None:
    """Notes an answer of Starlette, or of FastAPI."""
    step = _answering(recorder)
    if step is None or not step.asked:
        return
    held = state(args[0])
    headers = [(k.decode("latin-1"), v.decode("latin-1")) for k, v in held.get("raw_headers") or () if type(k) is bytes]
    _answer(step, "starlette", held.get("status_code"), headers, [held.get("body")])


def answered_by_asgi(recorder: object, frame: object, args: tuple) -> None:
    """Notes an answer of any other application of ASGI, as httpx has it once the application ended."""
    step = _answering(recorder)
    if step is None or frame.f_back is None or (step.answer is not None and step.answer["by"] != "asgi"):
        return
    held = staging.locals_of(frame.f_back)
    told = held.get("response_headers")
    headers = []
    for pair in told if type(told) is list else ():
        if (type(pair) is tuple or type(pair) is list) and len(pair) == 2 and type(pair[0]) is type(pair[1]) is bytes:
            headers.append((pair[0].decode("latin-1"), pair[1].decode("latin-1")))
    _answer(step, "asgi", held.get("status_code"), headers, args[1])


def answered_by_click(recorder: object, frame: object, args: tuple) -> None:
    """Notes what a command gave that a test ran by click's runner."""
    step = _answering(recorder)
    if step is None:
        return
    held = staging.locals_of(frame)
    code, out = held.get("exit_code"), held.get("output_bytes", held.get("stdout_bytes"))
    if type(code) is int and type(out) is bytes and len(out) <= BODY:
        step.answer = {"by": "click", "exit": code, "body": out.decode("utf-8", "replace")}
        if step.before is not None:
            scene = recorder.scene
            step.told["folder"] = folders.around(*step.before, scene.tell, scene.tell_named)


def _answering(recorder: object) -> "Step | None":
    scene = recorder.scene
    return None if scene is None else scene.current


def _answer(step: Step, by: str, status: object, headers: list, parts: object) -> None:
    if type(status) is not int:
        return
    answer: dict = {"by": by, "status": status}
    for name, value in headers:
        if type(name) is str and name.lower() in ("location", "content-type") and isinstance(value, str):
            answer[name.lower()] = str.__str__(value)  # not the method of a subclass
    if type(parts) is list and all(type(part) is bytes for part in parts):
        body = b"".join(parts)
        if len(body) <= BODY:
            try:
                answer["body"] = body.decode("utf-8")
            except UnicodeDecodeError:
                pass
    step.answer = answer


def saved(recorder: object, frame: object, args: tuple) -> None:
    """Notes that a row of Django's is saved: by the test itself it is a step, by the program it is what the program does."""
    scene = recorder.scene
    if scene is None:
        return
    row = args[0]
    found = scene.stage.outermost(frame, WALK)
    if found is None:
        return
    known = scene.row_number(row)
    if known is not None:
        if scene.stage.is_on(found, row):
            _saved_again(scene, row, known)
        return
    key = (oid(found), oid(found.f_back), found.f_back.f_lasti)
    if scene.current is not None and scene.current.key == key and scene.current.told["kind"] != "row":
        return  # what the step does
    if scene.current is not None and scene.current.row is not None and _is_saved_by(frame, found, scene.current.row()):
        return  # by a receiver of a signal, or by the `save` of a class
    if scene.stage.is_fixtures(found):
        return
    told = scene.stage.row(row, found, scene)
    if told is None:
        return
    step = scene.begin(told, key)
    if step is not None:
        step.row = _weakref.ref(row)
        step.held = staging.held(row)
        step.is_of_class = scene.stage.sets_up_class(found)


def _saved_again(scene: Scene, row: object, known: int) -> None:
    """Notes that the test gave fields of a row other values and saves it again: as if the row had been made with them, as long as the
    test did nothing with it in between.
    """
    step = scene.steps[known]
    others = scene.steps[known + 1 :]
    if step.row is None or step.row() is not row or any(other.told["kind"] != "row" for other in others):
        return
    changed = scene.stage.changes(row, step.held, scene)
    names = {name for name, _ in changed}
    step.told["kwargs"] = [*[pair for pair in step.told["kwargs"] if pair[0] not in names], *changed]
    step.held = staging.held(row)


def _is_saved_by(frame: object, outermost: object, row: object) -> bool:
    """Whether a method of this row runs between two frames."""
    while row is not None and frame is not outermost:
        frame = frame.f_back
        if frame is None:
            return False
        code = frame.f_code
        if code.co_argcount and staging.locals_of(frame).get(code.co_varnames[0]) is row:
            return True
    return False


def application_made(recorder: object, frame: object, args: tuple) -> None:
    """Notes by which call of the project's a test made an application."""
    scene = recorder.scene
    if scene is None:
        return
    found = scene.stage.outermost(frame, WALK)
    told = None if found is None or found is frame else scene.stage.maker(found, scene)
    if told is not None:
        scene.applications.append((_weakref.ref(args[0]), told))


def context_made(recorder: object, frame: object, args: tuple) -> None:
    """Notes how a test made the context of a request of Flask's, for what it calls in it."""
    scene = recorder.scene
    found = None if scene is None else scene.stage.outermost(frame, WALK)
    if found is not None and found.f_code.co_name == "test_request_context":
        scene.contexts.append((_weakref.ref(args[0]), scene.stage.request_context(found, scene)))


def row_made(recorder: object, frame: object, args: tuple) -> None:
    """Notes that a test makes a row of SQLAlchemy's."""
    scene = recorder.scene
    if scene is None or len(args[0]) < 2:
        return
    row = args[0][1]
    found = scene.stage.outermost(frame, WALK)
    if found is None or not scene.stage.is_on(found, row):
        return
    step = scene.begin(scene.stage.new_row(row, found, scene), (oid(found), oid(found.f_back), found.f_back.f_lasti))
    if step is not None:
        step.row = _weakref.ref(row)


def in_session(recorder: object, frame: object, args: tuple) -> None:
    """Notes that a test asks a session of SQLAlchemy's to do something with its rows."""
    if recorder.scene is not None:
        recorder.scene.step_of(frame)
