"""Links, core port, config port and chain of routes of the static network."""

from typing import Any

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages.registers import CONFIG_ADDRESS_BITS
from syncfabric.models.networks.spec import StaticSpec


class StaticLinkSignature(wiring.Signature):
    """Link between two switches, or a switch and its node.

    Parameters
    ----------
    flit_bits : int
    flushed : bool
        Whether it has ``flush``: the link from a node to its switch has not, as the switch itself
        orders it.

    Members
    -------
    valid : Out(1), flit : Out(flit_bits)
        A flit is on the link; without meaning when none is.
    credit : In(1)
        A flit leaves the receiver's buffer in this cycle.
    flush : Out(1)
        The receiver's buffer is empty from the next cycle on. High in reset, too.
    """

    def __init__(self, flit_bits: int, *, flushed: bool = True) -> None:
        members: dict[str, Any] = {"valid": Out(1), "flit": Out(flit_bits), "credit": In(1)}
        super().__init__(members | ({"flush": Out(1)} if flushed else {}))


class RouteSignature(wiring.Signature):
    """What loads the routes of all switches.

    Members
    -------
    shift : Out(1)
        The chain of shadow bits moves on by one.
    strobe : Out(1)
        From the next cycle on the shadow bits are the routes.
    """

    def __init__(self) -> None:
        super().__init__({"shift": Out(1), "strobe": Out(1)})


class ConfigSignature(wiring.Signature):
    """Config port of a static network, from the side of who asks.

    Members
    -------
    valid, node, address, write, data : Out
        A request to the node, or the loader, with number ``node``; data are 32 bits.
    ready, error, rdata : In
        The answer; 0 from everybody else.
    """

    def __init__(self, network: StaticSpec) -> None:
        super().__init__(
            {
                "valid": Out(1),
                "node": Out(network.layout.target_bits),
                "address": Out(CONFIG_ADDRESS_BITS),
                "write": Out(1),
                "data": Out(32),
                "ready": In(1),
                "error": In(1),
                "rdata": In(32),
            }
        )


class CoreSignature(wiring.Signature):
    """Port of a node's process, from the side of the process.

    Members
    -------
    arrive : Out(1), released, ready, done : In(1)
        The process arrives at the barrier; a pulse of one cycle; it may arrive; sticky release.
    hold : Out(1)
        It has not come to Wait yet: what Wait reads stays where it is.
    send_valid : Out(1), send_flit : Out(flit_bits), send_ready : In(1)
        With role NONE: a flit to send, taken while ready.
    recv_valid : In(1), recv_flit : In(flit_bits), recv_take : Out(1)
        With role NONE: there is a flit for the node; it is taken away.
    """

    def __init__(self, flit_bits: int) -> None:
        super().__init__(
            {
                "arrive": Out(1),
                "released": In(1),
                "ready": In(1),
                "done": In(1),
                "hold": Out(1),
                "send_valid": Out(1),
                "send_flit": Out(flit_bits),
                "send_ready": In(1),
                "recv_valid": In(1),
                "recv_flit": In(flit_bits),
                "recv_take": Out(1),
            }
        )
