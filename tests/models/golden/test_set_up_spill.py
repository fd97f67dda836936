"""Spilled groups set up through the network, cycle by cycle, and what registers keep."""

import pytest

from syncfabric.models.golden.irregular import ConfigRequest
from syncfabric.models.golden.living_unit import LivingUnit
from syncfabric.models.golden.record import Message
from syncfabric.models.messages import (
    CONTROL,
    MANAGER_BASE,
    MANAGER_COMMAND,
    REPLY,
    Counter,
    Kind,
    ManagerWord,
    Request,
    SwitchWord,
    register_address,
    spill_address,
)
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.btm import build_tree
from tests.models.golden.irregular_bench import line, tree
from tests.models.golden.set_up_bench import IrregularBench, MeshBench, tree_word

SWITCH = 2
"""Target of the only switch of ``line(1)``."""

GID = 9


def crowded(hop: int) -> IrregularBench:
    """Return a switch whose only register, and those of its two nodes, group 1 has."""
    keys = {"setup": "manager", "spill": True, "barrier_registers": 1, "buffer_flits": 4}
    network = line(1, cycles_per_hop=hop, **keys)
    made = IrregularBench(network)
    made.set_up(tree(network, [0, 1], 0), 1)
    return made


def enrol(made: IrregularBench) -> None:
    """Write the nodes' entries of group 9."""
    for node in (0, 1):
        tree_at = spill_address(GID, SwitchWord.TREE)
        assert made.request(node, tree_at, tree_word(0, [1])) == 0
        control = CONTROL.pack({"valid": 1, "gid": GID, "epoch": 2})
        assert made.request(node, spill_address(GID, SwitchWord.CONTROL), control) == 0


def lane(made: IrregularBench, link: int, channel: int) -> int:
    return link * (made.network.channels + 2) + channel


@pytest.mark.parametrize("hop", [1, 2])
@pytest.mark.parametrize(
    ("asked", "late"),
    [
        (None, 0),
        ((12, spill_address(8, SwitchWord.TREE)), 3),  # before the sink's
        ((13, spill_address(GID, SwitchWord.TREE)), 2),  # after it, and before the next
        ((9, spill_address(8, SwitchWord.TREE)), 2),
        ((12, register_address(0, SwitchWord.TREE)), 0),  # nothing to the engine
    ],
)
def test_a_request_and_its_reply(hop: int, asked: tuple[int, int] | None, late: int) -> None:
    made = crowded(hop)
    network = made.network
    enrol(made)
    made.load(tree(network, [0, 1], 0), GID, epoch=2)
    made.settle()
    down, go = lane(made, 2, 1), [lane(made, port, 2) for port in (2, 3)]
    seen: dict[int, list[tuple[int, int]]] = {}
    told = []
    command = MANAGER_COMMAND.pack({"operation": Request.SETUP, "count": 1})
    first = made.model.cycle + 1  # looked at a cycle later
    for now in range(-1, 45):
        config = None
        if now == -1:
            config = ConfigRequest(0, MANAGER_BASE + ManagerWord.COMMAND, True, command)
        elif asked is not None and now + 1 == asked[0]:
            config = ConfigRequest(SWITCH, asked[1], False)
        record = made.model.step(config=config)
        told += [(made.model.cycle - first, *release) for release in made.model.spill_release]
        if record is not None:
            lanes = [bit for bit in range(record.valid.bit_length()) if record.valid >> bit & 1]
            for bit, payload in zip(lanes, record.payloads, strict=True):
                seen.setdefault(bit, []).append((now, payload))
    # Tail taken in 6, LOOK 7, accesses from 8, 12, 16 and 20, ANSWER 24, chosen 25.
    # GO: merged 22, fetched 23, loaded 25, sent 26; taken there, and merged in 28.
    for bit in go:
        assert [now for now, _ in seen[bit]] == [26 + late]
    assert told == [(29 + late, node, GID, 0, Kind.GO) for node in (0, 1)]
    head, tail = (1 << network.layout.flit.offsets[mark] for mark in ("head", "tail"))
    header = network.layout.header.pack({"switch": 0, "port": 2})
    # On offer in 26: GO is in its way with one cycle a hop, and with two there is a buffer.
    assert seen[down] == [
        (27 + late, header | head),
        (28 + late, REPLY.pack({"gid": GID}) | tail),
    ]


def test_groups_freed_together_are_told_one_after_the_other() -> None:
    keys = {"width": 2, "height": 1, "setup": "manager", "spill": True, "barrier_registers": 1}
    network = MeshSpec.model_validate({"kind": "mesh", "flit_bits": 40, **keys})
    made = MeshBench(network)
    members = build_tree(network.mesh.nodes)
    for gid in range(4):
        made.enrol(members, gid)
        made.order(Request.SETUP, made.load(members, gid))
        made.outcome()
        made.settle()
    for gid in (3, 2, 1):
        for node in (0, 1):
            while not made.model.spill_ready(node):
                made.step()
            made.model.step(spill_arrive={node: (gid, 0, True)})
    made.settle()
    assert made.model.freed(0) == [3, 2, 1]


@pytest.mark.parametrize("hop", [1, 2])
def test_a_dying_register_keeps_its_messages_from_the_engine(hop: int) -> None:
    made = crowded(hop)
    unit = made.model._places[SWITCH].unit
    assert isinstance(unit, LivingUnit)

    def message(gid: int = 1, epoch: int = 0) -> tuple[list[int], list[int]]:
        """Present a message; return by which ports it was taken, and goes to the engine."""
        for_spill: dict[int, Message] = {}
        given = {2: Message(0, Kind.REDUCE, gid, epoch, 0, 0, 0, 0, 0)}
        taken = unit.absorb(made.model.cycle, given, for_spill)
        unit.events.clear()
        return taken, list(for_spill)

    nobody: list[int] = []
    kept, passed = ([2], nobody), (nobody, [2])
    lanes = [lane(made, port, 2) for port in (2, 3)]
    for each in lanes:
        made.model.credits[each] = 0
    assert made.kill(SWITCH, 0) == 0
    assert message() == kept
    assert message(epoch=1) == passed
    assert message(gid=2) == passed
    made.model._return(lanes)
    while unit.living[0].valid:
        made.step()
    # With two cycles a hop, matching looks at the cycle before.
    assert message() == (kept if hop == 2 else passed)
    made.step()
    assert message() == passed


def test_a_request_for_an_entry_that_is_no_more_is_refused() -> None:
    """A process may arrive in the very moment in which its group dies."""
    made = crowded(1)
    enrol(made)
    count = made.load(tree(made.network, [0, 1], 0), GID, epoch=2)
    made.run(Request.SETUP, count)
    made.settle()
    made.order(Request.KILL, count)
    while not made.model.spill_release:
        made.step()
    assert {release[3] for release in made.model.spill_release} == {Kind.BROKEN}
    made.model.step(spill_arrive={0: (GID, 3, False), 1: (GID, 3, True)})
    made.settle()
    assert [made.counter(node, Counter.REFUSED_ARRIVE) for node in (0, 1)] == [1, 1]
