"""Performs a program of thread blocks: what is in every buffer in the end, and when.

Sends of a connection, of one GPU to another on a channel, come in order, and wait there until they
are received; a send holds its links as in ``checker``. Local steps take no time. Two accesses to a
chunk, one of them a write, that nothing puts into an order are wrong, whatever the times are.
"""

from collections import deque
from collections.abc import Collection, Hashable, Iterable, Iterator
from fractions import Fraction
from heapq import heappop, heappush, heapreplace

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.chunks.checker import SHOWN, Outcome
from syncfabric.models.collectives.chunks.msccl import (
    RECEIVING,
    REDUCING,
    SENDING,
    Block,
    Place,
    Program,
    Step,
    begins,
    ends,
    reads,
    writes,
)
from syncfabric.models.collectives.chunks.order import legs_of
from syncfabric.models.collectives.topology import Topology
from syncfabric.models.errors import SpecError

Clock = NDArray[np.int32]
"""By block, how many of its steps are known to be done."""
Key = tuple[int, int]


class Races:
    """Vector clocks of thread blocks.

    A step comes after those before it in its block, what it waits for, the send that it receives,
    and all that these come after. Source: L. Lamport, Time, clocks, and the ordering of events in a
    distributed system, Communications of the ACM 21, 1978; F. Mattern, Virtual time and global
    states of distributed systems, 1989.

    Parameters
    ----------
    blocks : iterable of (gpu, block)
    awaited : collection of (gpu, block, step)
        Steps that others wait for.
    """

    def __init__(self, blocks: Iterable[Key], awaited: Collection[tuple[int, int, int]]) -> None:
        self._number = {key: number for number, key in enumerate(blocks)}
        self._clocks = {key: np.zeros(len(self._number), np.int32) for key in self._number}
        self._awaited, self._kept = awaited, dict[tuple[int, int, int], Clock]()
        self._wrote: dict[Hashable, Key] = {}
        self._reads: dict[Hashable, list[Key]] = {}

    def waits(self, key: Key, other: tuple[int, int, int]) -> None:
        """Let a block's next step come after a step that it waits for."""
        self.receives(key, self._kept[other])

    def receives(self, key: Key, clock: Clock) -> None:
        """Let a block's next step come after a send."""
        np.maximum(self._clocks[key], clock, out=self._clocks[key])

    def races(self, key: Key, step: int, place: Hashable, *, writes: bool) -> bool:
        """Note an access; return whether it may come before one that it should come after."""
        clock, own = self._clocks[key], (self._number[key], step)
        before = [self._wrote[place]] if place in self._wrote else []
        if writes:
            before += self._reads.pop(place, [])
            self._wrote[place] = own
        else:
            self._reads.setdefault(place, []).append(own)
        return any(clock[block] <= number for block, number in before if (block, number) != own)

    def done(self, key: Key, step: int) -> Clock:
        """Note that a step is done; return what a send of it carries."""
        clock = self._clocks[key]
        clock[self._number[key]] = step + 1
        if (*key, step) in self._awaited:
            self._kept[*key, step] = clock.copy()
        return clock


Value = tuple[int, int]
"""An item, and the ranks whose contributions are in it, a bit each; -1 and 0: none."""
Connection = tuple[int, int, int]
NONE: Value = (-1, 0)


def check_program(program: Program, topology: Topology) -> Outcome:
    """Perform a program on a topology with links.

    Raises
    ------
    SpecError
        The topology has other ranks or lacks a path that it takes, or steps wait for each other.
    """
    if topology.nodes != program.exchange.ranks:
        raise SpecError(
            f"topology {topology.name}: it has {topology.nodes} ranks, but the program"
            f" {program.exchange.ranks}"
        )
    return _Performed(program, topology).outcome()


class _Performed:
    def __init__(self, program: Program, topology: Topology) -> None:
        self._program, self._exchange = program, program.exchange
        self._topology, self._paths = topology, {(w[0], w[-1]): w for w in legs_of(topology)}
        self._lanes = [[Fraction(0)] * link.lanes for link in topology.links]
        self._buffers: dict[tuple[int, Place], Value] = dict(self._begin())
        self._sent: dict[Connection, deque[tuple[Fraction, list[Value], Clock]]] = {}
        self._done: dict[tuple[int, int, int], Fraction] = {}
        self._at = {(g, b): 0 for g, blocks in enumerate(program.gpus) for b in range(len(blocks))}
        self._free = dict.fromkeys(self._at, Fraction(0))
        self._waiting: dict[object, list[tuple[int, int]]] = {}
        steps = [
            (gpu, s) for gpu, blocks in enumerate(program.gpus) for b in blocks for s in b.steps
        ]
        waits = {(gpu, *step.after) for gpu, step in steps if step.after is not None}
        self._races = Races(self._at, waits)
        self._wrong: list[str] = []
        self._broken = 0

    def outcome(self) -> Outcome:
        """Perform all steps, and look at what every rank has."""
        order: list[tuple[Fraction, int, int]] = [(Fraction(0), *key) for key in self._at]
        order.sort()
        while order:
            for entry in self._advance(*heappop(order)):
                heappush(order, entry)
        left = [key for key, at in self._at.items() if at < len(self._block(*key).steps)]
        if left:
            gpu, nth = left[0]
            step = self._block(gpu, nth).steps[self._at[gpu, nth]]
            raise SpecError(
                f"gpu {gpu}, tb {nth}, step {self._at[gpu, nth]}: it never ends its wait for"
                f" {self._cause(gpu, nth, step)}; {len(left)} blocks do not end"
            )
        self._check_ends()
        return Outcome(
            max(self._free.values(), default=Fraction(0)), tuple(self._wrong), self._broken
        )

    def _block(self, gpu: int, nth: int) -> Block:
        return self._program.gpus[gpu][nth]

    def _cause(self, gpu: int, nth: int, step: Step) -> str:
        if step.after is not None and (gpu, *step.after) not in self._done:
            return "tb {}, step {}".format(*step.after)
        return f"what gpu {self._block(gpu, nth).receive} sends"

    def _advance(self, now: Fraction, gpu: int, nth: int) -> Iterator[tuple[Fraction, int, int]]:
        """Perform a block's next step if it can; yield the blocks that may go on, and when."""
        block, key = self._block(gpu, nth), (gpu, nth)
        if self._at[key] == len(block.steps):
            return
        step = block.steps[self._at[key]]
        start = self._free[key]
        if step.after is not None:
            if (gpu, *step.after) not in self._done:
                self._waiting.setdefault((gpu, *step.after), []).append(key)
                return
            start = max(start, self._done[gpu, *step.after])
        connection = block.receive, gpu, block.channel
        if step.kind in RECEIVING:
            queue = self._sent.setdefault(connection, deque())
            if not queue:
                self._waiting.setdefault((*connection, "sent"), []).append(key)
                return
            start = max(start, queue[0][0])
        if start > now:  # others come first
            yield start, gpu, nth
            return
        if step.after is not None:
            self._races.waits(key, (gpu, *step.after))
        values: list[Value] = []
        if step.kind in RECEIVING:
            _, values, clock = self._sent[connection].popleft()
            self._races.receives(key, clock)
        at = self._at[key]
        place = f"gpu {gpu}, tb {nth}, step {at}"
        values = self._values(key, step, values, place)
        clock = self._races.done(key, at)
        woken = self._waiting.pop((gpu, nth, at), [])
        if step.kind in SENDING:
            start = self._send(gpu, block.send, start, step.count, place)
            connection = gpu, block.send, block.channel
            self._sent.setdefault(connection, deque()).append((start, values, clock.copy()))
            woken += self._waiting.pop((*connection, "sent"), [])
        self._done[gpu, nth, at] = self._free[key] = start
        self._at[key] += 1
        for other in (key, *woken):
            yield max(start, self._free[other]), *other

    def _values(self, key: Key, step: Step, values: list[Value], place: str) -> list[Value]:
        """Read and write what a step does; return what it sends, if it sends."""
        gpu, chunks = key[0], range(step.count)
        if step.kind in RECEIVING and len(values) != step.count:
            self._say(f"{place}: it receives {step.count} chunks, but {len(values)} are sent")
            values = (values + [NONE] * step.count)[: step.count]
        if reads(step.kind):
            own = [self._read(key, step.source, n, place) for n in chunks]
            if step.kind == "re":
                values = [self._read(key, step.target, n, place) for n in chunks]
            if step.kind in REDUCING:
                own = [self._both(a, b, place) for a, b in zip(own, values, strict=True)]
            values = own
        if writes(step.kind):
            for n, value in zip(chunks, values, strict=True):
                self._buffers[gpu, self._access(key, step.target, n, place, write=True)] = value
        return values

    def _send(self, gpu: int, peer: int, start: Fraction, chunks: int, place: str) -> Fraction:
        path = self._paths.get((gpu, peer))
        if path is None:
            raise SpecError(
                f"{place}: topology {self._topology.name} has no channel from {gpu} to {peer}"
            )
        lanes = [self._lanes[channel] for channel in self._topology.along(path)]
        start = max(start, *(free[0] for free in lanes))
        end = start + self._topology.held(path, chunks * self._program.piece)
        for free in lanes:
            heapreplace(free, end)
        return end

    def _read(self, key: Key, place: Place, nth: int, where: str) -> Value:
        value = self._buffers.get((key[0], self._access(key, place, nth, where)), NONE)
        if value == NONE:
            self._say(f"{where}: nothing is in chunk {place.offset + nth} of {place.buffer}")
        return value

    def _access(
        self, key: Key, place: Place, nth: int, where: str, *, write: bool = False
    ) -> Place:
        """Return where an access goes; note whether it is in the buffer, and in an order."""
        chunk = place.offset + nth
        size = self._program.sizes.get((key[0], place.buffer), chunk + 1)
        if chunk >= size:
            self._say(f"{where}: {place.buffer} has {size} chunks, but it takes chunk {chunk}")
        real = self._real(key[0], place, nth)
        if self._races.races(key, self._at[key], (key[0], real), writes=write):
            self._say(f"{where}: in no order with another access to {place.buffer} {chunk}")
        return real

    def _both(self, one: Value, other: Value, where: str) -> Value:
        if NONE not in (one, other) and one[0] != other[0]:
            self._say(f"{where}: it reduces chunk {one[0]} with chunk {other[0]}")
        if twice := one[1] & other[1]:
            rank = (twice & -twice).bit_length() - 1
            self._say(f"{where}: it reduces what gpu {rank} gives twice")
        return one[0] if one != NONE else other[0], one[1] | other[1]

    def _say(self, words: str) -> None:
        self._broken += 1
        if len(self._wrong) < SHOWN:
            self._wrong.append(words)

    def _real(self, gpu: int, place: Place, nth: int) -> Place:
        """Return a place by one name: in place input and output are one memory."""
        exchange, buffer, offset = self._exchange, place.buffer, place.offset + nth
        if not self._program.inplace or buffer == "s":
            return Place(buffer, offset)
        first = gpu * exchange.parts
        if exchange.kind in ("allgather", "gather"):
            return Place("o", offset + first * (buffer == "i"))
        divided = exchange.kind in ("reduce-scatter", "scatter")
        return Place("i", offset + first * (buffer == "o" and divided))

    def _items(self, shares: list[int]) -> list[int]:
        """Return the items of shares; of an allreduce all chunks, also if they are no multiple."""
        parts = self._exchange.parts
        if self._exchange.kind == "allreduce":
            return [*range(self._program.chunks)]
        return [share * parts + part for share in shares for part in range(parts)]

    def _begin(self) -> Iterator[tuple[tuple[int, Place], Value]]:
        for gpu in range(self._exchange.ranks):
            for nth, item in enumerate(self._items(begins(self._exchange, gpu))):
                yield (gpu, self._real(gpu, Place("i", nth), 0)), (item, 1 << gpu)

    def _check_ends(self) -> None:
        exchange, parts = self._exchange, self._exchange.parts
        whole = [sum(1 << rank for rank in share.sources) for share in exchange.shares]
        for gpu in range(exchange.ranks):
            for nth, item in enumerate(self._items(ends(exchange, gpu))):
                found = self._buffers.get((gpu, self._real(gpu, Place("o", nth), 0)), NONE)
                if found != (item, whole[min(item // parts, len(whole) - 1)]):
                    self._say(f"gpu {gpu} ends without chunk {nth} of the output whole")
