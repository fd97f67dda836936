"""The numbers that sinks, managers and set-up ports are built for."""

from dataclasses import dataclass
from functools import cached_property

from amaranth import Cat, Const, Mux, Value

from syncfabric.models.layout.flit import flit_layout
from syncfabric.models.layout.setup import MOST_REQUESTS, manager_words
from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.messages.layout import Layout


@dataclass(frozen=True)
class SetUpShape:
    """What set-up by packets needs to know of a network.

    Rules: docs/microarchitecture-networks.md, N3 to N5.

    Parameters
    ----------
    flit : Layout
        Of a link, ``cut`` included if there are check bits.
    channels : int
        Ordinary channels; that of set-up packets comes after them.
    places : int
        Flits that a channel of an input can hold.
    reply : int
        Bit of a header that is 1 in replies.
    entries, image_words : int
        Of an engine.
    routers : int
    headers : tuple of int
        Header of replies to each manager.
    slots : int, optional
        Of barrier wires, entries from ``entries`` on.
    """

    flit: Layout
    channels: int
    places: int
    reply: int
    entries: int
    image_words: int
    routers: int
    headers: tuple[int, ...]
    slots: int = 0

    @property
    def managers(self) -> int:
        """How many there are."""
        return len(self.headers)

    @property
    def entry_bits(self) -> int:
        """Bits of an entry's number."""
        return (self.entries - 1).bit_length()

    @property
    def number_bits(self) -> int:
        """Bits of the number of an entry or slot."""
        return (self.entries + self.slots - 1).bit_length()

    @property
    def flit_bits(self) -> int:
        """Payload of a flit."""
        return self.flit.fields[0].width

    @property
    def cut(self) -> bool:
        """Flits have the flag ``cut``."""
        return "cut" in self.flit.offsets

    def flit_of(self, payload: Value, head: Value, tail: Value) -> Value:
        """Return a flit, whose payload may be shorter than there is room for."""
        return Cat(Cat(payload, Const(0, self.flit_bits))[: self.flit_bits], head, tail)

    def owner(self, entry: Value) -> Value:
        """Return the number of the manager in whose share an entry is, if it is in any."""
        owner = entry[max(0, self._run_bits) :]
        if not self.slots:
            return owner
        share = (self.managers - 1).bit_length()
        return Mux(entry < self.entries, owner, (entry - self.entries)[:share])

    def owned(self, entry: Value) -> Value:
        """Return whether an entry is in the share of a manager that is built."""
        ours = self.owner(entry) < (self.managers if self._run_bits >= 0 else 0)
        return ours & (entry < self.entries + self.slots) if self.slots else ours

    @property
    def _run_bits(self) -> int:
        """Bits of an entry below those of its share's number; negative: shares are empty."""
        return self.entry_bits - (self.managers - 1).bit_length()

    @property
    def router_bits(self) -> int:
        """Bits of a router's number."""
        return max(1, (self.routers - 1).bit_length())

    @property
    def stride(self) -> int:
        """Words of a request in a manager's memory."""
        return 2 + self.image_words

    @cached_property
    def words(self) -> int:
        """Words of a manager's memory."""
        return manager_words(self.image_words, self.routers)

    @property
    def requests(self) -> int:
        """Requests of the greatest command."""
        return min(MOST_REQUESTS, self.words // self.stride)


def set_up_shape(shape: NodeShape, headers: tuple[int, ...]) -> SetUpShape | None:
    """Return what set-up needs to know of a network of such routers; None without managers.

    Parameters
    ----------
    shape : NodeShape
        Of its routers.
    headers : tuple of int
        Header of replies to each manager.

    Raises
    ------
    ValueError
        There are more or fewer headers than managers.
    """
    if len(headers) != shape.managers:
        raise ValueError(
            f"headers of {shape.managers} managers are needed, not of {len(headers)};"
            " a header each, as NetworkShape.manager_header gives them"
        )
    if not headers:
        return None
    return SetUpShape(
        flit_layout(shape.flit_bits, cut=shape.check_bits > 0),
        shape.channels,
        shape.buffer_flits,
        shape.header.offsets["reply"],
        shape.layout.entries,
        shape.layout.image_words,
        shape.grid.routers if shape.grid else shape.routers,
        headers,
        shape.wires,
    )
