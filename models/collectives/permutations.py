"""Permutations by name, or from a file."""

from __future__ import annotations

import re
from math import isqrt
from pathlib import Path

from syncfabric.models.errors import SpecError
from syncfabric.models.files import read_text, reading
from syncfabric.models.networks.explain import choice, show
from syncfabric.models.parsed import parse_json

__all__ = ["NAMES", "permutation"]

NAMES = ("transpose", "bit-reverse", "shuffle")

_DIGITS = re.compile(r"[0-9]{1,9}")


def permutation(name_or_path: str, nodes: int) -> tuple[int, ...]:
    """Return where each node sends its message.

    Parameters
    ----------
    name_or_path : str
        ``transpose``: row and column change places, nodes being a square. ``bit-reverse``: the
        bits of the number in reverse. ``shuffle``: they are rotated to the left by one. Or a file
        with the destinations of the nodes 0, 1, …: a JSON list, or numbers with spaces between.
    nodes : int

    Raises
    ------
    SpecError
        Neither a name nor a file, or the number of nodes does not fit, or it is no permutation.
    """
    if name_or_path == "transpose":
        side = isqrt(nodes)
        if side * side != nodes:
            raise SpecError(f"permutation transpose: nodes must be a square, not {nodes}")
        return tuple(i % side * side + i // side for i in range(nodes))
    if name_or_path in NAMES:
        bits = nodes.bit_length() - 1
        if nodes != 1 << bits:
            raise SpecError(
                f"permutation {name_or_path}: nodes must be a power of two, not {nodes}"
            )
        if name_or_path == "shuffle":
            return tuple((i << 1 | i >> bits - 1) & nodes - 1 if bits else i for i in range(nodes))
        return tuple(int(f"{i:0{bits}b}"[::-1], 2) if bits else i for i in range(nodes))
    return _from_file(name_or_path, nodes)


def _from_file(name: str, nodes: int) -> tuple[int, ...]:
    try:
        with reading(name, or_name=True):
            return _of_text(read_text(Path(name)), nodes)
    except FileNotFoundError:
        raise SpecError(
            f'permutation: "{name}" is neither {choice(NAMES)} nor a text file that can be read'
        ) from None


def _of_text(text: str, nodes: int) -> tuple[int, ...]:
    found = parse_json(text) if text.lstrip().startswith("[") else text.split()
    for word in found:
        if type(word) is not int and not (isinstance(word, str) and _DIGITS.fullmatch(word)):
            raise SpecError(f"permutation: {show(word)} is no node; list whole numbers")
    targets = tuple(map(int, found))
    if sorted(targets) != list(range(nodes)):
        raise SpecError(f"permutation: it must name each of the nodes 0 to {nodes - 1} once")
    return targets
