"""What runs on a static network can meet, read off the wires; see `sim.drive.coverage`."""

from __future__ import annotations

from collections import defaultdict

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import COUNTER_BASE, Counter
from syncfabric.models.messages.static import LoaderWord, Role, StaticWord
from syncfabric.models.networks.mesh import Port
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.static_routes import role_of
from syncfabric.sim.drive.coverage import Coverage
from syncfabric.sim.drive.static.flow_check import FlowCheck
from syncfabric.sim.drive.static.operations import network_of
from syncfabric.sim.drive.targets import observed
from syncfabric.sim.drive.trace import Line, bits

__all__ = ["StaticCoverage"]

PORTS = len(Port)
LONE = "an input feeds one output"
BUFFERS = ("switch", "core", "injection")


class StaticCoverage(Coverage):
    """Coverage of a static network.

    Parameters
    ----------
    plan : BarrierPlan
    flow : FlowCheck
        The ledger of its links.
    """

    def __init__(self, plan: BarrierPlan, flow: FlowCheck) -> None:
        super().__init__(plan)
        network, groups = network_of(plan), plan.groups
        self._flow, self._network = flow, network
        mesh = network.topology
        self._nodes = nodes = len(mesh.nodes)
        self._role: dict[int, Role] = {}
        self._fed: list[tuple[int, tuple[int, ...]]] = []
        """Of every input that feeds any: the link into it, and those that it leads on by."""
        self._group: dict[int, int] = {}
        """By link between switches, and into cores: its group."""
        self._passing: dict[int, str] = {}
        """Links that leave switches of nonmembers: what passes."""
        for number, group in enumerate(groups):
            self._role |= {mesh.index(node): role_of(group, node) for node in group.members}
            fed: defaultdict[int, list[int]] = defaultdict(list)
            for (x, y, port), source in group.routes().items():
                switch = mesh.index((x, y))
                link = PORTS * switch + port
                before = mesh.neighbour((x, y), source)
                into = PORTS * nodes + switch
                if source is not Port.LOCAL:
                    assert before is not None
                    into = PORTS * mesh.index(before) + source.opposite
                fed[into].append(link)
                self._group[link] = number
                if (x, y) not in group.members:
                    self._passing[link] = "ring" if group.flits is None else "tree"
            self._fed += [(into, tuple(links)) for into, links in fed.items()]
        step = {Port.EAST: 1, Port.NORTH: mesh.width}
        self._pairs = [
            (PORTS * switch + port, PORTS * (switch + ahead) + port.opposite)
            for switch, (x, y) in enumerate(mesh.nodes)
            for port, ahead in step.items()
            if mesh.neighbour((x, y), port) is not None
        ]

    def _wires(self, line: Line) -> None:
        for _, value in line.observed or ():
            fields = observed(self._network, value)
            for counter in Counter:
                self.hits[f"counted: {counter.name}"] += fields[counter.name] > 0
        for node in bits(line.record.release):
            self.hits[f"released: {self._role.get(node, Role.NONE).name}"] += 1
        if line.record.valid:
            self._on_links(line.record.valid)

    def _on_links(self, valid: int) -> None:
        hits, full, held = self.hits, self._flow.full, self._flow.held
        for into, links in self._fed:
            moved = sum(valid >> link & 1 for link in links)
            if moved == len(links):
                hits[LONE if moved == 1 else f"an input feeds {moved} outputs"] += 1
            elif held >> into & 1:
                blocked = sum(full >> link & 1 for link in links)
                hits["one of several outputs without a credit"] += 0 < blocked < len(links)
        switches: defaultdict[int, set[int]] = defaultdict(set)
        for link in bits(valid):
            if full >> link & 1:
                core = link % PORTS == Port.LOCAL and link < PORTS * self._nodes
                buffer = "core" if core else "switch"
                hits[f"full: {'injection' if link >= PORTS * self._nodes else buffer} buffer"] += 1
            if link in self._group:
                switches[link // PORTS].add(self._group[link])
            if link in self._passing:
                hits[f"passing a nonmember: {self._passing[link]}"] += 1
        if any(len(groups) > 1 for groups in switches.values()):
            hits["two groups in a switch in one cycle"] += 1
        if any(valid >> there & valid >> back & 1 for there, back in self._pairs):
            hits["both ways between two switches in one cycle"] += 1

    def _word(self, request: ConfigRequest) -> str:
        address = request.address
        words = StaticWord if request.node < self._nodes else LoaderWord
        if address < len(words):
            return f" {words(address).name}"
        counter = COUNTER_BASE <= address < COUNTER_BASE + len(Counter)
        return " counter" if request.node < self._nodes and counter else " nowhere"
