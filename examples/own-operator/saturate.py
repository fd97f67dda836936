"""What the unit in saturate.v computes, word by word."""

MAX = 2
LEAST, MOST = -(1 << 15), (1 << 15) - 1


def combine(a: int, b: int, op: int) -> int:
    """Return the result of two words of 32 bits, as a whole number again."""
    return lane(a, b, op) | lane(a >> 16, b >> 16, op) << 16


def lane(a: int, b: int, op: int) -> int:
    """Return the low 16 bits of the result."""
    first, second = signed(a), signed(b)
    if op == MAX:
        return (second if abs(second) > abs(first) else first) & 0xFFFF
    return min(max(first + second, LEAST), MOST) & 0xFFFF


def signed(word: int) -> int:
    """Return the low 16 bits as a signed number."""
    return (word & 0x7FFF) - (word & 0x8000)
