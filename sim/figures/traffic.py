"""Ordinary packets: latency without load, and the load at saturation."""

import csv
import tempfile
from collections.abc import Iterator
from pathlib import Path

from syncfabric.models.networks.spec import MeshSpec, NetworkSpec
from syncfabric.models.planning.plan import make_plan
from syncfabric.models.traffic import WARM_CYCLES, rate_word
from syncfabric.sim.assemble.player import Stimulus, StimulusKind, script_text
from syncfabric.sim.drive.run import run
from syncfabric.sim.fabric import Fabric, build_fabric
from syncfabric.sim.figures.row import Row

__all__ = ["ordinary_packets", "traffic_script"]

ENDS = ("source", "destination")
SETTLE, WINDOW = 10_000, 50_000
"""Cycles before, and of, the measurement of saturation (SPEC: offered 1.0)."""


def traffic_script(rate: float, seed: int = 1) -> str:
    """Return a script that starts ordinary traffic at ``rate`` flits a node a cycle."""
    return script_text(
        [
            Stimulus(1, StimulusKind.LOAD, data=seed),
            Stimulus(2 + WARM_CYCLES, StimulusKind.RATE, data=rate_word(rate), extra=1),
        ]
    )


def saturation(network: MeshSpec) -> float:
    """Return the flits accepted a node a cycle when 1.0 is offered."""
    with tempfile.TemporaryDirectory() as folder, Fabric(build_fabric(network)) as fabric:
        script = Path(folder) / "script.txt"
        script.write_text(traffic_script(1.0))
        fabric.script(script)
        fabric.run(SETTLE)
        before = sum(row["flits"] for row in fabric.report())
        fabric.run(WINDOW)
        after = sum(row["flits"] for row in fabric.report())
    return (after - before) / WINDOW / (network.width * network.height)


def ordinary_packets() -> Iterator[Row]:
    """Ordinary packets, 8x8, uniform random, 5-flit packets."""
    network = MeshSpec(kind="mesh", width=8, height=8)
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.csv"
        spec = NetworkSpec(name="figure", network=network, groups=())
        run(make_plan(spec), background=0.01, log=log)
        with log.open(newline="") as rows:
            over = [_over(row) for row in csv.DictReader(rows)]
    quiet = sorted(over)[len(over) // 2]
    yield Row(
        f"zero-load latency less hops and packet length, median of {len(over)} packets",
        f"{quiet} cycles",
        "<= 2",
        quiet <= 2,
    )
    for buffer_flits, channels, target in ((8, 1, 0.31), (4, 1, 0.26), (8, 2, 0.33)):
        accepted = saturation(
            MeshSpec(kind="mesh", width=8, height=8, buffer_flits=buffer_flits, channels=channels)
        )
        yield Row(
            f"saturation, {channels} channel{'s' * (channels > 1)} of {buffer_flits} flits",
            f"{accepted:.3f} flits a node a cycle",
            f">= {target}",
            accepted >= target,
        )


def _over(row: dict[str, str]) -> int:
    """Return a packet's latency less hops and length; it was created a cycle before it came in."""
    source, destination = ([int(word) for word in row[end].split(",")] for end in ENDS)
    hops = sum(abs(a - b) for a, b in zip(source, destination, strict=True))
    return int(row["cycle_out"]) - int(row["cycle_in"]) + 1 - hops - 5
