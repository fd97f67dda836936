"""What a network prescribes to all its barrier registers."""

from __future__ import annotations

from syncfabric.models.golden.wiring import Wiring
from syncfabric.models.messages import CONTROL, NODE_WORD, MeshLayout, Op
from syncfabric.models.networks.spec import MeshSpec

__all__ = ["Rules"]


class Rules:
    """What is the same for every register of a network.

    Attributes
    ----------
    kept_bits : tuple of int
        By word of the image, the bits that a register keeps: coordinates no wider than the mesh's
        and, of the parent, no ``present`` (section 4.5).
    """

    __slots__ = ("bitwise", "data_at", "kept_bits", "layout", "mask", "paper", "wiring")

    def __init__(self, network: MeshSpec, wiring: Wiring) -> None:
        self.wiring = wiring
        self.layout: MeshLayout = network.layout
        self.paper = network.reduction_route == "paper"
        self.bitwise = network.operations == "bitwise"
        self.mask = (1 << network.data_bits) - 1
        self.data_at = self.layout.sync.offsets["data"]
        column, row = (1 << wiring.x_bits) - 1, (1 << wiring.y_bits) - 1
        parent = NODE_WORD.pack({"x": column, "y": row})
        child = NODE_WORD.pack({"x": column, "y": row, "present": 1})
        self.kept_bits = ((1 << CONTROL.width) - 1, parent, *[child] * 4)

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
