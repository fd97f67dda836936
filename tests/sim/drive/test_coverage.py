"""Functional coverage: of a regression on tiles, and of single events."""

import random
from collections import Counter as Tally
from collections.abc import Callable
from dataclasses import replace

import pytest

from syncfabric.models.golden.record import Record
from syncfabric.models.messages import Kind
from syncfabric.models.networks.mesh import Port, Turn
from syncfabric.models.networks.spec import RegisterSpec
from syncfabric.sim.drive.coverage import Coverage, coverage_of, holes, percent, universe
from syncfabric.sim.drive.driver import Arrival
from syncfabric.sim.drive.lines import EMPTY, Line
from syncfabric.sim.drive.stepping import Chunk
from syncfabric.sim.drive.tiles import simulate_tiles
from syncfabric.sim.fabric import build_fabric
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import (
    SCENARIOS,
    SEED,
    check,
    irregular,
    make_job,
    members,
    mesh,
    plan_of,
)
from tests.sim.drive.test_tiles import ALL

THRESHOLD = 97.0
"""Percent of a network's bins that its regression must hit, whatever the seed."""
ROUNDS = 3
"""Times that the scenarios are run, with other groups and seeds each time."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("default", marks=pytest.mark.long),
        pytest.param("own links", marks=pytest.mark.long),
        pytest.param("irregular, two channels", marks=pytest.mark.long),
        pytest.param(
            "irregular, one cycle a hop, turned by the node, serial", marks=pytest.mark.long
        ),
    ],
)
def test_a_regression_covers(name: str, record_property: Callable[[str, object], None]) -> None:
    network = ALL[name]
    scenarios = [
        replace(each, seed=each.seed + 10 * turn, episodes=8)
        for turn in range(ROUNDS)
        for each in SCENARIOS
    ]
    job = make_job(network, random.Random(f"coverage {name}/{SEED}"), scenarios, coverage=True)
    simulation = simulate_tiles(job, build_fabric(network))
    check(job, simulation)
    hits = sum((Tally(outcome.coverage) for outcome in simulation.outcomes), Tally[str]())
    bins = set(universe(network))
    missed = holes(hits, bins)
    record_property(
        "coverage",
        f"{name} ({network.topology}): {percent(hits, bins):.1f}% of {len(bins)} bins"
        + "".join(f"\n    never: {hole}" for hole in missed),
    )
    assert percent(hits, bins) >= THRESHOLD, missed


NETWORK = mesh(3, 3)
PLAN = plan_of(NETWORK, members(6, (0, 0), (1, 0), (2, 0)))


def message(kind: Kind, to: tuple[int, int], turn: Turn, gid: int = 6) -> int:
    values = {"kind": kind, "gid": gid, "x": to[0], "y": to[1], "turn": turn}
    return NETWORK.layout.sync.pack(values)


def lane(node: tuple[int, int], port: Port, channel: int) -> int:
    return (5 * NETWORK.mesh.index(node) + port) * 3 + channel


def note(coverage: Coverage, cycle: int, flits: dict[int, int], release: int = 0) -> None:
    order = sorted(flits)
    valid = sum(1 << one for one in order)
    record = Record(valid, 0, [flits[one] for one in order], release, [0] * release.bit_count())
    coverage.note(Line(cycle, record), full=0)


def test_a_message_on_its_way_and_at_its_end() -> None:
    coverage = coverage_of(PLAN)
    up = message(Kind.REDUCE, (0, 0), Turn.Y_FIRST)
    note(coverage, 5, {lane((2, 0), Port.WEST, 2): up})
    assert coverage.hits == {"REDUCE passing by EAST class 1": 1}
    note(coverage, 6, {lane((1, 0), Port.WEST, 2): up})
    assert coverage.hits["REDUCE here by EAST class 1"] == 1
    assert coverage.hits["REDUCE by EAST meets idle"] == 1
    assert coverage.messages == 1


def test_what_a_message_meets_follows_from_what_came_before() -> None:
    coverage = coverage_of(PLAN)
    coverage.begin(Chunk(0, arrivals=[Arrival(3, 0, 1, 0)]))
    up = {lane((2, 0), Port.WEST, 2): message(Kind.REDUCE, (1, 0), Turn.Y_FIRST)}
    down = {lane((0, 0), Port.EAST, 1): message(Kind.REDUCE, (1, 0), Turn.X_FIRST)}
    for cycle, flits in enumerate((down, up), 4):
        note(coverage, cycle, flits)
    assert coverage.hits["REDUCE by WEST meets local"] == 1
    assert coverage.hits["REDUCE by EAST meets children and local"] == 1
    register = PLAN.groups[0].places[1, 0]
    assert register is not None
    note(coverage, 9, {}, release=1 << 1 * NETWORK.barrier_registers + register)
    note(coverage, 10, up)
    assert coverage.hits["REDUCE by EAST meets idle"] == 1


def test_messages_between_the_flits_of_a_packet() -> None:
    coverage = coverage_of(PLAN)
    head, tail = (1 << NETWORK.layout.flit.offsets[name] for name in ("head", "tail"))
    word = {lane((0, 0), Port.EAST, 1): message(Kind.DISTRIBUTE, (2, 0), Turn.X_FIRST)}
    name = "message inside a packet: EAST"
    note(coverage, 1, word)
    assert coverage.hits[name] == 0
    note(coverage, 2, {lane((0, 0), Port.EAST, 0): 2 | head})
    note(coverage, 3, word)
    assert coverage.hits[name] == 1
    note(coverage, 4, {lane((0, 0), Port.EAST, 0): 7 | tail})
    note(coverage, 5, word)
    assert coverage.hits[name] == 1


def test_two_heads_for_one_output() -> None:
    coverage = coverage_of(PLAN)
    head = 1 << NETWORK.layout.flit.offsets["head"]
    north = 1 | 2 << NETWORK.layout.x_bits | head
    note(coverage, 1, {lane((0, 1), Port.EAST, 0): north, lane((1, 0), Port.NORTH, 0): north})
    assert coverage.hits["two heads for NORTH in one cycle"] == 1


CLUSTER = irregular(SMALL, cycles_per_hop=1)
EVERYBODY = plan_of(CLUSTER, members(6, *SMALL.nodes))


def on(link: int, kind: Kind) -> dict[int, int]:
    """Return a message of the group on a link of the cluster, without traffic on it."""
    return {2 * link + 1: CLUSTER.layout.sync.pack({"kind": kind, "gid": 6})}


def test_messages_that_meet_at_a_switch() -> None:
    coverage = coverage_of(EVERYBODY)
    note(coverage, 5, on(12, Kind.REDUCE) | on(13, Kind.REDUCE))  # both nodes of switch 0, the root
    assert coverage.hits == {
        "REDUCE from a node": 2,
        "REDUCE at a switch meets idle": 1,
        "REDUCE at a switch meets children": 1,
        "2 messages to a switch in one cycle": 1,
    }
    note(coverage, 7, on(5, Kind.REDUCE) | on(4, Kind.REDUCE))
    assert coverage.hits["REDUCE between switches"] == 2
    assert coverage.hits["root switch fires with 3 children"] == 1
    note(coverage, 8, on(0, Kind.DISTRIBUTE) | on(5, Kind.REDUCE))
    note(coverage, 9, on(1, Kind.DISTRIBUTE))
    assert coverage.hits["DISTRIBUTE with 1 children"] == 1
    assert coverage.hits["DISTRIBUTE to a node"] == 1
    assert coverage.messages == 7


def test_what_meets_on_the_links_of_a_cluster() -> None:
    coverage = coverage_of(EVERYBODY)
    head, tail = (1 << CLUSTER.layout.flit.offsets[name] for name in ("head", "tail"))
    to_2 = CLUSTER.layout.header.pack({"switch": 2, "port": 1}) | head
    note(coverage, 1, {2 * 12: to_2, 2 * 13: to_2})
    assert coverage.hits == {"two heads for a switch in one cycle": 1}
    note(coverage, 2, on(12, Kind.REDUCE))
    assert coverage.hits["message inside a packet: from a node"] == 1
    note(coverage, 3, {2 * 12: tail})
    note(coverage, 4, on(12, Kind.REDUCE))
    assert coverage.hits["message inside a packet: from a node"] == 1
    coverage.note(Line(5, EMPTY), full=1 << 2 * 12 | 1 << 2 * 9 | 1)
    assert {name for name in coverage.hits if name.startswith("no credit")} == {
        "no credit: from a node, ordinary",
        "no credit: to a node, ordinary",
        "no credit: between switches, ordinary",
    }


@pytest.mark.parametrize("network", ALL.values())
def test_bins_have_names_of_their_own(network: RegisterSpec) -> None:
    bins = list(universe(network))
    least = 30 if network.kind != "mesh" else 80 if network.channels else 70
    assert len(bins) == len(set(bins)) > least


def test_percent_and_holes() -> None:
    bins = {"a", "b", "c", "d"}
    assert percent({"a": 3, "b": 0, "z": 1}, bins) == 25
    assert holes({"a": 3, "b": 0}, bins) == ["b", "c", "d"]
