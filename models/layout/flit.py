"""What a link carries for packets, and the header that a routing reads."""

from syncfabric.models.messages.layout import Field, Layout

__all__ = ["flit_layout", "xy_header"]


def flit_layout(flit_bits: int, *, cut: bool = False) -> Layout:
    """Return the layout of a flit of ``flit_bits`` payload bits, with the flag ``cut`` or not."""
    fields = (
        Field("payload", flit_bits, "header in the first flit, else the sender's"),
        Field("head", 1, "first flit of its packet"),
        Field("tail", 1, "last flit of its packet"),
    )
    lost = Field("cut", 1, "the rest of the packet is lost; with check bits")
    return Layout("flit", (*fields, lost) if cut else fields)


def xy_header(x_bits: int, y_bits: int) -> Layout:
    """Return what X-Y routing reads of a head flit's payload."""
    fields = (
        Field("x", x_bits, "destination column"),
        Field("y", y_bits, "destination row"),
    )
    return Layout("X-Y header", fields)
