"""Groups beyond the registers: the engine's cycles by hand, and many groups at once."""

import random
from collections.abc import Callable
from typing import Any

from syncfabric.models.golden.mesh import ConfigRequest
from syncfabric.models.messages import CONTROL, NODE_WORD, RegisterWord, spill_address


def run(made: Any, cycles: int, inputs: dict[int, dict[int, tuple[int, int]]]) -> list[Any]:
    """Step with spill arrivals by relative cycle; return (cycle, event) of what comes out."""
    seen: list[Any] = []
    for now in range(cycles):
        seen += [(now, *release) for release in made.model.spill_release]
        record = made.model.step(spill_arrive=inputs.get(now, {}))
        if record is not None and record.valid:
            seen.append((now, "link", (record.valid.bit_length() - 1) // made.model.wiring.lanes))
    return seen


def test_a_lone_member_is_released_after_four_cycles(bench: Callable[..., Any]) -> None:
    made = bench(2, 2, spill=True)
    made.add(7, [(1, 1)], spilled=True)
    made.settle()
    assert made.model.spill_ready(3)
    made.model.step(spill_arrive={3: (7, 5)})
    assert not made.model.spill_ready(3)
    made.model.step(spill_arrive={3: (7, 1)})
    assert made.model.spill_ready(3)
    made.model.step()
    made.model.step()
    assert made.model.spill_release == [(3, 7, 5)]
    made.model.step()
    assert made.model.spill_release == []
    assert made.model.observe(3) >> made.model.network.barrier_registers * 20 == 0


def test_two_members_by_hand(bench: Callable[..., Any]) -> None:
    """Leaf: held 1, merged 3, fetched 4, loaded 6, sent 7; root: taken 8, merged 10, and so on."""
    made = bench(2, 1, spill=True)
    made.add(200, [(0, 0), (1, 0)], spilled=True)
    made.settle()
    root = made.model.network.mesh.index(made.trees[200].root)
    leaf = 1 - root
    output = {0: 0, 1: 5 + 2}
    seen = run(made, 25, {0: {0: (200, 8), 1: (200, 2)}})
    assert seen == [
        (7, "link", output[leaf]),
        (11, root, 200, 10),
        (14, "link", output[root]),
        (18, leaf, 200, 10),
    ]


def test_config_requests_take_three_cycles_and_refusals_are_counted(
    bench: Callable[..., Any],
) -> None:
    made = bench(2, 1, spill=True)
    made.add(3, [(0, 0), (1, 0)], spilled=True)
    made.settle()
    leaf = 1 - made.model.network.mesh.index(made.trees[3].root)

    def ask(word: RegisterWord, data: int | None = None) -> tuple[int, int | None]:
        before = made.model.cycle
        answer = made.request(leaf, spill_address(3, word), data)
        return made.model.cycle - before, answer

    assert ask(RegisterWord.STATUS) == (3, 0)
    assert ask(RegisterWord.PARENT, 0) == (3, None)
    run(made, 20, {0: {leaf: (3, 6)}})
    local_and_fired = 1 << 4 | 1 << 6
    assert ask(RegisterWord.STATUS) == (3, local_and_fired)
    assert ask(RegisterWord.CONTROL, 0) == (3, None)
    assert made.model._routers[leaf].unit.counters == [0, 0, 0, 2]
    run(made, 40, {0: {1 - leaf: (3, 9)}})
    assert ask(RegisterWord.RESULT) == (3, 15)
    assert ask(RegisterWord.CONTROL, CONTROL.pack({"gid": 3})) == (3, 0)
    assert ask(RegisterWord.PARENT, 0) == (3, 0)


def test_entries_keep_only_what_the_mesh_needs(bench: Callable[..., Any]) -> None:
    """Coordinates of a 3x2 mesh have two bits and one; a parent is always there."""
    made = bench(3, 2, spill=True)
    everything = NODE_WORD.pack({"x": 1022, "y": 1023, "present": 1})
    for word, present in ((RegisterWord.PARENT, 0), (RegisterWord.SOUTH, 1)):
        assert made.request(4, spill_address(9, word), everything) == 0
        read = made.request(4, spill_address(9, word))
        assert NODE_WORD.unpack(read) == {"x": 2, "y": 1, "present": present}


def test_a_queued_entry_reads_as_bit_four_of_pending(bench: Callable[..., Any]) -> None:
    """FETCH comes first, so the queue shows only while another group's message waits to leave."""
    made = bench(2, 1, spill=True)
    for gid in (3, 4, 5):
        made.add(gid, [(0, 0), (1, 0)], spilled=True)
    made.settle()
    leaf = 1 - made.model.network.mesh.index(made.trees[3].root)
    model = made.model
    lane = model.wiring.lane(leaf, 0 if leaf == 0 else 2, 1 + 1)
    model.credits[lane] = 0
    for gid in (3, 4):
        model.step(spill_arrive={leaf: (gid, 0)})
        for _ in range(9):
            model.step()
    assert made.request(leaf, spill_address(4, RegisterWord.STATUS)) == 1 << 4 | 1 << 6 | 1 << 11
    assert made.request(leaf, spill_address(3, RegisterWord.STATUS)) == 1 << 4 | 1 << 6
    assert made.request(leaf, spill_address(3, RegisterWord.CONTROL), 0) is None


def test_bad_arrivals_and_messages_are_counted(bench: Callable[..., Any]) -> None:
    made = bench(2, 1, spill=True)
    made.add(3, [(0, 0), (1, 0)], spilled=True)
    made.settle()
    leaf = 1 - made.model.network.mesh.index(made.trees[3].root)
    run(made, 40, {0: {leaf: (3, 0)}, 10: {leaf: (3, 0)}, 20: {leaf: (99, 0)}})
    assert made.model._routers[leaf].unit.counters == [0, 0, 2, 0]
    other = made.request(1 - leaf, spill_address(3, RegisterWord.STATUS))
    assert other in {1 << 0, 1 << 2}


def test_many_groups_in_registers_and_beyond(bench: Callable[..., Any]) -> None:
    rng = random.Random(4)
    made = bench(3, 3, spill=True, barrier_registers=1)
    nodes = made.model.network.mesh.nodes
    members = {gid: rng.sample(nodes, rng.randint(2, 9)) for gid in range(6)}
    made.add(0, members[0])
    for gid in range(1, 6):
        made.add(gid, members[gid], spilled=True)
    made.settle()
    index = made.model.network.mesh.index
    groups = {gid: [index(node) for node in group] for gid, group in members.items()}
    waiting: dict[int, list[tuple[int, int]]] = {node: [] for node in range(9)}
    inside: dict[int, dict[int, int]] = {gid: {} for gid in groups}
    told: dict[int, set[int]] = {gid: set() for gid in groups}
    episodes = dict.fromkeys(groups, 0)

    def enter(gid: int, node: int) -> int:
        inside[gid][node] = rng.getrandbits(4)
        return inside[gid][node]

    for gid in range(1, 6):
        for node in groups[gid]:
            waiting[node].append((gid, enter(gid, node)))
    arrive = {(node, 0): enter(0, node) for node in groups[0]}
    for _ in range(6000):
        events = [(node, 0, result) for node, _, result in made.model.release]
        events += [(node, gid, result) for node, gid, result in made.model.spill_release]
        for node, gid, result in events:
            assert len(inside[gid]) == len(groups[gid]), "released early"
            expected = 0
            for data in inside[gid].values():
                expected |= data
            assert result == expected
            told[gid].add(node)
        spill_arrive = {
            node: queue.pop(0)
            for node, queue in waiting.items()
            if queue and made.model.spill_ready(node)
        }
        made.model.step(arrive=arrive, spill_arrive=spill_arrive)
        arrive = {}
        for gid, who in told.items():
            if len(who) == len(groups[gid]):
                episodes[gid] += 1
                who.clear()
                inside[gid].clear()
                for node in groups[gid]:
                    if gid:
                        waiting[node].append((gid, enter(gid, node)))
                    else:
                        arrive[node, 0] = enter(0, node)
    assert min(episodes.values()) > 20
    for node in range(9):
        assert made.model._routers[node].unit.counters == [0] * 4


def test_addresses_of_entries_need_spill(bench: Callable[..., Any]) -> None:
    made = bench(2, 1)
    made.model.step(config=ConfigRequest(0, spill_address(0, RegisterWord.STATUS), False))
    assert made.model.config_answer == (True, True, 0)
