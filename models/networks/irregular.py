"""The irregular network: k-port switches, the links between them, and the nodes on their ports."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

__all__ = ["Irregular", "Link", "Place"]

Place: TypeAlias = tuple[int, int]
"""A port as ``(switch, port)``; also the node that sits there."""

Link: TypeAlias = tuple[Place, Place]
"""Two ports that a link joins, in both directions."""


@dataclass(frozen=True)
class Irregular:
    """Switches of ``ports`` ports, numbered from 0; node i is ``nodes[i]``."""

    ports: int
    switches: int
    links: tuple[Link, ...]
    nodes: tuple[Place, ...]

    def __str__(self) -> str:
        return f"irregular network of {self.switches} switches"

    def index(self, node: Place) -> int:
        """Return the node's number: its place in ``nodes``."""
        return self._indices[node]

    def node(self, index: int) -> Place:
        """Return the node of a number; the inverse of ``index``."""
        return self.nodes[index]

    def contains(self, node: Place) -> bool:
        """Return whether there is such a node."""
        return node in self._indices

    def across(self, switch: int, port: int) -> Place | None:
        """Return the switch and port at the other end of a port's link; None if it has none."""
        return self._ends.get((switch, port))

    def node_at(self, switch: int, port: int) -> int | None:
        """Return the number of the node on a port; None if there is none."""
        return self._indices.get((switch, port))

    @cached_property
    def _indices(self) -> dict[Place, int]:
        return {node: i for i, node in enumerate(self.nodes)}

    @cached_property
    def _ends(self) -> dict[Place, Place]:
        ends = dict(self.links)
        ends.update((b, a) for a, b in self.links)
        return ends
