"""What a mesh prescribes to all its barrier registers."""

from __future__ import annotations

from syncfabric.models.golden.combiner import Combiner
from syncfabric.models.golden.wiring import Wiring
from syncfabric.models.messages import CONTROL, NODE_WORD, PARENT_WORD, MeshLayout
from syncfabric.models.networks.spec import MeshSpec

__all__ = ["Rules"]


class Rules(Combiner):
    """What is the same for every register of a mesh.

    Attributes
    ----------
    kept_bits : tuple of int
        By word of the image, the bits that a register keeps: coordinates no wider than the mesh's
        and, of the parent, no ``present`` (sections 4.5 and 4.7).
    readable : range
        The words of the image that can be read back.
    watched : bool
        Whether registers have a watchdog.
    """

    __slots__ = ("kept_bits", "layout", "paper", "readable", "watched", "wiring")

    def __init__(self, network: MeshSpec, wiring: Wiring) -> None:
        super().__init__(network)
        self.wiring, self.watched = wiring, network.watched
        self.layout: MeshLayout = network.layout
        self.paper = network.reduction_route == "paper"
        column, row = (1 << wiring.x_bits) - 1, (1 << wiring.y_bits) - 1
        parent = PARENT_WORD.pack({"x": column, "y": row, "relay": 1})
        child = NODE_WORD.pack({"x": column, "y": row, "present": 1})
        self.kept_bits = (_control(network), parent, *[child] * 4)
        self.readable = range(1 if network.barrier_unit == "serial" else len(self.kept_bits))


def _control(network: MeshSpec) -> int:
    """Return the bits of the control word that a register keeps."""
    left_out = set()
    if network.barrier_unit == "serial":
        left_out = {"manager"} if network.data_bits else {"manager", "op"}
    return CONTROL.pack(
        {
            field.name: (1 << field.width) - 1
            for field in CONTROL.fields
            if field.name not in left_out
        }
    )
