"""Both guards of a directed link (docs/microarchitecture-faults.md, F2, F3 and F7)."""

from collections.abc import Sequence
from typing import NamedTuple

QUIET = 63
"""Greatest value of ``quiet``."""


def following(number: int, places: int) -> int:
    """Return the ``sequence`` after a flit's in a channel of so many places (F1)."""
    return (number + 1) % (1 << places.bit_length())


class SenderGuard:
    """Between a router's output and the link: it knows which credits are still to come.

    Words have a bit a channel.

    Parameters
    ----------
    places : sequence of int
        Places of each channel.
    registers : int, optional
        Registers on the link in each direction: the answer to a probe is so much later.

    Attributes
    ----------
    probe : int
        What is on the link in this cycle.
    number : list of int
        ``sequence`` of each channel's next flit; of channels of messages it has no meaning.
    """

    __slots__ = (
        "_all",
        "_all_returns",
        "_asked",
        "_in_flight",
        "_outs",
        "_places",
        "number",
        "out",
        "probe",
        "quiet",
        "returns",
        "still",
    )

    def __init__(self, places: Sequence[int], registers: int = 0) -> None:
        self._places, self._all = places, (1 << len(places)) - 1
        self.out = [0] * len(places)
        self.returns = [0] * len(places)
        self.number = [0] * len(places)
        self.still = self.probe = self._asked = self.quiet = 0
        self._outs = self._all_returns = 0  # of all channels
        self._in_flight = [0] * (2 * registers)  # probes of former cycles, the oldest first

    def is_active(self) -> bool:
        """Return whether anything changes without a flit or a credit."""
        waits = self.probe or self._asked or any(self._in_flight)
        return bool(self._outs or self._all_returns or self.quiet or waits)

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
        if not self._outs and not self._all_returns and not sent:
            self._end(0, 0, 0)
            return 0, False
        self._count_flit(sent)
        received = empty & self._asked
        calm = self.quiet != QUIET and not received and not self._all_returns
        dirty = (sent | credit) & self._all if calm else self._all
        given, probe, still = 0, 0, self.still
        lost, outs = False, self._outs
        while dirty:
            bit = dirty & -dirty
            dirty ^= bit
            c = bit.bit_length() - 1
            out = self.out[c]
            counts = out > 0 and bool(credit & bit) and not received & bit
            back = not counts and self.returns[c] > 0
            if counts or back:
                given |= bit
                self._give_back(c, -back)
            if received & bit:
                lost = lost or out > 0
                self._give_back(c, out)
                self.out[c] = bool(sent & bit)
            elif out and not sent & bit and not counts:
                if self.quiet == QUIET:
                    probe |= still & bit
                    still |= bit
                continue
            else:
                self.out[c] = min(self._places[c], out + bool(sent & bit) - counts)
            still &= ~bit
            self._outs += self.out[c] - out
        self.still = still
        self._end(self.quiet + 1 & QUIET if outs else 0, probe, sent)
        return given, lost

    def shut(self, sent: int) -> int:
        """End a cycle of a fenced link (F7); return the credits that the router gets in it."""
        self._count_flit(sent)
        given = 0
        for c, out in enumerate(self.out):
            back = self.returns[c] > 0
            given |= back << c
            self._give_back(c, out + (sent >> c & 1) - back)
            self.out[c] = 0
        self._outs = self.still = 0
        self._end(0, 0, sent)
        return given

    def _count_flit(self, sent: int) -> None:
        """Number the next flit of each channel of which something is sent."""
        for c, places in enumerate(self._places):
            if sent >> c & 1:
                self.number[c] = following(self.number[c], places)

    def _give_back(self, c: int, count: int) -> None:
        returns = min(self._places[c], self.returns[c] + count)
        self._all_returns += returns - self.returns[c]
        self.returns[c] = returns

    def _end(self, quiet: int, probe: int, sent: int) -> None:
        # What is sent after a probe can be in flight while the receiver is empty.
        self._in_flight = [asked & ~sent for asked in self._in_flight]
        self._in_flight.append(self.probe)
        self.quiet, self._asked, self.probe = quiet, self._in_flight.pop(0), probe


NONE = -1


class Seen(NamedTuple):
    """What a receiver's guard finds on its link in a cycle.

    ``head`` and ``tail`` are the flit's; ``right`` says whether the check bits of flits are, and
    ``sync_right`` those of messages, which are the same on a shared link. ``words`` are those of
    streams, on the flits' wires, by channel; ``sequence`` is the flit's.
    """

    valid: int = 0
    sync_valid: int = 0
    head: bool = False
    tail: bool = False
    probe: int = 0
    right: bool = True
    sync_right: bool = True
    words: int = 0
    sequence: int = 0


class Given(NamedTuple):
    """What a receiver's guard hands to its router.

    ``flit``, ``cut``, ``sync``: the channel whose flit it hands on, of which it makes a cut, and
    the class of the message that it hands on; -1: none. ``events``: how many are to be counted.
    """

    flit: int = NONE
    cut: int = NONE
    sync: int = NONE
    events: int = 0


class ReceiverGuard:
    """Between a link and a router's input: it hands on only what is right and in its place.

    Parameters
    ----------
    places : sequence of int
        Places of each channel.
    ordinary : int
        How many of the channels are ordinary.
    own : bool
        Whether messages have wires of their own.
    registers : int, optional
        Registers on the link in each direction: a probe crosses the credits of so many cycles.

    Attributes
    ----------
    empty : int
        What is on the link in this cycle.
    """

    __slots__ = (
        "_debts",
        "_ordinary",
        "_own",
        "_places",
        "_recent",
        "debt",
        "due",
        "empty",
        "inside",
        "open",
        "poisoned",
    )

    def __init__(
        self, places: Sequence[int], ordinary: int, *, own: bool, registers: int = 0
    ) -> None:
        self._recent = [0] * (2 * registers)  # credits that a probe may have crossed
        self._places, self._ordinary, self._own = places, ordinary, own
        self.open = self.poisoned = self.empty = 0
        self.inside = [0] * len(places)
        self.debt = [0] * len(places)
        self.due = [0] * ordinary  # F3's ``next``
        self._debts = 0  # to all channels

    def is_active(self) -> bool:
        """Return whether anything changes without anything on the link."""
        return bool(self.empty or self._debts)

    @property
    def remembers(self) -> bool:
        """Whether a credit has gone back in the last cycles, which a probe may have crossed."""
        return any(self._recent)

    def credit(self, of_router: int) -> int:
        """Return the credits on the link in this cycle."""
        if self._debts:
            for c, debt in enumerate(self.debt):
                of_router |= (debt > 0) << c
        return of_router

    def shut(self, credit: int) -> Given:
        """End a cycle of a fenced link (F7), of which the router returns these credits."""
        ended = self.open & sum(1 << c for c, inside in enumerate(self.inside) if not inside)
        cut = ended & -ended
        self.open &= ~cut
        self.poisoned &= self.open
        self.empty = 0
        self._count(credit, cut, 0)
        self._recent = [*self._recent, 0][1:] if self._recent else []
        self.debt = [0] * len(self._places)
        self._debts = 0
        return Given(cut=cut.bit_length() - 1)

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
        messages = seen.sync_valid << ordinary
        on_link = seen.valid | messages
        if self._own:
            kinds = [(seen.valid, seen.right), (messages, seen.sync_right)]
        else:
            kinds = [(on_link, seen.right)]
        got, unpaid, cut, events = 0, 0, 0, 0
        for kind, (bits, right) in enumerate(kinds):
            words = 0 if kind else seen.words
            if not right or bits & bits - 1 or (words and (bits or words & words - 1)):
                events += 1
                if kind == 0:
                    self.poisoned = was_open
            elif not bits:
                continue
            elif bits >> ordinary or (
                not (self._is_late(seen) or self.poisoned & bits)
                and seen.head != bool(was_open & bits)
            ):
                got |= bits
            elif was_open & bits:
                cut = bits
            else:
                unpaid = bits
                events += 1
        flit, sync = got & (1 << ordinary) - 1, got >> ordinary
        for c in range(ordinary):
            if (got | cut | unpaid) >> c & 1:
                self.due[c] = following(seen.sequence, self._places[c])
        if flit:
            self.open = was_open & ~flit if seen.tail else was_open | flit
        probe = _low(seen.probe, ordinary) if seen.right else 0
        if seen.sync_right:
            probe |= seen.probe >> ordinary << ordinary
        vacant = self._vacant() if probe else 0
        ended = probe & vacant & was_open
        if not kinds[0][0] and not seen.words:
            cut = ended & -ended
        self.empty = probe & vacant & ~on_link & ~was_open
        if cut:
            events += 1
            self.open = was_open & ~cut
            self.poisoned &= self.open
        self._count(credit, got | cut, unpaid)
        if self._recent:
            self._recent = [*self._recent[1:], credit]
        return Given(flit.bit_length() - 1, cut.bit_length() - 1, sync.bit_length() - 1, events)

    def _is_late(self, seen: Seen) -> bool:
        """Return whether the right flit on the link lacks one before it."""
        c = seen.valid.bit_length() - 1
        return bool(self.open & seen.valid) and seen.sequence != self.due[c]

    def _vacant(self) -> int:
        """Return the channels of which nothing is here, and without debt."""
        pairs = zip(self.inside, self.debt, strict=True)
        vacant = sum(1 << c for c, (inside, debt) in enumerate(pairs) if not inside and not debt)
        for credit in self._recent:
            vacant &= ~credit
        return vacant

    def _count(self, credit: int, got: int, unpaid: int) -> None:
        """Let the counts of places and of credits follow what the router gets and returns."""
        dirty = _low(got ^ credit, len(self._places))
        while dirty:
            bit = dirty & -dirty
            dirty ^= bit
            c = bit.bit_length() - 1
            inside = self.inside[c] + (1 if got & bit else -1)
            self.inside[c] = max(0, min(self._places[c], inside))
        if not self._debts and not unpaid:
            return
        for c, most in enumerate(self._places):
            used = self.debt[c] > 0 and not credit >> c & 1
            self.debt[c] = min(most, self.debt[c] - used + (unpaid >> c & 1))
        self._debts = sum(self.debt)


def _low(bits: int, count: int) -> int:
    return bits & (1 << count) - 1
