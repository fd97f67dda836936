"""The project's cache folder, and the names of what is kept there."""

import functools
import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path


def cache_folder() -> Path:
    """Give the cache's folder: ``$SYNCFABRIC_CACHE``, or ``syncfabric`` where XDG keeps caches."""
    if own := os.environ.get("SYNCFABRIC_CACHE"):
        return Path(own)
    shared = os.environ.get("XDG_CACHE_HOME")
    return (Path(shared) if shared else Path.home() / ".cache") / "syncfabric"


def fingerprint(settings: Mapping[str, object], sources: Iterable[Path]) -> str:
    """Hash all that decides what a build is: its settings, and its sources' names and contents.

    Folders do not count, so that the same network emitted elsewhere is found again.
    """
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())
    for source in sources:
        content = hashlib.sha256(source.read_bytes()).hexdigest()
        digest.update(f"\n{source.name} {content}".encode())
    return digest.hexdigest()[:32]


@functools.cache
def sources_of(*packages: str) -> str:
    """Fingerprint what the modules of packages say."""
    folders = [Path(str(files(package))) for package in packages]
    return fingerprint({}, [file for f in folders for file in sorted(f.rglob("*.py"))])
