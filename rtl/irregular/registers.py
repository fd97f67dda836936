"""The registers of a switch or node interface on its config port, slots of barrier wires behind."""

from collections.abc import Sequence
from typing import Any

from amaranth import Cat, Module, Value

from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.barrier.config import ConfigPort, message_bank
from syncfabric.rtl.irregular.register import TreeRegister
from syncfabric.rtl.parts.events import count_events
from syncfabric.rtl.wires.bank import SlotBank, wire_bank
from syncfabric.rtl.wires.beside import place_slots

__all__ = ["config_port", "join_registers"]


def config_port(network: IrregularSpec, links: int) -> ConfigPort:
    """Return the config port of a unit for messages that has so many links."""
    plane = network.wire_plane
    banks = [message_bank(network), *([wire_bank(plane)] if plane else [])]
    return ConfigPort(network, banks, links=links)


def join_registers(
    m: Module,
    network: IrregularSpec,
    unit: Any,
    config: ConfigPort,
    registers: Sequence[TreeRegister],
    events: Sequence[list[Value]],
    *,
    node: bool,
) -> SlotBank | None:
    """Join registers to a config port, place slots if there are any, and count events.

    Parameters
    ----------
    m : Module
        The unit's.
    network : IrregularSpec
        Layouts and options.
    unit : Component
        Has members ``index`` and ``observe``, and with slots links ``in_0`` .., ``out_0`` ...
    config : ConfigPort
        Of :func:`config_port`.
    registers : sequence of TreeRegister
        They are placed already.
    events : sequence of list of Value
        Numbers of events, in the order of ``counters_of``, less refusals of the config port.
    node : bool
        In a node interface; else in a switch.

    Returns
    -------
    SlotBank or None
        The slots; their process's side is left to the unit.
    """
    writes = message_bank(network).writes // len(registers)
    for r, register in enumerate(registers):
        m.d.comb += [
            register.write.eq(config.write[writes * r : writes * (r + 1)]),
            register.write_data.eq(config.config.data),
            register.word.eq(config.word),
        ]
    refused = [register.write_refused for register in registers]
    contents = [register.read_data for register in registers]
    observed = [register.observe for register in registers]
    refused_write: Value = config.refused_write
    slots: SlotBank | None = None
    of_slots: list[list[Value]] = [[] for _ in events]
    if network.wire_plane:
        links = 1 if node else network.ports
        slots = place_slots(m, network, unit, config, links, process=node)
        refused.append(slots.write_refused)
        contents.append(slots.contents)
        observed.append(slots.observe)
        number = config.config.address[3:]
        theirs = (number >= network.first_slot) & (number < network.port_registers)
        of_slots[1:4] = [[*slots.turns], [*slots.refused] if node else [], [refused_write & theirs]]
        refused_write = refused_write & ~theirs
    overflows, strays, arrives, others, *of_links = events
    late = [overflows, strays, arrives, [refused_write, *others], *of_links]
    shown, counts = count_events(m, of_slots, late)
    m.d.comb += [
        config.index.eq(unit.index),
        config.refused.eq(Cat(refused)),
        config.contents.eq(Cat(contents)),
        config.counters.eq(counts),
        unit.observe.eq(Cat(*observed, shown)),
    ]
    return slots
