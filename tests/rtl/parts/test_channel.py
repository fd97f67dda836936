# amaranth: UnusedElaboratable=no
"""The bench of a buffer's control under each simulator, and what it refuses."""

from pathlib import Path

import pytest

from syncfabric.models.networks.mesh import Turn
from syncfabric.rtl.parts.channel import ChannelControl
from tests.rtl.mesh.walks import outputs_from
from tests.rtl.parts.bench_channel import PLACES, PORT
from tests.rtl.support import run_bench


@pytest.mark.long_under("verilator")
def test_channel_control(simulator: str, tmp_path: Path) -> None:
    outputs = outputs_from(PORT, Turn.X_FIRST)
    parts = {f"places_{places}": ChannelControl(places, outputs, 5) for places in PLACES}
    run_bench(simulator, parts, "tests.rtl.parts.bench_channel", tmp_path)


def test_buffer_without_places_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^ChannelControl needs at least 1 place, not 0$"):
        ChannelControl(0, (0, 4), 5)
