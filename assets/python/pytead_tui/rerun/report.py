"""The report: a file of JSON lines that only the first process writes."""

import json
import os


class Report:
    """The file of the report. It is opened before any code of the project runs."""

    def __init__(self, path: str) -> None:
        self.file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self.length = os.fstat(self.file).st_size

    def write(self, line: dict) -> None:
        """Appends a line, after dropping what a test may have appended to the file."""
        data = json.dumps(line).encode("ascii") + b"\n"
        self._drop()
        os.write(self.file, data)
        self.length += len(data)

    def close(self) -> None:
        """Closes the file."""
        self._drop()
        os.close(self.file)

    def _drop(self) -> None:
        if os.fstat(self.file).st_size > self.length:
            os.ftruncate(self.file, self.length)
