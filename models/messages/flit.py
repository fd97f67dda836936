"""What a link carries for an ordinary packet, whatever the kind of network."""

from syncfabric.models.messages.layout import Field, Layout

__all__ = ["flit"]


def flit(flit_bits: int, *, cut: bool = False) -> Layout:
    """Return the layout of a flit of ``flit_bits`` payload bits, with the flag ``cut`` or not."""
    return Layout(
        "flit",
        (
            Field("payload", flit_bits, "header in the first flit, else the sender's"),
            Field("head", 1, "first flit of its packet"),
            Field("tail", 1, "last flit of its packet"),
            *((Field("cut", 1, "the rest of the packet is lost"),) if cut else ()),
        ),
    )
