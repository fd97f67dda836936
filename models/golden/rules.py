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
        and, of the parent, no ``present`` (section 4.5).
    watched : bool
        Whether registers have a watchdog.
    """

    __slots__ = ("kept_bits", "layout", "watched", "wiring")

    def __init__(self, network: MeshSpec, wiring: Wiring) -> None:
        super().__init__(network)
        self.wiring, self.watched = wiring, network.watched
        self.layout: MeshLayout = network.layout
        column, row = (1 << wiring.x_bits) - 1, (1 << wiring.y_bits) - 1
        control = CONTROL.pack({field.name: (1 << field.width) - 1 for field in CONTROL.fields})
        parent = PARENT_WORD.pack({"x": column, "y": row, "relay": 1})
        child = NODE_WORD.pack({"x": column, "y": row, "present": 1})
        self.kept_bits = (control, parent, *[child] * 4)
