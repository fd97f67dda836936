"""What may come at a router's ports of streams: packets of neighbours, credits, and worse."""

import random
from collections import deque
from collections.abc import Iterator

from syncfabric.models.layout.streams import HEAD, StreamLayout, built


def packet(
    rng: random.Random, layout: StreamLayout, operation: tuple[int, int], words: int, *, takes: bool
) -> Iterator[int]:
    """Yield the words of a packet: its head, and so many of a body.

    Parameters
    ----------
    rng : random.Random
    layout : StreamLayout
    operation : (int, int)
        Function and type.
    words : int
        0: it gives nothing.
    takes : bool
    """
    function, kind = operation
    head = HEAD.pack({"function": function, "type": kind, "takes": takes})
    yield layout.word.pack({"data": head, "head": 1, "tail": not words})
    # Few enough exponents that sums of floating point are of all kinds.
    for k in range(words):
        last = k == words - 1
        data = rng.getrandbits(layout.bits)
        if rng.random() < 0.3:
            data &= 0x3FFF_BFFF | rng.getrandbits(layout.bits)
        yield layout.word.pack({"data": data, "tail": last})


class Neighbours:
    """Neighbours of one channel: of each port what it will send, and what it owes credits for.

    Parameters
    ----------
    layout : StreamLayout
    rng : random.Random
    odds : float
        How often a packet differs from those beside it, or a word comes without a credit.
    """

    def __init__(self, layout: StreamLayout, rng: random.Random, odds: float) -> None:
        self._layout, self._rng, self._odds = layout, rng, odds
        ports = range(layout.ports)
        self._credits = dict.fromkeys(ports, layout.places)
        self._owed = dict.fromkeys(ports, 0)
        self._queues: dict[int, deque[int]] = {p: deque() for p in ports}
        self._operations = sorted(built(layout.operations))
        self.speed = dict.fromkeys(ports, 1.0)

    def hurry(self) -> None:
        """Draw how fast each one is."""
        for p in self.speed:
            self.speed[p] = self._rng.choice((1.0, 1.0, 0.8, 0.3, 0.05))

    def forget(self) -> None:
        """Begin anew with packets; credits stay."""
        for queue in self._queues.values():
            queue.clear()

    def begin(self, children: frozenset[int], parent: frozenset[int]) -> None:
        """Let each child have another stream to send, and the parent another result."""
        rng = self._rng
        operation, words = rng.choice(self._operations), rng.choice((1, 2, 3, rng.randrange(1, 40)))
        for p in children | parent:
            if len(self._queues[p]) > 60:
                continue
            gives = p in parent or rng.random() < 0.7
            length, said = words if gives else 0, operation
            if rng.random() < self._odds:
                length, said = rng.randrange(5), rng.choice(self._operations)
            made = packet(rng, self._layout, said, length, takes=rng.random() < 0.6)
            self._queues[p].extend(made)

    def sends(self) -> dict[int, int]:
        """Return the words that come in this cycle, by port."""
        rng, words = self._rng, dict[int, int]()
        for p, queue in self._queues.items():
            able = self._credits[p] > 0 or rng.random() < self._odds / 20
            if queue and able and rng.random() < self.speed[p]:
                words[p] = queue.popleft()
        return words

    def observe(self, sent: int) -> None:
        """Note that a word of this channel has been sent by a port."""
        self._credits[sent] -= 1

    def keep(self, port: int, word: int) -> None:
        """Put a word back that has found no place."""
        self._queues[port].appendleft(word)

    def freed(self, port: int) -> None:
        """Note a credit from the router."""
        self._credits[port] += 1

    def hears(self, port: int) -> None:
        """Note a word from the router."""
        self._owed[port] += 1

    def credits(self) -> list[int]:
        """Return the ports that give a credit back in this cycle."""
        back = [p for p, owed in self._owed.items() if owed and self._rng.random() < self.speed[p]]
        for p in back:
            self._owed[p] -= 1
        return back
