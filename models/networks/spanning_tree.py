"""Random trees over switches that have few ports."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from syncfabric.models.networks.room import Room

__all__ = ["random_tree"]


def random_tree(free: Sequence[int], rng: random.Random) -> list[tuple[int, int]]:
    """Draw a tree over all switches, none with more edges than it has free ports.

    Its Prüfer sequence holds each switch once less than the tree has edges there, so any sequence
    is a tree and all are equally likely: uniform, but for the sequences that the ports forbid.

    Source: H. Prüfer, Archiv der Mathematik und Physik 27, 1918.

    Parameters
    ----------
    free : sequence of int
        Ports that each switch has for the tree, at least 1; 2 (q - 1) or more of all q together.

    Returns
    -------
    list of (switch, switch)
        The q - 1 edges.
    """
    if len(free) < 2:
        return []
    room = Room([ports - 1 for ports in free])
    sequence = [room.take(rng) for _ in range(len(free) - 2)]
    return list(_edges(sequence, len(free)))


def _edges(sequence: list[int], count: int) -> Iterator[tuple[int, int]]:
    """Yield the edges of a Prüfer sequence's tree, in linear time."""
    degree = [1] * count
    for switch in sequence:
        degree[switch] += 1
    leaves = (switch for switch in range(count) if degree[switch] == 1)
    scanned = leaf = next(leaves)
    for switch in sequence:
        yield leaf, switch
        degree[switch] -= 1
        if degree[switch] == 1 and switch < scanned:
            leaf = switch
        else:
            scanned = leaf = next(leaves)
    yield leaf, count - 1
