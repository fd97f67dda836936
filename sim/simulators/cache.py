"""The cache: builds kept by content, made whole or not at all, bounded in size; its parts."""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from syncfabric.models.cache import cache_folder
from syncfabric.models.errors import OutputError

LIMIT_BYTES = 2_000_000_000
DECIDING = ("syncfabric.rtl", "syncfabric.models", "syncfabric.sim.assemble", "syncfabric.sim.emit")
"""Packages whose sources decide what components are as Verilog."""
RESULTS_BYTES = 200_000_000
"""Limit of all files with results of experiments (`sim.experiments.jobs`)."""
YOUNG_SECONDS = 3600.0
"""A build used within this time is never removed: a run may be about to start it."""


class Cache:
    """Finished builds, a folder each, named by their fingerprints.

    Parameters
    ----------
    folder : Path, optional
        Where to keep them; `cache_folder` by default. Made when first used.
    limit_bytes : int
        Size above which the builds longest unused are removed.
    """

    def __init__(self, folder: Path | None = None, *, limit_bytes: int = LIMIT_BYTES) -> None:
        self.folder = cache_folder() if folder is None else folder
        self.limit_bytes = limit_bytes

    def get(self, key: str, make: Callable[[Path, Path], None]) -> tuple[Path, bool]:
        """Give the folder of a build, making it if it is not there.

        Parameters
        ----------
        key : str
            The build's fingerprint.
        make : callable
            Called as ``make(scratch, result)`` with two empty folders, it leaves in the second
            what is to be kept. What it raises goes on to the caller, and nothing is kept.

        Returns
        -------
        folder : Path
        cached : bool
            Whether the build was there already.

        Raises
        ------
        OutputError
            The cache cannot be written.
        """
        entry = self.folder / "builds" / key
        try:
            with self.using(), self.locked(key):
                if entry.is_dir():
                    os.utime(entry)
                    return entry, True
                entry.parent.mkdir(parents=True, exist_ok=True)
                self._make(entry, make)
        except OSError as error:
            raise unusable(error, self.folder) from error
        self._prune()
        return entry, False

    def _make(self, entry: Path, make: Callable[[Path, Path], None]) -> None:
        """Build beside the entry, then give it its name in one step."""
        with tempfile.TemporaryDirectory(prefix="new-", dir=self.folder) as work:
            scratch, result = Path(work, "scratch"), Path(work, "result")
            scratch.mkdir()
            result.mkdir()
            make(scratch, result)
            result.rename(entry)

    def locked(self, key: str) -> AbstractContextManager[None]:
        """Keep other processes from making the same build at the same time; they wait for it."""
        # Shared by keys with the same beginning, so that the number of lock files is bounded; of
        # more than two digits, or one that places for an hour holds up too many others.
        return self._lock(key[:4], fcntl.LOCK_EX)

    def using(self) -> AbstractContextManager[None]:
        """Keep `clear_cache` waiting: a build needs what others have left."""
        return self._lock("use", fcntl.LOCK_SH)

    def unused(self) -> AbstractContextManager[None]:
        """Wait until no build is under way, and keep any from beginning."""
        return self._lock("use", fcntl.LOCK_EX)

    @contextmanager
    def _lock(self, name: str, how: int) -> Iterator[None]:
        locks = self.folder / "locks"
        locks.mkdir(parents=True, exist_ok=True)
        with (locks / name).open("w") as lock:
            fcntl.flock(lock, how)
            yield

    def _prune(self) -> None:
        """Remove the builds longest unused until the rest is within the limit."""
        for work in self.folder.glob("new-*"):  # of a process that was killed
            with suppress(FileNotFoundError):  # of one that has ended meanwhile
                if work.stat().st_mtime < time.time() - 24 * YOUNG_SECONDS:
                    shutil.rmtree(work, ignore_errors=True)
        entries = []
        for entry in (self.folder / "builds").iterdir():
            try:
                size = size_of(entry)
                entries.append((entry.stat().st_mtime, size, entry))
            except FileNotFoundError:
                continue  # another process removed it meanwhile
        excess = sum(size for _, size, _ in entries) - self.limit_bytes
        oldest_kept = time.time() - YOUNG_SECONDS
        for used, size, entry in sorted(entries):
            if excess <= 0 or used > oldest_kept:
                return
            shutil.rmtree(entry, ignore_errors=True)
            excess -= size


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of all files in a folder; links count as such.

    Raises
    ------
    FileNotFoundError
        Another process has removed one meanwhile.
    """
    return sum(file.lstat().st_size for file in [path, *path.rglob("*")] if not file.is_dir())


PARTS: dict[str, tuple[str, int | None]] = {
    "builds": ("programs that simulate, netlists, programs of cores", LIMIT_BYTES),
    "verilog": ("Verilog of components", LIMIT_BYTES),
    "library": ("Verilator's own library, compiled", LIMIT_BYTES),
    "verilator": ("Verilator's makefile for this machine", LIMIT_BYTES),
    "kernels": ("compiled searches of schedules", None),
    "results": ("points of load curves and of experiments", RESULTS_BYTES),
}
"""Folders of the cache, what is in them, and the bytes above which the oldest are removed."""
OTHER = "other"


@dataclass(frozen=True)
class Part:
    """A folder of the cache; ``limit`` is None where not bytes, but folders are limited."""

    name: str
    what: str
    entries: int
    bytes: int
    limit: int | None


@dataclass(frozen=True)
class CacheUse:
    """What is in the cache; sizes in bytes."""

    folder: str
    parts: Sequence[Part]

    @property
    def bytes(self) -> int:
        """Of all parts."""
        return sum(part.bytes for part in self.parts)

    def to_json(self) -> dict[str, Any]:
        """Return what ``--json`` prints."""
        return {**asdict(self), "bytes": self.bytes}


def cache_use() -> CacheUse:
    """Measure the cache."""
    root, known = cache_folder(), set[Path]()
    parts = []
    for name, (what, limit) in PARTS.items():
        entries = _entries(root, name)
        known.update(entries)
        parts.append(_part(name, what, entries, limit))
    over = [path for path in _list(root) if path.name not in (*PARTS, "locks")]
    if over:
        parts.append(
            _part(OTHER, "builds that are under way or were broken off, tools", over, None)
        )
    return CacheUse(str(root), parts)


def clear_cache() -> int:
    """Remove all that is kept; return its bytes.

    Builds that are under way are waited for. What is used meanwhile stays: a run is about to
    start it.

    Raises
    ------
    OutputError
        The cache cannot be written.
    """
    freed, begin, root = 0, time.time(), cache_folder()
    try:
        with Cache(root).unused():
            for name in PARTS:
                for entry in _entries(root, name):
                    with Cache(entry.parent.parent).locked(entry.name):
                        if not entry.exists() or entry.stat().st_mtime >= begin:
                            continue
                        freed += size_of(entry)
                        if entry.is_dir():
                            shutil.rmtree(entry)
                        else:
                            entry.unlink()
    except OSError as error:
        raise unusable(error) from error
    return freed


def _entries(root: Path, name: str) -> list[Path]:
    """Return what a part of the cache keeps."""
    inner = root / name / "builds"
    return _list(inner if inner.is_dir() else root / name)


def _list(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _part(name: str, what: str, entries: Sequence[Path], limit: int | None) -> Part:
    total = 0
    for entry in entries:
        with suppress(FileNotFoundError):
            total += size_of(entry)
    return Part(name, what, len(entries), total, limit)


def unusable(error: OSError, folder: Path | None = None) -> OutputError:
    """Return the refusal of a cache folder, or of the cache, that cannot be used."""
    return OutputError(
        f"cache folder {folder or cache_folder()} cannot be used: {error.strerror or error}; "
        "set SYNCFABRIC_CACHE to a folder that can be written"
    )
