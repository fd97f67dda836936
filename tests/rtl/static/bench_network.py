"""Whole networks under random stimuli: every line of the probe is the golden model's."""

import os
from pathlib import Path
from typing import Any

import cocotb

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.sim.drive.bench_network import Hardware
from syncfabric.sim.drive.trace import Chunk
from tests.rtl.static.fuzz import PHASES, random_play
from tests.rtl.support import SEED


@cocotb.test()
async def every_line_is_the_models(dut: Any) -> None:
    """Routes and roles by chance, several times over, with all inputs busy."""
    network = StaticSpec.model_validate_json(os.environ["STATIC_NETWORK"])
    play = random_play(network, SEED)
    hardware = Hardware(dut, Path(str(cocotb.plusargs["script"])).parent)
    await hardware.reset()
    await hardware.load(Chunk(0, play.cycles, play.stimuli))
    await hardware.wait(play.cycles - 1)
    lines = await hardware.load(None)
    # A line or two more may be of the cycle that hands nothing in.
    for number, (line, expected) in enumerate(zip(lines, play.lines, strict=False)):
        assert line == expected, f"line {number}: {line!r}, expected {expected!r}; seed {SEED}"
    assert len(lines) >= len(play.lines)
    releases = sum(line[0] == "o" for line in lines)
    assert releases > 3 * PHASES, releases
