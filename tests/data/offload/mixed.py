"""What mixed.v computes."""


def combine(a: int, b: int, op: int) -> int:
    """Return a + 3 b + op, modulo 2^64."""
    return (a + 3 * b + op) % (1 << 64)
