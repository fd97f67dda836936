"""Speed of the simulation: cycles a second, build time and memory."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from syncfabric.models.networks.reader import load
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.drive.long_run import long_run
from syncfabric.sim.drive.run import run
from syncfabric.sim.fabric import Fabric, build_fabric
from syncfabric.sim.figures.cache import empty_cache
from syncfabric.sim.figures.row import Row
from syncfabric.sim.figures.traffic import traffic_script

__all__ = ["growth", "irregular_speed", "speed"]


def speed() -> Iterator[Row]:
    """Simulation of 8x8 under Verilator (cycles a second)."""
    with empty_cache():
        begin = time.perf_counter()
        build_fabric(load("demo").message_network)
        seconds = time.perf_counter() - begin
    yield Row("build, nothing cached", f"{seconds:.0f} s", "< 60 s", seconds < 60)
    for network, background, target in (
        ("fig1", 0.0, 5_000),
        ("demo", 0.0, 5_000),
        ("demo", 0.1, 1_000),
    ):
        result = run(make_plan(load(network)), episodes=400, background=background)
        rate = result.cycles / result.seconds.run
        load_text = f"background {background}" if background else "barriers alone"
        yield Row(
            f"{network}, {load_text}, hardware and model compared in every cycle",
            f"{rate:,.0f}",
            f">= {target:,}",
            rate >= target and result.ok,
        )
    result = long_run(make_plan(load("demo")), episodes=4_000, background=0.2)
    rate = result.cycles / result.seconds.run
    yield Row(
        "demo, long run: three groups, background 0.2",
        f"{rate:,.0f}",
        ">= 12,000",
        rate >= 12_000 and result.ok,
    )
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-m", "syncfabric", "--help"], check=True, capture_output=True)
    yield Row("syncfabric --help", f"{time.perf_counter() - begin:.2f} s")
    rate, _ = _plain(MeshSpec(kind="mesh", width=8, height=8), 0.2, 60_000)
    yield Row("8x8, traffic alone at 0.2", f"{rate:,.0f}", "> 15,800 (BookSim2)", rate > 15_800)


def irregular_speed() -> Iterator[Row]:
    """Simulation of irregular networks under Verilator (cycles a second)."""
    for name in ("cluster-fig1", "cluster-19", "cluster-75"):
        plan = make_plan(load(name))
        with empty_cache():
            begin = time.perf_counter()
            build_fabric(plan.spec.message_network)
            seconds = time.perf_counter() - begin
        yield Row(f"{name}: build, nothing cached", f"{seconds:.0f} s")
        for background in (0.0, 0.05):
            result = run(plan, episodes=200, background=background)
            load_text = f"background {background}" if background else "barriers alone"
            yield Row(
                f"{name}, {load_text}, hardware and model compared in every cycle",
                f"{result.cycles / result.seconds.run:,.0f}",
                "match",
                result.ok,
            )


def growth() -> Iterator[Row]:
    """Growth: build time, cycles a second and memory against size."""
    for side in (4, 8, 16, 32):
        network = MeshSpec(kind="mesh", width=side, height=side)
        with empty_cache():
            build_fabric(MeshSpec(kind="mesh", width=2, height=2))  # Verilator's own library
            begin = time.perf_counter()
            build_fabric(network)
            seconds = time.perf_counter() - begin
        idle, _ = _plain(network, 0.0, 640_000 // side**2)
        rate = min(0.2, 1.6 / side)  # half of what the mesh's bisection carries
        busy, memory = _plain(network, rate, 640_000 // side**2)
        yield Row(
            f"{side}x{side}: build {seconds:.0f} s, {memory / 2**20:.0f} MiB",
            f"{idle:,.0f} idle, {busy:,.0f} at {rate:g} flits a node a cycle",
        )


def _plain(network: MeshSpec, rate: float, cycles: int) -> tuple[float, int]:
    """Return cycles a second and peak memory in bytes of a fabric with traffic alone."""
    with tempfile.TemporaryDirectory() as folder, Fabric(build_fabric(network)) as fabric:
        script = Path(folder) / "script.txt"
        script.write_text(traffic_script(rate) if rate else "")
        fabric.script(script)
        fabric.run(500)
        begin = time.perf_counter()
        fabric.run(cycles)
        seconds = time.perf_counter() - begin
        return cycles / seconds, fabric.peak_memory()
