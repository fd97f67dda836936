"""The fabric of tiles against the Verilog bench under Icarus: the same trace, line by line."""

import random
from pathlib import Path

import pytest

from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.images import config_writes
from syncfabric.models.traffic import WARM_CYCLES
from syncfabric.sim.assemble.bench import bench_verilog
from syncfabric.sim.assemble.player import Stimulus, StimulusKind, script_text
from syncfabric.sim.fabric import Fabric, build_fabric
from tests.sim.assemble.icarus import runs
from tests.sim.drive.networks import members, plan_of
from tests.sim.drive.test_tiles import ALL

NAMES = ("column, no data, wide flits", "irregular, spill")
EPISODES = 2

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


def groups(spec: MessageSpec) -> int:
    """Return how many groups are made: more than there are registers, if they can be spilled."""
    return spec.barrier_registers + 1 if spec.spill else 1


def stimuli(spec: MessageSpec) -> list[Stimulus]:
    """Set up groups of everybody, the last one spilled if it may be; make barriers and traffic."""
    nodes, rng = spec.topology.nodes, random.Random(1)
    plan = plan_of(spec, *(members(gid, *nodes) for gid in range(groups(spec))))
    script = [
        Stimulus(cycle, StimulusKind.CONFIG, target << 12 | address, word, 1)
        for cycle, (target, address, word) in enumerate(config_writes(plan), 1)
    ]
    if spec.spill:  # the spill engine takes a few cycles for each write
        script = [Stimulus(4 * s.cycle, s.kind, s.index, s.data, s.extra) for s in script]
    begin = script[-1].cycle + 4
    script += [Stimulus(begin, StimulusKind.START), Stimulus(begin, StimulusKind.LOAD, data=5)]
    begin += WARM_CYCLES + 2
    script.append(Stimulus(begin, StimulusKind.RATE, data=1 << 18, extra=1))
    for group in plan.groups:
        for episode in range(EPISODES):
            for i, node in enumerate(nodes):
                cycle, data = (
                    begin + 150 * episode + rng.randrange(20),
                    rng.getrandbits(spec.data_bits),
                )
                place = group.places[node]
                if place is None:
                    script.append(Stimulus(cycle, StimulusKind.SPILL, i, data, group.id))
                else:
                    index = i * spec.barrier_registers + place
                    script.append(Stimulus(cycle, StimulusKind.ARRIVE, index, data))
    return sorted(script, key=lambda stimulus: stimulus.cycle)


@pytest.mark.icarus
@pytest.mark.parametrize("name", [pytest.param(NAMES[0], marks=pytest.mark.long), NAMES[1]])
def test_the_trace_is_the_benchs(name: str, tmp_path: Path) -> None:
    spec = ALL[name]
    script, probe = tmp_path / "script.txt", tmp_path / "fabric.txt"
    played = stimuli(spec)
    cycles = played[-1].cycle + 150
    script.write_text(script_text(played))
    top = TOP.replace("NANOSECONDS", str(10 * (cycles - 1)))
    runs(bench_verilog(spec, queue=64) + top, "top", tmp_path, {})
    with Fabric(build_fabric(spec)) as fabric:
        fabric.probe(probe)
        fabric.script(script)
        fabric.run(cycles)
        rows = fabric.report()
    seen, expected = (path.read_text().splitlines() for path in (probe, tmp_path / "probe.txt"))
    assert seen == [
        line for line in expected if line[0] == "o" or int(line.split()[0], 16) < cycles
    ]
    assert sum(line[0] == "o" for line in seen) >= EPISODES * groups(spec)
    assert any(" s" in line for line in seen) == spec.spill
    assert sum(row["packets"] for row in rows) > 20
    assert sum(row["errors"] for row in rows) == 0
    report = (tmp_path / "report.txt").read_text().splitlines()
    assert [list(row.values()) for row in rows] == [
        [int(word, 16) for word in line.split()] for line in report
    ]
