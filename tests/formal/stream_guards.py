# amaranth: UnusedElaboratable=no
"""Both guards of a link of streams, whatever becomes of what is on it."""

from typing import Any
from unittest.mock import patch

from amaranth import Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.rtl.streams import guard
from syncfabric.rtl.streams.guard import StreamReceiver, StreamSender
from tests.formal.properties import Properties
from tests.formal.streams import MOST, Small

CHANNELS, SERIAL = 2, 3
"""Channels, and bits of a word's number: more than a channel has places."""
SILENT = 3
"""In place of 15 cycles: nothing else depends on how many there are."""


class _Abstract:
    """Has check bits that are right exactly if they are all 1, and counts that lemmas may name."""

    kept: dict[tuple[str, int], Signal]

    def _check(self, part: Value) -> Value:
        return Const(1, 1)

    def _signal(self, name: str, channel: int) -> Signal:
        return self.kept.setdefault((name, channel), Signal(2, name=f"{name}_{channel}"))


class _Sender(_Abstract, StreamSender):
    def __init__(self, layout: Small) -> None:
        self.kept = {}
        super().__init__(layout)


class _Receiver(_Abstract, StreamReceiver):
    def __init__(self, layout: Small) -> None:
        self.kept = {}
        super().__init__(layout)

    def elaborate(self, platform: object) -> Module:
        with patch.object(guard, "SILENT", SILENT):
            return super().elaborate(platform)


class StreamGuardProof(wiring.Component):
    """A sender's and a receiver's guard, routers at their ends, and a link that does harm.

    What is wrong is found by check bits; that these find what they are to is proved elsewhere. In
    a cycle with harm the wires are any. Of a channel, words are numbered.

    Parameters
    ----------
    harm : bool
        There is any.

    Members
    -------
    wants, frees, opens : In(channels)
        What the sender's router would send, one channel at a time; what the receiver's frees; and
        channels that are open.
    harms, harms_back : In(1), valid, sent, freed, data : In
        Wires are any in this cycle, and what they are then.
    drops : In(1)
        Among packets: their guard hands on no word in this cycle.
    which : In(1)
        The channel that is watched.
    """

    def __init__(self, *, harm: bool) -> None:
        self._harm = harm
        super().__init__(
            {name: In(CHANNELS) for name in ("wants", "frees", "opens", "valid")}
            | {name: In(1) for name in ("harms", "harms_back", "drops", "which")}
            | {"sent": In(2 * CHANNELS), "freed": In(2 * CHANNELS), "data": In(SERIAL)}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, layout = Properties(m), Small(CHANNELS, 32, ("add",), "tree", 3, True, check_bits=1)
        m.submodules.sender = sender = _Sender(layout)
        m.submodules.receiver = receiver = _Receiver(layout)
        near: Any = sender.inside
        far: Any = receiver.inside
        there, here = sender.link, receiver.link
        harms = self.harms if self._harm else Const(0, 1)
        harms_back = self.harms_back if self._harm else Const(0, 1)
        drops = self.drops if self._harm else Const(0, 1)
        which = claims.constant("watched", self.which)
        claims.assume((self.wants & (self.wants - 1)) == 0)

        # Routers: credits, numbers of words, and places that are taken.
        have = [Signal(3, init=MOST, name=f"have_{c}") for c in range(CHANNELS)]
        held = [Signal(3, name=f"held_{c}") for c in range(CHANNELS)]
        number = Signal(SERIAL)
        frees, unseen = Signal(CHANNELS), [Signal(3, name=f"unseen_{c}") for c in range(CHANNELS)]
        freed = claims.before("freed", frees)
        for c in range(CHANNELS):
            m.d.comb += [
                near.valid[c].eq(self.wants[c] & (have[c] != 0)),
                frees[c].eq(self.frees[c] & (held[c] != 0)),
            ]
            m.d.sync += [
                have[c].eq(have[c] + near.credit[c] - near.valid[c]),
                held[c].eq(held[c] + far.valid[c] - frees[c]),
                unseen[c].eq(Mux(harms, unseen[c] + near.valid[c], 0)),
            ]
            counts = {
                n: part._signal(n, c) for part, names in _COUNTS(sender, receiver) for n in names
            }
            sums = have[c] + held[c] + unseen[c] + freed[c]
            claims.lemma(
                f"each place of channel {c} is somewhere",
                (counts["sent"] - counts["got"])[:2] == unseen[c],
                unseen[c] <= MOST,
                (sums + (counts["freed"] - counts["given"])[:2]) == MOST,
            )
            claims.holds(f"no place of channel {c} overflows", held[c] + freed[c] <= MOST)
        m.d.comb += [
            near.word.data.eq(number),
            far.credit.eq(freed),
            receiver.opens.eq(self.opens),
            here.valid.eq(Mux(harms, self.valid, Mux(drops, 0, there.valid))),
            here.word.data.eq(Mux(harms, self.data, there.word.data)),
            here.sent.eq(Mux(harms, self.sent, there.sent)),
            there.freed.eq(Mux(harms_back, self.freed, here.freed)),
        ]
        sends, comes = (word.bit_select(which, 1) for word in (near.valid, far.valid))
        m.d.sync += number.eq(number + sends)
        hidden = Mux(which, unseen[1], unseen[0])
        self._of_a_life(m, claims, which, harms, (sends, comes), (number, hidden), far)
        waits = have[0] + have[1] != 2 * MOST
        quiet = Signal(range(MOST + 3))
        busy = near.valid.any() | harms | harms_back | (held[0] + held[1] != 0)
        m.d.sync += quiet.eq(Mux(busy, 0, Mux(quiet == MOST + 2, quiet, quiet + 1)))
        claims.holds("all places come back when all is quiet", (quiet != MOST + 2) | ~waits)
        if self._harm:
            claims.reached("places are lost, and come back", (quiet == MOST) & waits)
        else:
            reported = receiver.lost | receiver.corrupt | sender.corrupt
            claims.holds("without a fault nothing is reported", ~reported & (far.fault == 0))
            claims.holds(
                "all is as without guards", (far.valid == near.valid) & (near.credit == freed)
            )
        return m

    def _of_a_life(
        self,
        m: Module,
        claims: Properties,
        which: Value,
        harms: Value,
        moves: tuple[Value, Value],
        numbers: tuple[Value, Value],
        far: Any,
    ) -> None:
        """Claim what holds of the watched channel while it is open; it opens when all is known."""
        (sends, comes), (number, unseen) = moves, numbers
        opens, fault = (word.bit_select(which, 1) for word in (self.opens, far.fault))
        was_open, due = claims.before("open", opens), Signal(SERIAL)
        known = Signal()  # the last wires were right
        m.d.sync += known.eq(~harms | (known & ~sends))
        claims.assume(~opens | was_open | known)
        first = Mux(was_open, due, number)
        m.d.sync += due.eq(first + (comes & opens))
        claims.lemma(
            "what is not seen is behind what came",
            ~was_open | fault | ((due + unseen)[:SERIAL] == number),
        )
        claims.holds(
            "words come in order, and none behind a loss",
            ~(opens & comes) | (far.word.data[:SERIAL] == first),
        )
        lost = opens & ((first + comes)[:SERIAL] != (number + sends)[:SERIAL])
        found = claims.before("found", lost & ~harms)
        claims.holds("a loss fails its channel as soon as wires are right", ~found | fault)
        run = Signal(range(SILENT + 2))
        m.d.sync += run.eq(Mux(harms, Mux(run == SILENT + 1, run, run + 1), 0))
        silent = claims.before("silent", (run == SILENT + 1) & harms & opens)
        claims.holds("a silent link fails all", ~silent | fault)
        closed = claims.before("closed", ~opens)
        claims.holds("a failure ends with its group", ~closed | ~fault)
        if self._harm:
            claims.reached("a loss is found", found & ~silent)


def _COUNTS(sender: _Sender, receiver: _Receiver) -> tuple[Any, Any]:
    return (sender, ("sent", "given")), (receiver, ("got", "freed"))
