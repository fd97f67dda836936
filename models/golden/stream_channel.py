"""What a router keeps of a stream's channel: buffers, credits, and the state of fork and join."""

from collections import deque
from collections.abc import Collection

from syncfabric.models.golden.slots import SlotState
from syncfabric.models.layout.streams import MOST_SETS, StreamLayout

_UNFIT = 6
"""The type of a head that fits nowhere."""


class Form:
    """Where the parts of a word are.

    Parameters
    ----------
    layout : StreamLayout

    Attributes
    ----------
    bits, mask : int
        Of its data.
    head, tail : int
        The bits that mark the first and the last of a packet.
    operation, takes : int
        A head's bits of function and type, and of ``takes``.
    unfit : int
        What becomes of words that do not fit (V5.4).
    """

    def __init__(self, layout: StreamLayout) -> None:
        self.bits, self.mask = layout.bits, (1 << layout.bits) - 1
        self.head, self.tail = (1 << layout.word.offsets[name] for name in ("head", "tail"))
        self.operation, self.takes = 0x3F, 0x40
        self.unfit = self.head | self.tail | _UNFIT << 3


class Channel:
    """A channel of a router; ports are its links, its process's, and the turn, the last.

    Parameters
    ----------
    form : Form
    ports, places : int
        Ports, the turn among them, and words that a buffer holds.

    Attributes
    ----------
    open : bool
        In this cycle.
    failed, deferred : bool
    children, above : frozenset of int, int
        C and V.
    up, gives, operation : bool, frozenset of int, int
        The join's state; function and type as in a head.
    """

    def __init__(self, form: Form, ports: int, places: int) -> None:
        self._form, self._turn = form, ports - 1
        self.buffers = [deque[int]() for _ in range(ports)]
        self.tokens = [places] * ports
        self.children, self.above = frozenset[int](), self._turn
        self.open = self._opened = self.failed = self.deferred = False
        self._stale = False  # pending at the last visit, and nothing has left since
        self.up = self._down = False
        self.gives, self.operation = frozenset[int](), 0
        self._spread: deque[frozenset[int]] = deque()
        self._copied = frozenset[int]()

    @property
    def holds_words(self) -> bool:
        """Whether a buffer holds a word."""
        return any(self.buffers)

    @property
    def is_pending(self) -> bool:
        """Whether the watchdog looks after it (V6.6)."""
        return self._opened and (self.up or self._down or self.holds_words)

    def begin(self, slot: SlotState) -> bool:
        """Begin a cycle; return whether the channel was open up to now."""
        self.children = slot.children
        self.above = next(iter(slot.parent), self._turn)
        self.open = self._opened and slot.alive
        if not self._opened or self.open:
            return False
        self._opened = self.failed = self.deferred = self._stale = self.up = self._down = False
        self._spread.clear()
        self._copied = frozenset()
        return True

    def end(self, slot: SlotState, *, fails: bool) -> bool:
        """End a cycle; return whether the channel is open from now on, and was not."""
        self.failed = self.open and (self.failed or fails)
        opens = slot.alive and slot.goes and not self._opened
        self._opened |= opens
        return opens

    def drop(self) -> list[int]:
        """Let words leave that nothing takes (V6.4); return their ports."""
        ports = [
            p
            for p, buffer in enumerate(self.buffers)
            if buffer and not (self.open and (p in self.children or p == self.above))
        ]
        for p in ports:
            self.buffers[p].popleft()
        return ports

    def watch(self, *, left: bool, visited: bool, pending: bool) -> bool:
        """Return whether the watchdog makes the channel fail in this cycle (V6.6).

        Parameters
        ----------
        left : bool
            A word leaves a buffer.
        visited, pending : bool
            There is a visit, and the channel was pending at the start of the cycle.
        """
        fails = visited and self._stale and pending and not left
        self._stale = pending if visited else self._stale and not left
        return fails

    # The fork (V4).

    def _left(self) -> frozenset[int]:
        """Return the ports that are to have the source's first word."""
        return (self._spread[0] if self._down else self.children) - self._copied

    def can_fork(self, *, pauses: bool) -> bool:
        """Return whether the fork is ready; in a pause no port counts as having a credit."""
        if not (self.open and self._spread and self.buffers[self.above]):
            return False
        left = self._left()
        return not left or (not pauses and any(self.tokens[q] for q in left))

    def is_blocked(self, busy: Collection[int]) -> bool:
        """Return whether links that are busy in the next cycle block a fork that is ready."""
        return any(self.tokens[q] for q in self._left() if q in busy)

    def fork(self, busy: Collection[int]) -> tuple[dict[int, int], bool]:
        """Copy a word, with the fork ready.

        Parameters
        ----------
        busy : collection of int
            Links that have a join's result in the next cycle.

        Returns
        -------
        (dict of int to int, bool)
            Copies by port, and whether the word leaves.
        """
        form, word, first = self._form, self.buffers[self.above][0], self._spread[0]
        left = self._left()
        copies: dict[int, int] = {}
        for q in left:
            if self.tokens[q] and q not in busy:
                self.tokens[q] -= 1
                copies[q] = word | form.tail if word & form.head and q not in first else word
        leaves = len(copies) == len(left)
        if not leaves:
            self._copied |= copies.keys()
            return copies, False
        self._copied = frozenset()
        if word & form.tail:
            self._down = False
            self._spread.popleft()
        elif word & form.head:
            self._down = True
        self.buffers[self.above].popleft()
        return copies, True

    # The join (V5).

    def inputs(self) -> frozenset[int]:
        """Return the ports that the next join takes words from."""
        return self.gives if self.up else self.children

    def can_join(self) -> bool:
        """Return whether the join is ready, by what the channel knows."""
        if not self.open or self.failed or not self.tokens[self.above]:
            return False
        inputs = self.inputs()
        if not inputs or not all(self.buffers[p] for p in inputs):
            return False
        return self.up or len(self._spread) < MOST_SETS

    def opens(self, operation: int, takes: frozenset[int], gives: frozenset[int]) -> None:
        """Note what heads that fit say (V5.5)."""
        self._spread.append(takes)
        self.operation, self.gives, self.up = operation, gives, bool(gives)
