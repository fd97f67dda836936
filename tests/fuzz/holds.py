"""What must hold of every command, whatever it is given."""

import json
import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from typer.testing import CliRunner

from syncfabric.cli import app

LINE = 80 * 24
"""Letters of a screen, which no line of an error is longer than."""
LINES = 12
SECONDS, TIMEOUT = 60, 300
"""Of the processor; and of the clock, for what waits for ever."""
BYTES = 3 << 30


class ReachedError(Exception):
    """Raised where a command would begin with work that takes long: the input was taken."""


class TooLong(BaseException):
    """Raised when a command has taken too long."""


@contextmanager
def within(seconds: float, more_bytes: int) -> Iterator[None]:
    """Bound the processor time and the memory that the block takes."""

    def over(_: int, __: FrameType | None) -> None:
        raise TooLong(f"not done within {seconds} s")

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    before = [signal.signal(number, over) for number in (signal.SIGPROF, signal.SIGALRM)]
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, TIMEOUT)
    resource.setrlimit(resource.RLIMIT_AS, (now + more_bytes, hard))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in zip((signal.SIGPROF, signal.SIGALRM), before, strict=True):
            signal.signal(number, handler)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


class Sandbox:
    """A folder with odd things in it, in which commands are called.

    Parameters
    ----------
    root : Path
        Empty. Commands are called in ``here``; ``outside`` lies beside it.
    """

    ODD = (
        "folder",
        "loop",
        "fifo",
        "empty",
        "dangling",
        "escape",
        "escape.csv",
        "escape.svg",
        "escape.html",
    )
    """Names of what is there before; symbolic links among them lead outside."""

    def __init__(self, root: Path) -> None:
        self.root, self.here, self.outside = root, root / "here", root / "outside"
        self.said = ""
        """Standard error of the last command."""
        (self.here / "folder").mkdir(parents=True)
        self.outside.mkdir()
        (self.outside / "canary").write_text("alive")
        (self.here / "loop").symlink_to("loop")
        for name in filter(lambda name: name.startswith("escape"), self.ODD):
            (self.here / name).symlink_to("../outside/canary")
        (self.here / "dangling").symlink_to("../outside/new")
        (self.here / "way").symlink_to("folder")
        (self.here / "empty").touch()
        os.mkfifo(self.here / "fifo")

    def found(self) -> dict[str, Any]:
        """Return everything that is there, with contents."""
        found: dict[str, Any] = {}
        for folder, names, files in os.walk(self.root):
            for name in (*names, *files):
                path = Path(folder, name)
                if path.is_symlink():
                    content: Any = os.readlink(path)
                else:
                    content = path.read_bytes() if path.is_file() else oct(path.lstat().st_mode)
                found[str(path.relative_to(self.root))] = content
        return found

    def call(self, words: list[str], *, differs: bool = False, late: bool = False) -> int:
        """Call a command line, check all that must hold, and return its exit code.

        Parameters
        ----------
        words : list of str
        differs : bool
            Whether the command may say by exit code 1 that something is not as it must be.
        late : bool
            Whether it may tell how far it is before it refuses.
        """
        before, folder = self.found(), Path.cwd()
        os.chdir(self.here)
        try:
            with within(SECONDS, BYTES):
                result = CliRunner().invoke(app, words)
        finally:
            os.chdir(folder)
        self.said = result.stderr
        if result.exit_code == 0 and "--json" in words and not {"-h", "--help"} & {*words}:
            for line in result.stdout.splitlines():
                json.loads(line, parse_constant=_no_number)
        error = result.exception
        if isinstance(error, ReachedError):
            return 0
        if error is not None and not isinstance(error, SystemExit):
            raise error
        self._check(result, before, differs=differs, late=late)
        return int(result.exit_code)

    def _check(self, result: Any, before: dict[str, Any], *, differs: bool, late: bool) -> None:
        after = self.found()
        assert result.exit_code in ((0, 1, 2) if differs else (0, 2)), result.stderr
        lines = result.stderr.splitlines()
        assert "Traceback" not in result.stderr
        assert len(lines) <= LINES, result.stderr
        assert all(len(line) <= LINE for line in lines), result.stderr
        if result.exit_code == 2:
            lines = lines[-1:] if late else lines
            assert lines[0].startswith("error: "), result.stderr
            # Of a deadlock the whole cycle is told, a channel a line; of a program what is wrong.
            several = ("wait for each other in a cycle", "does not compile:")
            assert len(lines) == 1 or any(what in lines[0] for what in several), result.stderr
            assert all(line.isprintable() for line in lines), result.stderr
            assert "validation error" not in lines[0], result.stderr
            assert result.stdout == "", result.stdout
            assert after == before, "something was written"
        assert not [name for name in after if name.endswith(".part")], "half a file"
        outside = {name for name in after.keys() | before.keys() if name.startswith("outside")}
        assert all(after.get(name) == before.get(name) for name in outside), "it escaped"


def _no_number(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


def stub(patch: pytest.MonkeyPatch, name: str) -> None:
    """Let commands end where they would call this, as that is where long work begins."""

    def reached(*_: object, **__: object) -> None:
        raise ReachedError(name)

    patch.setattr(name, reached)
