"""Numbers for the links of a static network, and where they lead (sections R1 and R6)."""

from __future__ import annotations

from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import StaticSpec

__all__ = ["PORTS", "StaticWiring"]

PORTS = len(Port)


class StaticWiring:
    """Links of a static network; a link and the buffer at its end have one number.

    Link ``5 s + p`` leaves switch s by output p, CORE (the mesh's LOCAL) to the core buffer; link
    ``5 n + i`` leads from node i into input CORE of its switch.

    Parameters
    ----------
    network : StaticSpec

    Attributes
    ----------
    nodes, links : int
        Number of nodes, and of links.
    capacity : list of int, by link
        Places of the buffer at its end; at the rim, what its output's counter begins with.
    place : list of int, by link
        The node at which it ends; -1 at the rim.
    inputs : list of list of (int or None), by switch and port
        The link that leads to an input; None at the rim.
    is_core : list of bool, by link
        Whether it leads to a core buffer.
    """

    def __init__(self, network: StaticSpec) -> None:
        mesh = network.topology
        self.nodes = count = len(mesh.nodes)
        self.links = (PORTS + 1) * count
        self.capacity = [network.switch_buffer] * (PORTS * count)
        self.capacity += [network.injection_buffer] * count
        self.place = [-1] * (PORTS * count) + list(range(count))
        self.inputs: list[list[int | None]] = [[None] * PORTS for _ in range(count)]
        self.is_core = [port is Port.LOCAL for port in Port] * count + [False] * count
        for switch, node in enumerate(mesh.nodes):
            for port in Port:
                to = mesh.neighbour(node, port)
                link = self.output(switch, port)
                if port is Port.LOCAL:
                    self.capacity[link] = network.core_buffer
                    self.place[link] = switch
                elif to is not None:
                    self.place[link] = mesh.index(to)
                    self.inputs[mesh.index(to)][port.opposite] = link
            self.inputs[switch][Port.LOCAL] = self.injection(switch)

    def output(self, switch: int, port: int) -> int:
        """Return the link that leaves a switch by a port."""
        return PORTS * switch + port

    def core(self, node: int) -> int:
        """Return the link to a node's core buffer."""
        return PORTS * node + Port.LOCAL

    def injection(self, node: int) -> int:
        """Return the link from a node into its switch."""
        return PORTS * self.nodes + node
