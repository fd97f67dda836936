"""All-reduce in the network on hardware: a network of switches that combine for each tree."""

from dataclasses import dataclass
from typing import Any

from syncfabric.models.collectives.in_network import Packing, Tree, pack
from syncfabric.models.collectives.topology import Topology
from syncfabric.models.networks.reader import loads
from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.network import Network
from syncfabric.sim.request import check_simulator
from syncfabric.sim.vectors import StreamRequest

WORD_BYTES = 4


def network_text(topology: Topology, tree: Tree, name: str) -> str:
    """Return the network file of a tree: its routers as switches, its links, a node a member.

    Parameters
    ----------
    topology : Topology
    tree : Tree
    name : str
        Of the network.
    """
    vertices = sorted({tree.root, *tree.parent})
    routers = [v for v in vertices if topology.routers[v]]
    switch = {vertex: number for number, vertex in enumerate(routers)}
    taken = [0] * len(routers)

    def place(vertex: int) -> str:
        number = switch[vertex]
        taken[number] += 1
        return f"[{number}, {taken[number] - 1}]"

    links = [
        f"    [{place(child)}, {place(above)}],"
        for child, above in tree.edges
        if child in switch and above in switch
    ]
    homes = [v if v in switch else tree.parent[v] for v in range(topology.nodes)]
    nodes = [place(home) for home in homes]
    lines = [
        f"# A tree of {len(routers)} routers of {topology.name} that combine what their members"
        " give; node i is member i",
        f'name = "{name}"',
        "",
        "[network]",
        'kind = "irregular"',
        'setup = "local"',
        "wires = 1",
        "streams = 1",
        "channels = 0",
        f"switches = {len(routers)}",
        "links = [",
        *links,
        "]",
        f"nodes = [{', '.join(nodes)}]",
        "",
        "[[group]]",
        "id = 1",
        'members = "all"',
        "stream = true",
        "",
    ]
    return "\n".join(lines)


@dataclass(frozen=True)
class InNetwork:
    """Trees for a vector of a size, each with its network and its part of the vector.

    Parameters
    ----------
    packing : Packing
    texts : tuple of str
        The network file of each tree.
    words : tuple of int
        Of 32 bits, that each tree has of the vector.
    bounds : tuple of int
        Cycles until the last word, at most, from the first beat of the last member.
    """

    packing: Packing
    texts: tuple[str, ...]
    words: tuple[int, ...]
    bounds: tuple[int, ...]

    @property
    def cycles(self) -> int:
        """Cycles until all members have the last word, at most."""
        return max(self.bounds)

    @property
    def specs(self) -> list[NetworkSpec]:
        """The networks."""
        return [loads(text) for text in self.texts]

    def to_json(self) -> dict[str, Any]:
        """Return what ``schedule --in-network --json`` prints."""
        packing = self.packing
        return {
            "topology": packing.topology.name,
            "collective": "allreduce",
            "members": packing.topology.nodes,
            "trees": [
                {
                    "root": tree.root,
                    "links": [list(edge) for edge in tree.edges],
                    "depth": tree.depth,
                    "words": words,
                    "cycles": cycles,
                }
                for tree, words, cycles in zip(packing.trees, self.words, self.bounds, strict=True)
            ],
            "rate": len(packing.trees),
            "bound": float(packing.bound),
            "cut": [sorted(part) for part in packing.cut.parts],
            "cycles": self.cycles,
        }


def plan_in_network(topology: Topology, size: int, most: int | None = None) -> InNetwork:
    """Return as many trees as a vector's size pays for: fewer are flatter, more have less each.

    Parameters
    ----------
    topology : Topology
    size : int, >= 1
        Bytes of the vector.
    most : int, optional
        Trees at most.

    Raises
    ------
    SpecError
        No tree reaches all members.
    PlanError
        A router has more ports than switches can have.
    """
    words = -(-size // WORD_BYTES)
    found: InNetwork | None = None
    whole = pack(topology, 1)
    for count in range(1, max(1, int(min(whole.bound, most or whole.bound, words))) + 1):
        packing = whole if count == 1 else pack(topology, count)
        if len(packing.trees) < count:
            break
        made = _planned(packing, words)
        if found is None or made.cycles < found.cycles:
            found = made
    assert found is not None
    return found


def _planned(packing: Packing, words: int) -> InNetwork:
    """Share words out among trees so that the last of each comes as early as it can."""
    several = len(packing.trees) > 1
    texts, latencies = list[str](), list[int]()
    for nth, tree in enumerate(packing.trees, 1):
        texts.append(network_text(packing.topology, tree, "in-network" + f"-{nth}" * several))
        (group,) = make_plan(loads(texts[-1])).groups
        assert group.stream_bound is not None
        latencies.append(group.stream_bound)
    ends = [latency + 1 for latency in latencies]
    for _ in range(words - len(ends)):
        ends[ends.index(min(ends))] += 1
    shares = tuple(end - latency for end, latency in zip(ends, latencies, strict=True))
    return InNetwork(packing, tuple(texts), shares, tuple(end - 1 for end in ends))


@dataclass(frozen=True)
class Played:
    """What an all-reduce in the network took.

    Parameters
    ----------
    cycles : int or None
        From the first beat of the last member to the last word of the last one; None if a run
        failed.
    right : bool
        Every word of every member was right, and hardware and model agree in every cycle.
    """

    cycles: int | None
    right: bool


def play(made: InNetwork, sim: str = "verilator") -> Played:
    """Run all trees, each with its part of the vector, hardware and model compared.

    Networks that share no link and no router do not wait for each other: each runs by itself, and
    the slowest says how long all take.

    Parameters
    ----------
    made : InNetwork
    sim : {"verilator", "icarus", "model"}

    Raises
    ------
    ToolError
        A simulator is missing, or broke off.
    SpecError
        A tree has more words than a run has.
    """
    check_simulator(sim)
    last, right = list[int | None](), True
    for spec, words in zip(made.specs, made.words, strict=True):
        found = Network(spec).run(
            episodes=1, stream=StreamRequest("allreduce", words, "add.i32"), sim=sim
        )
        (took,) = found.streams or ()
        right &= found.ok and took.checked
        last.append(took.last)
    known = [cycles for cycles in last if cycles is not None]
    return Played(max(known) if len(known) == len(last) else None, right)
