"""Barrier registers side by side, with the counters that stand beside them."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

from syncfabric.models.messages import COUNTER_BITS, Counter, LinkCounter, RegisterWord

__all__ = ["Image", "RegisterFile"]

FULL = (1 << COUNTER_BITS) - 1


class Image(Protocol):
    """What a register or an entry shows to the config port and to the bench."""

    valid: bool
    gid: int
    acc: int
    result: int
    done: bool
    tripped: bool

    def status(self) -> int:
        """Return its state, as in ``observe``."""

    def is_busy(self) -> bool:
        """Return whether an episode is under way, so that the image must stay as it is."""

    def read(self, word: int) -> int | None:
        """Return a word; None if it does not exist."""

    def refuses(self, word: int, busy: bool) -> bool:
        """Return whether a write would meet an episode, a valid image, or a word only to read."""

    def write(self, word: int, data: int) -> None:
        """Change a word of the image; a new control word clears ``acc`` and ``done``."""


RegisterT = TypeVar("RegisterT", bound=Image)


class RegisterFile(Generic[RegisterT]):
    """Registers of one router, switch or node interface.

    Parameters
    ----------
    registers : list of register
    status_bits : int
        Width of a register's status in ``observe``.
    data_bits : int
        Width of its data.

    Attributes
    ----------
    by_gid : dict of int to int
        The valid register of a group.
    counters : list of int
        The event counters: four, and those of guarded links.
    writing : int or None
        Register whose control word is being written in this cycle, with ``control``.
    command_word : int or None
        The word of a register that takes commands, where there are any.
    """

    command_word: int | None = None

    def __init__(self, registers: list[RegisterT], status_bits: int, data_bits: int) -> None:
        self.registers = registers
        self.status_bits, self.data_bits = status_bits, data_bits
        self.by_gid: dict[int, int] = {}
        self.counters = [0] * len(Counter)
        self.writing: int | None = None
        self.control = 0

    def count(self, counter: Counter | LinkCounter) -> None:
        """Count an event, up to the counter's last value."""
        if self.counters[counter] < FULL:
            self.counters[counter] += 1

    def command(self, r: int, data: int) -> bool:
        """Take a command to a register, for the next ``commit``; return whether it is obeyed.

        Registers that no manager sets up obey none.
        """
        return False

    def commit(self, now: int = 0) -> None:
        """Let the control word that has been written in this cycle, ``now``, take effect."""
        if self.writing is not None:
            self.registers[self.writing].write(RegisterWord.CONTROL, self.control)
            self.writing = None
            self._index()

    def _index(self) -> None:
        """Look up anew which register holds which group."""
        self.by_gid = {
            register.gid: r for r, register in enumerate(self.registers) if register.valid
        }

    def observe(self, slots: int = 0, slots_width: int = 0) -> int:
        """Return the ``observe`` wires: each register's status, ``acc``, ``result``; counters.

        What slots of barrier wires show, and how wide that is, stands between.
        """
        word = at = 0
        for register in self.registers:
            image = register.status() | register.acc << self.status_bits
            word |= (image | register.result << self.status_bits + self.data_bits) << at
            at += self.status_bits + 2 * self.data_bits
        word |= slots << at
        at += slots_width
        for value in self.counters:
            word |= value << at
            at += COUNTER_BITS
        return word
