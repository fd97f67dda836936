"""RTLIL of one module, as Amaranth writes it, read into a netlist.

Format: Yosys' manual, "RTLIL text representation". Bits of a constant that are ``x`` read as 0.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass(eq=False)
class Wire:
    """A wire or port; without ``flow`` it is none.

    ``init`` is what bits of a register are that nothing assigns.
    """

    name: str
    width: int
    flow: str = ""
    init: int = 0

    @property
    def anonymous(self) -> bool:
        """Whether no signal has its name."""
        return self.name.startswith(("$", "\\$signal"))


class Bits(NamedTuple):
    """Bits of a wire, or of a constant if that is None; ``low`` is the constant's value then."""

    wire: Wire | None
    low: int
    width: int


Signal = tuple[Bits, ...]
"""Bits that stand side by side, the lowest first."""


@dataclass(eq=False)
class Cell:
    """An operator (its type begins with ``$``) or an instance of a module."""

    kind: str
    name: str
    parameters: dict[str, int | str] = field(default_factory=dict)
    ends: dict[str, Signal] = field(default_factory=dict)
    attributes: dict[str, int | str] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """File and line that made it."""
        return str(self.attributes.get("src", ""))


@dataclass(frozen=True)
class Assign:
    """A statement that gives bits a value."""

    target: Signal
    value: Signal


@dataclass(frozen=True)
class Switch:
    """Statements by the first case that has a pattern like ``test``; no patterns: any value."""

    test: Signal
    cases: list[tuple[list[str], "Body"]]


Body = list[Assign | Switch]


@dataclass(frozen=True)
class Process:
    """Statements in order; the last assignment counts."""

    body: Body


@dataclass
class Netlist:
    """What a module is made of; ``memories`` are width, size and attributes by name."""

    wires: dict[str, Wire] = field(default_factory=dict)
    cells: list[Cell] = field(default_factory=list)
    processes: list[Process] = field(default_factory=list)
    connects: list[Assign] = field(default_factory=list)
    memories: dict[str, tuple[int, int, dict[str, int | str]]] = field(default_factory=dict)


_CHUNK = re.compile(
    r"(?P<name>[\\$]\S+)(?: \[(?P<high>\d+)(?::(?P<low>\d+))?\])?|(?P<const>\d+'\S+)"
)


def read(text: str) -> Netlist:
    """Read a module.

    Raises
    ------
    ValueError
        There is a statement that Amaranth does not write for synchronous logic.
    """
    return _Reader(text).netlist


class _Reader:
    def __init__(self, text: str) -> None:
        self.netlist = Netlist()
        self._lines = (line for raw in text.splitlines() if (line := raw.strip()))
        self._attributes: dict[str, int | str] = {}
        for line in self._lines:
            word, _, rest = line.partition(" ")
            if word == "attribute":
                name, _, value = rest.partition(" ")
                self._attributes[name[1:]] = _value(value)
                continue
            attributes, self._attributes = self._attributes, {}
            match word:
                case "wire":
                    self._wire(rest.split(), int(attributes.get("init", 0)))
                case "memory":
                    _, width, _, size, name = rest.split()
                    self.netlist.memories[name] = int(width), int(size), attributes
                case "cell":
                    kind, name = rest.split(" ")
                    self._cell(kind, name, attributes)
                case "process":
                    if body := self._body():
                        self.netlist.processes.append(Process(body))
                case "connect":
                    self.netlist.connects.append(self._pair(rest))
                case "module" | "end":
                    pass
                case _:
                    raise ValueError(f"cannot emit RTLIL: {line}")

    def _wire(self, words: list[str], init: int) -> None:
        flow = next((word for word in words if word in ("input", "output")), "")
        wire = Wire(words[-1], int(words[words.index("width") + 1]), flow, init)
        self.netlist.wires[wire.name] = wire

    def _cell(self, kind: str, name: str, attributes: dict[str, int | str]) -> None:
        cell = Cell(kind, name, attributes=attributes)
        self.netlist.cells.append(cell)
        for line in self._lines:
            if line == "end":
                return
            word, _, rest = line.partition(" ")
            name, _, value = rest.removeprefix("signed ").partition(" ")
            if word == "parameter":
                cell.parameters[name[1:]] = _value(value)
            else:
                cell.ends[name[1:]] = self._signal(value)

    def _body(self) -> Body:
        """Read statements up to the ``end`` of what they are in, or the next case."""
        return list(self._statements())

    def _statements(self) -> Iterator[Assign | Switch]:
        for line in self._lines:
            word, _, rest = line.partition(" ")
            if word == "assign":
                if (given := self._pair(rest)).target:  # else it is of no bits
                    yield given
            elif word == "switch":
                yield self._switch(self._signal(rest))
            elif word == "end":
                return
            else:
                raise ValueError(f"cannot emit RTLIL: {line}")

    def _switch(self, test: Signal) -> Switch:
        cases: list[tuple[list[str], Body]] = []
        for line in self._lines:
            word, _, rest = line.partition(" ")
            if word == "end":
                return Switch(test, cases)
            if word == "case":
                patterns = [p.partition("'")[2] for p in rest.split(", ")] if rest else []
                cases.append((patterns, []))
            elif word == "assign":
                if (given := self._pair(rest)).target:
                    cases[-1][1].append(given)
            elif word == "switch":
                cases[-1][1].append(self._switch(self._signal(rest)))
            elif word != "attribute":
                raise ValueError(f"cannot emit RTLIL: {line}")
        raise ValueError("cannot emit RTLIL: a switch without an end")

    def _pair(self, text: str) -> Assign:
        """Read two signals; the first one ends where no bracket or index goes on."""
        if text.startswith("{"):
            end = text.index("}") + 1
        else:
            match = _CHUNK.match(text)
            assert match
            end = match.end()
        return Assign(self._signal(text[:end]), self._signal(text[end:].strip()))

    def _signal(self, text: str) -> Signal:
        chunks: list[Bits] = []
        for found in _CHUNK.finditer(text):
            if const := found["const"]:
                width, _, bits = const.partition("'")
                if int(width):
                    value = int(re.sub("[^01]", "0", bits), 2)
                    chunks.append(Bits(None, value, int(width)))
                continue
            wire = self.netlist.wires.get(found["name"])
            if wire is None:  # the address of a memory's first word, or its name
                raise ValueError(f"cannot emit RTLIL: {text}")
            if found["high"] is None:
                chunks.append(Bits(wire, 0, wire.width))
            else:
                high = int(found["high"])
                low = high if found["low"] is None else int(found["low"])
                chunks.append(Bits(wire, low, high - low + 1))
        return tuple(chunk for chunk in reversed(chunks) if chunk.width)


def _value(text: str) -> int | str:
    """Read a parameter or attribute."""
    if text.startswith('"'):
        return text[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    width, quote, bits = text.partition("'")
    return int(re.sub("[^01]", "0", bits) or "0", 2) if quote else int(width)
