"""Who may not, at barrier wires: strangers, members that wait, words to slots that are set up."""

import random
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from syncfabric.models.messages import (
    CONTROL,
    MANAGER_BASE,
    REPLY,
    REQUEST,
    Answer,
    Command,
    Counter,
    ManagerState,
    ManagerWord,
    Request,
)
from syncfabric.models.messages.wires import WireWord
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.sim.assemble.player import StimulusKind
from syncfabric.sim.drive.put_port import Put
from tests.models.golden.wire_bench import WireBench, mesh_keys, switch_keys
from tests.sim.drive.lives import Notes

OPEN, OTHER = 3, 5
DONE, FAILED = ManagerState.DONE, ManagerState.FAILED
REFUSED_ARRIVE, REFUSED_WRITE = Counter.REFUSED_ARRIVE, Counter.REFUSED_WRITE
ALONE: dict[str, Any] = {"sync": "wires", "channels": 0, "link_registers": 3}
"""As the network ``mesh, wires alone`` of the other tests, so that it is built once."""
KINDS = {"mesh": ALONE, "irregular": {**ALONE, "setup": "local"}}


class Stage:
    """A network with barrier wires; slots beyond the second are left empty."""

    def __init__(self, kind: str, **keys: Any) -> None:
        grid, switches = mesh_keys(3, 2), switch_keys()
        groups = {OPEN: (0, 2, 4), OTHER: (1, 4)}
        self.made = WireBench({**(grid if kind == "mesh" else switches), **keys}, groups)
        made = self.made
        self.notes = Notes(made.model, made.network.barrier_registers)
        self.slots = range(made.network.barrier_registers)
        self.nodes = range(len(made.network.topology.nodes))
        count = made.network.switches if isinstance(made.network, IrregularSpec) else 0
        self.targets = range(len(self.nodes) + count)

    def words(self) -> list[int | None]:
        """Return every word of every slot of every unit."""
        places = product(self.targets, range(8 * len(self.slots)))
        return [self.made.request(target, address) for target, address in places]

    def counts(self, counter: Counter) -> list[int]:
        """Return a counter of every unit."""
        return [self.made.counters(target)[counter] or 0 for target in self.targets]

    def key(self, gid: int, node: int) -> tuple[int, int]:
        return node, self.made.groups[gid].number

    def ends(self, *gids: int) -> None:
        """See that barriers of groups still come to their end, once for each member."""
        for gid in gids:
            self.made.barrier(gid, random.Random(gid))
        self.made.released.clear()


def trespass(on: Stage) -> None:
    """Let everybody arrive in every slot of which he is no member, set up or not."""
    made, before, refused = on.made, on.words(), on.counts(REFUSED_ARRIVE)
    members = {
        on.key(gid, node) for gid, group in made.groups.items() for node in made.members(group)
    }
    keys = [key for key in product(on.nodes, on.slots) if key not in members]
    assert {slot for _, slot in keys} == {*on.slots}
    for _ in range(2):
        made.step(arrive=dict.fromkeys(keys, 1))
    assert on.words() == before
    more = [2 * sum(node == place for node, _ in keys) for place in on.targets]
    now = on.counts(REFUSED_ARRIVE)
    assert now == [count + new for count, new in zip(refused, more, strict=True)]
    assert not made.released


def twice(on: Stage) -> None:
    """Let members arrive that are inside already, and write words of slots that are set up."""
    made, refused = on.made, on.counts(REFUSED_ARRIVE)
    first, *others = made.members(made.groups[OPEN])
    made.step(arrive={on.key(OPEN, node): 1 for node in others})
    made.rest(100)
    before, writes = on.words(), on.counts(REFUSED_WRITE)
    for _ in range(3):
        made.step(arrive={on.key(OPEN, node): 1 for node in others})
    slot = 8 * made.groups[OPEN].slot
    mine = CONTROL.pack({"valid": 1, "root": 1, "gid": 99})
    words = [
        *((WireWord.CONTROL, mine), (WireWord.TREE, 0xFFF), (WireWord.TREE, 0)),
        *((WireWord.COMMAND, 0), (WireWord.COMMAND, 3), (WireWord.STATUS, 0), (WireWord.RESULT, 0)),
    ]
    holders = [target for target in on.targets if (made.request(target, slot) or 0) & 1]
    for target, (word, data) in product(holders, words):
        assert made.request(target, slot + word, data) is None
    # A node without a manager has no such words; GO means nothing to a slot.
    for node, manage in product(on.nodes, ManagerWord):
        assert made.request(node, MANAGER_BASE + manage, 1) is None
    for target in holders:
        assert made.request(target, slot + WireWord.COMMAND, Command.GO) == 0
    assert on.words() == before
    now = on.counts(REFUSED_ARRIVE)
    again = [count + 3 * (place in others) for place, count in enumerate(refused)]
    assert now == again
    assert sum(on.counts(REFUSED_WRITE)) > sum(writes) + len(holders) * len(words) - 1
    assert not made.released
    made.step(arrive={on.key(OPEN, first): 1})
    made.rest(2 * made.groups[OPEN].bound)
    told = sorted((node, broken) for _, node, _, _, broken in made.released)
    assert told == [(node, False) for node in sorted([first, *others])]
    made.released.clear()


def cleared(on: Stage) -> None:
    """Clear a group over the config port: nobody arrives there again, the other goes on."""
    made, slot = on.made, 8 * on.made.groups[OPEN].slot
    for target in on.targets:
        if (made.request(target, slot) or 0) & 1:
            assert made.request(target, slot, 0) == 0
    before, refused = on.words(), on.counts(REFUSED_ARRIVE)
    nodes = made.members(made.groups[OPEN])
    made.step(arrive={on.key(OPEN, node): 1 for node in nodes})
    made.rest(50)
    assert (on.words(), made.released) == (before, [])
    now = on.counts(REFUSED_ARRIVE)
    assert now == [count + (place in nodes) for place, count in enumerate(refused)]
    on.ends(OTHER)


def software(kind: str, **keys: Any) -> Stage:
    """Return a stage on which all have tried; software has set it up."""
    on = Stage(kind, **keys)
    on.made.write()
    trespass(on)
    twice(on)
    on.ends(OPEN, OTHER)
    trespass(on)
    cleared(on)
    assert not any(on.counts(Counter.STRAY))
    return on


def managed() -> Stage:
    """Return a mesh whose groups a manager has set up, and that others try to end or to change."""
    on = Stage("mesh", sync="wires", setup="manager", managers=((0, 0), (2, 1)), link_registers=0)
    made = on.made
    made.write_own()
    for gid in made.groups:
        assert made.command(Request.SETUP, made.entries(gid)) == (DONE, Answer.OK)
    trespass(on)
    before = on.words()
    managers = [made.index(node) for node in made.network.manager_nodes]
    strangers = [node for node in on.nodes if node not in managers]
    headers = [header for header, *_ in made.entries(OPEN)]
    reply = made.network.layout.header.pack({"reply": 1})
    for node, header in product(strangers, headers):
        fields = {"gid": OPEN, "manager": 0, "fire": 1, "root": 1}
        forged = [
            *([REQUEST.pack({**fields, "operation": end})] for end in (1, 2)),
            [REQUEST.pack({**fields, "gid": 99}), 0x3F],
            [REPLY.pack({"code": Answer.FREED, "gid": OPEN})],
        ]
        for words, top in product(forged, (0, reply)):
            put(on, node, [header | top, *words])
    for node, word in product(strangers, ManagerWord):
        assert made.request(node, MANAGER_BASE + word, 1) is None
    made.rest(300)
    assert on.words() == before
    for end in (Request.CLEAR, Request.KILL):
        assert made.command(end, made.entries(OPEN), 1) == (FAILED, Answer.DENIED)
    assert on.words() == before
    on.ends(OPEN, OTHER)
    for gid in made.groups:
        assert made.command(Request.CLEAR, made.entries(gid)) == (DONE, Answer.OK)
    return on


def put(on: Stage, node: int, payloads: list[int]) -> None:
    """Let a node's software send a packet, a flit a cycle."""
    made, last = on.made, len(payloads) - 1
    for place, payload in enumerate(payloads):
        flit = Put(made.model.cycle - 1, node, 0, place == 0, place == last, payload)
        made.model.put(node, [payload], head=flit.head, tail=flit.tail)
        on.notes.stimuli.append(flit.stimulus())
        made.step()


def check(on: Stage, folder: Path) -> None:
    on.notes.stimuli.sort(key=lambda stimulus: stimulus.cycle)
    on.notes.check(on.made.network, folder)


def test_only_a_groups_own_manager_ends_it() -> None:
    managed()


@pytest.mark.parametrize("kind", ["mesh", pytest.param("irregular", marks=pytest.mark.long)])
def test_only_software_sets_up_and_only_members_arrive(kind: str, tmp_path: Path) -> None:
    check(software(kind, **KINDS[kind]), tmp_path)


@pytest.mark.long
def test_hardware_lets_nobody_else_either(tmp_path: Path) -> None:
    check(managed(), tmp_path)


def test_an_arrival_that_is_refused_is_seen(tmp_path: Path) -> None:
    """One that is not made on the hardware is missed in its counter."""
    on = Stage("mesh", **ALONE)
    on.made.write()
    trespass(on)
    kinds = [each.kind for each in on.notes.stimuli]
    on.notes.stimuli.pop(kinds.index(StimulusKind.ARRIVE))
    with pytest.raises(AssertionError, match="line"):
        check(on, tmp_path)
