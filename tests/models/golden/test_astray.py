"""Messages that dimension order could not have brought: over the rim, or taken for another's."""

import random

import pytest

from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.golden.link_form import LinkForm, Wires
from syncfabric.models.golden.mesh import MeshModel
from syncfabric.models.messages import Counter, LinkCounter
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import MeshSpec

NETWORK = MeshSpec(kind="mesh", width=3, height=3, check_bits=8)
BACK = 131
"""Cycles in which what was sent over the rim, or its credit, is there again."""

Node = tuple[int, int]


def forged(
    cycle: int, node: Node, port: Port, to: Node, turn: int, network: MeshSpec = NETWORK
) -> Fault:
    """Return a message that nobody has sent, on the link that leaves a router by a port."""
    form = LinkForm(network)
    fields = {"kind": 0, "gid": 7, "epoch": 0, "data": 0, "x": to[0], "y": to[1], "turn": turn}
    wires = Wires(sync=network.layout.sync.pack(fields), sync_valid=1 << turn)
    link = 5 * network.mesh.index(node) + port
    return Fault(cycle, link, FaultKind.FORGED, form.pack(form.checked(wires)))


def play(faults: list[Fault], cycles: int, network: MeshSpec = NETWORK) -> dict[str, list[Node]]:
    """Return where each counter has counted, once for each time."""
    model = MeshModel(network)
    full = list(model.credits)
    model.inject(faults)
    for _ in range(cycles):
        model.step()
    assert model.credits == full
    found: dict[str, list[Node]] = {}
    for place, router in enumerate(model._routers):
        for counter in (*Counter, *LinkCounter):
            count = router.unit.counters[counter]
            if count:
                found.setdefault(counter.name, []).extend([network.mesh.node(place)] * count)
    return found


@pytest.mark.parametrize(
    ("node", "port", "to", "turn", "rim"),
    [
        ((0, 0), Port.EAST, (0, 2), 0, (2, 0)),  # back in its own row
        ((0, 1), Port.EAST, (0, 0), 1, (2, 1)),  # of the class that has turned
        ((2, 2), Port.WEST, (2, 0), 1, (0, 2)),
        ((1, 2), Port.SOUTH, (1, 2), 0, (1, 0)),
        ((1, 0), Port.NORTH, (0, 0), 1, (1, 2)),
        ((0, 0), Port.EAST, (3, 0), 0, (2, 0)),  # no such column
    ],
)
def test_what_goes_over_the_rim_is_lost_there(
    node: Node, port: Port, to: Node, turn: int, rim: Node
) -> None:
    faults = [forged(cycle, node, port, to, turn) for cycle in (5, 8, 11)]
    assert play(faults, 4 * BACK) == {"LOST": [rim] * 3}


@pytest.mark.parametrize(
    ("node", "port", "to", "turn", "at"),
    [
        ((0, 0), Port.EAST, (1, 2), 1, (1, 0)),  # for this column, and it had its turn
        ((0, 0), Port.EAST, (2, 1), 1, (2, 0)),
        ((2, 2), Port.SOUTH, (0, 1), 0, (2, 1)),  # for this row
        ((2, 2), Port.SOUTH, (0, 0), 0, (2, 0)),
    ],
)
def test_what_turned_too_early_is_taken_where_its_first_line_ends(
    node: Node, port: Port, to: Node, turn: int, at: Node
) -> None:
    assert play([forged(5, node, port, to, turn)], BACK) == {"STRAY": [at]}


def test_whatever_is_forged_is_counted_once() -> None:
    rng = random.Random(1)
    nodes = NETWORK.mesh.nodes
    for number in range(40):
        options = {"barrier_pipeline": number % 2, "sync_links": rng.choice(("shared", "own"))}
        network = NETWORK.model_copy(update=options)
        node = rng.choice(nodes)
        port = rng.choice([p for p in list(Port)[:4] if network.mesh.neighbour(node, p)])
        to = rng.randrange(4), rng.randrange(4)
        found = play([forged(5, node, port, to, rng.randrange(2), network)], BACK + 20, network)
        assert sum(map(len, found.values())) == 1
        assert found.keys() <= {"STRAY", "LOST"}
