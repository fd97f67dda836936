"""A module of Verilog from the netlist of a block.

What outputs and instances need is written, on demand, and nothing else: an anonymous net stands
where it is used, a signal of the design has its name, and registers are in one ``always`` block
whose end resets them.
"""

import itertools
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass

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
)
from syncfabric.sim.emit.terms import (
    ATOM,
    Term,
    binary,
    cat,
    choose,
    constant,
    equal,
    invert,
    reduce,
    repeat,
)
from syncfabric.sim.emit.variables import variable_at

__all__ = ["Written", "write"]

_BITWISE = {"$and": "&", "$or": "|", "$xor": "^"}
_SUMS = {"$add": "+", "$sub": "-", "$mul": "*"}
_COMPARED = {"$eq": "==", "$ne": "!=", "$lt": "<", "$le": "<=", "$gt": ">", "$ge": ">="}
_REDUCED = {"$reduce_or": "|", "$reduce_bool": "|", "$reduce_and": "&", "$reduce_xor": "^"}
_SINKS = ("$memwr_v2", "$meminit_v2")
_OUT = ("Y", "Q", "DATA")
_LONG = 100
_WORDS = """
    accept_on alias always always_comb always_ff always_latch and assert assign assume
    automatic before begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez
    cell chandle checker class clocking cmos config const constraint context continue cover
    covergroup coverpoint cross deassign default defparam design disable dist do edge else end
    endcase endchecker endclass endclocking endconfig endfunction endgenerate endgroup
    endinterface endmodule endpackage endprimitive endprogram endproperty endsequence
    endspecify endtable endtask enum event eventually expect export extends extern final
    first_match for force foreach forever fork forkjoin function generate genvar global highz0
    highz1 if iff ifnone ignore_bins illegal_bins implements implies import incdir include
    initial inout input inside instance int integer interconnect interface intersect join
    join_any join_none large let liblist library local localparam logic longint macromodule
    matches medium modport module nand negedge nettype new nexttime nmos nor noshowcancelled
    not notif0 notif1 null or output package packed parameter pmos posedge primitive priority
    program property protected pull0 pull1 pulldown pullup pulsestyle_ondetect
    pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime ref reg
    reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always
    s_eventually s_nexttime s_until s_until_with scalared sequence shortint shortreal
    showcancelled signed small soft solve specify specparam static string strong strong0
    strong1 struct super supply0 supply1 sync_accept_on sync_reject_on table tagged task this
    throughout time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior
    trireg type typedef union unique unique0 unsigned until until_with untyped use uwire var
    vectored virtual void wait wait_order wand weak weak0 weak1 while wildcard wire with
    within wor xnor xor
"""
_RESERVED = frozenset(_WORDS.split())
"""Words of Verilog and SystemVerilog that are no identifiers."""


@dataclass(frozen=True)
class Written:
    """A module's text, and how many of the nets in it are named by a signal, and are not."""

    text: str
    named: int
    anonymous: int


def plain(name: str) -> str:
    """Return a name as an identifier of letters, digits and ``_``, no keyword."""
    name = re.sub(r"\W+", "_", name.removeprefix("\\")).strip("_") or "signal"
    return f"{name}_" if name in _RESERVED or name[0].isdigit() else name


def write(
    netlist: Netlist,
    name: str,
    outputs: Mapping[str, Set[str]],
    header: Iterable[str],
    notes: Mapping[str, str],
) -> Written:
    """Write a module.

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

    Raises
    ------
    ValueError
        There is a cell that has no form in synchronous Verilog.
    """
    return _Module(netlist, outputs).written(name, header, notes)


class _Module:
    def __init__(self, netlist: Netlist, outputs: Mapping[str, Set[str]]) -> None:
        self._netlist = netlist
        self._outputs = outputs
        self._names: dict[Wire, str] = {}
        self._taken: set[str] = set()
        self._driver: dict[Wire, Cell | Process | Signal] = {}
        self._uses: Counter[Wire] = Counter()
        self._read: dict[Wire, int] = {}
        self._written: set[Wire] = set()
        self._fields: dict[Bits, Wire] = {}
        self._numbers = itertools.count(1)
        self._declared: list[str] = []
        self._logic: list[str] = []
        self._clocked: list[str] = []
        self._reset: dict[str, list[str]] = {}
        self._clock = ""
        self._placed: list[str] = []
        self._waiting: list[Wire] = []
        self._ends: dict[Wire, tuple[Cell, str]] = {}
        self._memories: dict[str, str] = {}
        self._registers: set[Wire] = set()
        self._seen: set[Wire] = set()
        self._common: dict[Term, Term] = {}
        self._nets: Counter[bool] = Counter()
        self._find_drivers()
        self._choose_names()

    # What drives what.

    def _find_drivers(self) -> None:
        """Find what drives each wire, and how often each is used."""
        ends: list[tuple[Cell, str, Signal]] = []
        for cell in self._netlist.cells:
            for end, signal in cell.ends.items():
                if not cell.kind.startswith("$"):
                    ends.append((cell, end, signal))
                elif end in _OUT and cell.kind not in _SINKS:
                    for bits in signal[:1]:
                        assert bits.wire
                        self._driver[bits.wire] = cell
                else:
                    self._count(signal)
        for process in self._netlist.processes:
            first = process.body[0]
            assert isinstance(first, Assign) and first.target[0].wire
            self._driver[first.target[0].wire] = process
            self._count_body(process.body)
        for alias in self._netlist.connects:
            wire = alias.target[0].wire if alias.target else None
            if wire is None:  # of no bits
                continue
            if "." in wire.name or "[" in wire.name:
                if len(alias.value) == 1 and alias.value[0].wire:
                    self._fields.setdefault(alias.value[0], wire)
            else:
                self._driver[wire] = alias.value
            if wire.way:
                self._count(alias.value)
        for cell, end, signal in ends:
            if end in self._outputs[cell.kind[1:]] and signal:
                wire = signal[0].wire
                assert wire
                self._driver[wire] = cell
                self._ends[wire] = cell, end
            else:
                self._count(signal)

    def _count(self, signal: Signal) -> None:
        self._uses.update(bits.wire for bits in signal if bits.wire)

    def _count_body(self, body: Body) -> None:
        for statement in body:
            if isinstance(statement, Assign):
                self._count(statement.value)
            else:
                self._count(statement.test)
                for _, inner in statement.cases:
                    self._count_body(inner)

    def _choose_names(self) -> None:
        """Name ports, then ends of instances by instance and port, then signals."""
        wires = self._netlist.wires.values()
        for wire in wires:
            if wire.way:
                self._name(wire, plain(wire.name))
        instances = [cell for cell in self._netlist.cells if not cell.kind.startswith("$")]
        self._instances = {cell: self._unique(plain(cell.name)) for cell in instances}
        for cell, name in self._instances.items():
            for end, signal in cell.ends.items():
                wire = signal[0].wire if len(signal) == 1 else None
                if wire is None or wire in self._names or signal[0].width < wire.width:
                    continue
                if wire in self._ends or wire.name.partition("$")[0] == f"\\{end}":
                    self._name(wire, f"{name}_{plain(end)}")
        for wire in wires:
            if not wire.anonymous and wire not in self._names and wire in self._driver:
                self._name(wire, plain(wire.name))
        # Parts of a signal that are driven apart are called as it is.
        for alias in self._netlist.connects:
            whole = alias.target[0].wire if alias.target else None
            low = 0
            for bits in alias.value:
                wire = bits.wire
                if wire and wire not in self._names and bits.width == wire.width and whole:
                    base = plain(whole.name)
                    self._name(
                        wire,
                        f"{base}_{low + bits.width - 1}_{low}"
                        if bits.width > 1
                        else f"{base}_{low}",
                    )
                low += bits.width

    def _unique(self, name: str) -> str:
        tries = (f"{name}_{i}" if i > 1 else name for i in itertools.count(1))
        free = next(word for word in tries if word not in self._taken)
        self._taken.add(free)
        return free

    def _name(self, wire: Wire, name: str) -> None:
        self._names[wire] = self._unique(name)

    # The module.

    def written(self, name: str, header: Iterable[str], notes: Mapping[str, str]) -> Written:
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
            text = f"  {wire.way:6} {kind} {_range(wire.width)}{self._names[wire]}"
            text += "," if i < len(ports) - 1 else ""
            note = notes.get(self._names[wire])
            if note and len(text) + len(note) > _LONG - 6:
                lines += textwrap.wrap(note, 92, initial_indent="  // ", subsequent_indent="  // ")
                note = None
            lines.append(f"{text}  // {note}" if note else text)
        lines += [");", *self._declared, *self._logic, *self._placed, *self._always()]
        lines += [*self._unused(ports), "endmodule"]
        text = "\n".join(line for long in lines for line in _wrapped(long))
        return Written(f"{text}\n", self._nets[True], self._nets[False])

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
            for low, width in _runs(idle):
                parts.append(_slice(name, wire.width, low, width))
        if parts:
            yield f"  wire unused = &{{1'b0, {', '.join(parts)}}};"
            self._taken.add("unused")

    def _declare(self, kind: str, wire: Wire) -> None:
        self._nets[not wire.anonymous] += 1
        if not wire.way:
            self._declared.append(f"  {kind} {_range(wire.width)}{self._names[wire]};")

    def _place(self, cell: Cell) -> None:
        """Place an instance."""
        name = self._instances[cell]
        ends = []
        for end, signal in cell.ends.items():
            wire = signal[0].wire if signal else None
            mine = wire and self._ends.get(wire) == (cell, end)
            ends.append((end, self._names[wire] if mine else self.term(signal).text))
        parameters = ""
        if cell.parameters:
            values = (
                f".{k}({v if isinstance(v, int) else _quoted(v)})"
                for k, v in cell.parameters.items()
            )
            parameters = f"#({', '.join(values)}) "
        joined = [f"    .{plain(end)}({text})" for end, text in ends]
        self._placed += [f"  {cell.kind.removeprefix(chr(92))} {parameters}{name} ("]
        self._placed += [*(f"{line}," for line in joined[:-1]), *joined[-1:], "  );"]

    def _need(self, wire: Wire) -> None:
        """Write what drives a wire, unless that is done."""
        if wire in self._written or wire.way == "input":
            return
        self._written.add(wire)
        driver = self._driver.get(wire)
        assert driver is not None, wire
        if isinstance(driver, Cell) and driver.kind == "$dff":
            self._called(wire, driver, "register")
            self._registers.add(wire)
            self._declare("reg ", wire)
            self._waiting.append(wire)
        elif (
            isinstance(driver, Cell)
            and driver.kind == "$memrd_v2"
            and driver.parameters["CLK_ENABLE"]
        ):
            self._registers.add(wire)
            self._declare("reg ", wire)
            self._read_clocked(wire, driver)
        else:
            self._called(wire, driver, "net")
            self._nets[not self._names[wire].startswith("net_")] += 1
            if isinstance(driver, Process):
                self._combine(wire, driver)
            elif isinstance(driver, Cell):
                self._logic.append(self._assignment(wire, self._operation(driver, 0, wire.width)))
            else:
                self._logic.append(self._assignment(wire, self.term(driver)))

    def _called(self, wire: Wire, driver: Cell | Process | Signal, kind: str) -> None:
        """Name a wire, if it has none, by the variable that its driver was made for."""
        if wire in self._names:
            return
        source = driver.attributes.get("src") if isinstance(driver, Cell) else None
        name = variable_at(*_place(str(source))) if source else None
        self._name(wire, plain(name) if name else f"{kind}_{next(self._numbers)}")

    def _assignment(self, wire: Wire, term: Term) -> str:
        name = self._names[wire]
        if wire.way:
            return f"  assign {name} = {term.text};"
        return f"  wire {_range(wire.width)}{name} = {term.text};"

    # Expressions.

    def term(self, signal: Signal) -> Term:
        """Return a signal as an expression."""
        parts = [self._bits(bits) for bits in _merged(signal)]
        return cat(parts)

    def _bits(self, bits: Bits) -> Term:
        wire, low, width = bits
        if wire is None:
            return constant(low, width)
        if (
            wire.anonymous
            and wire not in self._written
            and self._uses[wire] <= 1
            and wire not in self._names
        ):
            driver = self._driver.get(wire)
            if isinstance(driver, Cell) and self._inline(driver, bits):
                return self._operation(driver, low, width)
            if isinstance(driver, Process) and width == wire.width:
                term = self._inlined(driver, wire)
                if term:
                    return term
        self._need(wire)
        mask = (1 << width) - 1 << low
        self._read[wire] = self._read.get(wire, 0) | mask
        if part := self._fields.get(bits):
            return Term(self._field(part, bits), ATOM, width)
        return Term(_slice(self._names[wire], wire.width, low, width), ATOM, width)

    def _field(self, part: Wire, bits: Bits) -> str:
        """Return what a field of a structure is called, which is written the first time."""
        wire, low, width = bits
        assert wire
        if part not in self._names:
            self._name(
                part, f"{self._names[wire]}_{plain(part.name).removeprefix(plain(wire.name) + '_')}"
            )
        name = self._names[part]
        if part not in self._seen:
            self._seen.add(part)
            self._nets[True] += 1
            self._logic.append(
                f"  wire {_range(width)}{name} = {_slice(self._names[wire], wire.width, low, width)};"
            )
        return name

    def _inline(self, cell: Cell, bits: Bits) -> bool:
        """Return whether an operation can stand where some of its result is used."""
        wire, low, width = bits
        assert wire
        if cell.kind in ("$dff", "$memrd_v2") or not cell.kind.startswith("$"):
            return (
                cell.kind == "$memrd_v2"
                and not cell.parameters["CLK_ENABLE"]
                and width == wire.width
            )
        if width == wire.width or cell.kind in (*_BITWISE, "$not", "$mux"):
            return True
        return cell.kind in _SUMS and low == 0

    def _side(self, cell: Cell, end: str, low: int, width: int) -> Term:
        """Return bits of an operand, which is extended by its sign or by 0."""
        signal = cell.ends[end]
        return self.term(_cut(signal, low, width, bool(cell.parameters.get(f"{end}_SIGNED"))))

    def _operation(self, cell: Cell, low: int, width: int) -> Term:
        """Return bits of what a cell puts out."""
        kind = cell.kind
        if kind in _BITWISE:
            sides = (self._side(cell, end, low, width) for end in "AB")
            return binary(_BITWISE[kind], *sides)
        if kind == "$not":
            return invert(self._side(cell, "A", low, width))
        if kind == "$mux":
            test = self.term(cell.ends["S"])
            sides = (self._side(cell, end, low, width) for end in "BA")
            return choose(test, *sides)
        if kind in _REDUCED:
            return reduce(_REDUCED[kind], self.term(cell.ends["A"]))
        if kind in _COMPARED:
            return self._compare(cell)
        if kind == "$neg":
            return binary("-", constant(0, width), self._side(cell, "A", 0, width))
        if kind in _SUMS:
            return binary(_SUMS[kind], *(self._side(cell, end, 0, width) for end in "AB"))
        if kind == "$memrd_v2":
            memory = self._memory(str(cell.parameters["MEMID"]))
            return Term(f"{memory}[{self.term(cell.ends['ADDR']).text}]", ATOM, width)
        if kind in ("$shl", "$shr", "$shift", "$sshr"):
            return self._shift(cell, width)
        raise ValueError(f"cannot emit a cell {kind}")

    def _compare(self, cell: Cell) -> Term:
        widths = [sum(bits.width for bits in cell.ends[end]) for end in "AB"]
        width = max(1, *widths)
        for one, other in ("AB", "BA"):
            signal = cell.ends[other]
            if cell.kind in ("$eq", "$ne") and all(bits.wire is None for bits in signal):
                merged = _merged(_cut(signal, 0, width, bool(cell.parameters[f"{other}_SIGNED"])))
                same = equal(self._side(cell, one, 0, width), merged[0].low)
                return same if cell.kind == "$eq" else _differs(same)
        sides = [self._side(cell, end, 0, width) for end in "AB"]
        signed = cell.parameters["A_SIGNED"]
        if not signed and (known := _always(cell.kind, sides[1])) is not None:
            return constant(known, 1)
        if signed and cell.kind not in ("$eq", "$ne"):
            sides = [Term(f"$signed({side.text})", ATOM, width) for side in sides]
        return binary(_COMPARED[cell.kind], sides[0], sides[1], 1)

    def _shift(self, cell: Cell, width: int) -> Term:
        kind, signal = cell.kind, cell.ends["A"]
        whole = max(width, sum(bits.width for bits in signal))
        amount = self.term(cell.ends["B"])
        operand = self._side(cell, "A", 0, whole)
        if not amount.width:
            shifted = operand
        elif kind == "$sshr":
            text = f"$unsigned($signed({operand.text}) >>> {amount.text})"
            shifted = Term(text, ATOM, whole)
        else:
            shifted = binary("<<" if kind == "$shl" else ">>", operand, amount)
        if whole == width:
            return shifted
        name = variable_at(*_place(str(cell.attributes.get("src", ":0")))) or "shifted"
        shared = self._shared(shifted, plain(name), width)
        return Term(_slice(shared.text, whole, 0, width), ATOM, width)

    def _shared(self, term: Term, name: str, used: int | None = None) -> Term:
        """Return a term that can stand in several places; all of its bits are used, or some."""
        if term.level >= ATOM:
            return term
        if term in self._common:
            return self._common[term]
        wire = Wire(f"${name}{next(self._numbers)}", term.width)
        self._name(wire, name)
        self._written.add(wire)
        self._nets[False] += 1
        self._logic.append(self._assignment(wire, term))
        self._read[wire] = (1 << (used or term.width)) - 1
        self._common[term] = Term(self._names[wire], ATOM, term.width)
        return self._common[term]

    # Processes without a clock.

    def _combine(self, wire: Wire, process: Process) -> None:
        """Write the bits of a wire that a process drives, each run of equal statements apart."""
        name = self._names[wire]
        borders = sorted({0, wire.width, *_borders(process.body)})
        runs = list(itertools.pairwise(borders))
        if len(runs) == 1:
            self._logic.append(
                self._assignment(wire, self._value(process.body, 0, wire.width, name))
            )
            return
        parts = [self._value(process.body, low, high - low, name) for low, high in runs]
        self._logic.append(self._assignment(wire, cat(parts)))

    def _inlined(self, process: Process, wire: Wire) -> Term | None:
        if len({0, wire.width, *_borders(process.body)}) > 2:
            return None
        return self._value(process.body, 0, wire.width, "value")

    def _value(
        self, body: Body, low: int, width: int, name: str, before: Term | None = None
    ) -> Term:
        """Return what bits are after statements, given what they were before them."""
        term = before
        for statement in body:
            if isinstance(statement, Assign):
                first = statement.target[0].low
                if first <= low < first + statement.target[0].width:
                    term = self.term(_cut(statement.value, low - first, width))
            elif _gives(statement, low):
                assert term
                term = self._chosen(statement, low, width, name, term)
        assert term
        return term

    def _chosen(self, switch: Switch, low: int, width: int, name: str, before: Term) -> Term:
        """Return what bits are after a switch."""
        cases = list(switch.cases)
        while not any(_gives(statement, low) for statement in cases[-1][1]):
            cases.pop()
        if len(cases) > 1 or not cases[0][0]:
            before = self._shared(before, f"{name}_before")
        values = [self._value(body, low, width, name, before) for _, body in cases]
        if not cases[-1][0]:
            otherwise = values.pop()
        else:
            otherwise = before
        patterns = [patterns for patterns, _ in cases[: len(values)]]
        test = switch.test
        if len(patterns) > 1 and not any("-" in p for group in patterns for p in group):
            shared = self._shared(self.term(test), f"{name}_select")
            if dense := _dense(shared, patterns, values, otherwise):
                return dense
            conditions = [_any(equal(shared, int(p, 2)) for p in group) for group in patterns]
            if otherwise.text == constant(0, width).text:
                masked = [_masked(c, v) for c, v in zip(conditions, values, strict=True)]
                return _any(masked)
        else:
            conditions = [_any(self._matches(test, p) for p in group) for group in patterns]
        for condition, value in zip(reversed(conditions), reversed(values), strict=True):
            otherwise = choose(condition, value, otherwise)
        return otherwise

    def _matches(self, test: Signal, pattern: str) -> Term:
        """Return whether a signal is like a pattern, in which ``-`` is any bit."""
        parts = []
        for run in re.finditer(r"[01]+", pattern):
            low = len(pattern) - run.end()
            parts.append(equal(self.term(_cut(test, low, len(run[0]))), int(run[0], 2)))
        term = parts[0]
        for part in parts[1:]:
            term = binary("&", term, part)
        return term

    # Registers and memories.

    def _register(self, wire: Wire) -> None:
        """Write what a register takes at the clock's edge."""
        cell = self._driver[wire]
        assert isinstance(cell, Cell)
        self._set_clock(cell)
        data = cell.ends["D"]
        source = data[0].wire if len(data) == 1 else None
        driver = self._driver.get(source) if source else None
        whole = source and data[0].width == source.width
        if whole and isinstance(driver, Process) and self._uses[source] == 1:
            body = list(driver.body)
            reset = body[-1]
            if isinstance(reset, Switch) and (back := self._reset_of(reset, wire)):
                body.pop()
                self._reset.setdefault(self.term(reset.test).text, []).extend(back)
            first = body[0]
            if isinstance(first, Assign) and _merged(first.value) == (Bits(wire, 0, wire.width),):
                body.pop(0)
            self._clocked += self._statements([*self._constant(body, wire), *body], wire, "    ")
        else:
            self._clocked.append(f"    {self._names[wire]} <= {self.term(data).text};")

    def _constant(self, body: Body, wire: Wire) -> Iterator[Assign]:
        """Yield assignments to those bits of a register that nothing else assigns."""
        idle = sum(1 << i for i in range(wire.width) if not any(_gives(s, i) for s in body))
        for low, width in _runs(idle):
            value = Bits(None, wire.init >> low & (1 << width) - 1, width)
            yield Assign((Bits(wire, low, width),), (value,))

    def _reset_of(self, switch: Switch, wire: Wire) -> list[str] | None:
        """Return the assignments of a reset: one case that gives constants."""
        if len(switch.cases) != 1 or switch.cases[0][0] != ["1"]:
            return None
        body = switch.cases[0][1]
        bits = switch.test[0]
        if bits.wire is None or bits.wire.way != "input" or bits.wire.width != 1:
            return None
        if not all(isinstance(s, Assign) and all(b.wire is None for b in s.value) for s in body):
            return None
        return [f"  {line}" for line in self._statements(body, wire, "    ")]

    def _statements(self, body: Body, wire: Wire, indent: str) -> list[str]:
        lines: list[str] = []
        for statement in body:
            if isinstance(statement, Assign):
                low, width = statement.target[0].low, statement.target[0].width
                target = _slice(self._names[wire], wire.width, low, width)
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
        exact = not any("-" in p for patterns, _ in cases for p in patterns)
        if exact and sum(bool(patterns) for patterns, _ in cases) > 1:
            return self._case(switch.test, cases, wire, indent)
        lines: list[str] = []
        for i, (patterns, body) in enumerate(cases):
            if patterns:
                test = _any(self._matches(switch.test, pattern) for pattern in patterns)
                lead = f"if ({test.text})"
            else:
                lead = ""
            inner = self._statements(body, wire, f"{indent}  ")
            lead = f"else {lead}".strip() if i else lead
            one = len(inner) == 1 and i == len(cases) - 1 == 0
            if one:
                lines.append(f"{indent}{lead} {inner[0].strip()}")
                continue
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
        name = f"\\{name.removeprefix(chr(92) * 2).removeprefix(chr(92))}"
        if name in self._memories:
            return self._memories[name]
        called = self._memories[name] = self._unique(plain(name))
        width, size, attributes = self._netlist.memories[name]
        style = "".join(f"(* {k} = {_quoted(v)} *) " for k, v in attributes.items() if k != "src")
        self._declared.append(f"  {style}reg  {_range(width)}{called} [0:{size - 1}];")
        for cell in self._netlist.cells:
            if str(cell.parameters.get("MEMID", "")).lstrip("\\") == name[1:]:
                if cell.kind == "$meminit_v2":
                    self._contents(called, width, size, _merged(cell.ends["DATA"])[0].low)
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
        word = f"{name}[{self.term(cell.ends['ADDR']).text}]"
        low = 0
        enables = [bit for bits in cell.ends["EN"] for bit in _single(bits)]
        for enable, group in itertools.groupby(enables):
            count = len(list(group))
            data = self.term(_cut(cell.ends["DATA"], low, count))
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
        lines = [f"{name} <= {memory}[{address.text}];"]
        mask = int(cell.parameters["TRANSPARENCY_MASK"])
        for other in self._netlist.cells:
            same = other.parameters.get("MEMID") == cell.parameters["MEMID"]
            if other.kind == "$memwr_v2" and same and mask >> int(other.parameters["PORTID"]) & 1:
                test = binary("==", self.term(other.ends["ADDR"]), address, 1)
                enables = self.term((other.ends["EN"][0],))
                if len(set(b for bits in other.ends["EN"] for b in _single(bits))) > 1:
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


def _place(source: str) -> tuple[str, int]:
    file, _, line = source.rpartition(":")
    return file, int(line)


def _always(kind: str, bound: Term) -> int | None:
    """Return what an unsigned comparison with a least or greatest value always comes to."""
    least, most = (constant(v, bound.width).text for v in (0, (1 << bound.width) - 1))
    decided = {("$ge", least): 1, ("$lt", least): 0, ("$le", most): 1, ("$gt", most): 0}
    return decided.get((kind, bound.text))


def _differs(same: Term) -> Term:
    text = same.text
    return Term(text.replace(" == ", " != "), same.level, 1) if same.level == 5 else invert(same)


def _any(terms: Iterable[Term]) -> Term:
    """Return the OR of terms."""
    first, *rest = terms
    for term in rest:
        first = binary("|", first, term)
    return first


def _masked(condition: Term, value: Term) -> Term:
    """Return a value under a condition, else 0."""
    return binary("&", repeat(condition, value.width), value)


def _dense(
    test: Term, patterns: list[list[str]], values: list[Term], otherwise: Term
) -> Term | None:
    """Return a tree of choices by a name's bits, if at least half of all values have a case."""
    chosen = {int(p, 2): v for group, v in zip(patterns, values, strict=True) for p in group}
    if test.width > 6 or 2 * len(chosen) < 1 << test.width:
        return None
    level = [chosen.get(i, otherwise) for i in range(1 << test.width)]
    for bit in range(test.width):
        choice = Term(_bit(test, bit), ATOM, 1)
        level = [
            low if low == high else choose(choice, high, low)
            for low, high in zip(level[::2], level[1::2], strict=True)
        ]
    return level[0]


def _bit(term: Term, bit: int) -> str:
    """Return a bit of a name or of bits of a name."""
    sliced = re.fullmatch(r"(\w+)\[\d+:(\d+)\]", term.text)
    if sliced:
        return f"{sliced[1]}[{int(sliced[2]) + bit}]"
    return f"{term.text}[{bit}]" if term.width > 1 else term.text


def _borders(body: Body) -> Iterator[int]:
    """Yield where runs of bits begin and end that statements assign."""
    for statement in body:
        if isinstance(statement, Assign):
            low = statement.target[0].low
            yield from (low, low + statement.target[0].width)
        else:
            for _, inner in statement.cases:
                yield from _borders(inner)


def _gives(statement: Assign | Switch, low: int) -> bool:
    """Return whether a statement can give a bit a value."""
    if isinstance(statement, Assign):
        target = statement.target[0]
        return target.low <= low < target.low + target.width
    return any(_gives(inner, low) for _, body in statement.cases for inner in body)


def _merged(signal: Signal) -> Signal:
    """Join constants, and bits of a wire, that stand side by side."""
    parts: list[Bits] = []
    for bits in signal:
        last = parts[-1] if parts else None
        if last and last.wire is None and bits.wire is None:
            parts[-1] = Bits(None, last.low | bits.low << last.width, last.width + bits.width)
        elif last and bits.wire and last.wire is bits.wire and last.low + last.width == bits.low:
            parts[-1] = Bits(bits.wire, last.low, last.width + bits.width)
        else:
            parts.append(bits)
    return tuple(parts)


def _cut(signal: Signal, low: int, width: int, signed: bool = False) -> Signal:
    """Return bits of a signal; above its highest bit there are as many as are asked for."""
    parts: list[Bits] = []
    at = 0
    for bits in signal:
        first, last = max(low, at), min(low + width, at + bits.width)
        if first < last:
            off = first - at
            if bits.wire is None:
                parts.append(Bits(None, bits.low >> off & (1 << last - first) - 1, last - first))
            else:
                parts.append(Bits(bits.wire, bits.low + off, last - first))
        at += bits.width
    if low + width > at:
        more = low + width - max(at, low)
        if signed and signal:
            top = next(iter(reversed(list(_single(signal[-1])))))
            parts += [top] * more
        else:
            parts.append(Bits(None, 0, more))
    return tuple(parts)


def _single(bits: Bits) -> Iterator[Bits]:
    """Yield each bit."""
    for i in range(bits.width):
        yield (
            Bits(None, bits.low >> i & 1, 1)
            if bits.wire is None
            else Bits(bits.wire, bits.low + i, 1)
        )


def _runs(mask: int) -> Iterator[tuple[int, int]]:
    """Yield low end and width of runs of ones."""
    for run in re.finditer("1+", f"{mask:b}"[::-1]):
        yield run.start(), len(run[0])


def _slice(name: str, whole: int, low: int, width: int) -> str:
    if width == whole:
        return name
    return f"{name}[{low}]" if width == 1 else f"{name}[{low + width - 1}:{low}]"


def _range(width: int) -> str:
    return f"[{width - 1}:0] " if width > 1 else ""


def _quoted(value: int | str) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


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
