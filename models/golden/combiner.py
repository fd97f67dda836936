"""How the data of a group's members are combined."""

from __future__ import annotations

from syncfabric.models.messages import Op
from syncfabric.models.networks.spec import (
    RegisterSpec,
)

__all__ = ["Combiner"]


class Combiner:
    """The operations that a network has built.

    Attributes
    ----------
    mask : int
        All data bits.
    data_at : int
        Lowest data bit of a message.
    """

    __slots__ = ("bitwise", "data_at", "mask")

    def __init__(self, network: RegisterSpec) -> None:
        self.bitwise = network.operations == "bitwise"
        self.mask = (1 << network.data_bits) - 1
        self.data_at = network.layout.sync.offsets["data"]

    def combine(self, op: int, a: int, b: int) -> int:
        """Return the combination of two words; an operation must be built to have a meaning."""
        if op == Op.AND:
            return a & b
        if op == Op.XOR:
            return a ^ b
        if not self.bitwise:
            if op == Op.MAX:
                return max(a, b)
            if op == Op.MIN:
                return min(a, b)
            if op == Op.SUM:
                return a + b & self.mask
        return a | b

    def identity(self, op: int) -> int:
        """Return the word that ``combine`` leaves alone."""
        if op == Op.AND or (op == Op.MIN and not self.bitwise):
            return self.mask
        return 0
