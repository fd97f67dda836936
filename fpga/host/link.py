"""The lines of a board's console over a serial port (docs/microarchitecture-host.md, H6)."""

from __future__ import annotations

import errno
import os
import re
import termios
from types import ModuleType
from typing import TYPE_CHECKING

from syncfabric.models.errors import BoardError, ToolError, how_to_install

if TYPE_CHECKING:
    import serial

BAUD = 1_000_000
"""Bits a second."""

_SPOILED, _REFUSED, _BUSY = "error line", "error refused", "error busy"
_QUIET = 0.05
"""Seconds of silence after which no more is coming: some adapters keep bytes back for 16 ms."""
_TRIES = 4
_BROKEN = (OSError, termios.error)
"""What pyserial raises if the system refuses: its own error is an OSError."""
_REASONS = {
    errno.EAGAIN: "another program uses it",
    errno.EACCES: "you may not; join the group that may, often dialout",
}


def serial_library() -> ModuleType:
    """Return pyserial.

    Raises
    ------
    ToolError
        It is not installed.
    """
    try:
        import serial
    except ImportError as error:
        raise ToolError(f"pyserial is not installed; {how_to_install('board')}") from error
    return serial


class RefusedError(BoardError):
    """The board refused to read or write a word."""


class Link:
    """Asks a console, a line at a time. Use it as a context manager.

    Noise is borne: what was lost, or spoiled, is asked again, but for a write of which it cannot
    be known whether it was done.

    Parameters
    ----------
    port : str
        Serial port, or terminal.
    baud : int
        Bits a second.
    timeout : float
        Seconds to wait for an answer.

    Raises
    ------
    BoardError
        The port cannot be opened, or there is no console at it.
    ToolError
        pyserial is not installed.
    """

    def __init__(self, port: str, baud: int = BAUD, *, timeout: float = 1.0) -> None:
        library = serial_library()
        self.port, self._timeout = port, timeout
        try:
            self._serial: serial.Serial = library.Serial(
                port, baud, timeout=timeout, write_timeout=timeout, exclusive=True
            )
        except (*_BROKEN, ValueError) as error:
            raise BoardError(f"port {port} cannot be opened: {_reason(error)}") from None
        try:
            self.synchronize()
        except BoardError:
            self._serial.close()
            raise

    def __enter__(self) -> Link:
        return self

    def __exit__(self, *_: object) -> None:
        self._serial.close()

    def read(self, address: int) -> int:
        """Return the word at an address.

        Raises
        ------
        RefusedError
            It was refused.
        BoardError
            There is no answer that can be understood.
        """
        for _ in range(_TRIES):
            answer = self._ask(f"r {address:x}")
            if word := re.fullmatch(r"= ([0-9A-F]{8})", answer):
                return int(word[1], 16)
            self._go_on(answer)
        raise BoardError(f"port {self.port}: {_TRIES} answers cannot be understood; {_wires()}")

    def write(self, address: int, value: int) -> None:
        """Write the word at an address.

        Raises
        ------
        RefusedError
            It was refused; nothing has changed.
        BoardError
            There is no answer that can be understood: it may have been written.
        """
        for _ in range(_TRIES):
            answer = self._ask(f"w {address:x} {value:x}")
            if answer == "ok":
                return
            self._go_on(answer)
            if answer not in (_SPOILED, _BUSY):
                raise BoardError(
                    f"port {self.port}: a write was answered by {answer[:40]!r}; whether it was "
                    f"done is not known; {_wires()}"
                )
        raise BoardError(f"port {self.port}: {_TRIES} writes were not understood; {_wires()}")

    def synchronize(self) -> None:
        """Make the console listen at the beginning of a line, and forget what it said before.

        Raises
        ------
        BoardError
            It does not answer as a console does.
        """
        heard = ""
        for _ in range(_TRIES):
            # What is no request spoils whatever half line is there: that must not be carried out.
            self._send("?")
            answer = self._line(self._timeout)
            while following := self._line(_QUIET):
                answer = following
            if answer == _SPOILED:
                return
            heard = answer or heard
        if heard:
            raise BoardError(
                f"port {self.port}: {heard[:40]!r} is no answer of a Syncfabric board; "
                "check --port and --baud"
            )
        raise BoardError(
            f"port {self.port}: no answer; check --port, --baud, and that the board is loaded"
        )

    def _ask(self, line: str) -> str:
        """Return the answer to a line, which may be that it was lost."""
        self._send(line)
        answer = self._line(self._timeout)
        # This is about what came before; if our line was heard, its own answer follows.
        return (self._line(_QUIET) or answer) if answer == _BUSY else answer

    def _go_on(self, answer: str) -> None:
        """Go on after an answer that is not what was asked for."""
        if answer == _REFUSED:
            raise RefusedError("refused")
        if answer != _SPOILED:
            self.synchronize()

    def _send(self, line: str) -> None:
        try:
            self._serial.reset_input_buffer()
            self._serial.write(f"{line}\n".encode("ascii"))
        except _BROKEN as error:
            raise BoardError(f"port {self.port} is gone: {_reason(error)}") from None

    def _line(self, seconds: float) -> str:
        """Return the next line, without its end; what there is of it if its end does not come."""
        try:
            self._serial.timeout = seconds
            line = self._serial.read_until(b"\n")
        except _BROKEN as error:
            raise BoardError(f"port {self.port} is gone: {_reason(error)}") from None
        return line.decode("ascii", "backslashreplace").removesuffix("\n").removesuffix("\r")


def _reason(error: Exception) -> str:
    """Say why in a few words: pyserial's messages hold those of the system, and more."""
    number = error.args[0] if isinstance(error, termios.error) else getattr(error, "errno", None)
    if number is not None:
        return _REASONS.get(number) or os.strerror(number)
    text = " ".join(str(error).split())
    return "it is no serial port" if text.startswith("Could not configure port") else text


def _wires() -> str:
    return "check the cable and --baud"
