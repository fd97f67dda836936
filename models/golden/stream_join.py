"""Joins of a router's streams: words that are taken, and results that are under way (V5)."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from syncfabric.models.golden.operators import Operators
from syncfabric.models.golden.stream_channel import Channel, Form
from syncfabric.models.layout.streams import StreamLayout

__all__ = ["Joins", "Result"]


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
    operators : Operators

    Attributes
    ----------
    fails : set of int
        Channels of which words do not fit in this cycle.
    """

    def __init__(self, layout: StreamLayout, form: Form, operators: Operators) -> None:
        self._form, self._operators = form, operators
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
        """The channels of results that are under way, those on a link among them."""
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

        A channel that is open no more stays so while a result of it is under way.
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
