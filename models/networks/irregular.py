"""The irregular network: k-port switches, the links between them, and the nodes on their ports."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST_SWITCHES", "Ints", "Irregular", "Link", "Place"]

Ints: TypeAlias = NDArray[np.int64]

Place: TypeAlias = tuple[int, int]
"""A port as ``(switch, port)``; also the node that sits there."""

Link: TypeAlias = tuple[Place, Place]
"""Two ports that a link joins, in both directions."""

MOST_SWITCHES = 1 << 17
"""Switches of the largest network that is read: it is drawn and planned in some ten seconds."""


class _Rows(NamedTuple):
    """The links seen from each switch, as compressed sparse rows."""

    indptr: Ints
    neighbour: Ints
    port: Ints
    far_port: Ints


@dataclass(frozen=True)
class Irregular:
    """Switches of ``ports`` ports, numbered from 0; node i is ``nodes[i]``.

    The arrays below say the same as ``links`` and ``nodes``, for planners of large networks: the
    links of switch s are the places ``indptr[s]:indptr[s + 1]`` of ``neighbour`` (the switch at the
    other end), ``port`` (its own end) and ``far_port`` (the other), ascending by neighbour, then
    by own port.
    """

    NODE_FORM: ClassVar[str] = "[switch, port]"

    ports: int
    switches: int
    links: tuple[Link, ...]
    nodes: tuple[Place, ...]

    def __str__(self) -> str:
        return f"irregular network of {self.switches} switch{'es' * (self.switches > 1)}"

    @property
    def graph(self) -> Irregular:
        """Routers and links by number: the same."""
        return self

    def index(self, node: Place) -> int:
        """Return the node's number: its place in ``nodes``."""
        return self._indices[node]

    def node(self, index: int) -> Place:
        """Return the node of a number; the inverse of ``index``."""
        return self.nodes[index]

    def contains(self, node: Place) -> bool:
        """Return whether there is such a node."""
        return node in self._indices

    def outside(self, node: Place) -> str:
        """Say of what is no node why, and what is."""
        if not 0 <= node[0] < self.switches:
            return f"not a node; switch must be 0..{self.switches - 1}"
        here = ", ".join(str(other) for other in self.nodes if other[0] == node[0])
        what = f"those of switch {node[0]} are {here}" if here else f"switch {node[0]} has none"
        return f"not a node; {what}"

    def across(self, switch: int, port: int) -> Place | None:
        """Return the switch and port at the other end of a port's link; None if it has none."""
        return self._ends.get((switch, port))

    def node_at(self, switch: int, port: int) -> int | None:
        """Return the number of the node on a port; None if there is none."""
        return self._indices.get((switch, port))

    @cached_property
    def links_array(self) -> Ints:
        """The links as rows ``[switch, port, far switch, far port]``, shape (m, 4)."""
        return np.array(self.links, dtype=np.int64).reshape(-1, 4)

    @cached_property
    def nodes_array(self) -> Ints:
        """The nodes as rows ``[switch, port]``, shape (n, 2)."""
        return np.array(self.nodes, dtype=np.int64).reshape(-1, 2)

    @property
    def indptr(self) -> Ints:
        """Where each switch's links begin in the arrays by link, shape (switches + 1,)."""
        return self._rows.indptr

    @property
    def neighbour(self) -> Ints:
        """The switch at the other end, shape (2 m,)."""
        return self._rows.neighbour

    @property
    def port(self) -> Ints:
        """The port at the switch's own end, shape (2 m,)."""
        return self._rows.port

    @property
    def far_port(self) -> Ints:
        """The port at the other end, shape (2 m,)."""
        return self._rows.far_port

    @cached_property
    def _rows(self) -> _Rows:
        forth = self.links_array
        ways = np.concatenate([forth, forth[:, [2, 3, 0, 1]]])
        ways = ways[np.lexsort((ways[:, 1], ways[:, 2], ways[:, 0]))]
        count = np.bincount(ways[:, 0], minlength=self.switches)
        indptr = np.concatenate([[0], np.cumsum(count)])
        port, neighbour, far_port = np.ascontiguousarray(ways[:, 1:].T)
        return _Rows(indptr, neighbour, port, far_port)

    @cached_property
    def _indices(self) -> dict[Place, int]:
        return {node: i for i, node in enumerate(self.nodes)}

    @cached_property
    def _ends(self) -> dict[Place, Place]:
        ends = dict(self.links)
        ends.update((b, a) for a, b in self.links)
        return ends
