"""The sender's guard of a directed link (docs/microarchitecture-faults.md, F2 and F7)."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["QUIET", "SenderGuard"]

QUIET = 63
"""Greatest value of ``quiet``."""


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
    """

    __slots__ = (
        "_all",
        "_asked",
        "_on_the_way",
        "_outs",
        "_places",
        "_refunds",
        "out",
        "probe",
        "quiet",
        "refund",
        "still",
    )

    def __init__(self, places: Sequence[int], registers: int = 0) -> None:
        self._places, self._all = places, (1 << len(places)) - 1
        self.out = [0] * len(places)
        self.refund = [0] * len(places)
        self.still = self.probe = self._asked = self.quiet = 0
        self._outs = self._refunds = 0  # of all channels
        self._on_the_way = [0] * (2 * registers)  # probes of former cycles, the oldest first

    def is_awake(self) -> bool:
        """Return whether anything changes without a flit or a credit."""
        waits = self.probe or self._asked or any(self._on_the_way)
        return bool(self._outs or self._refunds or self.quiet or waits)

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
        if not self._outs and not self._refunds and not sent:
            self._end(0, 0, 0)
            return 0, False
        heard = empty & self._asked
        calm = self.quiet != QUIET and not heard and not self._refunds
        touched = (sent | credit) & self._all if calm else self._all
        given, probe, still = 0, 0, self.still
        lost, outs = False, self._outs
        while touched:
            bit = touched & -touched
            touched ^= bit
            c = bit.bit_length() - 1
            out = self.out[c]
            counts = out > 0 and bool(credit & bit) and not heard & bit
            back = not counts and self.refund[c] > 0
            if counts or back:
                given |= bit
                self._refund(c, -back)
            if heard & bit:
                lost = lost or out > 0
                self._refund(c, out)
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
        given = 0
        for c, out in enumerate(self.out):
            back = self.refund[c] > 0
            given |= back << c
            self._refund(c, out + (sent >> c & 1) - back)
            self.out[c] = 0
        self._outs = self.still = 0
        self._end(0, 0, sent)
        return given

    def _refund(self, c: int, count: int) -> None:
        refund = min(self._places[c], self.refund[c] + count)
        self._refunds += refund - self.refund[c]
        self.refund[c] = refund

    def _end(self, quiet: int, probe: int, sent: int) -> None:
        # What is sent after a probe can be on the way while the receiver is empty.
        self._on_the_way = [asked & ~sent for asked in self._on_the_way]
        self._on_the_way.append(self.probe)
        self.quiet, self._asked, self.probe = quiet, self._on_the_way.pop(0), probe
