"""The host bus, and the ports of a network and of its traffic that a host has to do with."""

from typing import Any

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from syncfabric.models.layout.stream_traffic import COMMAND
from syncfabric.models.messages.host import HOST_ADDRESS_BITS, HostShape


def page(word_bits: int) -> dict[str, Any]:
    """Return the members of a page of words.

    They are ``word`` and ``data``, what is addressed and the word to write, which stay for two
    cycles at least; ``read`` and ``write``, high in the second of these; and in that cycle
    ``value`` and ``refused``: what the word holds, and whether it is refused.
    """
    asked = {"word": In(word_bits), "data": In(32), "read": In(1), "write": In(1)}
    return {**asked, "value": Out(32), "refused": Out(1)}


class HostBusSignature(wiring.Signature):
    """Host bus, from the side of the front (docs/microarchitecture-host.md, H1).

    Members
    -------
    valid, write, address, data : Out
        A request; it stays until ``ready``.
    ready, rdata, error, later : In
        The answer, for one cycle.
    """

    def __init__(self) -> None:
        super().__init__(
            {
                "valid": Out(1),
                "write": Out(1),
                "address": Out(HOST_ADDRESS_BITS),
                "data": Out(32),
                "ready": In(1),
                "rdata": In(32),
                "error": In(1),
                "later": In(1),
            }
        )


class NetworkSignature(wiring.Signature):
    """A network's packed ports, from the side of the host; names as in docs/ports.md.

    ``last`` and ``broken`` are there if the network has them.
    """

    def __init__(self, shape: HostShape) -> None:
        width = shape.width
        members: dict[str, Any] = {
            "arrive": Out(width),
            "data": Out(width * shape.data_bits),
            "released": In(width),
            "result": In(width * shape.data_bits),
            "ready": In(width),
            "done": In(width),
            "config_valid": Out(1),
            "config_node": Out(bits_for(shape.targets - 1)),
            "config_address": Out(shape.address_bits),
            "config_write": Out(1),
            "config_data": Out(32),
            "config_ready": In(1),
            "config_error": In(1),
            "config_rdata": In(32),
        }
        if shape.last:
            members["last"] = Out(width)
        if shape.broken:
            members["broken"] = In(width)
        super().__init__(members)


class TrafficSignature(wiring.Signature):
    """Ordinary traffic of all nodes, from the side of the host.

    Members
    -------
    rate : Out(24), seed : Out(32), enable, load : Out(1)
        As `PacketSource` takes them; with ``load`` all counts begin anew.
    created, lost, received, wrong, latency : In(32)
        Counts, as of words in docs/microarchitecture-host.md, H2.
    """

    def __init__(self) -> None:
        counts = ("created", "lost", "received", "wrong", "latency")
        super().__init__(
            {
                "rate": Out(24),
                "seed": Out(32),
                "enable": Out(1),
                "load": Out(1),
                **dict.fromkeys(counts, In(32)),
            }
        )


class StreamSignature(wiring.Signature):
    """Sources and sinks of streams of all nodes, from the side of the host.

    Members
    -------
    put : Out(nodes), command : Out(COMMAND)
        As `StreamSource` takes them.
    cycle : In(32)
        What sinks count cycles by.
    packets, checksum, first, last : In(32 * nodes * channels)
        Of `StreamSink`, packed by nodes, and there by channels.
    """

    def __init__(self, shape: HostShape) -> None:
        counts = ("packets", "checksum", "first", "last")
        super().__init__(
            {
                "put": Out(shape.nodes),
                "command": Out(COMMAND.width),
                "cycle": In(32),
                **dict.fromkeys(counts, In(32 * shape.nodes * shape.streams)),
            }
        )
