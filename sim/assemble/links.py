"""The directed links of a network by number, as traces, models and checks count them.

A link has a bit for each ordinary channel, one for set-up packets if there are any, and above them
one for each class of synchronization, and beside engines one for each slot of barrier wires, for
each channel of streams, and for each one's fault; such a bit of one link is a *lane*. The last
links lead from the nodes into the network.
"""

from dataclasses import dataclass
from functools import cache

from syncfabric.models.networks.spec import AnySpec

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
    """Return the links of a network; those of a static one have one lane and no classes.

    Output p of router r is number P * r + p, behind them come the nodes' injections. P are a
    router's ports that lead to routers or nodes.
    """
    graph = spec.topology.graph
    outputs, nodes = graph.ports, graph.nodes
    names: list[LinkName | None] = []
    ends: list[tuple[int, int] | None] = []
    for r in range(graph.switches):
        for p in range(outputs):
            far = graph.across(r, p)
            there = far is not None or graph.node_at(r, p) is not None
            names.append(spec.topology.output(r, p) if there else None)
            ends.append(far)
    first = len(names)
    names += [(node, "inject") for node in spec.topology.nodes]
    ends += list(nodes)
    return Links(
        channels=spec.lanes,
        setup=int(spec.managed),
        classes=spec.classes,
        credited=spec.credited,
        names=tuple(names),
        ends=tuple(ends),
        eject=tuple(outputs * r + p for r, p in nodes),
        inject=tuple(range(first, first + len(nodes))),
        slots=spec.wires,
        streams=spec.streams,
    )
