"""Files that a network file names: they lie beside it, or their path starts there."""

from __future__ import annotations

from importlib.resources.abc import Traversable
from pathlib import Path

from syncfabric.models.errors import SpecError
from syncfabric.models.files import read_bytes

__all__ = ["read_beside", "text_beside"]


def read_beside(folder: Traversable, name: str, key: str) -> bytes:
    """Return what is in a file.

    Parameters
    ----------
    folder : Traversable
        The network file's own.
    name : str
        The path from there, or an absolute one.
    key : str
        The key of ``[network]`` that names it.

    Raises
    ------
    SpecError
        There is no such file, or it cannot be read.
    """
    try:
        place = folder.joinpath(name)
        return read_bytes(place) if isinstance(place, Path) else place.read_bytes()
    except FileNotFoundError:
        raise SpecError(
            f"network: {key} {name} does not exist; give its path from the network file's folder"
        ) from None
    except OSError as error:
        raise SpecError(f"network: {key} {name} cannot be read: {error.strerror}") from None


def text_beside(folder: Traversable, name: str, key: str) -> str:
    """Return the text in a file; raises SpecError as ``read_beside``, or if it is not UTF-8."""
    try:
        return read_beside(folder, name, key).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SpecError(f"network: {key} {name}: not a text file in UTF-8") from None
