"""The config port of a router, switch or node interface (sections 4.5 and I4)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from syncfabric.models.golden.register_file import RegisterFile
from syncfabric.models.messages import COUNTER_BASE, REGISTER_WORDS, Counter, RegisterWord

__all__ = ["configure"]


def configure(
    unit: RegisterFile[Any], address: int, write: bool, data: int, met: Collection[int] = ()
) -> tuple[bool, int]:
    """Obey a request for a register or a counter.

    A new control word shows after the unit's ``commit``, at the edge; other words at once, for
    nothing looks at them while the register is not valid.

    Parameters
    ----------
    unit : RegisterFile
        Whose registers and counters are meant.
    address, write, data
        As of ``ConfigRequest``.
    met : collection of int
        Registers that are busy because of what reaches them in this cycle.

    Returns
    -------
    (bool, int)
        Whether it is refused, and the answer's data.
    """
    if write:
        refused = not _write(unit, address, data, met)
        if refused:
            unit.count(Counter.REFUSED_WRITE)
        return refused, 0
    found: int | None = None
    r, word = divmod(address, REGISTER_WORDS)
    if r < len(unit.registers):
        found = unit.registers[r].read(word)
    elif 0 <= address - COUNTER_BASE < len(unit.counters):
        found = unit.counters[address - COUNTER_BASE]
    return found is None, found or 0


def _write(unit: RegisterFile[Any], address: int, data: int, met: Collection[int]) -> bool:
    r, word = divmod(address, REGISTER_WORDS)
    if r >= len(unit.registers):
        return False
    if word == unit.command_word:
        return unit.command(r, data)
    register = unit.registers[r]
    busy = register.is_busy() and not register.tripped
    if register.refuses(word, r in met or busy):
        return False
    if word == RegisterWord.CONTROL:
        unit.writing, unit.control = r, data
    else:
        register.write(word, data)
    return True
