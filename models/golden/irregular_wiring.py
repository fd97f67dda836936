"""The links of an irregular network by number, and every switch's way to every other."""

from __future__ import annotations

from collections.abc import Sequence

from syncfabric.models.golden.numbering import Numbering
from syncfabric.models.networks.spec import IrregularSpec

__all__ = ["IrregularWiring"]

Table = Sequence[Sequence[int]]


class IrregularWiring(Numbering):
    """Numbering of an irregular network; its routers are its switches.

    Two kinds of inner links stand for where a flit may go but to an output: each switch has a
    *sink*, and each of its inputs a *drain*, which takes flits that are used up. Where managers set
    groups up, a third kind leads from a switch's set-up sink to its crossbar.

    Parameters
    ----------
    network : IrregularSpec
        Switches, links, nodes, tables and datelines.

    Attributes
    ----------
    switches : int
        Number of switches.
    tables : sequence of sequence of int
        Output port by switch and destination switch.
    joined : sequence of bool, by link
        Whether the link leads to a switch or a node.
    datelined : sequence of bool, by link
        Whether packets go over to the next channel.
    node_on : mapping of link to node
        Where the links to the nodes lead.
    first_reply : int
        The first link from a set-up sink, if there are any.
    """

    def __init__(self, network: IrregularSpec) -> None:
        topology, nodes = network.topology, network.nodes
        self.switches = topology.switches
        outer = topology.switches * topology.ports + len(nodes)
        super().__init__(
            routers=topology.switches,
            ports=topology.ports,
            nodes=len(nodes),
            channels=network.channels,
            link_channels=network.link_channels,
            classes=1 if network.has_messages else 0,
            inner=topology.switches + outer + topology.switches * network.managed,
            inputs=topology.ports + network.managed,
        )
        self.first_reply = 2 * outer + topology.switches
        for link in range(self.first_reply, self.links):
            self.fed[link] = (link - self.first_reply, topology.ports)
        for switch in range(topology.switches):
            for port in range(topology.ports):
                end = topology.across(switch, port)
                if end is not None:
                    self.join(switch * self.ports + port, *end)
        for node, (switch, port) in enumerate(nodes):
            self.join(self.first_injection + node, switch, port)
        self.sinks = [switch * self.ports + port for switch, port in nodes]
        self.node_on = {link: node for node, link in enumerate(self.sinks)}
        self.joined = [end is not None or link in self.node_on for link, end in enumerate(self.fed)]
        crossing = {switch * self.ports + port for switch, port in network.datelines}
        self.datelined = [link in crossing for link in range(self.links)]
        header = network.layout.header
        self.headers = [header.pack({"switch": switch, "port": port}) for switch, port in nodes]
        self.codes = [0] * len(nodes)
        self.packet_channels = range(0, self.channels, 2 if network.datelines else 1)
        self.tables: Table = _tables(network)

    def sink(self, switch: int, channel: int = 0) -> int:
        """Return the lane into a switch's sink: one for ordinary channels, one for set-up."""
        lane = (self.outer + switch) * self.lanes
        return lane if channel < self.channels else lane + channel

    def reply(self, switch: int) -> int:
        """Return the lane from a switch's set-up sink to its crossbar."""
        return (self.first_reply + switch) * self.lanes + self.channels

    def drain(self, link: int, channel: int) -> int:
        """Return the lane by which a used-up flit of an input's channel leaves."""
        return (self.outer + self.switches + link) * self.lanes + channel

    def exit(self, switch: int, port: int, channel: int) -> int:
        """Return the lane of an output that a packet of an input's channel takes."""
        link = switch * self.ports + port
        return link * self.lanes + (channel | self.datelined[link])


def _tables(network: IrregularSpec) -> Table:
    if network.tables is not None:
        return network.tables
    # Deferred: the planners load networkx, which a network with tables of its own does without.
    from syncfabric.models.planning.updown import routing_tables

    return routing_tables(network)
