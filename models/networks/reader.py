"""Network files: ready-made ones by name, others by path."""

import re
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from syncfabric.models.errors import SpecError, UnknownNameError
from syncfabric.models.files import read_text, reading
from syncfabric.models.networks.explain import did_you_mean
from syncfabric.models.networks.families import named
from syncfabric.models.networks.schema import NetworkFile
from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.models.parsed import parse_toml

LIBRARY = resources.files("syncfabric.models.networks") / "library"


def load(name_or_path: str | Path, *, fences: bool = False) -> NetworkSpec:
    """Read a ready-made network by its name, or any network file by its path.

    Parameters
    ----------
    name_or_path : str or path
    fences : bool
        Its groups may have a fence, as those of systems of cores.

    Raises
    ------
    SpecError
        There is no such network or file, or what it says is not allowed.
    """
    text = str(name_or_path)
    ready = LIBRARY / f"{text}.toml"
    if re.fullmatch(r"[\w-]{1,100}", text) and ready.is_file():
        return loads(ready.read_text(encoding="utf-8"), LIBRARY, fences=fences)
    path = Path(name_or_path)
    try:
        with reading(text, or_name=True):
            spec = loads(read_text(path), path.parent, fences=fences)
    except FileNotFoundError:
        raise UnknownNameError(_unknown(text)) from None
    return spec.model_copy(update={"source": text})


def _unknown(name: str) -> str:
    """Return what is wrong with a name that is no network's."""
    try:
        named(name)
    except SpecError:
        known = did_you_mean(name, ready_made())
        return f'"{name}" is neither a network file nor a ready-made network; {known}'
    return (
        f'"{name}" is a topology; for a network of it write a file with topology = "{name}" in'
        ' [network], beside kind = "irregular" (docs/network-files.md), or take a ready-made one'
        " (see: syncfabric networks)"
    )


def loads(text: str, folder: Traversable | None = None, *, fences: bool = False) -> NetworkSpec:
    """Read the text of a network file.

    Parameters
    ----------
    text : str
        TOML.
    folder : Traversable, optional
        Where the files are that the text names; by default the current folder.
    fences : bool
        Its groups may have a fence.

    Raises
    ------
    SpecError
        The text is not TOML (with line and column), or what it says is not allowed.
    """
    spec = NetworkFile(**parse_toml(text)).resolve(folder)
    return spec if fences else spec.without_fences()


def ready_made() -> dict[str, str]:
    """Return the name and one line of description of each ready-made network."""
    found: dict[str, str] = {}
    for entry in sorted(LIBRARY.iterdir(), key=lambda entry: _natural(entry.name)):
        if entry.name.endswith(".toml"):
            first = entry.read_text(encoding="utf-8").splitlines()[0]
            found[entry.name.removesuffix(".toml")] = first.removeprefix("#").strip()
    return found


def _natural(name: str) -> list[Any]:
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]
