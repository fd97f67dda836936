"""What drives the wires of a netlist, and what they are called in Verilog."""

import itertools
import re
from collections import Counter
from collections.abc import Mapping, Set

from syncfabric.models.networks.spec import KEYWORDS
from syncfabric.sim.emit.netlist import Assign, Bits, Body, Cell, Netlist, Process, Signal, Wire
from syncfabric.sim.emit.variables import variable_at

_SINKS = ("$memwr_v2", "$meminit_v2")
_OUT = ("Y", "Q", "DATA")


def plain(name: str) -> str:
    """Return a name as an identifier of letters, digits and ``_``, no keyword."""
    name = re.sub(r"\W+", "_", name.removeprefix("\\")).strip("_") or "signal"
    return f"{name}_" if name in KEYWORDS or name[0].isdigit() else name


class Named:
    """A netlist whose wires have drivers and names.

    Parameters
    ----------
    netlist : Netlist
    outputs : mapping
        Names of outputs of the modules that it has instances of.
    """

    def __init__(self, netlist: Netlist, outputs: Mapping[str, Set[str]]) -> None:
        self._netlist = netlist
        self._outputs = outputs
        self._names: dict[Wire, str] = {}
        self._taken = {"unused"}
        self._driver: dict[Wire, Cell | Process | Signal] = {}
        self._uses: Counter[Wire] = Counter()
        self._fields: dict[Bits, Wire] = {}
        self._ends: dict[Wire, tuple[Cell, str]] = {}
        self._numbers = itertools.count(1)
        self._instances: dict[Cell, str] = {}
        self._parts: dict[Wire, str] = {}
        self._find_drivers()
        self._choose_names()

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
            assert isinstance(first, Assign)
            assert first.target[0].wire
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
            if wire.flow:
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
            if wire.flow:
                self._name(wire, plain(wire.name))
        instances = [cell for cell in self._netlist.cells if not cell.kind.startswith("$")]
        self._instances = {cell: self._unique(plain(cell.name)) for cell in instances}
        for cell, name in self._instances.items():
            for end, signal in cell.ends.items():
                whole = signal[0].wire if len(signal) == 1 else None
                if whole is None or whole in self._names or signal[0].width < whole.width:
                    continue
                if whole in self._ends or whole.name.partition("$")[0] == f"\\{end}":
                    self._name(whole, f"{name}_{plain(end)}")
        for wire in wires:
            if not wire.anonymous and wire not in self._names and wire in self._driver:
                self._name(wire, plain(wire.name))
        # What is part of a signal is called as it is, if it needs a name.
        for alias in self._netlist.connects:
            whole = alias.target[0].wire if alias.target else None
            low = 0
            for bits in alias.value:
                part = bits.wire
                if part and bits.width == part.width and whole:
                    top = f"_{low + bits.width - 1}" if bits.width > 1 else ""
                    self._parts.setdefault(part, f"{plain(whole.name)}{top}_{low}")
                low += bits.width

    def _unique(self, name: str) -> str:
        tries = (f"{name}_{i}" if i > 1 else name for i in itertools.count(1))
        free = next(word for word in tries if word not in self._taken)
        self._taken.add(free)
        return free

    def _name(self, wire: Wire, name: str) -> None:
        self._names[wire] = self._unique(name)

    def _called(self, wire: Wire, driver: Cell | Process | Signal, kind: str) -> None:
        """Name a wire, if it has none, by the variable that its driver was made for."""
        if wire in self._names:
            return
        name = variable_at(driver.source) if isinstance(driver, Cell) else None
        given = plain(name) if name else f"{kind}_{next(self._numbers)}"
        self._name(wire, self._parts.get(wire, given))
