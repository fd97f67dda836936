"""Proving with what PyPI has: Yosys, the ABC inside it, and z3.

A claim that holds is proved by property-directed reachability (IC3, `pdr` of ABC): it finds clauses
over the flip-flops that hold after reset, hold from one cycle to the next, and imply the claim, and
checks that they do. So a proof is by induction, for runs of any length. Where clauses are
not found soon, a lemma says by hand what is known of the state: it is proved first, in the same
way, and the other claims then look only at runs in which it holds; where it does not, at none. A
claim that fails is shown by the shortest run that z3 finds, as a VCD.

What is too big for that is proved for runs of a number of cycles, by `bmc3` of ABC; its lemmas are
still proved by induction.

Source: Bradley, SAT-Based Model Checking without Unrolling, VMCAI 2011; Eén, Mishchenko and
Brayton, Efficient Implementation of Property Directed Reachability, FMCAD 2011.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from amaranth.back import rtlil
from amaranth.lib import wiring

from syncfabric.fpga.tools import find_tool
from syncfabric.models.errors import ToolError

PREPARE = """
read_rtlil proof.il
{memories}
prep -top top -flatten
memory_map
opt_clean
chformal -lower
setattr -set keep 1 t:$assert
{reset}
async2sync
dffunmap
delete -output
opt -full -nodffe -nosdff
write_rtlil whole.il
techmap
opt -fast -nodffe -nosdff
dffunmap
aigmap
opt_clean
write_aiger -I -L -zinit -ywmap map.json model.aig
"""
ALONE = """
read_rtlil whole.il
delete t:$assert c:*{claim}.* %d
write_smt2 -wires alone.smt2
"""
NO_RESET = "delete -port w:rst\nconnect -set rst 1'0"
# ABC runs as a pass that maps a module: this one, which it gets back as it was.
DUMMY = """
read_verilog <<END
module top(input a, b, c, output y); assign y = (a & b) | c; endmodule
END
prep
techmap
abc -script +{commands}
"""
LONGEST_SEARCH = 30, 50
"""Cycles within which a state is reached; in proofs for runs of a number of cycles."""
LONGEST_RUN = 1000
"""Cycles that are searched at most for a run that breaks a claim."""
SAID = re.compile(r"snl_(\w+)\s+(-?\d+)")


@dataclass(frozen=True)
class Verdict:
    """What became of one claim.

    Parameters
    ----------
    name : str
        The claim, in words; it begins with ``holds``, ``reached`` or ``lemma``.
    good : bool
        As claimed.
    depth : int
        Frames of the proof, or cycles: of runs, or until the state that is reached.
    seconds : float
        Processor time.
    trace : str or None
        A claim that does not hold: where the VCD is.
    bounded : bool
        It is proved for runs of ``depth`` cycles.
    """

    name: str
    good: bool
    depth: int
    seconds: float
    trace: str | None = None
    bounded: bool = False


def check(
    component: wiring.Component,
    traces: Path,
    *,
    reset: bool = False,
    cycles: int = 0,
    any_memory: bool = False,
    only: str = "",
) -> list[Verdict]:
    """Prove every claim about a component; where a lemma fails, the lemmas alone.

    Parameters
    ----------
    component : Component
        The block in its wrapper.
    traces : Path
        Folder for traces; made when there is one.
    reset : bool
        Reset may come at any time; else it has been, before the first cycle.
    cycles : int
        Claims are of runs of so many cycles; 0: of any length.
    any_memory : bool
        Memories begin with anything; else with 0.
    only : str
        Claims whose names have these words, and lemmas; the others are not looked at.

    Raises
    ------
    ToolError
        Yosys is missing.
    RuntimeError
        A program does not say what it has found.
    """
    with tempfile.TemporaryDirectory() as name:
        bench = _Bench(Path(name), traces, cycles)
        claims = bench.prepare(
            rtlil.convert(component, emit_src=False), reset=reset, any_memory=any_memory
        )
        lemmas = [number for number, claim in enumerate(claims) if claim.startswith("lemma")]
        verdicts = [bench.check(claims[number], number) for number in lemmas]
        if not all(verdict.good for verdict in verdicts):
            return verdicts
        others = [
            number
            for number, claim in enumerate(claims)
            if number not in lemmas and only.replace(" ", "_") in claim
        ]
        return verdicts + [bench.check(claims[number], number, lemmas) for number in others]


class _Bench:
    """A folder in which programs run."""

    def __init__(self, folder: Path, traces: Path, cycles: int) -> None:
        self._folder, self._traces, self._cycles = folder, traces, cycles
        self._yosys, self._checker = find_tool("yosys"), find_tool("yosys-smtbmc")
        beside = str(Path(sys.executable).parent)
        self._environment = {**os.environ, "PATH": f"{beside}{os.pathsep}{os.environ['PATH']}"}

    def prepare(self, text: str, *, reset: bool, any_memory: bool) -> list[str]:
        """Make the models; return the claims in their order in them."""
        (self._folder / "proof.il").write_text(text)
        memories = "delete t:$meminit_v2" if any_memory else ""
        self._script(PREPARE.format(reset="" if reset else NO_RESET, memories=memories))
        paths = json.loads((self._folder / "map.json").read_text())["asserts"]
        return [path[-1].removeprefix("$flatten\\").partition(".")[0] for path in paths]

    def check(self, claim: str, number: int, known: Sequence[int] = ()) -> Verdict:
        """Prove one claim, by others that are known, or find a run that shows what it says."""
        begin, search = os.times(), claim.startswith("reached")
        model = (self._folder / "model.aig").read_bytes()
        (self._folder / "claim.aig").write_bytes(_alone(model, number, known))
        cycles = 0 if claim.startswith("lemma") else self._cycles
        cycles = LONGEST_SEARCH[self._cycles > 0] if search else cycles
        method = f"bmc3,-F,{cycles}" if cycles else "lcorr;scorr;write_aiger,swept.aig;pdr"
        (self._folder / "said").unlink(missing_ok=True)
        commands = f"backup;read_aiger,claim.aig;fold;{method},-L,said;restore"
        self._script(DUMMY.format(commands=commands))
        path = self._folder / "said"
        # A state that logic alone rules out is not searched for, and nothing is said.
        text = "snl_UNK -1" if cycles and not path.is_file() else path.read_text()
        said = SAID.match(text)
        if not said:
            raise RuntimeError(f"{claim}: ABC says nothing of it")
        found, depth, trace = said[1] == "SAT", int(said[2]), None
        if not cycles and not found and said[1] != "UNSAT":
            # Sweeping merges, by induction, what is always equal; where that leaves nothing of the
            # claim, `pdr` has nothing to say.
            if not _never((self._folder / "swept.aig").read_bytes()):
                raise RuntimeError(f"{claim}: ABC gives up after {depth} frames")
            depth = 1
        if found and not search:
            trace = self._trace(claim, depth + 16)
        end = os.times()
        used = sum(end[2:4]) - sum(begin[2:4])
        # What goes cycle by cycle tells the last frame, and frames begin with 0.
        words, depth = claim.replace("_", " "), depth + (cycles > 0)
        return Verdict(words, found == search, depth, used, trace, bounded=cycles > 0)

    def _trace(self, claim: str, cycles: int) -> str:
        """Write the shortest run that breaks a claim, `cycles` or more; return where it is."""
        self._script(ALONE.format(claim=claim))
        path = self._traces / f"{claim}.vcd"
        path.parent.mkdir(parents=True, exist_ok=True)
        # `pdr` counts frames, not cycles, so that the run may be longer; z3 stops at the first
        # cycle that breaks the claim.
        said = ""
        while cycles <= LONGEST_RUN:
            options = ["-s", "z3", "-t", str(cycles), "--dump-vcd", str(path.resolve())]
            _, said = self._run(self._checker.program, *options, "alone.smt2")
            if "Assert failed" in said and path.is_file():
                return str(path)
            cycles *= 2
        raise RuntimeError(f"{claim}: z3 does not find the run that ABC found: {said[-2000:]}")

    def _script(self, script: str) -> None:
        (self._folder / "script.ys").write_text(script)
        code, said = self._run(self._yosys.program, "-q", "-s", "script.ys")
        if code:
            raise ToolError(f"yosys failed with exit code {code}: {said[-2000:]}")

    def _run(self, *command: str) -> tuple[int, str]:
        done = subprocess.run(
            command,
            cwd=self._folder,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr


def _alone(model: bytes, number: int, known: Sequence[int]) -> bytes:
    """Return a model in AIGER with one of its bad states alone, in runs without the known ones."""
    header, _, rest = model.partition(b"\n")
    name, most, inputs, latches, outputs, ands, bad, constraints, *more = header.split()
    *lines, tail = rest.split(b"\n", int(latches) + int(outputs) + int(bad) + int(constraints))
    first = int(latches) + int(outputs)
    last = first + int(bad)
    assumed = lines[last:] + [b"%d" % (int(lines[first + place]) ^ 1) for place in known]
    count = b"%d" % len(assumed)
    header = b" ".join([name, most, inputs, latches, outputs, ands, b"1", count, *more])
    return b"\n".join([header, *lines[:first], lines[first + number], *assumed, tail])


def _never(model: bytes) -> bool:
    """Return whether the only output of a model in AIGER is the constant 0."""
    header, _, rest = model.partition(b"\n")
    latches, outputs = (int(number) for number in header.split()[3:5])
    return outputs == 1 and rest.split(b"\n", latches + 1)[latches] == b"0"
