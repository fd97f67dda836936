"""Mutants that benches leave alive: killed by a proof, the same as the original, or alive."""

import json
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from amaranth.back import rtlil

from tests.formal.engine import SAID
from tests.mutation.netlist.aiger import Model
from tests.mutation.netlist.block import Block
from tests.mutation.netlist.build import CHOICE, Mutants, yosys
from tests.mutation.netlist.pair import SAME, Pair, pair_verilog

PREPARE = """
read_rtlil around.il
read_rtlil plain.il
read_rtlil mutated.il
read_verilog -formal pair.v
prep -top top -flatten
memory_map
opt_clean
chformal -lower
setattr -set keep 1 t:$assert
async2sync
dffunmap
delete -output
opt -full -nodffe -nosdff
techmap
opt -fast -nodffe -nosdff
dffunmap
aigmap
opt_clean
write_aiger -I -L -zinit -ywmap map.json model.aig
"""
# ABC runs as a pass that maps a module: this one, which it gets back as it was.
DUMMY = r"""
read_rtlil <<END
module \top
  wire input 1 \a
  wire input 2 \b
  wire output 3 \y
  cell $_AND_ \gate
    connect \A \a
    connect \B \b
    connect \Y \y
  end
end
END
"""
SEARCH = "read_aiger,{name}.aig;fold;bmc3,-F,{frames},-T,{seconds},-L,{name}.found"
PROVE = (
    "read_aiger,{name}.aig;fold;lcorr;scorr;write_aiger,{name}.swept;"
    "pdr,-T,{seconds},-L,{name}.proved"
)


@dataclass(frozen=True)
class Classification:
    """What became of a mutant.

    Parameters
    ----------
    outcome : str
        ``proof``, ``equivalent`` or ``alive``.
    why : str
        The claim that fails; or how far it was searched.
    """

    outcome: str
    why: str


def classify(
    block: Block, mutants: Mutants, numbers: Iterable[int], *, seconds: int = 60
) -> Iterator[tuple[int, Classification]]:
    """Judge mutants, one after the other.

    Parameters
    ----------
    block : Block
    mutants : Mutants
        Of it.
    numbers : iterable of int
        Those to be judged.
    seconds : int
        For a search, and for a proof.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        around = block.around(Pair(block.make(), mutants))
        (folder / "around.il").write_text(rtlil.convert(around, name="top", emit_src=False))
        for which, text in (("plain", mutants.plain), ("mutated", mutants.mutated)):
            (folder / f"{which}.il").write_text(text.replace("\\block\n", f"\\{which}\n"))
        (folder / "pair.v").write_text(pair_verilog(mutants, block.guards))
        yosys(folder, PREPARE)
        yield from _Bench(folder, seconds).classify(list(numbers))


class _Bench:
    """A folder with the model of a block beside its mutants."""

    def __init__(self, folder: Path, seconds: int) -> None:
        self._folder, self._seconds = folder, seconds
        self._model = Model.read((folder / "model.aig").read_bytes())
        told = json.loads((folder / "map.json").read_text())
        claims = [" ".join(path).replace("_", " ") for path in told["asserts"]]
        self._same = [i for i, claim in enumerate(claims) if SAME in claim]
        self._holds = [
            i for i, claim in enumerate(claims) if "holds " in claim and i not in self._same
        ]
        # Each bit of the choice, and the input that it is.
        self._choice = {
            entry["offset"]: entry["input"] for entry in told["seqs"] if CHOICE in entry["path"][-1]
        }
        self._begins = [entry["input"] for entry in told["inits"]]

    def classify(self, numbers: list[int]) -> Iterator[tuple[int, Classification]]:
        """Judge mutants."""
        for number in numbers:
            self._write(f"same{number}", number, self._same)
            self._write(f"claims{number}", number, self._holds)
        proved = self._said(PROVE, [f"same{number}" for number in numbers], "proved")
        words = {number: proved.get(f"same{number}", ("", 0))[0] for number in numbers}
        same = [number for number in numbers if self._is_same(number, words[number])]
        yield from ((number, Classification("equivalent", "")) for number in same)
        differ = [number for number in numbers if number not in same]
        broken: dict[str, tuple[str, int]] = {}
        if self._holds:
            names = [f"claims{number}" for number in differ]
            broken = self._said(SEARCH, names, "found", frames=30)
        for number in differ:
            word, depth = broken.get(f"claims{number}", ("", 0))
            if word == "SAT":
                yield number, Classification("proof", f"a claim fails in frame {depth}")
            elif words[number] == "SAT":
                yield number, Classification("alive", "a run tells it apart")
            else:
                yield number, Classification("alive", "neither told apart nor proved the same")

    def _is_same(self, number: int, word: str) -> bool:
        """Sweeping merges what is always equal; where nothing is left, `pdr` has nothing to say."""
        if word in ("SAT", "UNSAT"):
            return word == "UNSAT"
        return _never((self._folder / f"same{number}.swept").read_bytes())

    def _write(self, name: str, number: int, claims: list[int]) -> None:
        fixed = {where: number >> bit & 1 for bit, where in self._choice.items()}
        fixed |= dict.fromkeys(self._begins, 0)
        (self._folder / f"{name}.aig").write_bytes(self._model.fixed(fixed, claims))

    def _said(
        self, commands: str, names: list[str], kind: str, frames: int = 0
    ) -> dict[str, tuple[str, int]]:
        """Run the same commands on models; return the word and number that ABC has for each."""
        begin = [commands.format(name=name, frames=frames, seconds=self._seconds) for name in names]
        script = "abc -script +" + ";".join(["backup", *begin, "restore"])
        yosys(self._folder, DUMMY + script + "\n")
        found = {}
        for name in names:
            path = self._folder / f"{name}.{kind}"
            if path.is_file() and (said := SAID.match(path.read_text())):
                found[name] = said[1], int(said[2])
        return found


def _never(model: bytes) -> bool:
    """Return whether the only output of a model in AIGER is the constant 0."""
    header, _, rest = model.partition(b"\n")
    latches, outputs = (int(number) for number in header.split()[3:5])
    return outputs == 1 and rest.split(b"\n", latches + 1)[latches] == b"0"
