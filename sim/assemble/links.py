"""The directed links of a network by number, as traces, models and checks count them.

A link has a bit for each ordinary channel, one for set-up packets if there are any, and above them
one for each class of synchronization, and beside engines one for each slot of barrier wires, for
each channel of streams, and for each one's fault; such a bit of one link is a *lane*. The last
links lead from the nodes into the network.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from syncfabric.models.networks.mesh import Mesh, Port
from syncfabric.models.networks.spec import (
    AnySpec,
    MeshSpec,
    MessageSpec,
    StaticSpec,
)

__all__ = ["LinkName", "Links", "links_of"]

RouterName = tuple[int, int] | int
LinkName = tuple[RouterName, str]


@dataclass(frozen=True)
class Links:
    """Numbers of a network's links.

    Parameters
    ----------
    channels : int
        Ordinary channels of a link; 0 where there are no packets.
    setup : int
        1 if there is a channel of set-up packets above them, else 0.
    classes : int
        Classes of synchronization; 0 on a static network.
    credited : bool
        Whether synchronization has credits (a slot of one message a class).
    names : tuple of (router, port), by link
        Where it begins: a router's output, or (for ``inject``) a node. None: there is no such link.
    ends : tuple of (router, port), by link
        Which router's input it leads to; None where it leads to a node or nowhere.
    eject, inject : tuple of int, by node
        The links to and from each node.
    slots : int
        Slots of barrier wires beside engines.
    streams : int
        Channels of streams beside engines.
    """

    channels: int
    setup: int
    classes: int
    credited: bool
    names: tuple[LinkName | None, ...]
    ends: tuple[tuple[int, int] | None, ...]
    eject: tuple[int, ...]
    inject: tuple[int, ...]
    slots: int = 0
    streams: int = 0

    @property
    def first_stream(self) -> int:
        """The lane of the first channel of streams; faults are above the last."""
        return self.channels + self.setup + self.classes + self.slots

    @property
    def width(self) -> int:
        """Bits a link: its lanes."""
        return self.first_stream + 2 * self.streams

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return len(self.names)


@cache
def links_of(spec: AnySpec) -> Links:
    """Return the links of a network; those of a static one have one lane and no classes."""
    return _grid(spec.topology) if isinstance(spec, StaticSpec) else _engines(spec)


def _grid(mesh: Mesh) -> Links:
    """Number output ``port`` of node i as 5 * i + port, then the nodes' injections."""
    count = len(mesh.nodes)
    names: list[LinkName | None] = []
    ends: list[tuple[int, int] | None] = []
    for node in mesh.nodes:
        for port in Port:
            to = None if port is Port.LOCAL else mesh.neighbour(node, port)
            there = port is Port.LOCAL or to is not None
            names.append((node, port.name.lower()) if there else None)
            ends.append(None if to is None else (mesh.index(to), int(port.opposite)))
    names += [(node, "inject") for node in mesh.nodes]
    ends += [(i, int(Port.LOCAL)) for i in range(count)]
    return Links(
        channels=1,
        setup=0,
        classes=0,
        credited=True,
        names=tuple(names),
        ends=tuple(ends),
        eject=tuple(5 * i + Port.LOCAL for i in range(count)),
        inject=tuple(range(5 * count, 6 * count)),
    )


def _engines(spec: MessageSpec) -> Links:
    """Number output p of router r as P * r + p, then the nodes' injections.

    P are its ports that lead to routers or nodes.
    """
    shape = spec.shape
    outputs = shape.router.links + (not shape.interfaces)
    names: list[LinkName | None] = []
    ends: list[tuple[int, int] | None] = []
    for r in range(shape.routers):
        for p in range(outputs):
            there = (r, p) in shape.ends or (r, p) in shape.node_at
            names.append(_output(spec, r, p) if there else None)
            ends.append(shape.ends.get((r, p)))
    first = len(names)
    names += [(node, "inject") for node in spec.topology.nodes]
    ends += list(shape.nodes)
    return Links(
        channels=spec.channels,
        setup=int(spec.managed),
        classes=shape.classes,
        credited=shape.router.layout.routed,
        names=tuple(names),
        ends=tuple(ends),
        eject=tuple(outputs * r + p for r, p in shape.nodes),
        inject=tuple(range(first, first + len(shape.nodes))),
        slots=spec.wires,
        streams=spec.streams,
    )


def _output(spec: MessageSpec, router: int, port: int) -> LinkName:
    """Return the name of a router's output."""
    if isinstance(spec, MeshSpec):
        return spec.topology.node(router), Port(port).name.lower()
    return router, str(port)
