"""The fabric of tiles against the Verilog bench under Icarus: the same trace, line by line."""

import random
from pathlib import Path

import pytest

from syncfabric.models.networks.spec import RegisterSpec
from syncfabric.models.planning.images import config_writes
from syncfabric.models.traffic import WARM_CYCLES
from syncfabric.sim.assemble.bench import bench_verilog
from syncfabric.sim.assemble.player import Stimulus, StimulusKind, script_text
from syncfabric.sim.fabric import Fabric, build_fabric
from tests.sim.assemble.icarus import runs
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, members, mesh, plan_of
from tests.sim.drive.test_tiles import ALL

NAMES = ("column, no data, wide flits", "irregular, two channels", "messages alone")
EPISODES = 2

WIRED: dict[str, RegisterSpec] = {
    "wires alone": mesh(2, 2, sync="wires", channels=0, data_bits=0),
    "wires alone, wide": mesh(
        2, 1, sync="wires", channels=0, barrier_registers=17, data_bits=32, parity=True
    ),
    "both": mesh(
        2, 2, sync="both", barrier_registers=2, link_registers=1, parity=True, sync_links="own"
    ),
    "shared, managers": mesh(
        3, 1, sync="wires", wires="shared", setup="manager", link_registers=2, barrier_registers=3
    ),
    "irregular, wires alone, shared": irregular(
        SMALL, sync="wires", channels=0, wires="shared", parity=True, watchdog=100
    ),
    "irregular, both": irregular(
        SMALL, sync="both", barrier_registers=2, operations="all", data_bits=9
    ),
    "irregular, wires": irregular(SMALL, sync="wires", link_registers=1, channels=2),
}

SHORT = {"wires alone"}
"""Those that run without ``-m long``."""

TOP = """
module top;
  reg clk = 0, rst = 1, load = 0, report = 0;
  bench bench(.clk(clk), .rst(rst), .load(load), .report(report));
  always #5 clk = !clk;
  initial begin
    #23 load = 1; rst = 0;
    #10 load = 0;
    #NANOSECONDS load = 1; report = 1;
    #10 $finish;
  end
endmodule
"""


def groups(spec: RegisterSpec) -> int:
    """Return how many groups are made: one, or with wires one a register."""
    return spec.port_registers if spec.wire_plane else 1


def stimuli(spec: RegisterSpec) -> list[Stimulus]:
    """Set up groups of everybody; make barriers and traffic."""
    nodes, rng = spec.topology.nodes, random.Random(1)
    plan = plan_of(spec, *(members(gid, *nodes) for gid in range(groups(spec))))
    script = [
        Stimulus(cycle, StimulusKind.CONFIG, target << 12 | address, word, 1)
        for cycle, (target, address, word) in enumerate(config_writes(plan), 1)
    ]
    begin = script[-1].cycle + 4
    script.append(Stimulus(begin - 1, StimulusKind.START))
    if spec.channels:
        script.append(Stimulus(begin, StimulusKind.LOAD, data=5))
        begin += WARM_CYCLES + 2
        script.append(Stimulus(begin, StimulusKind.RATE, data=1 << 18, extra=1))
    for group in plan.groups:
        for episode in range(EPISODES):
            for i, node in enumerate(nodes):
                cycle, data = (
                    begin + 150 * episode + rng.randrange(20),
                    rng.getrandbits(spec.data_bits),
                )
                index = i * spec.port_registers + group.places[node]
                script.append(Stimulus(cycle, StimulusKind.ARRIVE, index, data))
    return sorted(script, key=lambda stimulus: stimulus.cycle)


@pytest.mark.icarus
@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_the_trace_is_the_benchs(name: str, tmp_path: Path) -> None:
    spec = ALL[name]
    same_traces(spec, tmp_path)


@pytest.mark.long
@pytest.mark.icarus
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name not in SHORT)) for name in WIRED]
)
def test_the_trace_of_barrier_wires_is_the_benchs(name: str, tmp_path: Path) -> None:
    seen = same_traces(WIRED[name], tmp_path)
    assert any(" w" in line for line in seen)


def same_traces(spec: RegisterSpec, folder: Path) -> list[str]:
    """Play the same to fabric and bench, compare what they write, and return the lines."""
    script, probe = folder / "script.txt", folder / "fabric.txt"
    played = stimuli(spec)
    cycles = played[-1].cycle + 150
    script.write_text(script_text(played))
    top = TOP.replace("NANOSECONDS", str(10 * (cycles - 1)))
    runs(bench_verilog(spec, queue=64) + top, "top", folder, {})
    with Fabric(build_fabric(spec)) as fabric:
        fabric.probe(probe)
        fabric.script(script)
        fabric.run(cycles)
        rows = fabric.report()
    seen, expected = (path.read_text().splitlines() for path in (probe, folder / "probe.txt"))
    assert seen == [
        line for line in expected if line[0] == "o" or int(line.split()[0], 16) < cycles
    ]
    nodes = len(spec.topology.nodes)
    assert released(seen) == EPISODES * groups(spec) * nodes
    assert len(rows) == (nodes if spec.channels else 0)
    assert sum(row["packets"] for row in rows) >= 2 * len(rows)
    assert sum(row["errors"] for row in rows) == 0
    report = (folder / "report.txt").read_text().splitlines()
    assert [list(row.values()) for row in rows] == [
        [int(word, 16) for word in line.split()] for line in report if line
    ]
    return seen


def released(lines: list[str]) -> int:
    """Return how many members were released."""
    wires = [line.split() for line in lines if line[0] != "o"]
    return sum(int(words[3], 16).bit_count() for words in wires)
