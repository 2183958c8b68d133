"""Files that a test gives a client: one that it opened, one in memory, an upload of Django's. What they hold is described, so that a test
needs no file beside it. When a request is described, the client may have read them to their end.
"""

from pytead_tui.recorder import kinds, project, redact
from pytead_tui.recorder.objects import from_module, state
from pytead_tui.recorder.own import __builtins__, os, sys

TEXT = 2000  # bytes of a file
_IN_MEMORY = ("_io", "BytesIO")
_OPENED = ("_io", "BufferedReader")
_OF_DJANGO = ("django.core.files.uploadedfile", "SimpleUploadedFile")


def describe(value: object) -> "dict | None":
    """Describes a file that was given from its beginning; None for what is none, and for what is too long or secret."""
    kind = type(value)
    if from_module(kind, *_IN_MEMORY):
        held = _content(value)
        return None if held is None else {"io": held}
    if from_module(kind, *_OPENED):
        if value.closed or not from_module(type(value.raw), "_io", "FileIO"):
            return None
        name, size = value.raw.name, os.fstat(value.raw.fileno()).st_size
        if type(name) is not str or size > TEXT or value.tell() not in (0, size) or not os.path.isfile(name):
            return None
        return _upload(os.path.basename(name), project.read(name, TEXT), _guessed(name))
    if from_module(kind, *_OF_DJANGO):
        own = state(value)
        name, content_type = own.get("_name"), own.get("content_type")
        held = _content(own["file"]) if from_module(type(own.get("file")), *_IN_MEMORY) else None
        is_plain = type(name) is str and type(content_type) is str
        return _upload(name, held.encode("latin-1"), content_type) if held is not None and is_plain else None
    return None


def _content(file: object) -> "str | None":
    if file.closed:
        return None
    held = file.getvalue()
    return held.decode("latin-1") if len(held) <= TEXT and file.tell() in (0, len(held)) else None


def _upload(name: str, content: bytes, kind: str) -> "dict | None":
    if redact.secret_word(name) is not None or name.startswith(".env"):
        return None
    if redact.texts and redact.word_of(content.decode("utf-8", "replace")) is not None:
        return None
    return {"upload": [name, content.decode("latin-1"), kind]}


def _guessed(name: str) -> str:
    """Gives the content type that Django sends for an opened file, by the module that it has loaded."""
    guess = state(sys.modules.get("mimetypes")).get("guess_type")
    is_standard = type(guess) is kinds.Function and guess.__code__.co_filename.startswith(os.path.dirname(os.__file__))
    return is_standard and guess(name)[0] or "application/octet-stream"
