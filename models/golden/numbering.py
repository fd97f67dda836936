"""Numbers for the links of a network and their channels, the same for every kind."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["Numbering"]


class Numbering:
    """Numbers of a network's links and lanes.

    A *lane* is one channel of one link: ``link * lanes + c``, where c below V is an ordinary
    channel and V + k is class k of synchronization; channel V is that of set-up packets, if there
    are any, and then the classes stand one higher. It is the bit number in a ``Record``, the
    number of the credit counter at the sending end and of the buffer at the receiving end.

    Links are the routers' outputs, router by router, then those from the nodes' sources into
    their routers, then ``inner`` more that exist in the model only.

    Parameters
    ----------
    routers, ports : int
        How many routers or switches there are, and outputs of each.
    nodes : int
        Number of nodes.
    channels, link_channels, classes : int
        Ordinary channels of a link, channels with that of set-up packets, and classes of
        synchronization.
    inner : int
        Links that are not on any wire.
    inputs : int
        Inputs of a router; as many as outputs if it is 0.

    Attributes
    ----------
    lanes : int
        Lanes of a link.
    outer, links : int
        Number of links on wires, and of all.
    fed : list of (router, port) or None, by link
        The router input that a link leads to; None for links to the sinks and to nowhere.
    feeding : list of list, by router and port
        The link that leads to an input; None if there is none.
    sinks : sequence of int, by node
        Links that lead to the nodes' sinks.
    headers, codes : sequence of int, by node
        Header of a packet to the node, and what stands for the node in the model's flits.
    code_mask : int
        Bits of a packet's first flit that are the code of its destination.
    packet_channels : sequence of int
        Channels that a source's packets take in turn.
    """

    sinks: Sequence[int] = ()
    headers: Sequence[int] = ()
    codes: Sequence[int] = ()
    code_mask: int = 0
    packet_channels: Sequence[int] = ()

    def __init__(
        self,
        *,
        routers: int,
        ports: int,
        nodes: int,
        channels: int,
        link_channels: int,
        classes: int,
        inner: int = 0,
        inputs: int = 0,
    ) -> None:
        self.ports, self.nodes, self.channels = ports, nodes, channels
        self.link_channels, self.inputs = link_channels, inputs or ports
        self.lanes = link_channels + classes
        self.first_injection = routers * ports
        self.outer = routers * ports + nodes
        self.links = self.outer + inner
        self.fed: list[tuple[int, int] | None] = [None] * self.links
        self.feeding: list[list[int | None]] = [[None] * ports for _ in range(routers)]

    def join(self, link: int, router: int, port: int) -> None:
        """Let a link lead to a router's input."""
        self.fed[link] = (router, port)
        self.feeding[router][port] = link

    def lane(self, router: int, port: int, channel: int) -> int:
        """Return the lane of a router's output."""
        return (router * self.ports + port) * self.lanes + channel

    def injection(self, node: int, channel: int) -> int:
        """Return the lane from a node's source into its router."""
        return (self.first_injection + node) * self.lanes + channel
