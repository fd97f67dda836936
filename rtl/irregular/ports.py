"""What the parts of an irregular network's barrier units show each other."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import COUNTER_BITS, TRIPPED, WireLayout
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.parts.events import counters_of
from syncfabric.rtl.setup.life import LIFE_BITS

__all__ = [
    "NODE_PORTS",
    "SenderSignature",
    "crossbar_inputs",
    "observe_bits",
    "observed_bits",
    "slot_bits",
]

NODE_PORTS = 2
"""Ports of a node interface's registers: 0 the link to the switch, 1 the node's process."""


class SenderSignature(wiring.Signature):
    """What a register shows to the sender.

    Members
    -------
    children : Out(ports)
        Ports to which a message of kind ``wave`` is to be sent.
    parent : Out(ports)
        One-hot port to which one of kind ``up_kind`` is to be sent, or 0; never both at once.
    wave, up_kind, gid, epoch, data : Out
        What the message says.
    sent : In(ports)
        Ports by which a message of this register is sent in this cycle.
    """

    def __init__(self, network: IrregularSpec, ports: int) -> None:
        super().__init__(
            {
                "children": Out(ports),
                "parent": Out(ports),
                "wave": Out(2),
                "up_kind": Out(2),
                "gid": Out(8),
                "epoch": Out(2),
                "data": Out(network.data_bits),
                "sent": In(ports),
            }
        )


def observe_bits(network: IrregularSpec, ports: int, *, node: bool = False) -> int:
    """Return the width of ``observe``: registers of ``ports`` ports, slots, then event counters."""
    registers = network.message_registers * observed_bits(network, ports, node=node)
    slots = (network.port_registers - network.message_registers) * slot_bits(network)
    return registers + slots + len(counters_of(network)) * COUNTER_BITS


def slot_bits(network: IrregularSpec) -> int:
    """Return how much of ``observe`` is one slot's; its ports do not matter."""
    return WireLayout(network.ports, False, network.data_bits).slot.width


def observed_bits(network: IrregularSpec, ports: int, *, node: bool = False) -> int:
    """Return how much of ``observe`` is one register's, in a node interface or in a switch."""
    bits = 2 * (ports + 1 + network.data_bits) + (LIFE_BITS if network.managed else 0)
    return bits + TRIPPED.width * (network.watched and node)


def crossbar_inputs(network: IrregularSpec) -> int:
    """Return how many inputs ordinary flits come from: the ports, and the set-up sink's replies."""
    return network.ports + network.managed
