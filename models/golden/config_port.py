"""Reading and writing of one register image through the config port (section 4.5)."""

from __future__ import annotations

from syncfabric.models.golden.barrier_register import BarrierRegister
from syncfabric.models.messages import RegisterWord

__all__ = ["read_word", "write_is_refused"]


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
