"""What may be at the other end of a port: a script that answers lines, on a pseudo-terminal."""

import os
import re
import select
import threading
import tty
from collections.abc import Callable, Mapping

from syncfabric.models.messages.host import HOST_ID, HOST_VERSION, SHAPE, GlobalWord


class Words:
    """A console with some words behind it; whatever else is asked for is refused.

    Parameters
    ----------
    words : mapping, optional
        What it holds, by address; by default what a board of four nodes says of itself.
    fixed : bool
        Writes do not change it.
    """

    def __init__(self, words: Mapping[int, int] | None = None, *, fixed: bool = False) -> None:
        shape = SHAPE.pack({"registers": 1, "data_bits": 4, "meters": 1})
        self.words = {
            GlobalWord.ID: HOST_ID,
            GlobalWord.VERSION: HOST_VERSION,
            GlobalWord.NODES: 4,
            GlobalWord.SHAPE: shape,
            **(words or {}),
        }
        self.fixed = fixed
        self.written: list[tuple[int, int]] = []

    def __call__(self, line: str) -> str:
        """Return the answer to a line."""
        request = re.fullmatch(r"([rw]) ([\da-f]{1,5})(?: ([\da-f]{1,8}))?", line)
        if request is None or (request[1] == "w") != (request[3] is not None):
            return "error line\r\n"
        address = int(request[2], 16)
        if address not in self.words:
            return "error refused\r\n"
        if request[3] is None:
            return f"= {self.words[address]:08X}\r\n"
        self.written.append((address, int(request[3], 16)))
        if not self.fixed:
            self.words[address] = int(request[3], 16)
        return "ok\r\n"


class Peer:
    """Answers each line that comes, in a thread. Use it as a context manager.

    Parameters
    ----------
    answer : callable
        Gives the answer to a line, ends and all; nothing for silence.
    before : str
        It says so at once, unasked.

    Attributes
    ----------
    port : str
        Where to reach it.
    heard : list of str
        The lines that came.
    """

    def __init__(self, answer: Callable[[str], str], before: str = "") -> None:
        self._answer, self._before = answer, before
        self._inside, self._outside = os.openpty()
        tty.setraw(self._outside)
        self.port = os.ttyname(self._outside)
        self.heard: list[str] = []
        self._stop, self._stopped = os.pipe()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def _serve(self) -> None:
        os.write(self._inside, self._before.encode())
        rest = b""
        while self._stop not in select.select([self._inside, self._stop], [], [])[0]:
            *lines, rest = (rest + os.read(self._inside, 1000)).split(b"\n")
            for line in lines:
                self.heard.append(line.decode())
                os.write(self._inside, self._answer(line.decode()).encode())

    def __enter__(self) -> "Peer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._stopped)
        self._thread.join()
        for end in (self._inside, self._outside, self._stop):
            os.close(end)
