"""Streams on boards, by the golden models and by boards on which they are not as they must be."""

import re
from typing import Any

import pytest

from syncfabric.fpga.host.host import Host
from syncfabric.fpga.host.measure import BoardResult, measure
from syncfabric.models.errors import BoardError, SpecError
from syncfabric.models.messages.host import StreamWord, stream_word
from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.vectors import STREAMS, StreamRequest
from tests.fpga.host.golden_board import GoldenBoard

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


def run(board: GoldenBoard, plan: BarrierPlan, *request: Any, episodes: int = 1) -> BoardResult:
    return measure(Host(board), plan, episodes=episodes, seed=5, stream=StreamRequest(*request))


@pytest.mark.parametrize("kind", STREAMS)
@pytest.mark.parametrize(
    ("name", "op"), [("mesh", "add.i32"), ("two channels", "umin.i16"), ("two channels", "add.f32")]
)
def test_every_group_performs_its_stream(name: str, op: str, kind: str) -> None:
    plan = plan_of(name)
    result = run(GoldenBoard(plan.spec.message_network), plan, kind, 30, op)
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
        assert run(board, plan, kind, 3).wrong == ()


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
    result = run(board, plan, "allreduce", 9)
    (line,), (stream,) = result.wrong, result.streams
    assert re.fullmatch(f"group 4: {says}", line)
    assert not stream.checked
    assert (stream.last is None) == (word is StreamWord.PACKETS)


def test_what_a_board_cannot_perform_is_refused() -> None:
    plan = plan_of("mesh")
    board = GoldenBoard(plan.spec.message_network)
    with pytest.raises(SpecError, match=r"op = min.i32 is not built"):
        run(board, plan, "allreduce", 9, "min.i32")
    board.shape = board.host.shape = board.shape.model_copy(update={"streams": 0})
    with pytest.raises(BoardError, match="has 0 channels of streams, and board has 1: load"):
        run(board, plan, "allreduce", 9)
