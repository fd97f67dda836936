"""The cache of builds: kept by content, made whole or not at all, bounded in size."""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from syncfabric.models.cache import cache_folder, fingerprint
from syncfabric.models.errors import OutputError

__all__ = ["Cache", "cache_folder", "fingerprint"]

LIMIT_BYTES = 2_000_000_000
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
            with self._locked(key):
                if entry.is_dir():
                    os.utime(entry)
                    return entry, True
                entry.parent.mkdir(parents=True, exist_ok=True)
                self._make(entry, make)
        except OSError as error:
            raise OutputError(
                f"cache folder {self.folder} cannot be used: {error.strerror or error}; "
                "set SYNCFABRIC_CACHE to a folder that can be written"
            ) from error
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

    @contextmanager
    def _locked(self, key: str) -> Iterator[None]:
        """Keep other processes from making the same build at the same time; they wait for it."""
        locks = self.folder / "locks"
        locks.mkdir(parents=True, exist_ok=True)
        # Shared by keys with the same beginning, so that the number of lock files is bounded; of
        # more than two digits, or who places for an hour holds up too many others.
        with (locks / key[:4]).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
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
                size = sum(file.stat().st_size for file in entry.rglob("*"))
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
