"""The plane of barrier wires of a network, where it has one."""

from dataclasses import dataclass

__all__ = ["WirePlane"]


@dataclass(frozen=True)
class WirePlane:
    """Parameters of barrier wires, the same in every unit (docs/microarchitecture-wires.md).

    Parameters
    ----------
    slots : int
        Slots of every unit, ``barrier_registers``, 1 to 64.
    data_bits : int
        Data bits of a barrier, 0 to 32.
    link_registers : int
        Registers P that every wire passes on a link, 0 to 3.
    shared : bool
        Whether a slot has one wire a direction (up or down as its tree runs) in place of two.
    parity : bool
        Whether each direction of a link has a parity wire.
    watchdog : int
        Cycles H; a process waits H to 2H cycles at most. 0: no watchdog.
    """

    slots: int
    data_bits: int
    link_registers: int = 0
    shared: bool = False
    parity: bool = False
    watchdog: int = 0
