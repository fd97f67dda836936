"""Speed of simulated networks, their saturation, traffic patterns, soaks and campaigns."""

import csv
import math
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from syncfabric.models.errors import ToolError
from syncfabric.models.networks.mesh import hops
from syncfabric.models.networks.reader import load, loads
from syncfabric.models.networks.spec import MeshSpec, MessageSpec
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim import load as measured
from syncfabric.sim.assemble.network import verilog
from syncfabric.sim.assemble.script import traffic
from syncfabric.sim.campaign.campaign import campaign
from syncfabric.sim.campaign.request import CampaignRequest
from syncfabric.sim.campaign.result import BAD, KindCount, Verdict
from syncfabric.sim.drive.backends import plan_of, play
from syncfabric.sim.drive.long_run import long_run
from syncfabric.sim.drive.run import run
from syncfabric.sim.drive.runner import ScenarioRunner
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.experiments.bench.measures import (
    at_least,
    at_most,
    below,
    empty_cache,
    mesh,
    per_second,
    planned,
    timed,
)
from syncfabric.sim.experiments.claim import Claim, figure
from syncfabric.sim.experiments.frame import Work, section
from syncfabric.sim.experiments.jobs import pool
from syncfabric.sim.fabric.build import build_fabric
from syncfabric.sim.fabric.program import Fabric
from syncfabric.sim.load import LoadCurve, LoadPoint, curve
from syncfabric.sim.request import RunRequest
from syncfabric.sim.soak.soak import SoakRequest, soak

ENDS = ("source", "destination")
SETTLE, WINDOW = 10_000, 50_000
"""Cycles before, and of, the measurement of saturation (SPEC: offered 1.0)."""
COMPARED = "hardware and model compared in every cycle"


@contextmanager
def _traffic(network: MeshSpec, rate: float, seed: int = 1, threads: int = 1) -> Iterator[Fabric]:
    """Give a fabric with ordinary traffic alone, at ``rate`` flits a node a cycle."""
    with Fabric(build_fabric(network), threads=threads) as fabric:
        fabric.give(traffic(1, seed, rate) if rate else ())
        yield fabric


def _saturation(network: MeshSpec) -> float:
    """Return the flits accepted a node a cycle when 1.0 is offered."""
    with _traffic(network, 1.0) as fabric:
        fabric.run(SETTLE)
        before = sum(row["flits"] for row in fabric.report())
        fabric.run(WINDOW)
        after = sum(row["flits"] for row in fabric.report())
    return (after - before) / WINDOW / (network.width * network.height)


@section
def ordinary_packets() -> Iterator[Claim]:
    """Ordinary packets, 8x8, uniform random, 5-flit packets."""
    network = MeshSpec(kind="mesh", width=8, height=8)
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.csv"
        run(planned(network), RunRequest(background=0.01, log=log))
        with log.open(newline="") as rows:
            over = [_over(row) for row in csv.DictReader(rows)]
    quiet = sorted(over)[len(over) // 2]
    words = f"zero-load latency less hops and packet length, median of {len(over)} packets"
    yield at_most(words, quiet, 2, f"{quiet} cycles")
    for flits, channels, target in ((8, 1, 0.31), (4, 1, 0.26), (8, 2, 0.33)):
        accepted = _saturation(mesh(8, 8, {"buffer_flits": flits, "channels": channels}))
        words = f"saturation, {channels} channel{'s' * (channels > 1)} of {flits} flits"
        yield at_least(words, accepted, target, f"{accepted:.3f} flits a node a cycle")


def _over(row: dict[str, str]) -> int:
    """Return a packet's latency less hops and length; it was created a cycle before it came in."""
    (x, y), (to_x, to_y) = ([int(word) for word in row[end].split(",")] for end in ENDS)
    return int(row["cycle_out"]) - int(row["cycle_in"]) + 1 - hops((x, y), (to_x, to_y)) - 5


def _built(network: MessageSpec) -> float:
    """Return the seconds of a build that finds nothing cached."""
    with empty_cache():
        return timed(build_fabric, network)[1]


@section
def speed() -> Iterator[Claim]:
    """Simulation of 8x8 under Verilator (cycles a second)."""
    yield below("build, nothing cached", _built(load("demo").message_network), 60)
    for network, load_, target in (
        ("fig1", 0.0, 5_000),
        ("demo", 0.0, 5_000),
        ("demo", 0.1, 1_000),
    ):
        result = run(make_plan(load(network)), RunRequest(episodes=400, background=load_))
        yield per_second(f"{network}, {_load_words(load_)}, {COMPARED}", result, target)
    result = long_run(make_plan(load("demo")), RunRequest(episodes=4_000, background=0.2))
    yield per_second("demo, long run: three groups, background 0.2", result, 12_000)
    command = [sys.executable, "-m", "syncfabric", "--help"]
    _, seconds = timed(partial(subprocess.run, check=True, capture_output=True), command)
    yield below("syncfabric --help", seconds, None, 2)
    rate, _ = _plain(MeshSpec(kind="mesh", width=8, height=8), 0.2, 60_000)
    yield figure("8x8, traffic alone at 0.2", f"{rate:,.0f}", "> 15,800 (BookSim2)", rate > 15_800)


def _load_words(background: float) -> str:
    return f"background {background}" if background else "barriers alone"


@section
def irregular_speed() -> Iterator[Claim]:
    """Simulation of irregular networks under Verilator (cycles a second)."""
    for name in ("cluster-fig1", "cluster-19", "cluster-75"):
        plan = make_plan(load(name))
        yield below(f"{name}: build, nothing cached", _built(plan.spec.message_network), None)
        for background in (0.0, 0.05):
            result = run(plan, RunRequest(episodes=200, background=background))
            yield per_second(f"{name}, {_load_words(background)}, {COMPARED}", result)


@section
def growth() -> Iterator[Claim]:
    """Growth: build time, cycles a second and memory against size."""
    for side in (4, 8, 16, 32):
        network = MeshSpec(kind="mesh", width=side, height=side)
        with empty_cache():
            build_fabric(MeshSpec(kind="mesh", width=2, height=2))  # Verilator's own library
            _, seconds = timed(build_fabric, network)
        idle, _ = _plain(network, 0.0, 640_000 // side**2)
        rate = min(0.2, 1.6 / side)  # half of what the mesh's bisection carries
        busy, memory = _plain(network, rate, 640_000 // side**2)
        words = f"{side}x{side}: build {seconds:.0f} s, {memory / 2**20:.0f} MiB"
        yield figure(words, f"{idle:,.0f} idle, {busy:,.0f} at {rate:g} flits a node a cycle")


def _plain(network: MeshSpec, rate: float, cycles: int) -> tuple[float, int]:
    """Return cycles a second and peak memory in bytes of a fabric with traffic alone."""
    with _traffic(network, rate) as fabric:
        fabric.run(500)
        _, seconds = timed(fabric.run, cycles)
        return cycles / seconds, fabric.peak_memory()


@section
def static_speed() -> Iterator[Claim]:
    """Simulation of a 64-core ring under Verilator."""
    plan = make_plan(load("reflex-8x8"))
    with empty_cache():
        result = run(plan, RunRequest(episodes=1000))
    if not result.ok:
        raise RuntimeError(result.reason)
    build, ran = result.seconds.build, result.seconds.run
    yield below("1,000 episodes, build included", build + ran, 60)
    yield below("the build alone, nothing cached", build, None)
    yield figure("cycles a second, compared in every cycle", f"{result.cycles / ran:,.0f}")


EPISODES, LONG, FEW = 200, 4_000, 10
"""Of wires: beside the model, without it, and of the largest network."""
MEMBERS = 8
"""Of a group on the largest network, drawn at random: most tiles then have nothing to do."""
TARGET = 20_000


@section
def wire_speed() -> Iterator[Claim]:
    """Barrier wires simulated under Verilator (cycles a second)."""
    plan = make_plan(load("wires-16x16"))
    name = plan.spec.name
    yield per_second(f"{name}, all members, {COMPARED}", run(plan, RunRequest(episodes=EPISODES)))
    yield per_second(
        f"{name}, all members, long run", long_run(plan, RunRequest(episodes=LONG)), TARGET
    )
    large = load("wires-64x64")
    yield from _large(make_plan(large))
    members = random.Random(1).sample(list(large.network.topology.nodes), MEMBERS)
    result = long_run(plan_of(large.network, members), RunRequest(episodes=LONG))
    yield per_second(f"{large.name}, {MEMBERS} members, long run", result)


def _large(plan: BarrierPlan) -> Iterator[Claim]:
    name, network, bound = plan.spec.name, plan.spec.message_network, plan.groups[0].bound
    text, seconds = timed(verilog, network, "mesh")
    yield below(f"{name}: {len(text) / 1e6:.1f} MB of Verilog", seconds, None, 1)
    scenario = Scenario(episodes=FEW, policy="together")
    with Fabric(build_fabric(network)) as fabric:
        outcome, seconds = timed(play, fabric, ScenarioRunner(plan, scenario))
        memory = fabric.peak_memory()
    right = not (outcome.mismatches or outcome.hang) and max(outcome.groups[0].latency) == bound
    words = f"set up and {FEW} episodes, {outcome.cycles:,} cycles compared"
    yield figure(
        f"{name}, {words}: {memory / 2**20:.0f} MiB",
        f"{seconds:.0f} s, {outcome.cycles / seconds:,.0f} a second",
        f"match, {bound} cycles",
        right,
    )


SOAKS = {
    "soak-4x4": 1_000_000,
    "soak-8x8": 100_000,
    "soak-cluster": 100_000,
    "soak-torus": 100_000,
    "soak-torus-8x8": 100_000,
    "soak-fat-tree": 100_000,
    "soak-wires": 100_000,
    "soak-streams": 100_000,
    "reflex-8x8": 100_000,
    "reflex-tree-8x8": 100_000,
    "reflex-groups": 100_000,
}
"""Barriers of a soak in full, by network."""
CAMPAIGNS = (
    *("campaign-mesh", "campaign-cluster", "campaign-wires", "campaign-streams"),
    *("campaign-shared", "campaign-static"),
)
FAULTS = 10_000
"""Of a campaign in full."""
PART = 20
"""Without the variable ``SOAK`` or ``CAMPAIGN`` one in so many of them."""


def _part(variable: str) -> int:
    return 1 if os.environ.get(variable) == "full" else PART


@section
def soaks() -> Iterator[Claim]:
    """Soak: barriers a second of the hardware's processor time (SOAK=full takes an hour)."""
    for name, episodes in SOAKS.items():
        result = soak(load(name), SoakRequest(episodes=episodes // _part("SOAK")))
        barriers, cycles = result.rates
        latency = result.latency
        words = [f"{barriers:,.0f} barriers, {cycles:,.0f} cycles a second"]
        if latency:
            words.append(f"{latency.min}/{latency.median}/{latency.most_999}/{latency.max} cycles")
        if result.wait_max is not None:
            words.append(f"packets wait up to {result.wait_max:,}")
        words += map(str, result.findings)
        what = f"{name}, {result.episodes:,} barriers in {result.cycles:,} cycles"
        yield figure(what, "; ".join(words), "nothing found", result.verdict == "clean")


@section
def campaigns() -> Iterator[Claim]:
    """Campaign: what becomes of faults (CAMPAIGN=full takes an hour)."""
    wanted = ", ".join(f"0 {verdict.value}" for verdict in BAD)
    for name in CAMPAIGNS:
        result = campaign(load(name), CampaignRequest(faults=FAULTS // _part("CAMPAIGN")))
        faults, episodes, cycles = result.rates
        measured = f"{faults:,.0f} faults, {episodes:,.0f} barriers, {cycles:,.0f} cycles a second"
        yield figure(f"{result.network}, {result.faults:,} faults", measured)
        for count in result.kinds:
            target = (wanted, not any(map(count.verdicts.__getitem__, BAD))) if count.meant else ()
            what = f"{name}, {count.kind.value}, {count.faults:,} faults"
            yield figure(what, _seen(count), *target)


def _seen(count: KindCount) -> str:
    seen = (verdict for verdict in Verdict if count.verdicts[verdict])
    return ", ".join(f"{count.verdicts[verdict]:,} {verdict.value}" for verdict in seen)


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
SETTINGS = """k = 8; n = 2; num_vcs = 2; vc_buf_size = 8;
packet_size = 5; injection_rate_uses_flits = 1; routing_delay = 0; speculative = 1; seed = 1;
"""
"""Its fastest router: a cycle for both allocators, one for the switch, one for the link."""
ROUTING = {"mesh": "dor", "torus": "dim_order"}
"""Dimension order, of a torus with a dateline in each ring, by what BookSim2 calls it."""
PATTERNED = """name = "{family}"
[network]
kind = "irregular"
topology = "{family}-8x8"
routing = "dimension"
channels = 2
buffer_flits = 8
"""


@section
def patterns() -> Iterator[Claim]:
    """Traffic patterns, 8x8, two channels of 8 flits: latency and saturation against BookSim2."""
    program = os.environ.get("BOOKSIM")
    for family, routing in ROUTING.items():
        spec = make_plan(loads(PATTERNED.format(family=family))).spec
        with pool() as made:
            (found,) = measured.load(Work(measured.LOAD, pool=made), [spec], list(BOOKSIM))
        for ours in found.curves:
            peers = ""
            if program:
                named = f"topology = {family}; routing_function = {routing}; traffic = "
                theirs = partial(_booksim, program, named + BOOKSIM[ours.pattern])
                peers = f"BookSim2: {_words(curve(ours.pattern, 64, theirs))}"
            yield figure(f"{family}, {ours.pattern}", _words(ours), peers=peers)


def _words(found: LoadCurve) -> str:
    return f"{found.zero_load:.1f} cycles; {found.saturation or 1:.3f} flits a node a cycle"


def _booksim(program: str, named: str, rates: Iterable[float]) -> Iterator[LoadPoint]:
    """Measure loads with BookSim2, whose executable the variable ``BOOKSIM`` names."""
    for rate in rates:
        text = _said(program, f"{SETTINGS} {named}; injection_rate = {rate};\n")
        accepted = re.findall(r"Accepted flit rate average\s*= (\S+)", text)
        latency = re.findall(r"Packet latency average = (\S+)", text)
        if not accepted:
            raise ToolError(f"{program}: {text[-200:]}")
        stable = "exceeded" not in text
        yield LoadPoint(rate, float(accepted[-1]), 0, float(latency[-1]) if stable else None)


BESIDE: dict[tuple[int, float], dict[int, float | None]] = {
    (8, 0.2): {1: 2.2, 2: 3.3},
    (8, 0.05): {1: None, 2: 1.2},
    (16, 0.1): {1: None, 2: 3.0},
    (32, 0.05): {1: None, 2: 3.0},
}
"""Side and load, and how many times BookSim2's speed is wanted with some threads."""
PAIRS, TILE_CYCLES, PERIODS = 5, 1_000_000, 4
"""Measurements, each in turn with BookSim2's; cycles times nodes of one; BookSim2's periods."""
TIMED = "sim_type = throughput; warmup_periods = 1; max_samples = {}; sample_period = {};"


@section
def speed_beside() -> Iterator[Claim]:
    """Speed against BookSim2: meshes, packets of 5 flits, two channels (cycles a second)."""
    program, cores = os.environ.get("BOOKSIM"), len(os.sched_getaffinity(0))
    for (side, rate), wanted in BESIDE.items():
        network = mesh(side, side, {"channels": 2, "buffer_flits": 8})
        counts = {count for count in (*wanted, 4) if count <= cores}
        period = TILE_CYCLES // side**2 // PERIODS
        named = f"topology = mesh; routing_function = dor; traffic = uniform; k = {side}; "
        named += f"injection_rate = {rate}; {TIMED.format(PERIODS, period)}"
        pairs: dict[int, list[tuple[float, float]]] = {count: [] for count in sorted(counts)}
        for _ in range(PAIRS):
            theirs = _cycles_of(program, named) if program else math.nan
            for count, found in pairs.items():
                found.append((_cycles_in(network, rate, count), theirs))
        for count, found in pairs.items():
            ours, theirs = (statistics.median(column) for column in zip(*found, strict=True))
            ratio = statistics.median(mine / other for mine, other in found)
            target = wanted.get(count) if program else None
            yield figure(
                f"{side}x{side}, {rate} flits a node a cycle, threads = {count}",
                f"{ours:,.0f}" + (f", {ratio:.2f} times BookSim2" if program else ""),
                f">= {target} times" if target else "",
                ratio >= target if target else None,
                f"BookSim2: {theirs:,.0f}" if program else "",
            )


def _cycles_in(network: MeshSpec, rate: float, threads: int) -> float:
    """Return cycles a second of a fabric with traffic alone."""
    cycles = TILE_CYCLES // (network.width * network.height)
    with _traffic(network, rate, threads=threads) as fabric:
        fabric.run(500)
        _, seconds = timed(fabric.run, cycles)
        return cycles / seconds


def _cycles_of(program: str, named: str) -> float:
    """Return BookSim2's cycles a second, its start left out."""
    text = _said(program, f"{SETTINGS} {named}\n")
    cycles, seconds = (re.search(what, text) for what in (r"taken is (\d+)", r"run time (\S+)"))
    if not cycles or not seconds:
        raise ToolError(f"{program}: {text[-200:]}")
    return float(cycles[1]) / float(seconds[1])


def _said(program: str, config: str) -> str:
    """Return what BookSim2 prints."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "config"
        file.write_text(config)
        done = subprocess.run([program, str(file)], capture_output=True, text=True)
    return done.stdout + done.stderr
