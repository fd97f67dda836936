"""The meter's bench under each simulator."""

from pathlib import Path

import pytest

from syncfabric.models.messages.host import MASK_BASE, HostShape
from syncfabric.rtl.host.meters import Meter, Meters
from tests.rtl.host.bench_meter import WIDTHS
from tests.rtl.host.meter_model import Meter as Model
from tests.rtl.support import clocked, run_bench


@pytest.mark.long_under("verilator")
def test_meter(simulator: str, tmp_path: Path) -> None:
    parts = {f"meter_{width}": Meter(width) for width in WIDTHS}
    run_bench(simulator, parts, "tests.rtl.host.bench_meter", tmp_path)


def test_counts_stay_at_their_greatest_value() -> None:
    """Of the model; the meter's own counters are too wide to be filled."""
    model, most = Model(), (1 << 32) - 1
    model.episodes = most
    model.histogram[0] = most
    for arrive, released in ((1, 0), (0, 1)):
        model.step(1, arrive, 1, released)
    assert (model.episodes, model.histogram[0], model.last) == (most, most, 1)


def test_an_empty_mask_counts_nothing() -> None:
    word = {"arrive": 3, "ready": 3, "released": 3, "mask": 0, "word": 0}
    assert {seen["value"] for seen in clocked(Meter(2), [word] * 5)} == {0}


def test_a_new_mask_forgets_who_has_arrived() -> None:
    """One member arrives before the mask is written again, the other after."""
    shape = HostShape(nodes=2, registers=1, data_bits=0, targets=2, meters=1)
    still = {"write": 0, "read": 0, "arrive": 0, "released": 0, "ready": 3, "word": MASK_BASE}
    mask, last = still | {"write": 1, "data": 3}, still | {"word": 0}
    one, other, over = still | {"arrive": 1}, still | {"arrive": 2}, still | {"released": 3}
    for again, episodes in ((still, 1), (mask, 0)):
        cases = [still, mask, still, one, still, again, still, other, still, over, *[last] * 4]
        assert clocked(Meters(shape), cases)[-1]["value"] == episodes
