"""A block beside its mutants, in the block's place in a proof: whether they ever differ."""

from collections.abc import Mapping
from typing import Any

from amaranth import ClockSignal, Instance, Module, ResetSignal, Signal
from amaranth.lib import wiring

from tests.formal.properties import Properties
from tests.mutation.netlist.build import CHOICE, Mutants

SAME = "mutant and original agree"


class Pair(wiring.Component):
    """In a component's place: what its mutant does, and a claim that the original does so, too.

    Parameters
    ----------
    original : Component
    mutants : Mutants
        Of it.
    """

    def __init__(self, original: wiring.Component, mutants: Mutants) -> None:
        self._mutants = mutants
        super().__init__(original.signature)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        same = Signal()
        wires: dict[str, Any] = {"i_clk": ClockSignal(), "i_rst": ResetSignal(), "o_same": same}
        for path, _, value in self.signature.flatten(self):
            name = "__".join(map(str, path))
            if name in self._mutants.ports:
                direction = self._mutants.ports[name][0]
                plain = value.as_value() if hasattr(value, "as_value") else value
                wires[f"{'i' if direction == 'in' else 'o'}_{name}"] = plain
        m.submodules.pair = Instance("pair", **wires)
        Properties(m).holds(SAME, same)
        return m


def pair_verilog(mutants: Mutants, guards: Mapping[str, str]) -> str:
    """Return the module `pair`, which places both."""
    ins = [f"input [{w - 1}:0] {n}" for n, (d, w) in mutants.ports.items() if d == "in"]
    outs = {n: w for n, (d, w) in mutants.ports.items() if d == "out"}
    ports = ["input clk", "input rst", "output same", *ins]
    ports += [f"output [{w - 1}:0] {n}" for n, w in outs.items()]
    given = [f".{n}({n})" for n in ("clk", "rst", *(n for n in mutants.ports if n not in outs))]
    plain = ", ".join([*given, *(f".{n}(plain_{n})" for n in outs)])
    mutated = ", ".join([*given, *(f".{n}({n})" for n in outs), f".{CHOICE}({CHOICE})"])
    agree = [
        f"(plain_{n} == {n})" if n not in guards else f"(!({guards[n]}) || plain_{n} == {n})"
        for n in outs
    ]
    wires = "\n".join(f"  wire [{w - 1}:0] plain_{n};" for n, w in outs.items())
    return f"""module pair({", ".join(ports)});
  (* anyseq *) wire [{mutants.width - 1}:0] {CHOICE};
{wires}
  plain original({plain});
  mutated changed({mutated});
  reg reset_seen = 0;
  always @(posedge clk) reset_seen <= reset_seen || rst;
  assign same = !reset_seen || ({" && ".join(agree)});
endmodule
"""
