"""Set-up packets and commands of managers, mostly right, to compare with golden models."""

import random
from collections.abc import Callable, Iterator

from syncfabric.models.layout.setup import COMMAND, REPLY, REQUEST, Operation, share_of
from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.layout.words import ManagerWord

State = Callable[[int], tuple[bool, int]]
"""Of an entry: whether it is alive, and its epoch."""


def image_of(shape: NodeShape, rng: random.Random) -> int:
    """Return a random image with one parent, or none."""
    layout = shape.layout
    parent = rng.choice([None, *range(layout.links)])
    apart = not layout.routed
    children = [
        p for p in range(layout.ports) if not (apart and p == parent) and rng.random() < 0.5
    ]
    fields = {
        "children": sum(1 << p for p in children),
        "parent": 0 if parent is None else 1 << parent,
    }
    if layout.op_bits:
        fields["op"] = rng.randrange({"bitwise": 3, "all": 6}[layout.operations])
    for p in layout.named:
        fields |= {
            f"{field.name}_{p}": rng.getrandbits(field.width) for field in layout.name.fields
        }
    if layout.key_bits:
        fields["key"] = rng.getrandbits(layout.key_bits)
    return layout.image.pack(fields)


class SetUpDraws:
    """Draws for one router.

    Parameters
    ----------
    shape : NodeShape
        With managers.
    here : int
        Header of a packet for this router's port N, ``reply`` 0.
    entries : int
        Entries that are used.
    state : callable
    rng : random.Random
    """

    def __init__(
        self, shape: NodeShape, here: int, entries: int, state: State, rng: random.Random
    ) -> None:
        self.shape, self.here, self.state, self.rng = shape, here, state, rng
        self.reply_bit = 1 << shape.header.offsets["reply"]
        count = shape.layout.entries
        shares = [share_of(i, shape.managers, count) for i in range(shape.managers)]
        self.entries = [list(share[: max(2, entries // 2)]) or [0] for share in shares]

    def words(self) -> list[int]:
        """Return the words of an image."""
        image = image_of(self.shape, self.rng)
        return [image >> 32 * k & 0xFFFFFFFF for k in range(self.shape.layout.image_words)]

    def request(self, *, right: float = 0.9) -> list[int]:
        """Return a request's payloads, for this router mostly."""
        rng = self.rng
        manager = rng.randrange(self.shape.managers) if rng.random() < right else rng.randrange(4)
        entries = self.entries[manager % self.shape.managers]
        entry = rng.choice(entries) if rng.random() < right else rng.getrandbits(8)
        alive, epoch = self.state(entry % self.shape.layout.entries)
        operation: int = rng.choice((2, 2, 0, 1) if alive else (0, 1, 1, 2))
        if rng.random() > right:
            operation, epoch = rng.randrange(4), epoch + rng.choice((-1, 0, 1))
        fields = {
            "operation": operation,
            "manager": manager,
            "tag": rng.getrandbits(2),
            "epoch": epoch & 3,
            "entry": entry,
            "sequence": rng.getrandbits(9),
        }
        payloads = [self.here, REQUEST.pack(fields)]
        if operation != Operation.KILL:
            payloads += self.words()
        if rng.random() > right:
            payloads = [*payloads, *self.words(), 0][: rng.randint(1, 2 * len(payloads))]
        return payloads

    def reply(self) -> list[int]:
        """Return a reply's payloads."""
        rng = self.rng
        fields = {field.name: rng.getrandbits(field.width) for field in REPLY.fields}
        fields["tag"] = rng.choice((0, 0, 0, fields["tag"]))
        fields["code"] = rng.choice((0, 0, 5, fields["code"]))
        return [self.here | self.reply_bit, REPLY.pack(fields)]

    def packet(self) -> list[int]:
        """Return either, or anything; above a word there may be more bits."""
        rng = self.rng
        draw = rng.random()
        high = rng.getrandbits(self.shape.flit_bits - 32) << 32
        if draw < 0.6:
            payloads = self.request()
        elif draw < 0.9:
            payloads = self.reply()
        else:
            payloads = [rng.getrandbits(32) for _ in range(rng.randint(1, 5))]
        return [word | high for word in payloads]

    def commands(self) -> Iterator[tuple[bool, int, int]]:
        """Yield accesses to a manager's words: whether a write, word, data."""
        rng, draw = self.rng, self.rng.random()
        yield False, ManagerWord.STATUS, 0
        if draw < 0.5:
            count = rng.choice((1, 1, 2, 3))
            yield True, ManagerWord.POINTER, 0
            stride = 2 + self.shape.layout.image_words
            for _ in range(count):
                payloads = [*self.request(right=0.95), *self.words(), 0, 0][:stride]
                header = payloads[0] if rng.random() < 0.8 else rng.getrandbits(8)
                for word in (header, *payloads[1:]):
                    yield True, ManagerWord.DATA, word
            operation: int = rng.choice((Operation.SETUP, Operation.KILL))
            yield True, ManagerWord.COMMAND, COMMAND.pack({"operation": operation, "count": count})
        elif draw < 0.6:
            # Not more than has been written, but nothing at all, and more than there is room for.
            count = rng.choice((0, 1023))
            operation = Operation(rng.randrange(3))
            yield True, ManagerWord.COMMAND, COMMAND.pack({"operation": operation, "count": count})
        elif draw < 0.8:
            abort = COMMAND.pack({"operation": Operation.ABORT, "count": rng.getrandbits(10)})
            yield True, ManagerWord.COMMAND, abort
        for _ in range(rng.randint(1, 6)):
            yield False, rng.choice((*ManagerWord, rng.getrandbits(5))), rng.getrandbits(32)
