"""One mutant in a simulator, under its bench as it is."""

import json
from pathlib import Path

from syncfabric.sim.simulators import find_simulator
from syncfabric.sim.simulators.base import Design
from tests.cocotb_runs import BenchError, build_cocotb, run_cocotb
from tests.mutation.netlist.build import CHOICE, Mutants

HARNESS = """module harness({names});
{declared}
  integer number;
  initial if (!$value$plusargs("mutant=%d", number)) number = 0;
  block part({given}, .{choice}(number[{top}:0]));
endmodule
"""


def is_red(mutants: Mutants, bench: str, case: str, number: int, folder: Path, place: int) -> bool:
    """Return whether a bench goes red on a mutant under Icarus Verilog.

    Parameters
    ----------
    mutants : Mutants
    bench : str
        Module of the bench.
    case : str
        The part's name in it.
    number : int
        Of the mutant.
    folder : Path
        Where it runs.
    place : int
        Of the case among those of the bench, as cocotb counts them.
    """
    ports = {"clk": ("in", 1), "rst": ("in", 1), **mutants.ports}
    names = {name: name if name in ("clk", "rst") else f"{case}__{name}" for name in ports}
    declared = [f"  {flow}put [{width - 1}:0] {names[n]};" for n, (flow, width) in ports.items()]
    source = folder / "harness.v"
    harness = HARNESS.format(
        names=", ".join(names.values()),
        declared="\n".join(declared),
        given=", ".join(f".{name}({outer})" for name, outer in names.items()),
        choice=CHOICE,
        top=mutants.width - 1,
    )
    source.write_text(mutants.verilog + harness)
    tool = find_simulator("icarus")
    built = build_cocotb(tool, Design("harness", [source]))
    env = {"RACK_PORTS": json.dumps({case: mutants.ports}), "COCOTB_TEST_FILTER": f"case={place}$"}
    try:
        run_cocotb(
            tool, built, bench, folder=folder / f"run_{number}", env=env,
            plusargs=[f"+mutant={number}"],
        )  # fmt: skip
    except BenchError:
        return True
    return False
