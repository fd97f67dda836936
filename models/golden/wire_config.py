"""The config port of a unit of barrier wires (docs/microarchitecture-wires.md, W4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from syncfabric.models.golden.wire_format import WireFormat
from syncfabric.models.golden.wire_unit import WireUnit
from syncfabric.models.messages import (
    CONTROL,
    TREE,
    Command,
    Counter,
)
from syncfabric.models.messages.wires import WIRE_STATUS, WireLayout, WireWord

__all__ = ["CONTROL_MASK", "Held", "Obeyed", "WireConfig"]

CONTROL_MASK = ((1 << CONTROL.width) - 1) & ~(1 << CONTROL.offsets["turn"])
VALID = 1 << CONTROL.offsets["valid"]


@dataclass(frozen=True, slots=True)
class Obeyed:
    """What becomes of a request.

    Attributes
    ----------
    refused : bool
        Whether it is refused.
    data : int
        The answer's data.
    clear : int
        Slots that are cleared at the edge.
    write : callable or None
        What else is to be done at the edge.
    """

    refused: bool
    data: int = 0
    clear: int = 0
    write: Callable[[], None] | None = None


class Held(NamedTuple):
    """Which group a slot is held by, if it is valid."""

    valid: bool
    gid: int


REFUSED = Obeyed(True)


class WireConfig:
    """Images of a unit's slots, and the requests for them.

    Parameters
    ----------
    unit : WireUnit
    form : WireFormat
    layout : WireLayout
        Which bits of an image the unit keeps.
    """

    def __init__(self, unit: WireUnit, form: WireFormat, layout: WireLayout) -> None:
        self._unit, self._form, self._links = unit, form, layout.links
        self._tree_mask = layout.tree_mask
        self._controls = [0] * form.slots
        self._trees = [0] * form.slots

    def obey(self, slot: int, word: int, write: bool, data: int) -> Obeyed:
        """Judge a request by the state at the start of the cycle.

        Parameters
        ----------
        slot, word : int
        write : bool
        data : int
            What is to be written.
        """
        if not write:
            return self._read(slot, word)
        done = self._write(slot, word, data)
        if done.refused:
            self._unit.count(Counter.REFUSED_WRITE)
        return done

    def observe(self) -> tuple[int, int]:
        """Return status, `gathered` and `result` of all slots as a word, and its width."""
        unit, bits = self._unit, self._form.data_bits
        word = at = 0
        for slot in range(self._form.slots):
            word |= unit.status(slot) << at
            at += WIRE_STATUS.width
            for data in (unit.gathered, unit.result):
                word |= self._datum(data, slot) << at
                at += bits
        return word, at

    def held(self) -> list[Held]:
        """Return who holds each slot."""
        gids = [CONTROL.unpack(control)["gid"] for control in self._controls]
        return [Held(bool(self._unit.valid >> slot & 1), gid) for slot, gid in enumerate(gids)]

    def result(self, slot: int) -> int:
        """Return `result` of a slot."""
        return self._datum(self._unit.result, slot)

    def _datum(self, data: int, slot: int) -> int:
        bits = self._form.data_bits
        return data >> slot * bits & (1 << bits) - 1

    def _read(self, slot: int, word: int) -> Obeyed:
        if word == WireWord.CONTROL:
            valid = self._unit.valid >> slot & 1
            return Obeyed(False, self._controls[slot] & ~VALID | valid * VALID)
        if word == WireWord.TREE:
            return Obeyed(False, self._trees[slot])
        if word == WireWord.STATUS:
            return Obeyed(False, self._unit.status(slot))
        if word == WireWord.RESULT:
            return Obeyed(False, self.result(slot))
        return REFUSED

    def _write(self, slot: int, word: int, data: int) -> Obeyed:
        bit = 1 << slot
        valid = self._unit.valid & bit
        if word == WireWord.COMMAND:
            if not valid or data not in (Command.GO, Command.KILL):
                return REFUSED
            return Obeyed(False, clear=bit if data == Command.KILL else 0)
        if word == WireWord.CONTROL and not data & VALID:
            return Obeyed(False, clear=bit, write=lambda: self._control(slot, data))
        if word == WireWord.CONTROL and not valid:
            return Obeyed(False, write=lambda: self._set_up(slot, data))
        if word == WireWord.TREE and not valid:
            return Obeyed(False, write=lambda: self._tree(slot, data))
        return REFUSED

    def _control(self, slot: int, data: int) -> None:
        """Write the control fields but `valid`."""
        self._controls[slot] = data & CONTROL_MASK
        self._show(slot)

    def _set_up(self, slot: int, data: int) -> None:
        unit, bit = self._unit, 1 << slot
        self._control(slot, data)
        unit.valid |= bit
        unit.done &= ~bit
        unit.broken &= ~bit

    def _tree(self, slot: int, data: int) -> None:
        self._trees[slot] = data & self._tree_mask
        self._show(slot)

    def _show(self, slot: int) -> None:
        """Let the unit see a slot's image."""
        unit, bit = self._unit, 1 << slot
        control = CONTROL.unpack(self._controls[slot])
        tree = TREE.unpack(self._trees[slot])
        root, children = control["root"], tree["children"]
        unit.roots = unit.roots & ~bit | root * bit
        unit.branched = unit.branched & ~bit | (children != 0) * bit
        unit.members = unit.members & ~bit | (children >> self._links & 1) * bit
        for link in range(self._links):
            is_parent = not root and tree["parent"] == link
            unit.kids[link] = unit.kids[link] & ~bit | (children >> link & 1) * bit
            unit.parents[link] = unit.parents[link] & ~bit | is_parent * bit
            unit.heard[link] = self._form.heard(unit.kids[link], unit.parents[link])
        unit.used = [link for link, wires in enumerate(unit.heard) if wires]
        for op in range(len(unit.operations)):
            is_op = control["op"] == op
            unit.operations[op] = unit.operations[op] & ~bit | is_op * bit
