"""Frames between processes: a little-endian length of four bytes and a JSON object."""

import json
import os
import select
import time
from collections.abc import Iterator

LARGEST = 64 << 20
CHUNK = 1 << 16


class Gone(Exception):
    """The other side hung up or does not speak in frames."""


def framed(message: dict) -> bytes:
    """Gives the bytes of one message."""
    body = json.dumps(message).encode()
    return len(body).to_bytes(4, "little") + body


def send(fd: int, message: dict) -> None:
    """Writes one message."""
    data = memoryview(framed(message))
    while data:
        try:
            data = data[os.write(fd, data) :]
        except OSError as error:
            raise Gone from error


class Reader:
    """Reads messages from a descriptor without ever waiting for the rest of one."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.buffer = bytearray()

    def fill(self) -> None:
        """Takes what has come in; waits when nothing has."""
        try:
            data = os.read(self.fd, CHUNK)
        except OSError as error:
            raise Gone from error
        if not data:
            raise Gone
        self.buffer += data

    def messages(self) -> Iterator[dict]:
        """Gives the messages that are whole."""
        while len(self.buffer) >= 4:
            length = int.from_bytes(self.buffer[:4], "little")
            if length > LARGEST:
                raise Gone
            if len(self.buffer) < 4 + length:
                return
            body = bytes(self.buffer[4 : 4 + length])
            del self.buffer[: 4 + length]
            try:
                message = json.loads(body)
            except ValueError as error:
                raise Gone from error
            if type(message) is not dict:
                raise Gone
            yield message

    def next(self, deadline: float) -> dict | None:
        """Waits for one message until a time of the monotonic clock; None when it did not come."""
        while True:
            for message in self.messages():
                return message
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.fd], [], [], left)[0]:
                return None
            self.fill()


def broken(why: str, code: "str | None", name: "str | None" = None, detail: object = None) -> dict:
    """Gives what a reply says of what cannot be made again, with its code of `reason/code.rs` where it has one."""
    if code is None:
        return {"broken": why}
    return {"broken": why, "reason": {"code": code, "name": name, "detail": None if detail is None else str(detail)}}
