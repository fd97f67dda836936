"""Units of barrier wires, numbered as on the config port, and the links between them."""

from __future__ import annotations

from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.mesh import Mesh, Port

__all__ = ["WireWiring"]


class WireWiring:
    """Units, and directed links, each with the number of the output that it leaves by.

    Parameters
    ----------
    outputs : list of (list of int, bool)
        Of every unit: the numbers of its outputs by link, and whether it has a process.

    Attributes
    ----------
    outputs : list of list of int
        By unit and link.
    process : list of bool
        By unit. The units with a process come first, so their numbers are those of the nodes.
    ends : list of (unit, link) or None, by output
        Where it leads to.
    """

    def __init__(self, outputs: list[tuple[list[int], bool]]) -> None:
        self.outputs = [links for links, _ in outputs]
        self.process = [process for _, process in outputs]
        self.ends: list[tuple[int, int] | None] = [None] * sum(map(len, self.outputs))

    def _join(self, output: int, unit: int, link: int) -> None:
        self.ends[output] = (unit, link)

    @classmethod
    def of_mesh(cls, mesh: Mesh) -> WireWiring:
        """Return the units of a mesh: output p of router r is 4 r + p."""
        links = Port.LOCAL
        units = [
            (list(range(links * unit, links * (unit + 1))), True) for unit in range(len(mesh.nodes))
        ]
        wiring = cls(units)
        for unit, node in enumerate(mesh.nodes):
            for port in list(Port)[:links]:
                to = mesh.neighbour(node, port)
                if to is not None:
                    wiring._join(links * unit + port, mesh.index(to), port.opposite)
        return wiring

    @classmethod
    def of_irregular(cls, topology: Irregular) -> WireWiring:
        """Return node interfaces, then switches.

        Output p of switch s is k s + p, that of node interface i is k q + i.
        """
        ports, nodes = topology.ports, len(topology.nodes)
        first = ports * topology.switches
        units = [([first + node], True) for node in range(nodes)]
        units += [
            (list(range(ports * switch, ports * (switch + 1))), False)
            for switch in range(topology.switches)
        ]
        wiring = cls(units)
        for switch in range(topology.switches):
            for port in range(ports):
                to = topology.across(switch, port)
                if to is not None:
                    wiring._join(ports * switch + port, nodes + to[0], to[1])
        for node, (switch, port) in enumerate(topology.nodes):
            wiring._join(ports * switch + port, node, 0)
            wiring._join(first + node, nodes + switch, port)
        return wiring
