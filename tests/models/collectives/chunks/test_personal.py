"""Scatter, gather and alltoall: against all paths, all states, and schedules spoiled on purpose."""

import json
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from math import ceil
from typing import Any

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import linprog

from syncfabric.models.collectives.chunks.bounds import best_cut
from syncfabric.models.collectives.chunks.checker import bound_of, check, held_by
from syncfabric.models.collectives.chunks.files import read
from syncfabric.models.collectives.chunks.makers import ring, spanning, steps, trees
from syncfabric.models.collectives.chunks.multiflow import flows_of, lengths_of
from syncfabric.models.collectives.chunks.routing import routes_of, shortest
from syncfabric.models.collectives.chunks.schedule import (
    Chunked,
    ChunkTask,
    Cut,
    Exchange,
    Schedule,
    Send,
)
from syncfabric.models.collectives.chunks.search import search
from syncfabric.models.collectives.chunks.slots import in_slots
from syncfabric.models.collectives.files import load_topology
from syncfabric.models.collectives.topology import Link, Topology, linked
from syncfabric.models.errors import SpecError
from tests.models.collectives.chunks.drawn import drawn, two_way

PERSONAL: tuple[Chunked, ...] = ("scatter", "gather", "alltoall")
UNIT = Link(Fraction(0), Fraction(1))


def flat(topology: Topology) -> Topology:
    """The topology without latencies."""
    links = tuple(link._replace(alpha=Fraction(0)) for link in topology.links)
    return replace(topology, links=links)


def by_all_paths(topology: Topology) -> float:
    """The least time of a byte of each rank for each: a linear program of all simple paths."""
    graph: Any = nx.DiGraph(topology.channels)
    pairs = [(a, b) for a, b in product(range(topology.nodes), repeat=2) if a != b]
    paths = [
        (nth, path) for nth, pair in enumerate(pairs) for path in nx.all_simple_paths(graph, *pair)
    ]
    pair_sums = np.zeros((len(pairs), 1 + len(paths)))
    load = np.zeros((len(topology.channels), 1 + len(paths)))
    load[:, 0] = [-float(rate) for rate in topology.rates]
    for column, (nth, path) in enumerate(paths, 1):
        pair_sums[nth, column] = 1
        for hop in pairwise(path):
            load[topology.number[hop], column] = 1
    aim = np.eye(1, 1 + len(paths))[0]
    found = linprog(aim, load, np.zeros(len(load)), pair_sums, np.ones(len(pairs)))
    return float(found.fun)


def test_lengths_prove_what_all_paths_reach() -> None:
    """Rational lengths meet a program that knows paths, not flows; and no lengths prove more."""
    rng = random.Random(3)
    for _ in range(12):
        topology = flat(drawn(rng, rng.randint(2, 4), switches=rng.randint(0, 2)))
        exchange = Exchange("alltoall", topology.nodes, topology.nodes)
        least = by_all_paths(topology)
        found = max(
            bound_of(exchange, topology, Cut((), lengths=one))
            for one in lengths_of(exchange, topology)
        )
        assert least * (1 - 1e-5) <= found <= least * (1 + 1e-9)
        for _ in range(20):
            some = tuple((a, b, rng.randint(0, 9)) for a, b in topology.channels)
            assert bound_of(exchange, topology, Cut((), lengths=some)) <= least * (1 + 1e-9)


@pytest.mark.parametrize("name", ["torus-3x3", "hypercube-8", "octagon-8", "dgx-1", "fat-tree-2x2"])
def test_flows_are_kept_and_fit(name: str) -> None:
    """Each rank's flow leaves a byte at each other rank; all together take the time proved."""
    topology = flat(linked(load_topology(name), Fraction(0), Fraction(1)))
    flows = flows_of(topology)
    assert flows is not None
    for source, carried in enumerate(flows.carried):
        left = np.zeros(topology.vertices)
        for (a, b), amount in zip(topology.channels, carried, strict=True):
            left[a] -= amount
            left[b] += amount
        wanted = [float(vertex < topology.nodes) for vertex in range(topology.vertices)]
        wanted[source] = 1 - topology.nodes
        assert left == pytest.approx(wanted, abs=1e-6)
    rates = np.array([float(rate) for rate in topology.rates])
    exchange = Exchange("alltoall", topology.nodes, topology.nodes)
    bound = bound_of(exchange, topology, best_cut(exchange, topology))
    assert (flows.carried.sum(axis=0) / rates).max() == pytest.approx(float(bound))


def slots_of(topology: Topology, kind: Chunked, root: int = 0) -> int:
    """The fewest slots in which all parts come, by all states that can be reached."""
    shares = Exchange(kind, topology.nodes, topology.nodes, root=root).shares
    targets = [share.targets[0] for share in shares]
    states, slots = {tuple(share.sources[0] for share in shares)}, 0
    while tuple(targets) not in states:
        slots += 1
        after = set()
        for state in states:
            moves = [
                [None, *(n for n, at in enumerate(state) if at == a != targets[n])]
                for a, _ in topology.channels
            ]
            for taken in product(*moves):
                used = [n for n in taken if n is not None]
                if len(set(used)) == len(used):
                    moved = list(state)
                    for n, (_, b) in zip(taken, topology.channels, strict=True):
                        if n is not None:
                            moved[n] = b
                    after.add(tuple(moved))
        states = after
    return slots


RING_OF_ONE_WAY = Topology("one-way", 3, 0, ((0, 1), (1, 2), (2, 0)), (UNIT,) * 3)
LINE = two_way(3, (0, 1, UNIT), (1, 2, UNIT))
KITE = two_way(4, (0, 1, UNIT), (1, 2, UNIT), (2, 0, UNIT), (2, 3, UNIT))


@pytest.mark.parametrize(
    ("topology", "kind", "root"),
    [
        (RING_OF_ONE_WAY, "alltoall", 0),
        (LINE, "alltoall", 0),
        (LINE, "scatter", 0),
        (LINE, "gather", 1),
        (KITE, "scatter", 3),
        (KITE, "gather", 0),
    ],
)
def test_the_fewest_slots_of_all_are_found(topology: Topology, kind: Chunked, root: int) -> None:
    found = search(topology, kind, topology.nodes * 12, (1,), root=root)
    slots = slots_of(topology, kind, root)
    exchange = found.best.schedule.exchange
    assert found.best.time == slots * exchange.piece
    assert found.bound <= found.best.time
    exact = in_slots(topology, exchange, False, None, 1)
    assert exact is not None
    schedule = Schedule(topology, exchange, tuple(exact))
    assert check(schedule) == (found.best.time, (), 0)


@pytest.mark.parametrize("seed", [0, 3])
def test_parts_share_channels_evenly(seed: int) -> None:
    """Between opposite ranks of a ring half of the parts go each way, so all channels have 8."""
    topology = linked(load_topology("ring-8"), Fraction(0), Fraction(1))
    routes = routes_of(topology, Exchange("alltoall", 8, 64), seed, whole=True)
    assert routes is not None
    load = Counter(hop for route in routes for hop in route.path.values())
    assert load == dict.fromkeys(topology.channels, 8)


@pytest.mark.parametrize("parts", [1, 2, 3])
def test_whole_flows_fill_all_lanes(parts: int) -> None:
    """No lane carries more than the best flows' greatest load, rounded up."""
    mesh = load_topology("mesh-3x3")
    links = tuple(Link(Fraction(0), Fraction(1), 1 + (i % 3 > 0)) for i in range(24))
    topology = replace(mesh, links=links)
    exchange = Exchange("alltoall", 9, 9 * parts, parts)
    routes = routes_of(topology, exchange, 1, whole=True)
    assert routes
    load = Counter(hop for route in routes for hop in route.path.values())
    flows = flows_of(topology)
    assert flows
    lanes = [link.lanes for link in links]
    most = ceil(parts * float((flows.carried.sum(axis=0) / lanes).max()) - 1e-6)
    both = zip(topology.channels, lanes, strict=True)
    assert max(Fraction(load[channel], n) for channel, n in both) == most


@pytest.mark.parametrize("kind", PERSONAL)
def test_spoiled_schedules_are_refused(kind: Chunked) -> None:
    """A send less, another end, another part or too early: nothing of it is right."""
    rng = random.Random(kind)
    for number in range(10):
        topology = drawn(rng, rng.randint(3, 6), switches=rng.randint(0, 2))
        found = search(topology, kind, 720, (2,), methods=("shortest",)).best.schedule
        sends = list(found.sends)
        at = rng.randrange(len(sends))
        item, path, _ = sends[at]
        if number % 3 == 0:
            del sends[at]
        elif number % 3 == 1:
            others = [n for n in range(found.exchange.items) if n // 2 != item // 2]
            sends[at] = Send(rng.choice(others), path, False)
        else:
            onward = [n for n, send in enumerate(sends) if send[0] == item]
            if len(onward) == 1:
                sends[at] = Send(item, path[::-1], False)
            else:
                sends.insert(onward[0], sends.pop(onward[-1]))
        assert check(replace(found, sends=tuple(sends))).broken


@pytest.mark.parametrize("kind", PERSONAL)
def test_no_lengths_prove_more_than_a_schedule_takes(kind: Chunked) -> None:
    rng = random.Random(kind)
    for _ in range(6):
        topology = drawn(rng, rng.randint(2, 5), switches=rng.randint(0, 2))
        methods = ("shortest", "greedy", "paths")
        found = search(topology, kind, rng.choice([8, 600]), (1, 3), methods=methods)
        for _ in range(30):
            some = tuple((a, b, rng.randint(0, 5)) for a, b in topology.channels)
            cut = Cut((), lengths=some)
            assert bound_of(found.best.schedule.exchange, topology, cut) <= found.best.time


def test_lengths_by_hand() -> None:
    """Six shares of 4 bytes; over the slow link in each direction two of them, each for 5 + 8."""
    slow, fast = Link(Fraction(5), Fraction(2)), Link(Fraction(1), Fraction(1, 2), 2)
    line = two_way(3, (0, 1, fast), (1, 2, slow))
    exchange = Exchange("alltoall", 3, 12)
    over = Cut((), lengths=((1, 2, 1), (2, 1, 1)))
    assert bound_of(exchange, line, over, apart=False) == 5 + Fraction(4 * 4, 1)
    assert bound_of(exchange, line, over) == 2 * 13
    # Both links: 8 shares' lengths; 8 bytes a nanosecond from 1 on, and one from 5 on.
    every = Cut((), lengths=tuple((a, b, 1) for a, b in line.channels))
    assert bound_of(exchange, line, every, apart=False) == 1 + Fraction(8 * 4, 8)
    # A share holds the fast link for 3, 6 bytes' time, and the slow one for 13, 6.5 bytes'.
    held = 4 * Fraction(3, 1) * 2 + 4 * Fraction(13, 2)
    assert bound_of(exchange, line, every) == max(1 + Fraction(8 * 4, 8), held / 9)
    far = Cut((), lengths=((1, 2, 3),))
    assert bound_of(Exchange("scatter", 3, 12), line, far) == 5 + 2 * 4
    assert bound_of(Exchange("gather", 3, 12), line, far) == 0
    # Into rank 2 one share; out of the root two, by two lanes for 3 each.
    one, two = (Cut((frozenset(side),)) for side in ({2}, {1, 2}))
    assert [bound_of(Exchange("scatter", 3, 12), line, cut) for cut in (one, two)] == [13, 3]
    slower = two_way(3, (0, 1, slow), (1, 2, slow))
    assert bound_of(Exchange("scatter", 3, 12), slower, two) == 26
    assert bound_of(Exchange("scatter", 3, 12), slower, two, apart=False) == 21


def test_past_switches_a_share_holds_channels_for_all_latencies() -> None:
    channels = ((0, 2), (2, 0), (1, 2), (2, 1))
    links = tuple(Link(Fraction(alpha), Fraction(1)) for alpha in (1, 2, 3, 4))
    star = Topology("star", 2, 1, channels, links)
    exchange = Exchange("alltoall", 2, 20)
    assert held_by(exchange, star) == [13, 13, 15, 15]


@pytest.mark.parametrize(
    ("kind", "lengths", "said"),
    [
        ("allgather", [(0, 1, 1)], "lengths: they prove nothing of allgather"),
        ("alltoall", [(0, 2, 1)], "lengths: each must be of a channel"),
        ("alltoall", [(0, 1, 1), (0, 1, 2)], "lengths: each must be of a channel"),
        ("alltoall", [(0, 1, -1)], "lengths: they must be 0 or more"),
        ("alltoall", [(0, 1, 2**40)], "lengths: they must be .* less than 2"),
    ],
)
def test_what_are_no_lengths(kind: Chunked, lengths: list[Any], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        bound_of(Exchange(kind, 3, 12), LINE, Cut((), lengths=tuple(lengths)))


def test_files_of_lengths() -> None:
    schedule = search(
        linked(load_topology("ring-5"), Fraction(1), Fraction(1)), "alltoall", 500, (1,)
    )
    values = json.loads(json.dumps(schedule.best.schedule.to_json()))
    assert read(values) == schedule.best.schedule
    assert "cut" not in values
    for more, said in (
        ({"lengths": []}, "they take a cut's place"),
        ({"lengths": [[0, 1, 1.5]]}, r"schedule: lengths\[0\]\[2\]"),
        ({"lengths": [[0, 3, 1]]}, "lengths: each must be of a channel"),
        ({"sends": [[25, 0, "copy", 0, 1]]}, "there is no share 25, part 0: there are 25 of 1"),
        ({"root": 1}, "alltoall has none"),
    ):
        with pytest.raises(SpecError, match=said):
            read(values | more)


@pytest.mark.parametrize(
    ("name", "kind", "chunks", "ratio"),
    [
        ("ring-8", "alltoall", 2, 1.001),
        ("torus-4x4", "alltoall", 1, 1.001),
        ("hypercube-8", "alltoall", 1, 1.001),
        ("mesh-4x4", "alltoall", 2, 1.01),
        ("dgx-1", "alltoall", 3, 1.01),
        ("dgx-1-pair", "alltoall", 1, 1.01),
        ("dgx-a100-pair", "alltoall", 1, 1.02),
        ("torus-4x4", "scatter", 4, 1.002),
        ("mesh-4x4", "gather", 2, 1.001),
        ("dgx-a100-pair", "gather", 4, 1.05),
        ("fat-tree-2x4", "scatter", 1, 1.002),
    ],
)
def test_close_to_the_bound(name: str, kind: Chunked, chunks: int, ratio: float) -> None:
    topology = linked(load_topology(name), Fraction(1000), Fraction(1))
    result = search(topology, kind, 2**26, (chunks,), methods=("paths",))
    assert 1 <= result.best.time / result.bound <= ratio


def test_past_switches_messages_find_a_step_each() -> None:
    """72 ranks of a dragonfly: 71 messages out of each port, in few more steps."""
    topology = linked(load_topology("dragonfly-2x4x2"), Fraction(1000), Fraction(1))
    exchange = Exchange("alltoall", topology.nodes, 2**26, 2)
    sends = steps(ChunkTask(topology, exchange))
    assert sends is not None
    outcome = check(Schedule(topology, exchange, tuple(sends)))
    assert outcome.broken == 0
    assert 1 <= outcome.time / bound_of(exchange, topology, Cut((frozenset({0}),))) <= 1.25
    assert steps(ChunkTask(topology, Exchange("scatter", topology.nodes, 72))) is None
    for other in (trees, ring, spanning):  # which do not look for what they cannot use
        assert other(ChunkTask(topology, exchange)) is None


@pytest.mark.parametrize(("arity", "levels"), [(2, 4), (4, 2), (8, 2)])
def test_rounds_on_fat_trees_share_no_channel(arity: int, levels: int) -> None:
    """As many shares one after the other as other ranks, each up and down with its latencies."""
    topology = linked(load_topology(f"fat-tree-{arity}x{levels}"), Fraction(1000), Fraction(1))
    exchange = Exchange("alltoall", topology.nodes, 2**26)
    sends = shortest(topology, exchange.ends(combine=False), 1, exchange.piece)
    assert len(sends) == topology.nodes * (topology.nodes - 1)
    outcome = check(Schedule(topology, exchange, tuple(sends)))
    assert outcome.broken == 0
    assert outcome.time <= (topology.nodes - 1) * (exchange.piece + 2 * levels * 1000)


def test_a_share_has_sources_and_targets() -> None:
    """By kind: how many shares there are, and in the buffer that a rank begins with."""
    for kind, count, held in (
        ("broadcast", 1, 1), ("reduce", 1, 1), ("scatter", 4, 4), ("gather", 4, 1),
        ("allgather", 4, 1), ("reduce-scatter", 4, 4), ("allreduce", 4, 4), ("alltoall", 16, 4),
    ):  # fmt: skip
        exchange = Exchange(kind, 4, 48)  # type: ignore[arg-type]
        assert (len(exchange.shares), exchange.count) == (count, count)
        assert exchange.share == Fraction(48, held)
        begins = [sum(rank in share.sources for share in exchange.shares) for rank in range(4)]
        assert max(begins) == held
    assert Exchange("alltoall", 3, 9).shares[5] == ((1,), (2,))
    with pytest.raises(SpecError, match="alltoall in chunks is not for 300 ranks"):
        Exchange("alltoall", 300, 1)


def test_what_is_passed_on_is_not_there_to_stay() -> None:
    """A relay may send on what it has, even twice; the target alone must have it in the end."""
    exchange = Exchange("scatter", 3, 3)
    down = (Send(1, (0, 1), False), Send(2, (0, 1), False), Send(2, (1, 2), False))
    assert check(Schedule(LINE, exchange, down)) == (Fraction(3), (), 0)
    assert check(Schedule(LINE, exchange, down[:2])).wrong == (
        "rank 2 ends without what rank 0 gives to share 2, part 0",
    )
