"""A node's port, as the network sees it: where its process arrives and is released."""

from typing import Any

from amaranth.lib.wiring import In, Out

__all__ = ["process_port"]


def process_port(
    registers: int, data_bits: int, *, last: bool = False, broken: bool = False
) -> dict[str, Any]:
    """Return the port's members, packed by register.

    Parameters
    ----------
    registers : int
        Of the port.
    data_bits : int
        Data bits of a barrier.
    last, broken : bool
        An arrive can be a group's last; the port tells that a group was killed.
    """
    members: dict[str, Any] = {
        "arrive": In(registers),
        "data": In(registers * data_bits),
        "released": Out(registers),
        "result": Out(registers * data_bits),
        "ready": Out(registers),
        "done": Out(registers),
    }
    if last:
        members["last"] = In(registers)
    if broken:
        members["broken"] = Out(registers)
    return members
