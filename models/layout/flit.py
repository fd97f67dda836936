"""What a link carries for packets, and the header that a routing reads."""

from syncfabric.models.messages.layout import Field, Layout
from syncfabric.models.networks.grid import Grid


def flit_layout(flit_bits: int, *, cut: bool = False) -> Layout:
    """Return the layout of a flit of ``flit_bits`` payload bits, with the flag ``cut`` or not."""
    fields = (
        Field("payload", flit_bits, "header in the first flit, else the sender's"),
        Field("head", 1, "first flit of its packet"),
        Field("tail", 1, "last flit of its packet"),
    )
    lost = Field("cut", 1, "the rest of the packet is lost; with check bits")
    return Layout("flit", (*fields, lost) if cut else fields)


def dimension_header(grid: Grid, ports: int = 0) -> Layout:
    """Return what routing by dimensions reads of a head flit's payload.

    Parameters
    ----------
    grid : Grid
    ports : int
        Of a router, where the destination is not the process inside.
    """
    fields = [
        Field(name, bits, f"destination {LINES.get(name, f'coordinate {name}')}")
        for name, bits in zip(grid.names, grid.bits, strict=True)
    ]
    if ports:
        fields.append(Field("port", max(1, (ports - 1).bit_length()), "its port there"))
    return Layout("packet header", (*fields, REPLY))


def table_header(routers: int, ports: int) -> Layout:
    """Return what routing by a table reads of a head flit's payload.

    Parameters
    ----------
    routers : int
        Of the network.
    ports : int
        Of a router, that of its set-up sink included.
    """
    fields = (
        Field("router", max(1, (routers - 1).bit_length()), "destination's router"),
        Field("port", max(1, (ports - 1).bit_length()), "its port there"),
        REPLY,
    )
    return Layout("packet header", fields)


def source_header(flit_bits: int, ports: int) -> Layout:
    """Return what routing by the source reads of a head flit's payload, router by router.

    Parameters
    ----------
    flit_bits : int
        Payload bits of a flit.
    ports : int
        Of a router.
    """
    width = (ports - 1).bit_length()
    outputs = tuple(
        Field(f"port_{i}", width, "output port, the next router's in port_0")
        for i in range(flit_bits // width)
    )
    return Layout("packet header", outputs)


LINES = {"x": "column", "y": "row"}
REPLY = Field("reply", 1, "set-up packets: for a manager; others: the sender's")
