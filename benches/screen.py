"""How quickly the workbench answers: its first frame, keys while it is busy or in long lists, a model that is stopped, a save.

Clock time, unlike the other parts: it is what a person waits. What the terminal receives is kept with its time and shown
to a terminal emulator afterwards, so that reading the screen does not slow down what is measured.
"""

import contextlib
import fcntl
import http.server
import os
import pty
import select
import shutil
import struct
import subprocess
import termios
import threading
import time
from pathlib import Path

import ingest
import pyte
from bench import ROOT, Bench, middle, table

TITLE = "Answers of the workbench"
COLUMNS, ROWS = 160, 45
KEYS = 60
FILES = 400
FUNCTIONS = 10_000
CALLS = 100_000
IDLE = 10
# What a terminal says when it is asked for its background, its cursor and what it is.
ANSWERS = ((b"\x1b]11;?", b"\x1b]11;rgb:0000/0000/0000\x1b\\"), (b"\x1b[6n", b"\x1b[1;2R"), (b"\x1b[c", b"\x1b[?62c"))
NOTES = """\
Milliseconds from the key or the save to the first moment at which the screen shows the answer, in a terminal of 160×45. *First
frame*: from the start of the process to the screen with its panes, in a project of 10,000 functions in 400 files that was
opened before; *functions in sight*: until they are listed, every file having been compared with what is known of it. *Busy*: a
recording brings 50,000 calls, a model on loopback writes without end and files are saved that have to be read again, while
help is opened and closed. *Long list*: the end and the start of a list of 100,000 calls, a page and a line, in turn.
*By Textual*: the same keys of a list of as many lines of the same words, in Textual's `DataTable`, but for a single line, which it tells by a colour alone; *by less*: in a file of as many
lines; each begins when what it shows no longer changes, ours, too. *Stopped*: `x` while that model writes, to the message that it is cancelled. *Saved*: an edit of `examples/shop` that changes
what recorded calls return, to the change on the screen.
"""


class Terminal:
    """A program behind a pseudo-terminal; all it sends is kept with its time."""

    def __init__(self, command: list, project: Path, environment: dict) -> None:
        self.received: list = []
        self.screen = pyte.Screen(COLUMNS, ROWS)
        self.stream = pyte.ByteStream(self.screen)
        self.seen = 0
        self.lock = threading.Lock()
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command, cwd=project, env=environment, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(slave)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while True:
            select.select([self.master], [], [])
            now = time.perf_counter()
            try:
                data = os.read(self.master, 1 << 16)
            except OSError:
                return
            for question, answer in ANSWERS:
                if question in data:
                    os.write(self.master, answer)
            with self.lock:
                self.received.append((now, data))

    def keys(self, text: str) -> float:
        """Types, and gives the time."""
        now = time.perf_counter()
        os.write(self.master, text.encode())
        return now

    def until(self, shows, patience: float = 90.0) -> float:
        """Gives the time at which the screen was first as wanted, from where it was last looked at."""
        end = time.perf_counter() + patience
        while time.perf_counter() < end:
            with self.lock:
                fresh = self.received[self.seen :]
            for now, data in fresh:
                self.seen += 1
                self.stream.feed(data)
                if shows(self.text()):
                    return now
            time.sleep(0.005)
        raise RuntimeError("waited in vain; the screen is\n" + self.text())

    def settled(self, quiet: float = 0.1) -> str:
        """Gives the screen once nothing has come for so many seconds: a frame may come in pieces."""
        while True:
            with self.lock:
                fresh = self.received[self.seen :]
                last = self.received[-1][0] if self.received else 0
            for _, data in fresh:
                self.seen += 1
                self.stream.feed(data)
            if not fresh and time.perf_counter() - last > quiet:
                return self.text()
            time.sleep(0.005)

    def text(self) -> str:
        """Gives the screen as it was last looked at."""
        return "\n".join(self.screen.display)

    def close(self) -> None:
        """Ends the program."""
        with contextlib.suppress(OSError):
            self.keys("\x1b\x1bq")
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.master)


class Endless(http.server.BaseHTTPRequestHandler):
    """A model that never stops writing."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        with contextlib.suppress(OSError):
            while True:
                self.wfile.write(b'data: {"choices": [{"index": 0, "delta": {"content": "# more\\n"}}]}\n\n')
                self.wfile.flush()
                time.sleep(0.01)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


class Place:
    """A trusted project in a folder of its own, with a home of its own."""

    def __init__(self, bench: Bench, folder: Path, python: Path) -> None:
        self.bench = bench
        self.home = folder / "home"
        self.project = folder / "shop"
        self.home.mkdir()
        shutil.copytree(
            ROOT / "examples" / "shop", self.project, ignore=shutil.ignore_patterns("__pycache__", ".pytead")
        )
        path = "%s:%s" % (python.parent, os.environ["PATH"])
        self.environment = {"HOME": str(self.home), "PATH": path, "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        self.run("trust")

    def run(self, *arguments: str) -> None:
        """Runs a verb to its end."""
        done = subprocess.run(
            [str(self.bench.binary), *arguments], cwd=self.project, env=self.environment, capture_output=True, text=True
        )
        if done.returncode:
            raise RuntimeError("%s ended with %d:\n%s" % (arguments, done.returncode, done.stderr[-2000:]))

    @contextlib.contextmanager
    def open(self):
        """Opens the workbench."""
        terminal = Terminal([str(self.bench.binary)], self.project, self.environment)
        try:
            yield terminal
        finally:
            terminal.close()


def head(text: str) -> str:
    """Gives the first line of a screen."""
    return text.partition("\n")[0]


def measure(bench: Bench) -> str:
    """Gives the section: a row for each kind of answer."""
    if bench.binary is None:
        return "Not measured: there was no release build."
    python = bench.pythons[-1][1]
    rows = []
    for name, goal, part in [
        ("First frame", 100, _first),
        ("Functions in sight", 100, _functions),
        ("Busy: a key", 50, _busy),
        ("Long list: a key", 50, _long),
        ("Long list: a key by Textual", None, _textual),
        ("Long list: a key by less", None, _less),
        ("Stopped: a model", 100, _stopped),
        ("Saved: a change", 2000, _saved),
    ]:
        bench.say(name)
        with bench.empty_folder() as folder:
            waits = [1000 * wait for wait in part(Place(bench, folder, python), bench.rounds)]
        if waits:
            digits = "%.1f" if middle(waits) < 10 else "%.0f"
            rows.append([name, len(waits), digits % middle(waits), "%.0f" % max(waits), goal or ""])
    bench.say("Idle")
    with bench.empty_folder() as folder:
        idle = "\nIdle for %d seconds: %d bytes sent to the terminal.\n" % (IDLE, _idle(Place(bench, folder, python)))
    return table(["answer", "times", "median ms", "worst ms", "goal ms"], rows) + "\n\n" + NOTES + idle


def _model(place: Place) -> http.server.ThreadingHTTPServer:
    """Starts a model that never stops writing, and names it in the settings."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endless)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    folder = place.home / ".config" / "pytead-tui"
    folder.mkdir(parents=True, exist_ok=True)
    folder.joinpath("config.yaml").write_text(
        "model:\n  provider: here\nproviders:\n  here:\n    kind: openai\n    base_url: http://127.0.0.1:%d/v1\n    model: tiny\n"
        % server.server_port
    )
    return server


def _ask(terminal: Terminal) -> None:
    """Has the model write for bulk_price."""
    terminal.keys("g")
    terminal.until(lambda text: "Streaming" in text and "# more" in text)


def _first(place: Place, rounds: int) -> list:
    """Opens a large project that is known: until there is a screen."""
    return _opened(place, rounds, lambda text: "Review" in head(text))


def _functions(place: Place, rounds: int) -> list:
    """The same until its functions are listed, as their files are by now."""
    return _opened(place, rounds, lambda text: "Functions" in text and "f0_0" in text)


def _opened(place: Place, rounds: int, shows) -> list:
    many = place.project / "large"
    many.mkdir()
    each = FUNCTIONS // FILES
    for n in range(FILES):
        text = "".join("def f%d_%d(x):\n    return x + %d\n\n\n" % (n, i, i) for i in range(each))
        many.joinpath("m%d.py" % n).write_text(text)
    place.run("index")
    waits = []
    for _ in range(rounds + 1):
        with place.open() as terminal:
            waits.append(terminal.until(shows) - terminal.started)
            terminal.until(lambda text: "watch on" in text)
    return waits[1:]


def _busy(place: Place, _rounds: int) -> list:
    """Opens and closes help while a recording streams, a model writes and saved files are read again."""
    functions = "".join("def f%d(i):\n    return [i, 'x' * i]\n\n" % n for n in range(500))
    place.project.joinpath("stream.py").write_text(
        functions + "if __name__ == '__main__':\n    import time\n    for i in range(100):\n"
        "        for f in [v for k, v in list(globals().items()) if k[0] == 'f' and callable(v)]:\n            f(i)\n"
        "        time.sleep(0.1)\n"
    )
    many = place.project / "many"
    many.mkdir()
    for n in range(FILES):
        many.joinpath("m%d.py" % n).write_text("def g%d(x):\n    return x\n" % n)
    server = _model(place)
    waits = []
    over = threading.Event()
    with place.open() as terminal:
        terminal.until(lambda text: "Nothing recorded" in text)
        terminal.keys("fbulk_price\r")
        terminal.until(lambda text: "bulk_price" in text)
        terminal.keys("jj")
        terminal.until(lambda text: "Calls of bulk_price" in text)
        _ask(terminal)
        terminal.keys("!")
        terminal.until(lambda text: "pytest -q" in text)
        terminal.keys("\x15python stream.py\r")
        terminal.until(lambda text: "recording" in text and "calls" in text)

        def save() -> None:
            number = 0
            while not over.wait(0.02):
                number += 1
                many.joinpath("m%d.py" % (number % FILES)).write_text("def g(x):\n    return x + %d\n" % number)

        saver = threading.Thread(target=save)
        saver.start()
        sent = []
        for number in range(KEYS):
            sent.append((terminal.keys("?" if number % 2 == 0 else "\x1b"), number % 2 == 0))
            time.sleep(0.12)
        over.set()
        saver.join()
        for at, opened in sent:
            waits.append(terminal.until(lambda text, opened=opened: ("Keys here" in text) == opened) - at)
    server.shutdown()
    return waits


def _long(place: Place, rounds: int) -> list:
    """Walks through a recording of very many calls."""
    with place.bench.empty_folder() as folder:
        ingest.write_spool(folder / "spool" / "1-0.spool", "calls", CALLS)
        place.run("import", str(folder / "spool"))
    with place.open() as terminal:
        terminal.until(lambda text: "watch on" in text)
        terminal.keys("4")
        terminal.until(lambda text: "Recordings" in text)
        terminal.keys("\r")
        terminal.until(lambda text: "article 1'" in text)
        return _walked(terminal, rounds, (">", "k", "\x02", "<", "j", "\x06"))


def _walked(terminal: Terminal, rounds: int, words: tuple) -> list:
    """Types keys of a list, each when the screen is still: until it shows something else."""
    waits = []
    for _ in range(rounds):
        for keys in words:
            before = terminal.settled()
            at = terminal.keys(keys)
            waits.append(terminal.until(lambda text, before=before: text != before) - at)
    return waits


TEXTUAL = """
import sys
from textual.app import App
from textual.widgets import DataTable

class List(App):
    def compose(self):
        yield DataTable(cursor_type="row")

    def on_mount(self):
        table = self.query_one(DataTable)
        table.add_columns("call", "article", "count")
        table.add_rows((str(i), "article %d'" % i, str(i)) for i in range(1, int(sys.argv[1]) + 1))

List().run()
"""


def _textual(place: Place, rounds: int) -> list:
    """Walks through as many lines in Textual's own table."""
    python = place.environment["PATH"].partition(":")[0] + "/python"
    environment = place.environment | {"COLORTERM": "truecolor"}
    terminal = Terminal([python, "-c", TEXTUAL, str(CALLS)], place.project, environment)
    try:
        terminal.until(lambda text: "article 1'" in text)
        return _walked(terminal, rounds, ("\x1b[1;5F", "\x1b[5~", "\x1b[1;5H", "\x1b[6~"))
    finally:
        terminal.keys("\x11")
        terminal.close()


def _less(place: Place, rounds: int) -> list:
    """Walks through as many lines of a file, where the machine has less."""
    less = shutil.which("less")
    if less is None:
        return []
    file = place.project / "lines"
    file.write_text("".join("%d article %d' %d\n" % (i, i, i) for i in range(1, CALLS + 1)))
    terminal = Terminal([less, str(file)], place.project, place.environment)
    try:
        terminal.until(lambda text: "article 1'" in text)
        return _walked(terminal, rounds, ("G", "k", "b", "g", "j", "f"))
    finally:
        terminal.keys("q")
        terminal.close()


def _idle(place: Place) -> int:
    """Counts what is sent while nothing changes, some time after a recording was read."""
    place.run("run", "--", "pytest", "-q")
    with place.open() as terminal:
        terminal.until(lambda text: "all fresh" in head(text))
        time.sleep(IDLE / 2)
        with terminal.lock:
            before = len(terminal.received)
        time.sleep(IDLE)
        with terminal.lock:
            return sum(len(data) for _, data in terminal.received[before:])


def _stopped(place: Place, rounds: int) -> list:
    """Stops a model that writes without end."""
    server = _model(place)
    waits = []
    with place.open() as terminal:
        terminal.until(lambda text: "Nothing recorded" in text)
        terminal.keys("fbulk_price\r")
        terminal.keys("jj")
        terminal.until(lambda text: "Calls of bulk_price" in text)
        for _ in range(rounds):
            _ask(terminal)
            time.sleep(0.5)
            at = terminal.keys("x")
            waits.append(terminal.until(lambda text: "are kept as text" in text and "Streaming" not in text) - at)
    server.shutdown()
    return waits


def _saved(place: Place, rounds: int) -> list:
    """Saves an edit, and takes it back."""
    place.run("run", "--", "pytest", "-q")
    path = place.project / "shop" / "pricing.py"
    before = path.read_text()
    waits = []
    with place.open() as terminal:
        terminal.until(lambda text: "all fresh" in head(text))
        for number in range(rounds):
            # Each time other code, for known code is not run again.
            after = before.replace("if total > FREE_FROM", "if total + %d - %d >= FREE_FROM" % (number, number))
            at = time.perf_counter()
            path.write_text(after)
            waits.append(terminal.until(lambda text: " changed" in head(text)) - at)
            path.write_text(before)
            terminal.until(lambda text: "all fresh" in head(text))
    return waits
