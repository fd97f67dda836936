"""Check bits of a link's wires (docs/microarchitecture-faults.md, F1)."""

from __future__ import annotations

__all__ = ["GENERATORS", "Check"]

GENERATORS = (0, 0x1, 0x3, 0x3, 0x3, 0x5, 0x3, 0x45, 0x7)
"""By the number of check bits, the generator less its highest power."""


class Check:
    """The check bits of words: the remainder of word(x)·x^C by the generator G(x).

    Parameters
    ----------
    bits : int
        Check bits C, 1 to 8.
    width : int
        Bits of a word.
    """

    def __init__(self, bits: int, width: int) -> None:
        generator = GENERATORS[bits] | 1 << bits
        power, powers = 1, []
        for place in range(bits + width):
            if place >= bits:
                powers.append(power)
            power <<= 1
            if power >> bits:
                power ^= generator
        self.bytes = (width + 7) // 8
        self._tables = [_sums(powers[at : at + 8]) for at in range(0, width, 8)]

    def of(self, word: int) -> int:
        """Return the check bits of a word."""
        check = 0
        for table, byte in zip(self._tables, word.to_bytes(self.bytes, "little"), strict=True):
            check ^= table[byte]
        return check


def _sums(powers: list[int]) -> list[int]:
    """Return, for each set of these powers, what they add up to."""
    sums = [0]
    for power in powers:
        sums += [known ^ power for known in sums]
    return sums
