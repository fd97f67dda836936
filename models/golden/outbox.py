"""What a barrier unit has to send: whose turn it is, and which messages have a credit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from syncfabric.models.golden.order import PatientRobin, RoundRobin

__all__ = ["HastyOutbox", "Letter", "Offer", "Outbox", "PatientOutbox", "Sender"]


class Letter(NamedTuple):
    """A message that a register may have to send, without its data.

    ``port`` and ``lane`` are its output and the credit it needs; ``raw`` its image with data 0.
    """

    port: int
    lane: int
    raw: int
    kind: int
    code: int
    turn: int


class Sender(Protocol):
    """Whatever takes its turn in sending: a barrier register."""

    gid: int
    epoch: int
    pending: set[int]
    letters: list[Letter | None]

    def data_for(self, place: int) -> int:
        """Return the data of a pending message."""


class Offer(NamedTuple):
    """A pending message that the unit offers to its output in this cycle."""

    sender: int
    place: int
    letter: Letter


class Outbox(ABC):
    """Pending messages of one place; the kinds of network differ in who takes turns.

    Parameters
    ----------
    registers : sequence of Sender
        The barrier registers.
    credits : list of int, by lane
        The credit counters of the network.

    Attributes
    ----------
    senders : list of Sender
        All that take turns.
    sending : set of int
        Those with something pending.
    """

    def __init__(self, registers: Sequence[Sender], credits: list[int]) -> None:
        self.senders = list(registers)
        self.sending: set[int] = set()
        self.credits = credits
        self.places = len(registers)

    @abstractmethod
    def offers(self) -> dict[int, Offer]:
        """Choose whose turn it is in a cycle, and return its messages with a credit, by output.

        Should a child's message and the parent's want one output, the child's comes first.
        """

    def _offered(self, r: int) -> dict[int, Offer]:
        letters = self.senders[r].letters
        offered: dict[int, Offer] = {}
        for place in self._ready(r):
            letter = letters[place]
            if letter is not None and letter.port not in offered:
                offered[letter.port] = Offer(r, place, letter)
        return offered

    def _ready(self, r: int) -> list[int]:
        """Return the pending messages of a sender that have a credit."""
        sender = self.senders[r]
        return sorted(p for p in sender.pending if self._has_credit(sender.letters[p]))

    def _has_credit(self, letter: Letter | None) -> bool:
        return letter is not None and self.credits[letter.lane] > 0

    def sent(self, offer: Offer) -> None:
        """Cross off a message that is on its link."""
        sender = self.senders[offer.sender]
        sender.pending.discard(offer.place)
        if not sender.pending:
            self.sending.discard(offer.sender)


class HastyOutbox(Outbox):
    """Of an irregular network (docs/microarchitecture.md, I4): turns of those with a credit."""

    def __init__(self, registers: Sequence[Sender], credits: list[int]) -> None:
        super().__init__(registers, credits)
        self.turn = RoundRobin(self.places)

    def offers(self) -> dict[int, Offer]:
        """Choose whose turn it is, and return its messages that have a credit, by output."""
        willing = {r for r in self.sending if self._ready(r)}
        return self._offered(self.turn.choose(willing)) if willing else {}


class PatientOutbox(Outbox):
    """Of a mesh (section 4.4): turns of all that wait, each kept until it has sent.

    ``offers`` is to be called in every cycle in which the place is looked at.
    """

    def __init__(self, registers: Sequence[Sender], credits: list[int]) -> None:
        super().__init__(registers, credits)
        self.turn = PatientRobin(self.places)

    def offers(self) -> dict[int, Offer]:
        """Choose whose turn it is, and return its messages that have a credit, by output."""
        if self.sending:
            return self._offered(self.turn.choose(self.sending))
        self.turn.rest()
        return {}

    def sent(self, offer: Offer) -> None:
        """Cross off a message that is on its link."""
        super().sent(offer)
        self.turn.rest()
