"""What the parts of a unit of barrier wires show each other."""

from typing import Any

from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from syncfabric.models.networks.wires import WirePlane

__all__ = ["RoleSignature"]


class RoleSignature(wiring.Signature):
    """What a slot's image makes of it: flip-flops, 0 while the slot is not valid.

    Members
    -------
    root : Out(1)
        The barrier is turned around here; any value while the slot is not valid.
    kids : Out(links), has_kids : Out(1)
        Links to children; there is one.
    parent : Out(links)
        The link to the parent, as a bit; 0 at a root.
    passes : Out(1)
        There are children, and no process among them is to be waited for.
    member : Out(1)
        Only with a process: it is among the children.
    invert, odd : Out(1)
        Only with data: they are combined by AND, the OR of what is inverted; by XOR.
    clear : Out(1)
        No flip-flop: the slot's state is to be 0 from the next cycle on.
    renew : Out(1)
        Only with a process; no flip-flop: the slot is to be valid from the next cycle on.
    """

    def __init__(self, plane: WirePlane, links: int, *, process: bool) -> None:
        members: dict[str, Any] = {"kids": Out(links), "parent": Out(links)}
        names = ["root", "has_kids", "passes", "clear"]
        names += ["member", "renew"] if process else []
        names += ["invert", "odd"] if plane.data_bits else []
        super().__init__(members | {name: Out(1) for name in names})
