"""Results of jobs that are done, kept on disk, so that an interrupted run can go on.

A file holds the results of one function by one state of the sources, a line a job: a checksum, the
job's key, and the result as JSON. A line that is cut short or damaged is as if it were not there.
"""

from __future__ import annotations

import functools
import hashlib
import json
import platform
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.metadata import version
from importlib.resources import files
from io import FileIO
from pathlib import Path
from typing import Any

from syncfabric.models.errors import OutputError
from syncfabric.models.files import read_bytes
from syncfabric.sim.simulators.cache import cache_folder, fingerprint

PACKAGES = ("syncfabric.models", "syncfabric.rtl", "syncfabric.sim")
"""All that a job can depend on of this project, and of others:"""
LIBRARIES = ("networkx", "numba", "numpy", "ortools", "scipy")
SUFFIXES = frozenset((".py", ".toml", ".csv", ".v", ".sv", ".cpp", ".h", ".vlt"))

LIMIT_BYTES = 200_000_000
"""Of all files; those to which nothing was added for longest are removed above it."""


class Kept:
    """What a function has returned before.

    Parameters
    ----------
    function : callable
        Of a module.
    fresh : bool
        Leave aside what is there; new results take its place.

    Raises
    ------
    OutputError
        The cache cannot be used. So for its methods.
    """

    def __init__(self, function: Callable[..., Any], *, fresh: bool = False) -> None:
        name = f"{function.__module__.rpartition('.experiments.')[2]}.{function.__qualname__}"
        self.path = cache_folder() / "results" / f"{name}-{sources()}.jsonl"
        self.file: FileIO | None = None
        self.results = {} if fresh else dict(self._read())

    def add(self, key: str, text: str) -> None:
        """Keep the result of a job, as JSON; it is on its way to the disk when this returns."""
        self.results[key] = text
        line = f"{key} {text}".encode()
        try:
            if self.file is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                _prune(self.path.parent)
                # Unbuffered, so that a line is written at once, beside those of other commands.
                self.file = FileIO(self.path, "a")
                self.file.write(b"\n")  # what was cut short before ends here
            self.file.write(b"%08x %s\n" % (zlib.crc32(line), line))
        except OSError as error:
            raise _unusable(error) from None

    def close(self) -> None:
        """Close the file."""
        if self.file is not None:
            self.file.close()

    def _read(self) -> Iterator[tuple[str, str]]:
        """Yield the key and the result of every whole line, later ones of a job later."""
        try:
            data = read_bytes(self.path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise _unusable(error) from None
        for line in data.split(b"\n"):
            check, _, rest = line.partition(b" ")
            if check == b"%08x" % zlib.crc32(rest):
                with suppress(UnicodeDecodeError):
                    key, _, text = rest.decode().partition(" ")
                    yield key, text


def key_of(job: tuple[Any, ...]) -> str:
    """Return what tells a function's jobs apart."""
    return hashlib.sha256(json.dumps(job).encode()).hexdigest()[:24]


@functools.cache
def sources() -> str:
    """Fingerprint all sources that can decide what a job returns."""
    folders = [Path(str(files(package))) for package in PACKAGES]
    found = [file for folder in folders for file in folder.rglob("*") if file.suffix in SUFFIXES]
    settings = {name: version(name) for name in LIBRARIES}
    return fingerprint(settings | {"python": platform.python_version()}, sorted(found))[:16]


def _prune(folder: Path) -> None:
    """Remove the files that are oldest until the rest is within the limit."""
    known = sorted((file.stat().st_mtime, file.stat().st_size, file) for file in folder.iterdir())
    excess = sum(size for _, size, _ in known) - LIMIT_BYTES
    for _, size, file in known:
        if excess <= 0:
            return
        file.unlink(missing_ok=True)
        excess -= size


def _unusable(error: OSError) -> OutputError:
    return OutputError(
        f"cache folder {cache_folder()} cannot be used: {error.strerror or error}; "
        "set SYNCFABRIC_CACHE to a folder that can be written"
    )
