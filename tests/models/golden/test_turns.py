"""Registers of a node whose turns keep step with the messages that pass it (section 4.4).

Groups between the ends of a row, always again, use a class of its links without a pause: a message
every third cycle, as its one credit allows. At a node between the ends a register wants the same
class; it has its turn again and again in the very cycle after the credit has gone, as long as the
number of groups that have theirs in between goes with three.
"""

import pytest

from syncfabric.models.golden.mesh import ConfigRequest, MeshModel
from syncfabric.models.messages import register_address
from syncfabric.models.networks.mesh import Node, Port, Turn
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.tree import Children, Register
from tests.models.golden.conftest import image

PASSING = range(6)
"""Groups that use the row from end to end."""
WANTED, BESIDE = 10, 20
"""The group in between, and the first of those that only share the node's turns."""
CYCLES = 300


def pair(gid: int, child: Node, root: Node, port: Port) -> tuple[Register, Register]:
    """Return the registers of a group of two; ``port`` leads from the root to the child."""
    children: Children = (
        child if port is Port.EAST else None,
        child if port is Port.NORTH else None,
        child if port is Port.WEST else None,
        child if port is Port.SOUTH else None,
    )
    turn = Turn.Y_FIRST if port in (Port.EAST, Port.WEST) else Turn.X_FIRST
    return (
        Register(gid, child, root, turn, (None, None, None, None)),
        Register(gid, root, None, Turn.X_FIRST, children),
    )


class Row:
    """Four nodes in a row and four above it; every group meets again in the cycle of its release.

    Attributes
    ----------
    dead : list of int
        Lanes without a credit.
    latency : dict of list of int, by group
        Cycles from arrival to release of each member, episode by episode.
    """

    def __init__(self, pipeline: int, beside: int) -> None:
        self.beside = range(BESIDE, BESIDE + beside)
        network = MeshSpec(
            kind="mesh",
            width=4,
            height=2,
            channels=0,
            barrier_registers=max(len(PASSING), beside) + 1,
            barrier_pipeline=pipeline,
        )
        self.model, self.places = MeshModel(network), dict[tuple[int, int], int]()
        for gid in PASSING:
            self.add(*pair(gid, (0, 0), (3, 0), Port.WEST))
        for gid in self.beside:
            self.add(*pair(gid, (1, 0), (1, 1), Port.SOUTH))
        self.add(*pair(WANTED, (1, 0), (3, 0), Port.WEST))
        self.model.step(start=True)
        self.dead: list[int] = []
        self.arrived: dict[tuple[int, int], int] = {}
        self.latency: dict[int, list[int]] = {gid: [] for gid in self.places.values()}

    def add(self, *registers: Register) -> None:
        """Set up a group's registers."""
        for register in registers:
            node = self.model.network.mesh.index(register.node)
            number = sum(place[0] == node for place in self.places)
            self.places[node, number] = register.gid
            for word, data in image(register).items():
                address = register_address(number, word)
                self.model.step(config=ConfigRequest(node, address, write=True, data=data))

    def run(self, wanted: int, cycles: int = CYCLES) -> None:
        """Step with each group beginning in a cycle of its own, the wanted one in that given."""
        begin = {gid: 3 * gid for gid in PASSING} | {gid: gid for gid in self.beside}
        begin[WANTED], first = wanted, self.model.cycle
        for now in range(first, first + cycles):
            for lane in self.dead:
                self.model.credits[lane] = 0
            again = [(node, number) for node, number, _ in self.model.release]
            for place in again:
                self.latency[self.places[place]].append(now - self.arrived[place])
            new = [place for place, gid in self.places.items() if first + begin[gid] == now]
            self.arrived |= dict.fromkeys([*again, *new], now)
            self.model.step(arrive=dict.fromkeys([*again, *new], 0))

    def longest(self, gid: int) -> int:
        """Return a member's longest wait, that which has not ended included."""
        waits = [self.model.cycle - self.arrived[p] for p, g in self.places.items() if g == gid]
        return max(*self.latency[gid], *waits)


def bound(turns: int) -> int:
    """Return the cycles that a barrier of the group in between takes at most; alone it takes 8.

    At the node its register waits for the turns of a round, then for the credit and for one message
    that goes before; at the root for a round in which everybody has the turn for the three cycles
    of a credit, and another.
    """
    return 8 + turns + 2 * 3 + (len(PASSING) + 1) * (1 + 3)


@pytest.mark.parametrize("phase", range(3))
@pytest.mark.parametrize(("pipeline", "beside"), [(0, 5), (1, 5), (0, 11)])
def test_a_register_in_step_with_others_messages_gets_its_credit(
    pipeline: int, beside: int, phase: int
) -> None:
    row = Row(pipeline, beside)
    row.run(wanted=40 + phase)
    assert row.longest(WANTED) <= bound(beside)
    episodes = {gid: len(latency) // 2 for gid, latency in row.latency.items()}
    assert min(episodes.values()) >= 8
    assert sum(episodes[gid] for gid in (*PASSING, WANTED)) > 0.9 * CYCLES / 3


@pytest.mark.parametrize("pipeline", [0, 1])
def test_registers_of_a_dead_link_do_not_stop_the_others(pipeline: int) -> None:
    """Each of those keeps its turn for 15 cycles, in every round."""
    row = Row(pipeline, beside=3)
    row.dead.append(row.model.wiring.lane(1, Port.NORTH, 0))
    row.run(wanted=40)
    assert row.longest(WANTED) <= bound(15 * 3)
    assert len(row.latency[WANTED]) >= 2 * 2
    assert not any(row.latency[gid] for gid in row.beside)
