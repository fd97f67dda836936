"""The config port of a router (docs/microarchitecture.md, section 4.5)."""

from __future__ import annotations

from syncfabric.models.golden.barrier_register import BarrierRegister
from syncfabric.models.golden.barrier_unit import BarrierUnit
from syncfabric.models.messages import COUNTER_BASE, REGISTER_WORDS, Counter, RegisterWord

__all__ = ["configure", "read_word", "write_is_refused"]


def read_word(register: BarrierRegister, word: int) -> int:
    """Return a word of a register: its image, status or result."""
    if word == RegisterWord.STATUS:
        return register.status()
    if word == RegisterWord.RESULT:
        return register.result
    return register.words[word]


def write_is_refused(register: BarrierRegister, word: int, busy: bool) -> bool:
    """Return whether a write would meet an episode, a valid image, or a word only to read."""
    if word == RegisterWord.CONTROL:
        return busy
    return word > RegisterWord.SOUTH or register.valid


def configure(unit: BarrierUnit, address: int, write: bool, data: int) -> tuple[bool, int]:
    """Obey a request for a register or a counter.

    A new control word shows after the unit's ``commit``, at the edge; other words at once, for
    nothing looks at them while the register is not valid.

    Returns
    -------
    (bool, int)
        Whether it is refused, and the answer's data.
    """
    if write:
        refused = not _write(unit, address, data)
        if refused:
            unit.count(Counter.REFUSED_WRITE)
        return refused, 0
    r, word = divmod(address, REGISTER_WORDS)
    if r < len(unit.registers):
        return False, read_word(unit.registers[r], word)
    if 0 <= address - COUNTER_BASE < len(Counter):
        return False, unit.counters[address - COUNTER_BASE]
    return True, 0


def _write(unit: BarrierUnit, address: int, data: int) -> bool:
    r, word = divmod(address, REGISTER_WORDS)
    if r >= len(unit.registers):
        return False
    register = unit.registers[r]
    if write_is_refused(register, word, register.is_busy()):
        return False
    if word == RegisterWord.CONTROL:
        unit.writing, unit.control = r, data
    else:
        register.write(word, data)
    return True
