"""A module of Verilog from the netlist of a block.

What outputs and instances need is written, on demand, and nothing else: an anonymous net stands
where it is used, a signal of the design has its name, and registers are in one ``always`` block
whose end resets them.
"""

import inspect
import itertools
import re
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from types import MappingProxyType

from amaranth.lib import wiring

from syncfabric.sim.emit.blocks import Block
from syncfabric.sim.emit.logic import Logic, any_of, bits_of, range_of
from syncfabric.sim.emit.naming import plain
from syncfabric.sim.emit.netlist import (
    Assign,
    Bits,
    Body,
    Cell,
    Netlist,
    Process,
    Signal,
    Switch,
    Wire,
    read,
)
from syncfabric.sim.emit.signals import cut, given, merged, runs, single
from syncfabric.sim.emit.terms import binary, constant


class Clocked(Logic):
    """Statements of one ``always`` block, whose end resets what is reset."""

    def __init__(self, netlist: Netlist, outputs: Mapping[str, Set[str]]) -> None:
        super().__init__(netlist, outputs)
        self._clock = ""
        self._clocked: list[str] = []
        self._reset: dict[str, list[str]] = {}
        self._memories: dict[str, str] = {}

    def _register(self, wire: Wire) -> None:
        """Write what a register takes at the clock's edge."""
        cell = self._driver[wire]
        assert isinstance(cell, Cell)
        self._set_clock(cell)
        data = cell.ends["D"]
        source = data[0].wire if len(data) == 1 else None
        driver = self._driver.get(source) if source else None
        alone = source and data[0].width == source.width and self._uses[source] == 1
        if alone and isinstance(driver, Process):
            body = list(driver.body)
            first, reset = body[0], body[-1]
            if isinstance(first, Assign) and merged(first.value) == (Bits(wire, 0, wire.width),):
                body.pop(0)
            constant_bits = list(self._constant(body, wire))
            if isinstance(reset, Switch) and (back := self._reset_of(reset, wire)):
                body.pop()
                self._reset.setdefault(self.term(reset.test).text, []).extend(back)
            self._clocked += self._statements([*constant_bits, *body], wire, "    ")
        else:
            self._clocked.append(f"    {self._names[wire]} <= {self.term(data).text};")

    def _constant(self, body: Body, wire: Wire) -> Iterator[Assign]:
        """Yield assignments to those bits of a register that nothing else assigns."""
        for low, width in runs(~given(body) & (1 << wire.width) - 1):
            value = Bits(None, wire.init >> low & (1 << width) - 1, width)
            yield Assign((Bits(wire, low, width),), (value,))

    def _reset_of(self, switch: Switch, wire: Wire) -> list[str] | None:
        """Return the assignments of a reset: one case that gives constants."""
        if len(switch.cases) != 1 or switch.cases[0][0] != ["1"]:
            return None
        body = switch.cases[0][1]
        bits = switch.test[0]
        if bits.wire is None or bits.wire.flow != "input" or bits.wire.width != 1:
            return None
        if not all(isinstance(s, Assign) and all(b.wire is None for b in s.value) for s in body):
            return None
        return [f"  {line}" for line in self._statements(body, wire, "    ")]

    def _statements(self, body: Body, wire: Wire, indent: str) -> list[str]:
        lines: list[str] = []
        for statement in body:
            if isinstance(statement, Assign):
                low, width = statement.target[0].low, statement.target[0].width
                target = bits_of(self._names[wire], wire.width, low, width)
                lines.append(f"{indent}{target} <= {self.term(statement.value).text};")
            else:
                lines += self._branches(statement, wire, indent)
        return lines

    def _branches(self, switch: Switch, wire: Wire, indent: str) -> list[str]:
        cases = list(switch.cases)
        while cases and not cases[-1][1]:
            cases.pop()
        if not cases:
            return []
        exact = all(p and "-" not in p for patterns, _ in cases for p in patterns)
        if exact and sum(bool(patterns) for patterns, _ in cases) > 1:
            return self._case(switch.test, cases, wire, indent)
        lines: list[str] = []
        for i, (patterns, body) in enumerate(cases):
            if patterns:
                test = any_of(self._matches(switch.test, pattern) for pattern in patterns)
                lead = f"if ({test.text})"
            else:
                lead = ""
            inner = self._statements(body, wire, f"{indent}  ")
            lead = f"else {lead}".strip() if i else lead
            if len(cases) == len(inner) == 1:
                return [f"{indent}{lead} {inner[0].strip()}"]
            if i:
                lines[-1] = f"{indent}end {lead} begin"
            else:
                lines.append(f"{indent}{lead} begin")
            lines += [*inner, f"{indent}end"]
        return lines

    def _case(
        self, test: Signal, cases: list[tuple[list[str], Body]], wire: Wire, indent: str
    ) -> list[str]:
        lines = [f"{indent}case ({self.term(test).text})"]
        for patterns, body in cases:
            width = len(patterns[0]) if patterns else 0
            label = ", ".join(constant(int(p, 2), width).text for p in patterns) or "default"
            inner = self._statements(body, wire, f"{indent}    ")
            if len(inner) == 1:
                lines.append(f"{indent}  {label}: {inner[0].strip()}")
            else:
                lines += [f"{indent}  {label}: begin", *inner, f"{indent}  end"]
        if cases[-1][0]:
            lines.append(f"{indent}  default: ;")
        return [*lines, f"{indent}endcase"]

    def _set_clock(self, cell: Cell) -> None:
        clock = self.term(cell.ends["CLK"]).text
        if not cell.parameters["CLK_POLARITY"] or self._clock not in ("", clock):
            raise ValueError("cannot emit more than one clock, or its falling edge")
        self._clock = clock

    def _memory(self, name: str) -> str:
        """Return what a memory is called; declare it, and write its write ports, the first time."""
        name = name.lstrip("\\")
        if name in self._memories:
            return self._memories[name]
        called = self._memories[name] = self._unique(plain(name))
        width, size, attributes = self._netlist.memories[f"\\{name}"]
        style = "".join(f"(* {k} = {quoted(v)} *) " for k, v in attributes.items() if k != "src")
        self._declared.append(f"  {style}reg  {range_of(width)}{called} [0:{size - 1}];")
        for cell in self._netlist.cells:
            if str(cell.parameters.get("MEMID", "")).lstrip("\\") == name:
                if cell.kind == "$meminit_v2":
                    self._contents(called, width, size, merged(cell.ends["DATA"])[0].low)
                elif cell.kind == "$memwr_v2":
                    self._write_port(cell, called, width)
        return called

    def _contents(self, name: str, width: int, size: int, words: int) -> None:
        """Write what a memory begins with."""
        if not words:
            index = self._unique(f"{name}_word")
            self._declared += [
                f"  integer {index};",
                f"  initial for ({index} = 0; {index} < {size}; {index} = {index} + 1)"
                f" {name}[{index}] = {constant(0, width).text};",
            ]
            return
        mask = (1 << width) - 1
        lines = (
            f"    {name}[{i}] = {constant(words >> i * width & mask, width).text};"
            for i in range(size)
        )
        self._declared += ["  initial begin", *lines, "  end"]

    def _write_port(self, cell: Cell, name: str, width: int) -> None:
        self._set_clock(cell)
        word = f"{name}[{self.term(cell.ends['ADDR']).text or 0}]"
        low = 0
        enables = [bit for bits in cell.ends["EN"] for bit in single(bits)]
        for enable, group in itertools.groupby(enables):
            count = len(list(group))
            data = self.term(cut(cell.ends["DATA"], low, count))
            target = word if count == width else f"{word}[{low + count - 1}:{low}]"
            test = self.term((enable,)).text
            self._clocked.append(f"    if ({test}) {target} <= {data.text};")
            low += count

    def _read_clocked(self, wire: Wire, cell: Cell) -> None:
        """Write a read port with a register; a write in the same cycle passes through, if asked."""
        self._set_clock(cell)
        name = self._names[wire]
        memory = self._memory(str(cell.parameters["MEMID"]))
        address = self.term(cell.ends["ADDR"])
        enable = self.term(cell.ends["EN"])
        lines = [f"{name} <= {memory}[{address.text or 0}];"]
        mask = int(cell.parameters["TRANSPARENCY_MASK"])
        for other in self._netlist.cells:
            same = other.parameters.get("MEMID") == cell.parameters["MEMID"]
            if other.kind == "$memwr_v2" and same and mask >> int(other.parameters["PORTID"]) & 1:
                test = binary("==", self.term(other.ends["ADDR"]), address, 1)
                enables = self.term((other.ends["EN"][0],))
                if len({bit for bits in other.ends["EN"] for bit in single(bits)}) > 1:
                    raise ValueError("cannot emit a transparent port of bytes")
                both = binary("&", enables, test)
                lines.append(f"if ({both.text}) {name} <= {self.term(other.ends['DATA']).text};")
        if enable.text == "1'b1":
            self._clocked += [f"    {line}" for line in lines]
        elif len(lines) == 1:
            self._clocked.append(f"    if ({enable.text}) {lines[0]}")
        else:
            body = [f"      {line}" for line in lines]
            self._clocked += [f"    if ({enable.text}) begin", *body, "    end"]


def quoted(value: int | str) -> str:
    """Return a parameter's or attribute's value."""
    return f'"{value}"' if isinstance(value, str) else str(value)


_ROLE = re.compile(r":\w+:`(.*?)`|``(.*?)``")
_SECTIONS = re.compile(r"^(\w[\w ]*)\n-+\n", re.MULTILINE)
_ENTRY = re.compile(r"^(\S.*?) ?: (\S.*(?:\n(?: .*)?)*)", re.MULTILINE)


def module_of(block: Block) -> str:
    """Return a block as a module of Verilog."""
    about, *sections = _SECTIONS.split(inspect.getdoc(type(block.component)) or "")
    texts = dict(zip(sections[::2], sections[1::2], strict=True))
    header = [*_plain(about).strip().splitlines(), *_parameters(block.component, texts)]
    notes = dict(_ports(texts.get("Members", "")))
    return Written(read(block.text), block.outputs, block.name, header, notes).text


def _plain(text: str) -> str:
    """Return a docstring without its markup."""
    return _ROLE.sub(lambda found: found[1] or found[2], text)


def _parameters(component: wiring.Component, texts: dict[str, str]) -> Iterator[str]:
    """Yield those parameters of a component that it keeps, and that are numbers or names."""
    names = [
        name for entry in _ENTRY.finditer(texts.get("Parameters", "")) for name in _names(entry[1])
    ]
    for name in names:
        value = getattr(component, f"_{name}", getattr(component, name, None))
        if isinstance(value, int | str):
            yield f"{name} = {value}"


def _names(listed: str) -> list[str]:
    return [name.strip() for name in listed.split(",")]


def _ports(members: str) -> Iterator[tuple[str, str]]:
    """Yield what is said of each port."""
    for entry in _ENTRY.finditer(members):
        _, *said = entry[2].splitlines()
        note = " ".join(line.strip() for line in said).partition(". ")[0].rstrip(".")
        for name in _names(re.sub(r" : (In|Out)\(.*?\)(?=,)", "", entry[1])):
            if note:
                yield plain(name), _plain(note)


_LONG = 100
_READ = re.compile(r"(?<![.'\w])([A-Za-z_]\w*)(?:\[(\d+)(?::(\d+))?\])?")
"""A name, not of a pin, and the bits of it."""


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
        kept = (wire for wire in self._names if wire.flow or wire in self._registers)
        self.kept = {wire.name: self._names[wire] for wire in kept}
        self.kept |= {cell.name: name for cell, name in self._instances.items()}

    def _text(self, name: str, header: Iterable[str], notes: Mapping[str, str]) -> str:
        ports = [wire for wire in self._netlist.wires.values() if wire.flow]
        outputs = [wire for wire in ports if wire.flow == "output"]
        self._fields = {b: f for b, f in self._fields.items() if b.wire and b.width < b.wire.width}
        for wire, (cell, end) in self._ends.items():
            self._written.add(wire)
            if not self._uses[wire] and not wire.flow:
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
            text = f"  {wire.flow:6} {kind} {range_of(wire.width)}{self._names[wire]}"
            text += "," if i < len(ports) - 1 else ""
            note = notes.get(self._names[wire])
            if note and len(text) + len(note) > _LONG - 6:
                lines += textwrap.wrap(note, 92, initial_indent="  // ", subsequent_indent="  // ")
                note = None
            lines.append(f"{text}  // {note}" if note else text)
        inside = [*self._logic, *self._placed, *self._always()]
        lines += [");", *self._declared, *inside, *self._unused(inside), "endmodule"]
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

    def _unused(self, inside: list[str]) -> Iterator[str]:
        """Say which bits are not used, in the form that tools take for intended."""
        parts, used = list[str](), defaultdict[str, int](int)
        for name, high, low in _READ.findall("\n".join([*self._declared, *inside])):
            # Of what was asked for, constants may have left nothing.
            used[name] |= (2 << int(high)) - (1 << int(low or high)) if high else -1
        for wire, name in self._names.items():
            if wire.flow == "output" or (wire not in self._written and wire.flow != "input"):
                continue
            if name.startswith("unused_"):
                continue
            bits = used[name] if wire.flow == "input" else self._read.get(wire, 0)
            idle = ~bits & (1 << wire.width) - 1
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
