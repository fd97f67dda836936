"""Barriers on a board that does not do as it must: each fault is seen, and reported."""

import dataclasses
import re
from collections import Counter
from typing import Any

import pytest

from syncfabric import Network
from syncfabric.fpga.host.host import Host, Identity, MeterReading, TrafficReading
from syncfabric.fpga.host.link import Link, RefusedError
from syncfabric.fpga.host.measure import BoardResult, board_rows, measure
from syncfabric.models.errors import BoardError, SpecError
from syncfabric.models.messages.host import BINS, StreamWord, stream_word
from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.vectors import STREAMS, StreamRequest
from tests.fpga.host.golden_board import GoldenBoard

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


KEYS: dict[str, dict[str, Any]] = {
    "mesh": {"width": 3, "height": 2, "streams": 1, "wires": 1},
    "two channels": {
        "width": 3,
        "height": 2,
        "streams": 2,
        "wires": 2,
        "stream_operations": ["integer", "fp32"],
        "stream_bits": 64,
    },
}


def plan_of(name: str, **keys: Any) -> BarrierPlan:
    network = {"kind": "mesh", "channels": 0, "groups": 2, **KEYS[name], **keys}
    groups = [
        {"id": 4, "members": [[2, 1], [0, 0], [1, 1]], "stream": True},
        {"id": 7, "members": [[0, 0], [1, 0]], "stream": name != "mesh"},
    ]
    table = {"name": "board", "network": network, "groups": groups}
    return make_plan(NetworkSpec.model_validate(table))


def run_streams(
    board: GoldenBoard, plan: BarrierPlan, *request: Any, episodes: int = 1
) -> BoardResult:
    return measure(Host(board), plan, episodes=episodes, seed=5, stream=StreamRequest(*request))


@pytest.mark.parametrize("kind", STREAMS)
@pytest.mark.parametrize(
    ("name", "op"), [("mesh", "add.i32"), ("two channels", "umin.i16"), ("two channels", "add.f32")]
)
def test_every_group_performs_its_stream(name: str, op: str, kind: str) -> None:
    plan = plan_of(name)
    result = run_streams(GoldenBoard(plan.spec.message_network), plan, kind, 30, op)
    assert result.wrong == ()
    assert [stream.id for stream in result.streams] == [4, 7][: 1 + (name != "mesh")]
    for stream in result.streams:
        group = next(group for group in plan.groups if group.id == stream.id)
        assert (stream.kind, stream.op, stream.words, stream.checked) == (kind, op, 30, True)
        assert stream.first is not None
        assert 0 < stream.first <= (stream.bound or 0) == group.stream_bound
        assert (stream.last, stream.rate) == (stream.first + 29, 1.0)
        took = [member.first is not None for member in stream.flow.members]
        assert took == [kind != "reduce" or not i for i in range(len(group.members))]


def test_a_board_can_be_asked_again() -> None:
    """Checksums go on from what they were."""
    plan = plan_of("mesh")
    board = GoldenBoard(plan.spec.message_network)
    for kind in (*STREAMS, *STREAMS):
        assert run_streams(board, plan, kind, 3).wrong == ()


class Spoilt(GoldenBoard):
    """Some looks at a word of streams of node 4, counted from 0, show something else."""

    word, change, looks = StreamWord.CHECKSUM, 1, range(9999)
    place = seen = -1

    def write(self, address: int, value: int) -> None:
        if address == stream_word(StreamWord.PLACE):
            self.place = value
        super().write(address, value)

    def read(self, address: int) -> int:
        if (self.place, address) != (4, stream_word(self.word)):
            return super().read(address)
        self.seen += 1
        return (super().read(address) + self.change * (self.seen in self.looks)) % (1 << 32)


@pytest.mark.parametrize(
    ("word", "change", "looks", "says"),
    [
        (
            StreamWord.FIRST,
            90,
            range(9999),
            r"the first word after \d+ cycles is above the bound 2.",
        ),
        (StreamWord.CHECKSUM, 1, range(1), r"the checksum of \(1, 1\) is 0x.* and must be 0x.*"),
        (StreamWord.CHECKSUM, 1, range(1, 9999), r"the checksum of \(1, 1\) is 0x.* must be 0x.*"),
        (StreamWord.PACKETS, -1, range(1, 9999), r"the packet to \(1, 1\) has not come"),
    ],
)
def test_what_is_wrong_is_said(
    word: StreamWord, change: int, looks: range, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("syncfabric.fpga.host.measure._POLLS", 5)
    plan = plan_of("mesh")
    board = Spoilt(plan.spec.message_network)
    board.word, board.change, board.looks = word, change, looks
    result = run_streams(board, plan, "allreduce", 9)
    (line,), (stream,) = result.wrong, result.streams
    assert re.fullmatch(f"group 4: {says}", line)
    assert not stream.checked
    assert (stream.last is None) == (word is StreamWord.PACKETS)


def test_what_a_board_cannot_perform_is_refused() -> None:
    plan = plan_of("mesh")
    board = GoldenBoard(plan.spec.message_network)
    with pytest.raises(SpecError, match=r"op = min.i32 is not built"):
        run_streams(board, plan, "allreduce", 9, "min.i32")
    board.shape = board.host.shape = board.shape.model_copy(update={"streams": 0})
    with pytest.raises(BoardError, match="has 0 channels of streams, and board has 1: load"):
        run_streams(board, plan, "allreduce", 9)
