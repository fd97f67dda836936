"""Joins of a router's streams (V5), and their operators: what comes of two words (V7).

Operators are by numpy's and ml_dtypes' arithmetic.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from operator import and_, or_, xor
from typing import Any, TypeAlias

from syncfabric.models.golden.stream_channel import Channel, Form
from syncfabric.models.layout.streams import Function, StreamLayout, Type, built

Combine: TypeAlias = Callable[[int, int], int]
"""Makes one word's data of two."""

_BITWISE: dict[Function, Combine] = {Function.AND: and_, Function.OR: or_, Function.XOR: xor}
_BITS = {Type.INT8: 8, Type.INT16: 16, Type.INT32: 32}
_UNSIGNED = (Function.MIN_UNSIGNED, Function.MAX_UNSIGNED)
_LEAST = (Function.MIN, Function.MIN_UNSIGNED)


@cache
def adds(bits: int, lane: int) -> Combine:
    """Return the sum modulo 2^lane of each lane of a word.

    Parameters
    ----------
    bits, lane : int
        Of a word, and of a lane.
    """
    ones = sum(1 << at for at in range(0, bits, lane))
    high = ones << lane - 1
    low = ones * ((1 << lane - 1) - 1)
    # The carry into a lane's highest bit is there, and the one out of it is not.
    return lambda a, b: ((a & low) + (b & low)) ^ (a ^ b) & high


class Operators:
    """What the operators of a router do.

    Parameters
    ----------
    layout : StreamLayout
    """

    def __init__(self, layout: StreamLayout) -> None:
        self._layout = layout
        self._built = built(layout.operations)
        self._made: dict[tuple[int, int], Combine] = {}

    def has(self, function: int, kind: int) -> bool:
        """Return whether an operation is built."""
        return (function, kind) in self._built

    def of(self, function: int, kind: int) -> Combine:
        """Return an operation that is built."""
        found = self._made.get((function, kind))
        if found is None:
            found = self._made[function, kind] = self._make(Function(function), Type(kind))
        return found

    def _make(self, function: Function, kind: Type) -> Combine:
        bits = self._layout.bits
        if kind == Type.OFFLOAD:
            assert self._layout.offload
            return self._layout.offload.of(function, bits)
        if kind in _BITS:
            return _integers(function, bits, _BITS[kind])
        return _floats(function, bits, kind)

    def joined(self, function: int, kind: int, operands: Mapping[int, int]) -> int:
        """Return what a join makes of the data of its ports (V7.3)."""
        combine, order = self.of(function, kind), sorted(operands)
        if self._layout.join == "serial":
            result = operands[order[0]]
            for p in order[1:]:
                result = combine(result, operands[p])
            return result
        level = {p: operands[p] for p in order}
        while len(level) > 1:
            above: dict[int, int] = {}
            for p, data in level.items():
                above[p >> 1] = combine(above[p >> 1], data) if p >> 1 in above else data
            level = above
        return level.popitem()[1]


def _integers(function: Function, bits: int, lane: int) -> Combine:
    """Return an operation on integers."""
    if function == Function.ADD:
        return adds(bits, lane)
    if function in _BITWISE:
        return _BITWISE[function]
    import numpy as np

    sign = "u" if function in _UNSIGNED else "i"
    choose = np.minimum if function in _LEAST else np.maximum
    return _by_lanes(bits, f"<{sign}{lane // 8}", choose)


def _by_lanes(bits: int, lane: str, of: Callable[[Any, Any], Any]) -> Combine:
    """Return what an operation on arrays does to words; ``lane`` is numpy's name of a lane."""
    import numpy as np

    size = bits // 8

    def combine(a: int, b: int) -> int:
        left, right = (np.frombuffer(word.to_bytes(size, "little"), lane) for word in (a, b))
        return int.from_bytes(of(left, right).tobytes(), "little")

    return combine


def _floats(function: Function, bits: int, kind: Type) -> Combine:
    """Return an operation on floating-point numbers (V7.4)."""
    import ml_dtypes
    import numpy as np

    if kind == Type.BF16:
        number, size, exponent, quiet = np.dtype(ml_dtypes.bfloat16), 2, 0x7F80, 0x7FC0
    else:
        number, size, exponent, quiet = np.dtype("<f4"), 4, 0x7F800000, 0x7FC00000
    unsigned, signed, sign = f"<u{size}", f"<i{size}", 1 << 8 * size - 1

    def flushed(word: Any) -> Any:
        """Make 0 of numbers below the normal range."""
        return np.where(word & exponent, word, word & sign).astype(unsigned)

    def is_nan(word: Any) -> Any:
        return (word & (sign - 1)) > exponent

    def add(a: Any, b: Any) -> Any:
        with np.errstate(all="ignore"):
            return flushed((a.view(number) + b.view(number)).view(unsigned))

    def order(word: Any) -> Any:
        """Return integers in the numbers' order, -0 before +0."""
        return np.where(word & sign, ~word | sign, word).astype(unsigned).view(signed)

    def choose(a: Any, b: Any) -> Any:
        first = order(a) <= order(b) if function in _LEAST else order(a) >= order(b)
        return np.where(first, a, b)

    compute = add if function == Function.ADD else choose

    def combine(left: Any, right: Any) -> Any:
        a, b = flushed(left), flushed(right)
        result = compute(a, b)
        return np.where(is_nan(a) | is_nan(b) | is_nan(result), quiet, result).astype(unsigned)

    return _by_lanes(bits, unsigned, combine)


class Result:
    """What a join has on a link, or in the turn, in a cycle to come.

    Attributes
    ----------
    channel, port, due : int
        The channel, where the result leaves, and the cycle in which it is on that link.
    word : int
        The result, once all words have been taken.
    words : dict of int to int
        What has been taken, by port.
    fits : bool
        All of it fits.
    """

    def __init__(self, channel: int, port: int, due: int, word: int) -> None:
        self.channel, self.port, self.due, self.word = channel, port, due, word
        self.words: dict[int, int] = {}
        self.fits = True


class Joins:
    """The joins of all channels of a router.

    Parameters
    ----------
    layout : StreamLayout
    form : Form

    Attributes
    ----------
    fails : set of int
        Channels of which words do not fit in this cycle.
    """

    def __init__(self, layout: StreamLayout, form: Form) -> None:
        self._form, self._operators = form, Operators(layout)
        self._serial = layout.join == "serial"
        self._latency, self._pace = layout.latency, layout.operator_latency
        self._results = deque[Result]()  # by the cycle in which they are due
        self._ports = deque[int]()  # serial: those still to be taken from
        self._now = 0
        self.fails = set[int]()

    def begin(self, now: int) -> None:
        """Begin a cycle."""
        self._now = now
        self.fails.clear()
        while self._results and self._results[0].due < now:
            self._results.popleft()

    @property
    def under_way(self) -> set[int]:
        """The channels of results that are in flight, those on a link among them."""
        return {result.channel for result in self._results}

    @property
    def is_free(self) -> bool:
        """Whether a join can be taken."""
        return not (self._serial and self._results and self._results[-1].due > self._now)

    def coming(self) -> Result | None:
        """Return the result that is on a link in the next cycle."""
        due = (result for result in self._results if result.due == self._now + 1)
        return next(due, None)

    def take(self, c: int, channel: Channel) -> list[int]:
        """Take a join that is ready; return the ports that words leave."""
        ports = sorted(channel.inputs())
        cycles = len(ports) * self._pace if self._serial else self._latency
        result = Result(c, channel.above, self._now + cycles, self._form.unfit)
        channel.tokens[channel.above] -= 1
        self._results.append(result)
        first, later = (ports[:1], ports[1:]) if self._serial else (ports, [])
        self._ports.extend(later)
        for p in first:
            self._look(result, p, channel)
        if not later:
            self._end(result, channel)
        return first

    def go_on(self, channels: Sequence[Channel]) -> tuple[int, int] | None:
        """Go on with a serial join; return the port that a word leaves, and the channel.

        A channel that is open no more stays so while a result of it is in flight.
        """
        if not self._ports:
            return None
        result = self._results[-1]
        channel = channels[result.channel]
        if (result.due - self._now) % self._pace:
            return None
        p = self._ports.popleft()
        if not channel.open:
            return None
        self._look(result, p, channel)
        if not self._ports:
            self._end(result, channel)
        return p, result.channel

    def _look(self, result: Result, port: int, channel: Channel) -> None:
        """Take a word, and see whether it fits (V5.3)."""
        word, form = channel.buffers[port].popleft(), self._form
        first = next(iter(result.words.values()), word)
        result.words[port] = word
        if channel.up:
            fits = not word & form.head and word >> form.bits == first >> form.bits
        else:
            operation = word & form.operation
            fits = bool(word & form.head) and operation == first & form.operation
            fits = fits and self._operators.has(operation & 7, operation >> 3)
        result.fits &= fits

    def _end(self, result: Result, channel: Channel) -> None:
        """Make the result of words that fit, and change the channel's state (V5.5, V5.6)."""
        if not result.fits:
            self.fails.add(result.channel)
            return
        words, form = result.words, self._form
        first = next(iter(words.values()))
        if channel.up:
            result.word = first
            if len(words) > 1:
                data = {p: word & form.mask for p, word in words.items()}
                function, kind = channel.operation & 7, channel.operation >> 3
                combined = self._operators.joined(function, kind, data)
                result.word = combined | first >> form.bits << form.bits
            channel.up = not first & form.tail
            return
        takes = frozenset(p for p, word in words.items() if word & form.takes)
        gives = frozenset(p for p, word in words.items() if not word & form.tail)
        operation = first & form.operation
        channel.opens(operation, takes, gives)
        result.word = form.head | operation
        result.word |= (form.takes if takes else 0) | (0 if gives else form.tail)
