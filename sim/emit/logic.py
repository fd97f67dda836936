"""Logic without a clock, as expressions, written when something needs it."""

import itertools
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Set

from syncfabric.sim.emit.naming import Named, plain
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
from syncfabric.sim.emit.signals import borders, cut, gives, merged
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

_BITWISE = {"$and": "&", "$or": "|", "$xor": "^"}
_SUMS = {"$add": "+", "$sub": "-", "$mul": "*"}
_COMPARED = {"$eq": "==", "$ne": "!=", "$lt": "<", "$le": "<=", "$gt": ">", "$ge": ">="}
_REDUCED = {"$reduce_or": "|", "$reduce_bool": "|", "$reduce_and": "&", "$reduce_xor": "^"}


class Logic(Named, ABC):
    """Expressions for signals, and the lines that define what they are made of."""

    def __init__(self, netlist: Netlist, outputs: Mapping[str, Set[str]]) -> None:
        super().__init__(netlist, outputs)
        self._read: dict[Wire, int] = {}
        self._written: set[Wire] = set()
        self._common: dict[Term, Term] = {}
        self._declared: list[str] = []
        self._logic: list[str] = []
        self._registers: set[Wire] = set()
        self._waiting: list[Wire] = []

    def _need(self, wire: Wire) -> None:
        """Write what drives a wire, unless that is done."""
        if wire in self._written or wire.flow == "input":
            return
        self._written.add(wire)
        driver = self._driver.get(wire)
        assert driver is not None, wire
        if isinstance(driver, Cell) and driver.kind == "$dff":
            self._called(wire, driver, "register")
            self._registers.add(wire)
            self._declare("reg ", wire)
            self._waiting.append(wire)
        elif isinstance(driver, Cell) and driver.parameters.get("CLK_ENABLE"):
            self._registers.add(wire)
            self._declare("reg ", wire)
            self._read_clocked(wire, driver)
        else:
            self._called(wire, driver, "net")
            if isinstance(driver, Process):
                self._combine(wire, driver)
            elif isinstance(driver, Cell):
                self._logic.append(self._assignment(wire, self._operation(driver, 0, wire.width)))
            else:
                self._logic.append(self._assignment(wire, self.term(driver)))

    @abstractmethod
    def _memory(self, name: str) -> str:
        """Return what a memory is called, which is written the first time."""

    @abstractmethod
    def _read_clocked(self, wire: Wire, cell: Cell) -> None:
        """Write a read port with a register."""

    def _declare(self, kind: str, wire: Wire) -> None:
        if not wire.flow:
            self._declared.append(f"  {kind} {range_of(wire.width)}{self._names[wire]};")

    def _assignment(self, wire: Wire, term: Term) -> str:
        name = self._names[wire]
        if wire.flow:
            return f"  assign {name} = {term.text};"
        return f"  wire {range_of(wire.width)}{name} = {term.text};"

    def term(self, signal: Signal) -> Term:
        """Return a signal as an expression."""
        parts = [self._bits(bits) for bits in merged(signal)]
        return cat(parts)

    def _bits(self, bits: Bits) -> Term:
        wire, low, width = bits
        if wire is None:
            return constant(low, width)
        if wire.anonymous and self._uses[wire] <= 1 and wire not in self._names:
            driver = self._driver.get(wire)
            if isinstance(driver, Cell) and self._inline(driver, bits):
                return self._operation(driver, low, width)
            if isinstance(driver, Process) and {*borders(driver.body)} <= {0, width}:
                return self._value(driver.body, 0, width, "value")
        self._need(wire)
        mask = (1 << width) - 1 << low
        self._read[wire] = self._read.get(wire, 0) | mask
        if part := self._fields.get(bits):
            return Term(self._field(part, bits), ATOM, width)
        return Term(bits_of(self._names[wire], wire.width, low, width), ATOM, width)

    def _field(self, part: Wire, bits: Bits) -> str:
        """Return what a field of a structure is called, which is written the first time."""
        wire, low, width = bits
        assert wire
        if part not in self._names:
            field = plain(part.name).removeprefix(f"{plain(wire.name)}_")
            self._name(part, f"{self._names[wire]}_{field}")
            whole = bits_of(self._names[wire], wire.width, low, width)
            self._logic.append(f"  wire {range_of(width)}{self._names[part]} = {whole};")
        return self._names[part]

    def _inline(self, cell: Cell, bits: Bits) -> bool:
        """Return whether an operation can stand where some of its result is used."""
        wire, low, width = bits
        assert wire
        if cell.kind == "$dff" or cell.parameters.get("CLK_ENABLE"):
            return False
        if width == wire.width or cell.kind in (*_BITWISE, "$not", "$mux"):
            return True
        return cell.kind in _SUMS and low == 0

    def _side(self, cell: Cell, end: str, low: int, width: int) -> Term:
        """Return bits of an operand, which is extended by its sign or by 0."""
        signal = cell.ends[end]
        return self.term(cut(signal, low, width, bool(cell.parameters.get(f"{end}_SIGNED"))))

    def _operation(self, cell: Cell, low: int, width: int) -> Term:
        """Return bits of what a cell puts out."""
        kind = cell.kind
        if kind in _BITWISE:
            first, second = (self._side(cell, end, low, width) for end in "AB")
            return binary(_BITWISE[kind], first, second)
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
            first, second = (self._side(cell, end, 0, width) for end in "AB")
            return binary(_SUMS[kind], first, second)
        if kind == "$memrd_v2":
            memory = self._memory(str(cell.parameters["MEMID"]))
            return Term(f"{memory}[{self.term(cell.ends['ADDR']).text or 0}]", ATOM, width)
        if kind in ("$shl", "$shr", "$shift", "$sshr"):
            return self._shift(cell, width)
        raise ValueError(f"cannot emit a cell {kind}")

    def _compare(self, cell: Cell) -> Term:
        widths = [sum(bits.width for bits in cell.ends[end]) for end in "AB"]
        width = max(1, *widths)
        for one, other in ("AB", "BA"):
            signal = cell.ends[other]
            if cell.kind in ("$eq", "$ne") and all(bits.wire is None for bits in signal):
                (value,) = merged(cut(signal, 0, width, bool(cell.parameters[f"{other}_SIGNED"])))
                same = equal(self._side(cell, one, 0, width), value.low)
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
        name = variable_at(cell.source) or "shifted"
        shared = self._shared(shifted, plain(name), width)
        return Term(bits_of(shared.text, whole, 0, width), ATOM, width)

    def _shared(self, term: Term, name: str, used: int | None = None) -> Term:
        """Return a term that can stand in several places; all of its bits are used, or some."""
        if term.simple:
            return term
        if term in self._common:
            return self._common[term]
        wire = Wire(f"${name}{next(self._numbers)}", term.width)
        self._name(wire, name)
        self._written.add(wire)
        self._logic.append(self._assignment(wire, term))
        self._read[wire] = (1 << (used or term.width)) - 1
        self._common[term] = Term(self._names[wire], ATOM, term.width)
        return self._common[term]

    def _combine(self, wire: Wire, process: Process) -> None:
        """Write the bits of a wire that a process drives, each run of equal statements apart."""
        name = self._names[wire]
        ends = sorted({0, wire.width, *borders(process.body)})
        parts = [
            self._value(process.body, low, high - low, name)
            for low, high in itertools.pairwise(ends)
        ]
        self._logic.append(self._assignment(wire, cat(parts)))

    def _value(
        self, body: Body, low: int, width: int, name: str, before: Term | None = None
    ) -> Term:
        """Return what bits are after statements, given what they were before them."""
        term = before
        for statement in body:
            if isinstance(statement, Assign):
                first = statement.target[0].low
                if first <= low < first + statement.target[0].width:
                    term = self.term(cut(statement.value, low - first, width))
            elif gives(statement, low):
                assert term
                term = self._chosen(statement, low, width, name, term)
        assert term
        return term

    def _chosen(self, switch: Switch, low: int, width: int, name: str, before: Term) -> Term:
        """Return what bits are after a switch."""
        cases = list(switch.cases)
        while not any(gives(statement, low) for statement in cases[-1][1]):
            cases.pop()
        if len(cases) > 1 or not cases[0][0]:
            before = self._shared(before, f"{name}_before")
        values = [self._value(body, low, width, name, before) for _, body in cases]
        otherwise = before if cases[-1][0] else values.pop()
        patterns = [patterns for patterns, _ in cases[: len(values)]]
        listed = [pattern for group in patterns for pattern in group]
        exact = all(p and "-" not in p for p in listed) and len({*listed}) == len(listed)
        if exact and len(patterns) > 1:
            test = self._shared(self.term(switch.test), f"{name}_select")
            if dense := _dense(test, patterns, values, otherwise):
                return dense
            conditions = [any_of(equal(test, int(p, 2)) for p in group) for group in patterns]
            if otherwise.text == constant(0, width).text:
                return any_of(map(_masked, conditions, values))
        else:  # the first pattern that fits counts
            conditions = [
                any_of(self._matches(switch.test, p) for p in group) for group in patterns
            ]
        for condition, value in zip(reversed(conditions), reversed(values), strict=True):
            otherwise = choose(condition, value, otherwise)
        return otherwise

    def _matches(self, test: Signal, pattern: str) -> Term:
        """Return whether a signal is like a pattern, in which ``-`` is any bit."""
        parts = []
        for run in re.finditer(r"[01]+", pattern):
            low = len(pattern) - run.end()
            parts.append(equal(self.term(cut(test, low, len(run[0]))), int(run[0], 2)))
        term = constant(1, 1)
        for part in parts:
            term = binary("&", term, part)
        return term


def _always(kind: str, bound: Term) -> int | None:
    """Return what an unsigned comparison with a least or greatest value always comes to."""
    least, most = (constant(v, bound.width).text for v in (0, (1 << bound.width) - 1))
    decided = {("$ge", least): 1, ("$lt", least): 0, ("$le", most): 1, ("$gt", most): 0}
    return decided.get((kind, bound.text))


def _differs(same: Term) -> Term:
    text = same.text
    return Term(text.replace(" == ", " != "), same.level, 1) if same.level == 5 else invert(same)


def any_of(terms: Iterable[Term]) -> Term:
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


def bits_of(name: str, whole: int, low: int, width: int) -> str:
    """Return bits of what is ``whole`` bits wide."""
    if width == whole:
        return name
    return f"{name}[{low}]" if width == 1 else f"{name}[{low + width - 1}:{low}]"


def range_of(width: int) -> str:
    """Return the range in a declaration; a single bit has none."""
    return f"[{width - 1}:0] " if width > 1 else ""
