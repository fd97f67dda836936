"""Verilog from the cache is what the conversion gives."""

from pathlib import Path

import pytest
from amaranth.lib import wiring

from syncfabric.rtl.traffic.queue import WaitingQueue
from syncfabric.sim.assemble.verilog import convert, converted


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNCFABRIC_CACHE", str(tmp_path))


made: list[tuple[int, int]] = []


def queue(width: int, depth: int) -> wiring.Component:
    made.append((width, depth))
    return WaitingQueue(width, depth)


def test_the_second_time_nothing_is_made() -> None:
    made.clear()
    first = converted(queue, "queue", 8, 4)
    assert first == convert(WaitingQueue(8, 4), "queue")
    assert converted(queue, "queue", 8, 4) == first
    assert made == [(8, 4)]


def test_what_decides_is_distinguished() -> None:
    texts = {
        converted(queue, "queue", 8, 4),
        converted(queue, "queue", 8, 8),
        converted(queue, "queue", 4, 8),
        converted(queue, "other", 8, 4),
    }
    assert len(texts) == 4


def test_other_sources_are_converted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    made.clear()
    converted(queue, "queue", 8, 4)
    monkeypatch.setattr("syncfabric.sim.assemble.verilog.sources_of", lambda *_: "others")
    converted(queue, "queue", 8, 4)
    assert made == [(8, 4)] * 2
