"""A module of Verilog from the netlist of a block.

What outputs and instances need is written, on demand, and nothing else: an anonymous net stands
where it is used, a signal of the design has its name, and registers are in one ``always`` block
whose end resets them.
"""

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Set
from types import MappingProxyType

from syncfabric.sim.emit.clocked import Clocked, quoted
from syncfabric.sim.emit.logic import bits_of, range_of
from syncfabric.sim.emit.naming import plain
from syncfabric.sim.emit.netlist import Cell, Netlist, Wire
from syncfabric.sim.emit.signals import runs

__all__ = ["Written"]

_LONG = 100


class Written(Clocked):
    """The module of a netlist.

    Parameters
    ----------
    netlist : Netlist
    outputs : mapping
        Names of outputs of the modules that it has instances of.
    name : str
        Of the module.
    header : iterable of str
        Lines of the comment above it.
    notes : mapping
        What stands behind ports, by name.

    Attributes
    ----------
    text : str
        Verilog.
    kept : dict of str to str
        What ports, registers and instances are called in the netlist, and in the text.

    Raises
    ------
    ValueError
        There is a cell that has no form in synchronous Verilog.
    """

    def __init__(
        self,
        netlist: Netlist,
        outputs: Mapping[str, Set[str]],
        name: str,
        header: Iterable[str] = (),
        notes: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        super().__init__(netlist, outputs)
        self._placed: list[str] = []
        self.text = self._text(name, header, notes)
        kept = (wire for wire in self._names if wire.way or wire in self._registers)
        self.kept = {wire.name: self._names[wire] for wire in kept}
        self.kept |= {cell.name: name for cell, name in self._instances.items()}

    def _text(self, name: str, header: Iterable[str], notes: Mapping[str, str]) -> str:
        ports = [wire for wire in self._netlist.wires.values() if wire.way]
        outputs = [wire for wire in ports if wire.way == "output"]
        self._fields = {b: f for b, f in self._fields.items() if b.wire and b.width < b.wire.width}
        for wire, (cell, end) in self._ends.items():
            self._written.add(wire)
            if not self._uses[wire] and not wire.way:
                self._names[wire] = self._unique(f"unused_{self._instances[cell]}_{plain(end)}")
            self._declare("wire", wire)
        for cell in self._instances:
            self._place(cell)
        for wire in outputs:
            self._need(wire)
        while self._waiting:
            self._register(self._waiting.pop())
        lines = [f"// {line}".rstrip() for line in header]
        lines += [f"module {name} ("]
        for i, wire in enumerate(ports):
            kind = "reg " if wire in self._registers else "wire"
            text = f"  {wire.way:6} {kind} {range_of(wire.width)}{self._names[wire]}"
            text += "," if i < len(ports) - 1 else ""
            note = notes.get(self._names[wire])
            if note and len(text) + len(note) > _LONG - 6:
                lines += textwrap.wrap(note, 92, initial_indent="  // ", subsequent_indent="  // ")
                note = None
            lines.append(f"{text}  // {note}" if note else text)
        lines += [");", *self._declared, *self._logic, *self._placed, *self._always()]
        lines += [*self._unused(ports), "endmodule"]
        text = "\n".join(line for long in lines for line in _wrapped(long))
        return f"{text}\n"

    def _always(self) -> Iterator[str]:
        if not self._clocked:
            return
        yield f"  always @(posedge {self._clock}) begin"
        yield from self._clocked
        for reset, lines in self._reset.items():
            yield f"    if ({reset}) begin"
            yield from lines
            yield "    end"
        yield "  end"

    def _unused(self, ports: list[Wire]) -> Iterator[str]:
        """Say which bits are not used, in the form that tools take for intended."""
        parts = []
        for wire, name in self._names.items():
            if wire.way == "output" or (wire not in self._written and wire.way != "input"):
                continue
            if name.startswith("unused_"):
                continue
            idle = ~self._read.get(wire, 0) & (1 << wire.width) - 1
            for low, width in runs(idle):
                parts.append(bits_of(name, wire.width, low, width))
        if parts:
            yield f"  wire unused = &{{1'b0, {', '.join(parts)}}};"

    def _place(self, cell: Cell) -> None:
        """Place an instance."""
        name = self._instances[cell]
        ends = []
        for end, signal in cell.ends.items():
            wire = signal[0].wire if signal else None
            mine = wire and self._ends.get(wire) == (cell, end)
            ends.append((end, self._names[wire] if wire and mine else self.term(signal).text))
        parameters = ""
        if cell.parameters:
            values = (f".{k}({quoted(v)})" for k, v in cell.parameters.items())
            parameters = f"#({', '.join(values)}) "
        joined = [f"    .{plain(end)}({text})" for end, text in ends]
        self._placed += [f"  {cell.kind.removeprefix(chr(92))} {parameters}{name} ("]
        self._placed += [*(f"{line}," for line in joined[:-1]), *joined[-1:], "  );"]


def _wrapped(line: str) -> Iterator[str]:
    """Break a line at spaces."""
    if len(line) <= _LONG or line.lstrip().startswith("//"):
        yield line
        return
    indent = line[: len(line) - len(line.lstrip())] + "    "
    while len(line) > _LONG:
        at = line.rfind(" ", len(indent) + 1, _LONG)
        if at < 0:
            break
        yield line[:at]
        line = indent + line[at + 1 :]
    yield line
