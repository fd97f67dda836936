"""Whole barriers on the golden mesh: their bounds, back to back, with every option."""

import random
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from syncfabric.models.golden.record import Observer
from syncfabric.models.messages import Counter, Kind, Op
from syncfabric.models.planning.plan import bound_cycles
from syncfabric.models.traffic import rate_word

OPTIONS = [
    {"barrier_pipeline": pipeline, "sync_links": links}
    for pipeline, links in product((0, 1), ("shared", "own"))
]


@pytest.mark.parametrize("pipeline", [0, 1])
@pytest.mark.parametrize(("width", "height"), [(2, 2), (3, 3), (4, 4), (5, 3), (8, 1), (8, 8)])
def test_one_group_alone_meets_its_bound(
    bench: Callable[..., Any], width: int, height: int, pipeline: int
) -> None:
    made = bench(width, height, barrier_pipeline=pipeline)
    made.add(1, made.model.network.mesh.nodes)
    tree = made.trees[1]
    bound = 2 * tree.longest_path + 2 + 2 * tree.height * pipeline
    assert bound == bound_cycles(tree, made.model.network)
    assert max(made.episode(1, last) for last in range(width * height)) == bound
    assert made.episode(1, 0, early=0) == bound


@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: "-".join(map(str, o.values())))
def test_random_groups_meet_their_bound_alone(
    bench: Callable[..., Any], options: dict[str, Any]
) -> None:
    rng = random.Random(5)
    for _ in range(4):
        made = bench(6, 5, **options)
        made.add(9, rng.sample(made.model.network.mesh.nodes, rng.randint(2, 14)))
        members = [node for _, node in made.places]
        latency = max(made.episode(9, last) for last in members)
        bound = bound_cycles(made.trees[9], made.model.network)
        assert latency == bound


def test_two_nodes_by_hand(bench: Callable[..., Any]) -> None:
    """Arrive 0, fire and send 1, in the root's slot, fired and answered 2, released 3 and 4."""
    made = bench(2, 1, barrier_pipeline=0)
    made.add(1, [(0, 0), (1, 0)])
    made.settle()
    root = made.model.network.mesh.index(made.trees[1].root)
    leaf = 1 - root
    start = made.model.cycle
    seen = []
    made.model.step(arrive={(0, 0): 5, (1, 0): 2})
    while made.model.idle_until() is not None:
        now = made.model.cycle - start
        releases = [(now, *release) for release in made.model.release]
        record = made.model.step()
        seen += releases
        if record is not None and record.valid:
            seen.append((now, record.valid.bit_length() - 1))
    lanes = made.model.wiring.lanes
    reduce_class, distribute_class = 1, 0
    port = {0: 0, 1: 2}
    assert seen == [
        (1, (leaf * 5 + port[leaf]) * lanes + 1 + reduce_class),
        (2, (root * 5 + port[root]) * lanes + 1 + distribute_class),
        (3, root, 0, 7),
        (4, leaf, 0, 7),
    ]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: "-".join(map(str, o.values())))
@pytest.mark.parametrize("operations", ["bitwise", "all"])
def test_back_to_back_episodes_combine_and_separate(
    bench: Callable[..., Any], options: dict[str, Any], operations: str
) -> None:
    """Three groups with random pauses: every result right, nobody early, nothing astray."""
    rng = random.Random(11)
    made = bench(4, 4, operations=operations, **options)
    nodes = made.model.network.mesh.nodes
    ops = ["and", "xor", "or"] if operations == "bitwise" else ["max", "sum", "min"]
    for gid, op in enumerate(ops, 1):
        made.add(gid, nodes if gid == 2 else rng.sample(nodes, 7), op)
    made.settle()
    groups = {gid: [n for g, n in made.places if g == gid] for gid in (1, 2, 3)}
    register = {(node, slot): gid for (gid, node), slot in made.places.items()}
    data: dict[int, dict[int, int]] = {gid: {} for gid in groups}
    told: dict[int, dict[int, int]] = {gid: {} for gid in groups}
    pauses = {key: rng.randrange(9) for key in register}
    finished = 0
    for _ in range(3000):
        for node, slot, result in made.model.release:
            gid = register[node, slot]
            assert len(data[gid]) == len(groups[gid])
            told[gid][node] = result
            pauses[node, slot] = rng.choice([0, 0, 3, 20])
            if len(told[gid]) == len(groups[gid]):
                words = list(data[gid].values())
                expected = {
                    "and": words[0], "xor": 0, "or": 0, "max": max(words), "min": min(words),
                    "sum": sum(words) & 15,
                }[ops[gid - 1]]  # fmt: skip
                for word in words:
                    if ops[gid - 1] == "and":
                        expected &= word
                    elif ops[gid - 1] == "xor":
                        expected ^= word
                    elif ops[gid - 1] == "or":
                        expected |= word
                assert set(told[gid].values()) == {expected}
                finished += 1
                data[gid], told[gid] = {}, {}
        arrive = {}
        for key, gid in register.items():
            free = key[0] not in data[gid]
            if free and pauses[key] == 0:
                arrive[key] = data[gid][key[0]] = rng.getrandbits(4)
            elif free:
                pauses[key] -= 1
        made.model.step(arrive=arrive)
    assert finished > 100
    for node in range(16):
        assert made.model._routers[node].unit.counters == [0] * len(Counter)


def test_an_arrive_beside_the_release_is_accepted(bench: Callable[..., Any]) -> None:
    made = bench(3, 3, barrier_pipeline=0)
    made.add(1, made.model.network.mesh.nodes)
    made.settle()
    arrive = {(node, 0): 0 for node in range(9)}
    releases = 0
    for _ in range(300):
        made.model.step(arrive=arrive)
        arrive = {(node, slot): 0 for node, slot, _ in made.model.release}
        releases += len(arrive)
    bound = bound_cycles(made.trees[1], made.model.network)
    assert releases >= 9 * (300 // bound - 1)
    assert made.model._routers[4].unit.counters == [0] * 4


def test_second_arrive_and_arrive_before_start_are_counted(bench: Callable[..., Any]) -> None:
    made = bench(2, 1)
    made.add(1, [(0, 0), (1, 0)])
    made.settle()
    for _ in range(3):
        made.model.step(arrive={(0, 0): 0})
    made.model.step(arrive={(0, 1): 0})
    assert made.model._routers[0].unit.counters == [0, 0, 3, 0]


def test_op_numbers_are_those_of_the_layout() -> None:
    assert [op.name.lower() for op in Op] == ["or", "and", "xor", "max", "min", "sum"]


def test_a_16x16_barrier_meets_its_bound(bench: Callable[..., Any]) -> None:
    made = bench(16, 16)
    made.add(1, made.model.network.mesh.nodes)
    made.settle()
    assert made.episode(1, 0, early=0) == bound_cycles(made.trees[1], made.model.network)


@pytest.mark.parametrize("pipeline", [0, 1])
def test_the_serial_combiner_costs_nothing_when_arrivals_do_not_tie(
    bench: Callable[..., Any], pipeline: int
) -> None:
    made = bench(4, 4, operations="all", barrier_pipeline=pipeline)
    made.add(1, made.model.network.mesh.nodes, "sum")
    tree, bound = made.trees[1], bound_cycles(made.trees[1], made.model.network)
    alone = 2 * tree.longest_path + 2 + 2 * tree.height * pipeline
    assert max(made.episode(1, last) for last in range(16)) == alone
    assert alone <= made.episode(1, 0, early=0) <= bound


class Messages(Observer):
    """The messages that have been taken."""

    def __init__(self) -> None:
        self.taken: list[tuple[int, int, int, int, int, int]] = []

    def sync(
        self, kind: int, gid: int, source: int, destination: int, sent: int, taken: int
    ) -> None:
        self.taken.append((kind, gid, source, destination, sent, taken))


def test_an_observer_hears_of_every_edge_twice(bench: Callable[..., Any]) -> None:
    log = Messages()
    made = bench(4, 4, observer=log)
    mesh = made.model.network.mesh
    made.add(6, mesh.nodes)
    made.settle()
    made.episode(6, 3)
    made.settle()
    index = mesh.index
    edges = {(index((cx, cy)), index((px, py))) for (cx, cy), (px, py) in made.trees[6].edges}
    up = {(source, sink) for kind, _, source, sink, _, _ in log.taken if kind == Kind.REDUCE}
    down = {(sink, source) for kind, _, source, sink, _, _ in log.taken if kind == Kind.DISTRIBUTE}
    assert up == down == edges
    assert len(log.taken) == 2 * len(edges)
    for _, gid, source, sink, sent, taken in log.taken:
        assert gid == 6
        assert taken - sent >= mesh.hops(mesh.node(source), mesh.node(sink))


@pytest.mark.parametrize("links", ["shared", "own"])
def test_links_under_barriers_and_traffic(bench: Callable[..., Any], links: str) -> None:
    """One flit or message a shared link and cycle, one of each on links of their own.

    A class of messages takes at most one cycle in three, and barriers are still right.
    """
    made = bench(4, 4, sync_links=links, channels=2)
    nodes = made.model.network.mesh.nodes
    for gid in range(4):
        made.add(gid, nodes)
    made.model.step(load=3)
    lanes, both = made.model.wiring.lanes, 0
    last: dict[int, int] = {}
    arrive = {(node, r): 1 for node in range(16) for r in range(4)}
    releases = 0
    for now in range(1500):
        record = made.model.step(arrive=arrive, enable=True, rate=rate_word(0.8))
        arrive = {(node, r): 1 for node, r, _ in made.model.release}
        releases += len(arrive)
        if record is None:
            continue
        used = [lane for lane in range(96 * lanes) if record.valid >> lane & 1]
        assert len(used) == len(record.payloads)
        flits = [lane // lanes for lane in used if lane % lanes < 2]
        syncs = [lane for lane in used if lane % lanes >= 2]
        links_of_syncs = [lane // lanes for lane in syncs]
        assert len(set(flits)) == len(flits)
        assert len(set(links_of_syncs)) == len(syncs)
        both += len(set(flits) & set(links_of_syncs))
        for lane in syncs:
            assert now - last.get(lane, -3) >= 3
            last[lane] = now
    assert (both > 0) is (links == "own")
    assert releases > 64 * 20
    assert made.model.packets.flits_ejected > 1500
