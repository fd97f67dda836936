# amaranth: UnusedElaboratable=no
"""The bench of a buffer's control under each simulator, and what it refuses."""

from pathlib import Path

import pytest

from syncfabric.rtl.router.input_port import ChannelControl
from tests.rtl.parts.bench_channel import OUTPUTS, PLACES
from tests.rtl.support import clocked, run_bench


@pytest.mark.long_under("verilator")
def test_channel_control(simulator: str, tmp_path: Path) -> None:
    parts = {f"places_{places}": ChannelControl(places, OUTPUTS, 5) for places in PLACES}
    run_bench(simulator, parts, "tests.rtl.parts.bench_channel", tmp_path)


@pytest.mark.parametrize("places", range(1, 17))
def test_every_place_is_used(places: int) -> None:
    """So many flits find room, one more does not; then they leave, and their credits come."""
    pushes, pops = [{"push": 1, "pop": 0}] * (places + 1), [{"push": 0, "pop": 1}] * places
    seen = clocked(ChannelControl(places, (0, 4), 5), [*pushes, *pops, {"pop": 0}, {}])
    assert [cycle["overflow"] for cycle in seen] == [*[0] * places, 1, *[0] * (places + 2)]
    assert [cycle["write_place"] for cycle in seen[:places]] == [*range(places)]
    assert [cycle["read_place"] for cycle in seen[places + 1 : -2]] == [*range(places)]
    assert [cycle["occupied"] for cycle in seen] == [0, *[1] * (2 * places), 0, 0]
    assert sum(cycle["credit"] for cycle in seen) == places
