"""The words of a register that knows its neighbours by port."""

from __future__ import annotations

from typing import NamedTuple

from syncfabric.models.messages import CONTROL, TREE, Op, RegisterWord, SwitchWord
from syncfabric.models.planning.switch_tree import PortRegister

__all__ = ["WireImage", "port_words"]


def port_words(register: PortRegister) -> dict[RegisterWord | SwitchWord, int]:
    """Return the packed words, in the order to write them; a slot of barrier wires has the same."""
    children = sum(1 << port for port in register.children)
    control = {
        "valid": 1,
        "root": register.parent is None,
        "op": Op[register.op.upper()],
        "epoch": register.epoch,
        "gid": register.gid,
    }
    return {
        SwitchWord.TREE: TREE.pack({"parent": register.parent or 0, "children": children}),
        SwitchWord.CONTROL: CONTROL.pack(control),
    }


class WireImage(NamedTuple):
    """What is written to a unit.

    Parameters
    ----------
    target : int
        The unit's number on the config port.
    number : int
        The slot's number among the unit's registers there.
    register : PortRegister
        The image; its seat is a node, on a mesh a router's, or a switch.
    """

    target: int
    number: int
    register: PortRegister
