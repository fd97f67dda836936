"""Check bits of a word: the remainder of a division of polynomials over two elements."""

from amaranth import Cat, Const, Value

__all__ = ["GENERATORS", "check_of"]

GENERATORS = {1: 0x1, 2: 0x3, 3: 0x3, 4: 0x3, 5: 0x5, 6: 0x3, 7: 0x45, 8: 0x7}
"""The generator by its degree, less its highest term; docs/microarchitecture-faults.md, F1."""


def check_of(word: Value, bits: int) -> Value:
    """Return the remainder of word(x) * x^bits; bit i of the word is the coefficient of x^i.

    Parameters
    ----------
    word : Value
        What is checked.
    bits : int
        Check bits, 1 to 8.
    """
    generator, mask = GENERATORS[bits], (1 << bits) - 1
    terms: list[list[Value]] = [[] for _ in range(bits)]
    remainder = generator  # of x^bits
    for bit in word:
        for row in range(bits):
            if remainder >> row & 1:
                terms[row].append(bit)
        remainder = remainder << 1 & mask ^ (generator if remainder >> (bits - 1) else 0)
    return Cat(Cat(row).xor() if row else Const(0, 1) for row in terms)
