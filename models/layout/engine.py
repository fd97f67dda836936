"""Words of the collective engine: messages, images, status, commands. RTL and model share them."""

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

from syncfabric.models.messages.layout import Field, Layout
from syncfabric.models.networks.grid import coordinates

EPOCH_BITS = 2
MOST_PORTS = 16
WORD_BITS = 32


def entries_of(groups: int) -> int:
    """Return the entries of an engine for so many groups: a power of two, at least 2."""
    return 1 << max(1, (groups - 1).bit_length())


def interval_of(stages: int, *, shared: bool) -> int:
    """Return the cycles of a service: the stages, less that of a register before the link.

    Parameters
    ----------
    stages : int, 1 to 4
        Cycles a router.
    shared : bool
        Packets share the links, or messages are routed: two stages have that register, too.
    """
    return stages - (stages > 2 or shared)


class Kind(IntEnum):
    """Kinds of a message. Bit 1 of LAST and BROKEN ends the entry as it goes down."""

    PLAIN, GO, LAST, BROKEN = range(4)


class Code(IntEnum):
    """Commands of the config port."""

    READ, SETUP, GO, KILL = range(4)


COMMIT = Layout(
    "commit word",
    (
        Field("code", 2, "READ 0, SETUP 1, GO 2, KILL 3"),
        Field("epoch", EPOCH_BITS, "the entry's epoch; of SETUP the one before"),
        Field("entry", 8, "entry of this engine"),
        Field("word", 4, "READ: the word that is read"),
    ),
)
"""Data of a write to COMMIT."""

_OP_BITS = {"none": 0, "bitwise": 2, "all": 3}


@dataclass(frozen=True)
class EngineLayout:
    """Widths of one engine's words.

    Parameters
    ----------
    links : int
        Link ports, numbers 0 to ``links`` - 1.
    own : bool
        The router's own process is one more port, number ``links``.
    groups, data_bits : int
    operations : {"none", "bitwise", "all"}
    place_bits : tuple of int, optional
        Bits of each of a router's coordinates; none: messages are not routed.
    dated : bool, optional
        Routed messages change lanes at datelines.
    key_bits : int, optional
        Bits of a group's key, and of a message's tag.
    """

    links: int
    own: bool
    groups: int
    data_bits: int
    operations: str
    place_bits: tuple[int, ...] = ()
    dated: bool = False
    key_bits: int = 0

    @property
    def routed(self) -> bool:
        """Messages are routed: names say where their receiver is."""
        return bool(self.place_bits)

    @property
    def place(self) -> tuple[str, ...]:
        """Names of the coordinates of a routed message's receiver."""
        return coordinates(len(self.place_bits))

    @property
    def lanes(self) -> int:
        """Lanes of routed messages on a link: two classes, each once more behind datelines."""
        return 2 * (1 + self.dated) if self.routed else 0

    @property
    def ports(self) -> int:
        """Link ports, and the own process."""
        return self.links + self.own

    @property
    def op_bits(self) -> int:
        """Bits of an operation's number."""
        return _OP_BITS[self.operations]

    @property
    def entry_bits(self) -> int:
        """Bits of an entry's number."""
        return self.entries.bit_length() - 1

    @property
    def entries(self) -> int:
        """Entries in memory: the groups, rounded up to a power of two."""
        return entries_of(self.groups)

    @property
    def _entry(self) -> tuple[Field, ...]:
        return (
            Field("entry", self.entry_bits, "entry at the receiver"),
            Field("epoch", EPOCH_BITS, "its epoch"),
        )

    def _keyed(self, name: str, meaning: str) -> tuple[Field, ...]:
        return (Field(name, self.key_bits, meaning),) if self.key_bits else ()

    @property
    def _place(self) -> tuple[Field, ...]:
        usual = {"x": "column", "y": "row"}
        return tuple(
            Field(name, bits, f"{usual.get(name, f'coordinate {name}')} of the receiver")
            for name, bits in zip(self.place, self.place_bits, strict=True)
        )

    @cached_property
    def name(self) -> Layout:
        """How an entry is named at a neighbour; routed: at the next member, and the route there."""
        orders = ("first along the row 0, the column 1", "dimensions upwards 0, downwards 1")
        routed = (Field("route_class", 1, orders[len(self.place_bits) != 2]),)
        return Layout("name", (*self._entry, *self._place, *(routed if self.routed else ())))

    @property
    def named(self) -> tuple[str, ...]:
        """What an image has a name for: the links, and if messages are routed the parent, ``u``."""
        return (*map(str, range(self.links)), *("u" * self.routed))

    @cached_property
    def message(self) -> Layout:
        """A message to and from the own process; on a link, too, if it is not routed."""
        return Layout(
            "message",
            (
                *self._entry,
                *self._keyed("tag", "the group's key, on links with the check bits of the rest"),
                Field("kind", 2, "PLAIN 0, GO 1, LAST 2, BROKEN 3"),
                Field("data", self.data_bits, "operand, or result"),
            ),
            () if self.key_bits else ("tag",),
        )

    @cached_property
    def link_message(self) -> Layout:
        """A message on a link; its class, if it is routed, is on wires of its own."""
        return Layout("message", (*self.message.fields, *self._place), self.message.absent)

    @cached_property
    def image(self) -> Layout:
        """What SETUP writes into an entry."""
        names = [
            Field(
                f"{field.name}_{name}",
                field.width,
                f"{'parent' if name == 'u' else f'link {name}'}: {field.meaning}",
            )
            for name in self.named
            for field in self.name.fields
        ]
        return Layout(
            "image",
            (
                Field("children", self.ports, "ports of the children, a bit each"),
                Field("parent", self.links, "port of the parent, one-hot; 0 at the root"),
                Field("op", self.op_bits, "OR 0, AND 1, XOR 2, MAX 3, MIN 4, SUM 5"),
                *names,
                *self._keyed("key", "the group's key"),
            ),
            () if self.key_bits else ("key",),
        )

    @property
    def image_words(self) -> int:
        """Staged words of an image."""
        return -(-self.image.width // WORD_BITS)

    @cached_property
    def status(self) -> Layout:
        """Word 0 of READ; the other commands answer with it, too."""
        return Layout(
            "status word",
            (
                Field("alive", 1, "the entry takes part in a group"),
                Field("epoch", EPOCH_BITS, "its epoch"),
                Field("turn", 1, "the next completion goes down"),
                Field("last", 1, "all that were merged said LAST"),
                Field("fresh", 1, "nothing is merged since the last completion"),
                Field("old", 1, "it waited already at the watchdog's last visit"),
                Field("missing", self.ports, "ports awaited"),
            ),
        )

    @cached_property
    def state(self) -> Layout:
        """State in memory; epoch and merged data have memories with the image, and alone."""
        fields = {field.name: field for field in self.status.fields}
        names = ("missing", "alive", "turn", "last", "fresh", "old")
        return Layout("state", tuple(fields[name] for name in names))

    @cached_property
    def memories(self) -> dict[str, Layout]:
        """A word of each memory that entries are kept in, by the memory's name."""
        epoch = Field("epoch", EPOCH_BITS, "the entry's epoch")
        acc = Field("acc", self.data_bits, "what is merged")
        data = {"data": Layout("data", (acc,))} if self.data_bits else {}
        image = Layout("image", (*self.image.fields, epoch))
        return {"images": image, "states": self.state, **data}
