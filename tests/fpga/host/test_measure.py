"""Barriers on a board that does not do as it must: each fault is seen, and told."""

import dataclasses
from collections import Counter

import pytest

from syncfabric import Network
from syncfabric.fpga.host.host import Host, Identity, MeterReading, TrafficReading
from syncfabric.fpga.host.link import Link, RefusedError
from syncfabric.fpga.host.measure import BoardResult, board_rows, measure
from syncfabric.models.messages.host import BINS

PLAN = Network.load("mesh-2x2").plan()
BOUND = PLAN.groups[0].bound or 0
MEMBERS = 4


class Good(Host):
    """A board in which everything is as it must be: results are the OR of all data."""

    def __init__(self) -> None:
        self.link = Link.__new__(Link)
        self.link.port = "here"
        self.identity = Identity(4, 16, 4, 1, last=True, broken=True, traffic=True)
        self._target = None
        self.data: dict[int, int] = {}
        self.arrived: Counter[int] = Counter()
        self.rates: list[float] = []
        self.counted = 0

    def write(self, address: int, value: int) -> None: ...

    def configured(self, target: int, address: int) -> int:
        return 0

    def config_answer(self) -> int:
        return 0

    def cycle(self) -> int:
        return 1234

    def ready(self, node: int, register: int) -> bool:
        return True

    def put(self, node: int, register: int, data: int) -> None:
        self.data[node] = data

    def arrive(self, node: int, register: int, *, last: bool = False) -> None:
        self.arrived[node] += 1
        self.counted += self.arrived[node] == min(self.arrived.values()) and len(self.arrived) == 4

    def arrive_all(self, meter: int) -> None:
        self.arrived.update(range(MEMBERS))
        self.counted += 1

    def wait(self, node: int, register: int) -> int:
        return self.data[0] | self.data[1] | self.data[2] | self.data[3]

    def episodes(self, meter: int) -> int:
        return self.counted

    def meter(self, meter: int) -> MeterReading:
        bins = (self.counted - 1, *[0] * (BINS - 2), 1)
        return MeterReading(self.counted, BOUND, BOUND - 1, BOUND, bins)

    def traffic(self, rate: float, seed: int = 1) -> None:
        self.rates.append(rate)

    def traffic_counts(self) -> TrafficReading:
        return TrafficReading(100, 1, 99, 0, 40)


class Stuck(Good):
    def wait(self, node: int, register: int) -> int:
        if self.counted == 3:
            raise RefusedError("the board refused to read word 0x20060 (node 0 WAIT 0)")
        return super().wait(node, register)


class WrongResult(Good):
    def wait(self, node: int, register: int) -> int:
        return super().wait(node, register) ^ (self.counted == 2)


class Uncounted(Good):
    def episodes(self, meter: int) -> int:
        return min(self.counted, 1)


class Late(Good):
    def meter(self, meter: int) -> MeterReading:
        return dataclasses.replace(super().meter(meter), greatest=BOUND + 1)


class Miscounted(Good):
    def meter(self, meter: int) -> MeterReading:
        return dataclasses.replace(super().meter(meter), histogram=(1,) * BINS)


class NeverReady(Good):
    def ready(self, node: int, register: int) -> bool:
        return node != 2


class WrongFlits(Good):
    def traffic_counts(self) -> TrafficReading:
        return dataclasses.replace(super().traffic_counts(), wrong=2)


def run(host: Host, traffic: float = 0.0) -> BoardResult:
    return measure(host, PLAN, episodes=5, traffic=traffic)


def test_barriers_that_are_right() -> None:
    host = Good()
    result = run(host)
    (group,) = result.groups
    assert result.wrong == ()
    assert (group.asked, group.meter.episodes, group.bound) == (5, 5, BOUND)
    assert host.arrived == dict.fromkeys(range(MEMBERS), 5)
    assert len(set(host.data.values())) > 1
    assert host.rates == [0]
    (row,) = board_rows(result)[1]
    assert row[4:] == [f"{BOUND} / {BOUND - 1} / {BOUND}", str(BOUND), "4", *[""] * 6, "1"]


def test_beside_traffic_there_is_no_bound() -> None:
    host = Late()
    result = run(host, 0.2)
    assert result.wrong == ()
    assert (result.groups[0].bound, result.traffic) == (None, TrafficReading(100, 1, 99, 0, 40))
    assert host.rates == [0, 0.2, 0]


@pytest.mark.parametrize(
    ("host", "said"),
    [
        (Stuck(), "group 1: barrier 3 did not end: the board refused to read word 0x20060 "),
        (WrongResult(), "group 1: result of barrier 2 is 0x"),
        (Uncounted(), "group 1: barrier 2 was not counted"),
        (Late(), f"group 1: greatest latency {BOUND + 1} is above the bound {BOUND}"),
        (Miscounted(), "group 1: 5 episodes, but 8 in the histogram"),
    ],
)
def test_barriers_that_are_wrong(host: Host, said: str) -> None:
    result = run(host)
    assert len(result.wrong) == 1
    assert result.wrong[0].startswith(said)
    assert result.to_json()["ok"] is False


def test_flits_that_are_wrong() -> None:
    assert run(WrongFlits(), 0.1).wrong == ("traffic: 2 flits arrived wrong",)


def test_a_register_that_does_not_become_ready() -> None:
    with pytest.raises(ValueError, match=r"register 0 of node 2 does not become ready for group 1"):
        run(NeverReady())
