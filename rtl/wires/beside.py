"""Slots beside registers for messages: the second bank of their config port."""

from typing import Any

from amaranth import Module

from syncfabric.models.networks.spec import RegisterSpec
from syncfabric.rtl.barrier.config import ConfigPort, message_bank
from syncfabric.rtl.wires.bank import SlotBank

__all__ = ["place_slots"]


def place_slots(
    m: Module, network: RegisterSpec, unit: Any, config: ConfigPort, links: int, *, process: bool
) -> SlotBank:
    """Place the slots of a unit for messages, and lead their links out of it; return them.

    What they refuse, and what is read from them, comes behind that of the registers.

    Parameters
    ----------
    m : Module
        The unit's.
    network : MeshSpec or IrregularSpec
        With ``sync = "both"``.
    unit : Component
        Has links ``in_0`` .., ``out_0`` ...
    config : ConfigPort
        With the banks of registers and of slots.
    links : int
        Links of the unit.
    process : bool
        It has a process.
    """
    plane = network.wire_plane
    assert plane
    m.submodules.slots = slots = SlotBank(plane, links, process=process, first=network.first_slot)
    m.d.comb += [
        slots.write.eq(config.write[message_bank(network).writes :]),
        slots.write_data.eq(config.config.data),
        slots.address.eq(config.config.address),
        slots.writes.eq(config.config.write),
    ]
    for p in range(links):
        m.d.comb += [
            getattr(slots, f"in_{p}").eq(getattr(unit, f"in_{p}")),
            getattr(unit, f"out_{p}").eq(getattr(slots, f"out_{p}")),
        ]
    return slots
