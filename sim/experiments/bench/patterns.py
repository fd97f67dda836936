"""Traffic patterns on a mesh: zero-load latency and saturation, against BookSim2."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from syncfabric.models.errors import ToolError
from syncfabric.sim.experiments.bench.measures import mesh, planned
from syncfabric.sim.experiments.claim import Claim, figure
from syncfabric.sim.experiments.frame import Work, section
from syncfabric.sim.experiments.jobs import pool
from syncfabric.sim.load import LOAD, LoadCurve, LoadPoint, curve, load

BOOKSIM = {
    "uniform": "uniform",
    "transpose": "transpose",
    "bit-complement": "bitcomp",
    "bit-reverse": "bitrev",
    "shuffle": "shuffle",
    "tornado": "tornado",
    "neighbour": "neighbor",
}
"""What BookSim2 calls a pattern."""
SETTINGS = """topology = mesh; k = 8; n = 2; routing_function = dor; num_vcs = 2; vc_buf_size = 8;
packet_size = 5; injection_rate_uses_flits = 1; routing_delay = 0; speculative = 1; seed = 1;
"""
"""Its fastest router: a cycle for both allocators, one for the switch, one for the link."""


@section
def patterns() -> Iterator[Claim]:
    """Traffic patterns, 8x8, two channels of 8 flits: latency and saturation against BookSim2."""
    program = os.environ.get("BOOKSIM")
    network = mesh(8, 8, {"channels": 2, "buffer_flits": 8})
    with pool() as made:
        found = load(Work(LOAD, pool=made), planned(network).spec, BOOKSIM)
    for ours in found.curves:
        peers = ""
        if program:
            theirs = curve(ours.pattern, 64, partial(_booksim, program, BOOKSIM[ours.pattern]))
            peers = f"BookSim2: {_words(theirs)}"
        yield figure(ours.pattern, _words(ours), peers=peers)


def _words(found: LoadCurve) -> str:
    return f"{found.zero_load:.1f} cycles; {found.saturation or 1:.3f} flits a node a cycle"


def _booksim(program: str, traffic: str, rates: Iterable[float]) -> Iterator[LoadPoint]:
    """Measure loads with BookSim2, whose executable the variable ``BOOKSIM`` names."""
    for rate in rates:
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder) / "mesh"
            config.write_text(f"{SETTINGS} traffic = {traffic}; injection_rate = {rate};\n")
            done = subprocess.run([program, str(config)], capture_output=True, text=True)
        accepted = re.findall(r"Accepted flit rate average\s*= (\S+)", done.stdout)
        latency = re.findall(r"Packet latency average = (\S+)", done.stdout)
        if not accepted:
            raise ToolError(f"{program}: {done.stdout[-200:]} {done.stderr[-200:]}")
        stable = "exceeded" not in done.stdout
        yield LoadPoint(rate, float(accepted[-1]), 0, float(latency[-1]) if stable else None)
