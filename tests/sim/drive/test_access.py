"""Who may not: packets like a manager's from other nodes, arrivals of strangers, other managers."""

import random
from pathlib import Path
from typing import Any

import pytest

from syncfabric.models.messages import (
    MANAGER_BASE,
    REPLY,
    REQUEST,
    Answer,
    Counter,
    ManagerState,
    ManagerWord,
    Request,
)
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning.btm import build_tree
from syncfabric.sim.drive.put_port import Put
from tests.models.golden.irregular_bench import tree
from tests.models.golden.set_up_bench import IrregularBench, MeshBench, SetUpBench
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.lives import Notes
from tests.sim.drive.networks import irregular, mesh
from tests.sim.drive.sendings import by_route, by_table

GID, OTHERS = 7, 9
DONE, FAILED = ManagerState.DONE, ManagerState.FAILED
REGISTER_WORDS = 8


class Stage:
    """A network with two groups, that a manager has set up; hardware lives as its model.

    Parameters
    ----------
    made : SetUpBench
    groups : mapping of GID to group
    """

    def __init__(self, made: SetUpBench[Any], groups: dict[int, Any]) -> None:
        self.made, self.network = made, made.network
        self.notes = Notes(made.model, made.network.barrier_registers)
        self.nodes = range(len(made.network.topology.nodes))
        switches = made.network.switches if isinstance(made.network, IrregularSpec) else 0
        self.targets = range(len(self.nodes) + switches)
        self.strangers = [node for node in self.nodes if node not in made.managers]
        for slot, (gid, group) in enumerate(groups.items()):
            self.count = made.set_up(group, gid, slot=slot)

    def put(self, node: int, payloads: list[int]) -> None:
        """Let a node's software send a packet, a flit a cycle."""
        made, last = self.made, len(payloads) - 1
        for place, payload in enumerate(payloads):
            put = Put(made.model.cycle - 1, node, 0, place == 0, place == last, payload)
            made.model.put(node, [payload], head=put.head, tail=put.tail)
            self.notes.stimuli.append(put.stimulus())
            made.step()

    def registers(self) -> list[int | None]:
        """Return every word of every register of every router."""
        words = range(REGISTER_WORDS * self.network.barrier_registers)
        return [self.made.request(target, word) for target in self.targets for word in words]

    def counted(self, counter: Counter) -> list[int]:
        """Return a counter of every router."""
        return [self.made.counter(target, counter) for target in self.targets]

    def forgeries(self, node: int) -> list[list[int]]:
        """Return what a node might send to end a group, to set one up, or to fool a manager."""
        request = {"gid": GID, "manager": 0, "fire": 1, "root": 1}
        wanted = [
            *([REQUEST.pack({**request, "operation": end})] for end in (1, 2)),
            [REQUEST.pack({**request, "gid": 99}), *[0x3F] * (len(self.entry) - 2)],
        ]
        told = [REPLY.pack({"code": code, "gid": GID}) for code in (Answer.OK, Answer.FREED)]
        packets = [[header, *words] for header in self.headers(node) for words in wanted]
        manager = by_table(self.network, self.made.managers[0])
        for header in (manager, manager | self.reply_bit):
            packets += [[header, word] for word in told]
        return packets

    @property
    def entry(self) -> tuple[int, ...]:
        """The words of a manager's first entry of a group."""
        return self.made.entries(self.made.groups[GID], {"gid": GID, "epoch": 0, "op": 0})[0]

    @property
    def reply_bit(self) -> int:
        """What tells a reply's header from a request's on a mesh."""
        network = self.network
        return 0 if isinstance(network, IrregularSpec) else network.layout.header.pack({"reply": 1})

    def headers(self, node: int) -> list[int]:
        """Return headers to the routers' sinks, as a manager has them, and other ways there."""
        made, network = self.made, self.network
        entries = made.entries(made.groups[GID], {"gid": GID, "epoch": 0, "op": 0})
        headers = [entry[0] for entry in entries]
        if isinstance(network, IrregularSpec):
            # To the sink of its own switch by a route that is empty, or names a port that is none.
            headers += [network.layout.route.pack({"by_route": 1})]
            headers += by_route(network, [network.ports])
        return headers

    def check(self, folder: Path) -> None:
        """Compare hardware with all that has happened."""
        self.notes.stimuli.sort(key=lambda stimulus: stimulus.cycle)
        self.notes.check(self.network, folder)


def stage(kind: str) -> Stage:
    """Return a stage of each kind."""
    rng = random.Random(1)
    if kind == "mesh":
        grid = mesh(3, 2, setup="manager", managers=((0, 0), (2, 1)))
        nodes = grid.mesh.nodes
        return Stage(MeshBench(grid), {GID: build_tree(nodes[:3]), OTHERS: build_tree(nodes[2:5])})
    cluster = irregular(SMALL, setup="manager")
    groups = {
        gid: tree(cluster, members, cluster.nodes[members[0]][0], rng)
        for gid, members in ((GID, [0, 2, 3]), (OTHERS, [1, 3]))
    }
    return Stage(IrregularBench(cluster), groups)


def forge(on: Stage) -> None:
    """Let every node that is no manager try, and see that nothing has changed."""
    made = on.made
    before, strays, sunk = on.registers(), on.counted(Counter.STRAY), 0
    for node in on.strangers:
        for packet in on.forgeries(node):
            on.put(node, packet)
            sunk += isinstance(on.network, IrregularSpec) and len(packet) >= 2
        for word in ManagerWord:
            assert made.request(node, MANAGER_BASE + word, 1) is None
            assert made.request(node, MANAGER_BASE + word) is None
    made.settle()
    assert on.registers() == before
    # What names a switch's sink is counted there; the rest came out at nodes like any packet.
    to_nodes = 4 * len(on.strangers) * isinstance(on.network, IrregularSpec)
    assert sum(on.counted(Counter.STRAY)) - sum(strays) == sunk - to_nodes
    refused = on.counted(Counter.REFUSED_WRITE)
    assert [refused[node] for node in on.strangers] == [len(ManagerWord)] * len(on.strangers)
    for manager in made.managers:
        assert made.request(manager, MANAGER_BASE + ManagerWord.FREED) == 0


def trespass(on: Stage) -> None:
    """Let nodes arrive where they are no members, and see that it is only counted."""
    made, registers = on.made, range(on.network.barrier_registers)
    before = on.registers()
    keys = [
        (node, register)
        for node in on.nodes
        for register in registers
        if not made.model.ready(node, register)
    ]
    made.step(arrive=dict.fromkeys(keys, 1))
    assert on.registers() == before
    refused = on.counted(Counter.REFUSED_ARRIVE)
    assert refused[: len(on.nodes)] == [sum(key[0] == node for key in keys) for node in on.nodes]
    assert not made.released


def others(on: Stage) -> None:
    """Let another manager try to end the group."""
    made = on.made
    count = made.load(made.groups[GID], GID, manager=1)
    for operation in (Request.CLEAR, Request.KILL):
        state, code, entry = made.run(operation, count, 1)
        assert (state, code) == (FAILED, Answer.DENIED)
        assert entry < count


def goes_on(on: Stage) -> None:
    """See that both groups go on, and end as their manager says."""
    made = on.made
    for gid in (GID, OTHERS):
        assert [release[0] for release in made.barrier(gid)] == made.members(gid)
    count = made.load(made.groups[GID], GID)
    assert made.run(Request.CLEAR, count) == (DONE, Answer.OK, 0)


def all_of_it(kind: str) -> Stage:
    """Return a stage on which all have tried."""
    on = stage(kind)
    forge(on)
    trespass(on)
    if len(on.made.managers) > 1:
        others(on)
    goes_on(on)
    return on


def test_only_a_manager_ends_a_group_of_a_mesh() -> None:
    all_of_it("mesh")


@pytest.mark.long
@pytest.mark.parametrize("kind", ["mesh", "irregular"])
def test_hardware_lets_nobody_else_either(kind: str, tmp_path: Path) -> None:
    all_of_it(kind).check(tmp_path)
