"""Set-up port and sink as docs/microarchitecture-networks.md says, N3.4 to N3.8 and N4.

Rule by rule, from a record of what has happened and when; nothing is shared with the golden model.
A router without a process and without a manager: what is a manager's is dropped.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Words: TypeAlias = tuple[int, int, bool, bool, bool]
"""Channel, payload, head, tail, cut of a flit."""
Ask: TypeAlias = tuple[bool, int, int]
"""Write, address, data."""

SETUP, START, KILL = range(3)
OK, BUSY, EPOCH, DENIED, BAD, FREED, ENDED = range(7)
LISTEN, WRITE, JUDGE, COMMIT, RUN, ANSWER = range(6)


@dataclass
class Packet:
    """What has been taken of a packet."""

    flits: list[Words] = field(default_factory=list)
    accessed: bool = False  # the engine has been asked for it
    status: int = 0  # the last one
    given: int | None = None  # the epoch of an entry whose last command had no error
    code: int = OK
    judged: bool = False  # it has its code from JUDGE

    def bits(self, low: int, width: int) -> int:
        """Bits of the request word."""
        return self.flits[1][1] >> low & 2**width - 1 if len(self.flits) > 1 else 0

    @property
    def operation(self) -> int:
        return self.bits(0, 2)

    @property
    def manager(self) -> int:
        return self.bits(2, 2)

    @property
    def tag(self) -> int:
        return self.bits(4, 2)

    @property
    def epoch(self) -> int:
        return self.bits(6, 2)

    @property
    def entry(self) -> int:
        return self.bits(8, 8)

    @property
    def sequence(self) -> int:
        return self.bits(16, 9)


class ReferenceSink:
    """``cycle`` goes through a cycle, and returns what is on the ports.

    Parameters
    ----------
    headers : sequence of int
        Of replies, by manager.
    reply_bit, router, entries, image_words : int
    V, B : int
        Ordinary channels, and places of buffers.
    """

    def __init__(
        self,
        headers: Sequence[int],
        reply_bit: int,
        router: int,
        entries: int,
        image_words: int,
        V: int,
        B: int,
    ) -> None:
        self.headers, self.reply_bit, self.router = headers, reply_bit, router
        self.E, self.words, self.V, self.B = entries, image_words, V, B
        self.t = 0
        self.state, self.packet = LISTEN, Packet()
        self.buffer: list[Words] = []  # from the cycle after they came
        self.head: Words | None = None  # of the packet whose flits are at the front
        self.freed_in: dict[int, int] = {}  # credits, by the cycle in which they are high
        self.credits, self.used = B, 0
        self.slots: list[tuple[int, ...] | None] = [None] * len(headers)
        self.queue: list[tuple[int, int]] = []  # entry and epoch
        self.chosen: tuple[int, tuple[int, ...], bool] | None = None  # manager, reply, a report
        self.on_offer: str | None = None  # "header" or "reply"
        self.asked: tuple[str, int] | None = None  # who asks the engine, and since when
        self.refused_at: int | None = None  # a SETUP of the chain that began in this cycle
        self.sink_wrote = False  # and the chain has not written word 0 since

    def share(self, entry: int) -> int | None:
        """N3.3: the built manager that owns an entry."""
        m = len(self.headers)
        runs = next(2**k for k in range(3) if 2**k >= m)
        owner = entry * runs // self.E if entry < self.E else None
        return owner if owner is not None and owner < m else None

    def want(self) -> Ask | None:
        """N4.2, 4 and 5: what the sink asks the engine for."""
        p = self.packet
        if self.state == WRITE:
            k = len(p.flits) - 3
            return True, 1 + k, p.flits[-1][1] & 2**32 - 1
        if self.state == COMMIT:
            return True, 0, (3 if p.operation == KILL else 1) | p.epoch << 2 | p.entry << 4
        if self.state == RUN:
            return True, 0, 2 | (p.epoch + 1) % 4 << 2 | p.entry << 4
        return None

    def dropped(self) -> bool:
        """N4.3 (a)."""
        p = self.packet
        if len(p.flits) == 1 or any(flit[4] for flit in p.flits):
            return True
        return p.manager >= len(self.headers) or self.slots[p.manager] is not None

    def cycle(
        self,
        came: Words | None,
        chain: Ask | None,
        answer: tuple[bool, int] | None,
        freed: tuple[int, int] | None,
        credit: bool,
    ) -> Mapping[str, Any]:
        """Take what the router sends, the chain's request, the engine's answer, FREED, a credit."""
        t, unexpected, overflows = self.t, 0, 0
        p = self.packet
        drops = self.state == JUDGE and self.dropped()
        # N4.7 and N4.8: who asks.
        to_engine: Ask | None = None
        to_chain: tuple[bool, int] | None = None
        if self.refused_at is not None and self.refused_at == t - 1:
            to_chain = True, 0
        if self.asked is None:
            ends = self.state == ANSWER or drops
            if self.want():
                self.asked = "sink", t
                p.accessed = True
                if self.state == WRITE:
                    self.sink_wrote = True
            elif chain and to_chain is None and (ends or not p.accessed):
                if chain[0] and chain[1] == 1:
                    self.sink_wrote = False
                if chain[:2] == (True, 0) and chain[2] & 3 == 1 and self.sink_wrote:
                    self.refused_at = t
                else:
                    self.asked = "chain", t
        if self.asked:
            to_engine = self.want() if self.asked[0] == "sink" else chain
        if answer and self.asked and self.asked[0] == "chain":
            to_chain = answer
        got = answer if answer and self.asked and self.asked[0] == "sink" else None
        # N3.5: the front flit.
        taken: Words | None = None
        full = len(self.buffer) >= self.B
        if self.buffer:
            front = self.buffer[0]
            if front[2]:
                self.head = front
            managers = self.head is not None and self.head[1] >> self.reply_bit & 1
            if managers or self.state == LISTEN:
                self.buffer.pop(0)
                self.freed_in[t + 1] = self.freed_in.get(t + 1, 0) | 1 << self.V
                taken = None if managers else front
        # N3.4 and N3.8.
        if came and came[0] != self.V:
            unexpected += 1
            self.freed_in[t + 1] = self.freed_in.get(t + 1, 0) | 1 << came[0]
        elif came and full:
            overflows += 1
        elif came:
            self.buffer.append(came)
        # N3.6 and N4.10: the reply.
        sends: Words | None = None
        if self.chosen and self.on_offer and self.credits > self.used:
            manager, words, _ = self.chosen
            if self.on_offer == "header":
                sends = self.V, self.headers[manager], True, False, False
            else:
                code, tag, epoch, entry, number = words
                word = code | tag << 3 | epoch << 5 | entry << 7 | number << 15
                sends = self.V, word, False, True, False
            self.used += 1
        slots, queue, chosen = list(self.slots), list(self.queue), self.chosen
        if chosen is None:
            slot = next((m for m, held in enumerate(slots) if held), None)
            if slot is not None and not queue:
                self.chosen, self.on_offer = (slot, slots[slot] or (), False), "header"
            elif queue:
                entry, epoch = queue[0]
                owner = self.share(entry)
                assert owner is not None
                self.chosen = owner, (FREED, 0, epoch, entry, self.router), True
                self.on_offer = "header"
        elif sends and self.on_offer == "header":
            self.on_offer = "reply"
        elif sends:
            if chosen[2]:
                self.queue.pop(0)
            else:
                self.slots[chosen[0]] = None
            self.chosen = self.on_offer = None
        # N4.9.
        if freed and self.share(freed[0]) is not None:
            if len(queue) >= self.E:
                unexpected += 1
            else:
                self.queue.append(freed)
        # N4.1 to N4.6.
        unexpected += self.act(taken, got, drops)
        if answer:
            self.asked = None
        self.credits += credit
        self.t += 1
        return {
            "engine": to_engine,
            "chain": to_chain,
            "sends": sends,
            "credit": self.freed_in.pop(t, 0),
            "unexpected": unexpected,
            "overflows": overflows,
        }

    def act(self, taken: Words | None, got: tuple[bool, int] | None, drops: bool) -> int:
        """Go on to the next state; return how many packets are dropped."""
        p = self.packet
        if self.state == LISTEN and taken:
            p.flits.append(taken)
            k = len(p.flits) - 3
            if 0 <= k < self.words:
                self.state = WRITE
            elif taken[3]:
                self.state = JUDGE
        elif self.state == WRITE and got:
            self.state = JUDGE if p.flits[-1][3] else LISTEN
        elif self.state == JUDGE:
            if drops:
                self.state, self.packet = LISTEN, Packet()
                return 1
            length = {SETUP: 2 + self.words, START: 2 + self.words, KILL: 2}.get(p.operation)
            p.judged = True
            if length != len(p.flits):
                p.code, self.state = BAD, ANSWER
            elif self.share(p.entry) != p.manager:
                p.code, self.state = DENIED, ANSWER
            else:
                p.judged, self.state = False, COMMIT
        elif self.state in (COMMIT, RUN) and got:
            self.answered(*got)
        elif self.state == ANSWER:
            epoch = p.epoch if p.judged else p.status >> 1 & 3 if p.given is None else p.given
            self.slots[p.manager] = p.code, p.tag, epoch % 4, p.entry, p.sequence
            self.state, self.packet = LISTEN, Packet()
        return 0

    def answered(self, error: bool, status: int) -> None:
        """N4.4 and N4.5."""
        p = self.packet
        alive, epoch = status & 1, status >> 1 & 3
        next_one = alive and epoch == (p.epoch + 1) % 4
        p.status = status
        committed, self.state = self.state == COMMIT, ANSWER
        p.given = None if error else p.epoch + (p.operation != KILL)
        if not committed:
            p.code = OK if not error or next_one else ENDED
        elif p.operation == KILL:
            p.code = DENIED if error else OK
        elif not error or next_one:
            p.code = OK
            if p.operation == START:
                self.state = RUN
        elif alive:
            p.code = BUSY
        else:
            p.code = ENDED if epoch == (p.epoch + 1) % 4 else EPOCH
