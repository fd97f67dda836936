"""Load curves: latencies as the golden model has them, and a search that finds saturation."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.golden.network import model_of
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.patterns import pattern_of
from syncfabric.models.traffic import WARM_CYCLES, rate_word
from syncfabric.sim.assemble.script import traffic
from syncfabric.sim.drive.packet_check import PacketCheck
from syncfabric.sim.drive.trace import Line
from syncfabric.sim.fabric.build import build_fabric
from syncfabric.sim.fabric.program import Fabric
from syncfabric.sim.load import KNEE, ZERO, LoadPoint, curve, rates_of, search, side_by_side
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, mesh

FIRST, END, LAST, SEED = 200, 500, 1_500, 7


def by_model(spec: MessageSpec, name: str, rate: float) -> tuple[Counter[int], list[int]]:
    """Return latencies of packets created in some cycles, and flits at these cycles' ends."""
    model, rule, flits = model_of(spec), PacketCheck(spec), []
    model.traffic.aim(pattern_of(spec.topology, name))
    found, on = Counter[int](), 2 + WARM_CYCLES
    for cycle in range(LAST):
        flits += [rule.flits_out] if cycle in (FIRST, END) else []
        load = SEED if cycle == 1 else None
        record = model.step(load=load, enable=cycle >= on, rate=rate_word(rate))
        seen = len(rule.latency)
        if record is not None:
            assert not list(rule.wires(Line(cycle, record)))
        created = ((cycle - latency, latency) for latency in rule.latency[seen:])
        found.update(latency for at, latency in created if FIRST <= at < END)
    return found, flits


@pytest.mark.parametrize(
    ("spec", "pattern", "rate"),
    [
        (mesh(4, 4), "transpose", 0.3),
        (mesh(4, 4), "hotspot:0.1:1,1", 0.9),  # beyond saturation: some are not drained
        pytest.param(irregular(SMALL), "neighbour", 0.2, marks=pytest.mark.nightly),
    ],
)
def test_latencies_are_those_of_the_model(spec: MessageSpec, pattern: str, rate: float) -> None:
    with Fabric(build_fabric(spec)) as fabric:
        fabric.give(traffic(1, SEED, rate, pattern_of(spec.topology, pattern)))
        fabric.run(FIRST)
        fabric.measure(FIRST, END)
        before = fabric.report()
        fabric.run(END - FIRST)
        after = fabric.report()
        fabric.run(LAST - END)
        latencies = fabric.latencies()
    expected, flits = by_model(spec, pattern, rate)
    assert latencies == dict(sorted(expected.items()))
    created = sum(b["created"] - a["created"] for a, b in zip(before, after, strict=True))
    assert (sum(latencies.values()) == created) == (rate < 0.9)
    # A sink shows a flit in the cycle after.
    seen = sum(b["flits"] - a["flits"] for a, b in zip(before, after, strict=True))
    assert abs(seen - (flits[1] - flits[0])) <= 2 * len(spec.topology.nodes)


def queue(most: float, asked: list[float]) -> Callable[[Iterable[float]], Iterator[LoadPoint]]:
    """Return a server of a load at most, whose latency is 10 cycles and grows as 1 / (1 - r)."""

    def measure(rates: Iterable[float]) -> Iterator[LoadPoint]:
        for rate in rates:
            asked.append(rate)
            if rate >= most:
                yield LoadPoint(rate, most, 9)
            else:
                yield LoadPoint(rate, rate, 9, 10 / (1 - rate / most), 99, 100)

    return measure


@pytest.mark.parametrize("most", [0.03, 0.25, 0.4, 0.99])
def test_saturation_is_found_and_points_spread_up_to_it(most: float) -> None:
    asked: list[float] = []
    found = curve("tornado", 4, queue(most, asked), points=8)
    # The latency is KNEE times that at ZERO where 1 - r / most is a KNEE-th.
    knee = most * (1 - (1 - ZERO / most) / KNEE)
    assert found.saturation is not None
    assert knee - 0.011 <= found.saturation <= knee
    assert found.zero_load == 10 / (1 - ZERO / most)
    assert found.throughput == pytest.approx(most, abs=0.005)
    assert [point.offered for point in found.points] == sorted(asked)
    assert {round(found.saturation * i / 8, 4) for i in range(1, 8)} <= set(asked)
    assert len(asked) <= 2 + 2 * 5 + 7


def test_given_loads_are_measured_and_saturation_between_them() -> None:
    asked: list[float] = []
    found = curve("p", 4, queue(0.4, asked), [0.1, 0.3, 0.5])
    assert asked[:4] == [ZERO, 0.1, 0.3, 0.5]
    assert all(0.1 < rate < 0.3 for rate in asked[4:])
    assert found.saturation == pytest.approx(0.4 * (1 - (1 - 0.01 / 0.4) / KNEE), abs=0.011)
    asked.clear()
    found = curve("p", 4, queue(0.4, asked), [0.1, 0.2])
    assert (found.saturation, found.throughput, asked) == (None, 0.2, [ZERO, 0.1, 0.2])


def test_loads_that_are_all_too_much_are_searched_below() -> None:
    found = curve("p", 4, queue(0.1, []), [0.5, 0.9])
    assert found.saturation == pytest.approx(0.1 * (1 - 0.9 / KNEE), abs=0.011)


def test_a_network_that_is_never_without_load_is_refused() -> None:
    with pytest.raises(SpecError, match=r"pattern p: .* saturated at a load of 0\.01 already"):
        curve("p", 4, queue(0.005, []))


def test_rates_are_evenly_apart() -> None:
    assert rates_of("0.05:0.9", 10) == [
        0.05,
        0.1444,
        0.2389,
        0.3333,
        0.4278,
        0.5222,
        0.6167,
        0.7111,
        0.8056,
        0.9,
    ]
    assert rates_of(".2:1", 2) == [0.2, 1]
    assert rates_of("0.2:0.9", 1) == [0.2]


def test_searches_are_measured_together_round_by_round() -> None:
    alone = [curve("p", 4, queue(most, [])) for most in (0.25, 0.9)]
    rounds: list[list[int]] = []

    def measure(loads: Sequence[tuple[int, float]]) -> Iterator[LoadPoint]:
        rounds.append([number for number, _ in loads])
        for number, rate in loads:
            yield from queue((0.25, 0.9)[number], [])([rate])

    assert side_by_side([search("p", 4), search("p", 4)], measure) == alone
    assert rounds[0] == [0, 0, 1, 1]
    assert len(rounds) <= 2 + 5
