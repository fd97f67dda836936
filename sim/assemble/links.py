"""The directed links of a network by number, as traces, models and checks count them.

A link has a bit for each ordinary channel, one for set-up packets if there are any, and above them
one for each class of synchronization, and beside engines one for each slot of barrier wires; such a
bit of one link is a *lane*. The last links lead from the nodes into the network.

Barrier wires of networks of barrier registers are no lanes, and their links have numbers of their
own: a mesh has none of them between a router and its node.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from syncfabric.models.networks.mesh import Mesh, Port
from syncfabric.models.networks.spec import (
    AnySpec,
    EngineMeshSpec,
    EngineSpec,
    IrregularSpec,
    MessageSpec,
    StaticSpec,
)

__all__ = ["LinkName", "Links", "links_of", "wire_links"]

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
        Classes of synchronization: 2 on a mesh, 1 on an irregular network, 0 on a static one and
        where no barrier is a message.
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

    @property
    def width(self) -> int:
        """Bits a link: its lanes."""
        return self.channels + self.setup + self.classes + self.slots

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return len(self.names)


@cache
def links_of(spec: AnySpec) -> Links:
    """Return the links of a network; those of a static one have one lane and no classes."""
    if isinstance(spec, EngineSpec):
        return _engines(spec)
    if isinstance(spec, IrregularSpec):
        return _irregular(spec)
    if isinstance(spec, StaticSpec):
        return _grid(spec.topology, channels=1, setup=0, classes=0)
    classes = 2 * spec.has_messages
    return _grid(spec.mesh, channels=spec.channels, setup=int(spec.managed), classes=classes)


def wire_links(spec: MessageSpec) -> tuple[LinkName | None, ...]:
    """Return where each link of barrier wires begins, by its number; None: there is no such link.

    Numbers are those of docs/microarchitecture-wires.md, W5; names are as in `Links`.
    """
    if spec.wire_plane is None:
        return ()
    links = links_of(spec)
    if isinstance(spec, IrregularSpec):
        return links.names
    local = {*links.eject, *links.inject}
    return tuple(name for number, name in enumerate(links.names) if number not in local)


def _grid(mesh: Mesh, *, channels: int, setup: int, classes: int) -> Links:
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
        channels=channels,
        setup=setup,
        classes=classes,
        credited=True,
        names=tuple(names),
        ends=tuple(ends),
        eject=tuple(5 * i + Port.LOCAL for i in range(count)),
        inject=tuple(range(5 * count, 6 * count)),
    )


def _engines(spec: EngineSpec) -> Links:
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
        credited=shape.classes == 2,
        names=tuple(names),
        ends=tuple(ends),
        eject=tuple(outputs * r + p for r, p in shape.nodes),
        inject=tuple(range(first, first + len(shape.nodes))),
        slots=spec.wires,
    )


def _output(spec: EngineSpec, router: int, port: int) -> LinkName:
    """Return the name of a router's output."""
    if isinstance(spec, EngineMeshSpec):
        return spec.topology.node(router), Port(port).name.lower()
    return router, str(port)


def _irregular(spec: IrregularSpec) -> Links:
    """Number output p of switch s as k * s + p, then the nodes' injections."""
    network, ports = spec.topology, spec.ports
    names: list[LinkName | None] = []
    ends: list[tuple[int, int] | None] = []
    for switch in range(spec.switches):
        for port in range(ports):
            to = network.across(switch, port)
            there = to is not None or network.node_at(switch, port) is not None
            names.append((switch, str(port)) if there else None)
            ends.append(to)
    first = len(names)
    names += [(node, "inject") for node in spec.nodes]
    ends += list(spec.nodes)
    return Links(
        channels=spec.channels,
        setup=int(spec.managed),
        classes=int(spec.has_messages),
        credited=spec.buffered,
        names=tuple(names),
        ends=tuple(ends),
        eject=tuple(ports * switch + port for switch, port in spec.nodes),
        inject=tuple(range(first, first + len(spec.nodes))),
    )
