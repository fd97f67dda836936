"""The guards of docs/microarchitecture-faults.md, F2 and F3, channel by channel as they stand."""

from __future__ import annotations

from collections.abc import Sequence

from syncfabric.models.golden.receiver_guard import NONE, Given, Seen
from syncfabric.models.golden.sender_guard import QUIET

__all__ = ["LiteralReceiver", "LiteralSender"]


class LiteralSender:
    """Between a router's output and the link: it knows which credits are still to come.

    Words have a bit a channel.

    Parameters
    ----------
    places : sequence of int
        Places of each channel.

    Attributes
    ----------
    probe : int
        What is on the link in this cycle.
    """

    __slots__ = ("_asked", "_places", "out", "probe", "quiet", "refund", "still")

    def __init__(self, places: Sequence[int]) -> None:
        self._places = places
        self.out = [0] * len(places)
        self.refund = [0] * len(places)
        self.still = 0
        self.probe = self._asked = self.quiet = 0

    def is_awake(self) -> bool:
        """Return whether anything changes without a flit or a credit."""
        moves = self.quiet or self.probe or self._asked or self.still
        return bool(moves) or any(self.out) or any(self.refund)

    def advance(self, sent: int, credit: int, empty: int) -> tuple[int, bool]:
        """End a cycle.

        Parameters
        ----------
        sent : int
            Channels of which something has been sent.
        credit, empty : int
            What is on the link.

        Returns
        -------
        (int, bool)
            The credits that the router gets in this cycle, and whether something was ``LOST``.
        """
        heard = empty & self._asked
        given = still = probe = 0
        lost, outs = False, any(self.out)
        for c, most in enumerate(self._places):
            bit, out = 1 << c, self.out[c]
            counts = bool(credit & bit) and out > 0 and not heard & bit
            back = 0
            if counts:
                given |= bit
            elif self.refund[c]:
                given |= bit
                back = 1
            if heard & bit:
                lost = lost or out > 0
                self.refund[c] = min(most, self.refund[c] - back + out)
                self.out[c] = 1 if sent & bit else 0
                continue
            self.refund[c] -= back
            if out and not sent & bit and not counts:
                if self.quiet == QUIET:
                    still |= bit
                    probe |= self.still & bit
                else:
                    still |= self.still & bit
            else:
                self.out[c] = min(most, out + bool(sent & bit) - counts)
        self.quiet = self.quiet + 1 & QUIET if outs else 0
        self.still, self._asked, self.probe = still, self.probe, probe
        return given, lost


class LiteralReceiver:
    """Between a link and a router's input: it hands on only what is right and in its place.

    Parameters
    ----------
    places : sequence of int
        Places of each channel.
    ordinary : int
        How many of the channels are ordinary.
    own : bool
        Whether messages have wires of their own.

    Attributes
    ----------
    empty : int
        What is on the link in this cycle.
    """

    __slots__ = ("_ordinary", "_own", "_places", "empty", "inside", "open", "owed", "spoilt")

    def __init__(self, places: Sequence[int], ordinary: int, *, own: bool) -> None:
        self._places, self._ordinary, self._own = places, ordinary, own
        self.open = self.spoilt = 0
        self.inside = [0] * len(places)
        self.owed = [0] * len(places)
        self.empty = 0

    def is_awake(self) -> bool:
        """Return whether anything changes without anything on the link."""
        return bool(self.empty) or any(self.owed)

    def credit(self, of_router: int) -> int:
        """Return the credits on the link in this cycle."""
        for c, owed in enumerate(self.owed):
            if owed:
                of_router |= 1 << c
        return of_router

    def advance(self, seen: Seen, credit: int) -> Given:
        """End a cycle.

        Parameters
        ----------
        seen : Seen
            What is on the link.
        credit : int
            The credits of the router.
        """
        ordinary, was_open = self._ordinary, self.open
        on_link = seen.valid | seen.sync_valid << ordinary
        flit = cut = sync = unpaid = NONE
        events = 0
        if self._own:
            kinds = [(seen.valid, seen.right), (seen.sync_valid << ordinary, seen.sync_right)]
        else:
            kinds = [(on_link, seen.right)]
        for kind, (bits, right) in enumerate(kinds):
            if not right or bits & bits - 1:
                self.spoilt = self.spoilt if kind else was_open
                events += 1
                continue
            if not bits:
                continue
            c = bits.bit_length() - 1
            if c >= ordinary:
                sync = c - ordinary
            elif not self.spoilt & bits and seen.head != bool(was_open & bits):
                flit = c
                self.open = was_open & ~bits if seen.tail else was_open | bits
            elif was_open & bits:
                cut = c
            else:
                unpaid = c
                events += 1
        probe = (seen.probe if seen.right else 0) & (1 << ordinary) - 1
        probe |= (seen.probe if seen.sync_right else 0) >> ordinary << ordinary
        if probe:
            vacant = sum(
                1 << c for c in range(len(self._places)) if not (self.inside[c] or self.owed[c])
            )
            ended = probe & vacant & was_open
            if ended and not kinds[0][0]:
                cut = (ended & -ended).bit_length() - 1
            self.empty = probe & vacant & ~on_link & ~was_open
        else:
            self.empty = 0
        if cut != NONE:
            events += 1
            self.open = was_open & ~(1 << cut)
            self.spoilt &= self.open
        self._count(credit, {flit, cut, sync + ordinary if sync != NONE else NONE}, unpaid)
        return Given(flit, cut, sync, events)

    def _count(self, credit: int, got: set[int], unpaid: int) -> None:
        """Let the counts of places and of credits follow what the router gets and returns."""
        for c, most in enumerate(self._places):
            returned = credit >> c & 1
            self.inside[c] = max(0, min(most, self.inside[c] + (c in got) - returned))
            used = 1 if self.owed[c] and not returned else 0
            self.owed[c] = min(most, self.owed[c] - used + (c == unpaid))
