"""What a router's sink answers: a slot for each manager, and the ends of groups (N4)."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from syncfabric.models.golden.engine.memory import Freed
from syncfabric.models.golden.router import Flit
from syncfabric.models.layout.setup import REPLY, Answer

__all__ = ["Replies", "Reply"]


class Reply(NamedTuple):
    """What is in a slot, but for its manager."""

    code: int
    tag: int
    epoch: int
    entry: int
    number: int


class Replies:
    """Slots, queue, and the sender of replies.

    Parameters
    ----------
    headers : sequence of int
        Of replies, by manager.
    owners : mapping of int to int
        The manager of each entry.
    places : int
        Of the queue.
    router : int
        This router's number.
    channel : int
        Of set-up packets.

    Attributes
    ----------
    slots : list of (Reply or None)
        By manager.
    offer : Flit or None
        The flit on offer in this cycle.
    """

    def __init__(
        self,
        headers: Sequence[int],
        owners: Mapping[int, int],
        places: int,
        router: int,
        channel: int,
    ) -> None:
        self._headers, self._router, self._channel = headers, router, channel
        self.slots: list[Reply | None] = [None] * len(headers)
        self._freed = deque[tuple[int, Reply]]()  # with the manager
        self._places, self._owner = places, owners
        self._chosen: tuple[int, Reply, bool] | None = None  # with: it is the queue's first
        self.offer: Flit | None = None

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to send."""
        return self._chosen is None and not self._freed and not any(self.slots)

    def step(self, reply: tuple[int, Reply] | None, freed: Freed | None, *, taken: bool) -> bool:
        """Go over a clock edge; return whether a report has been dropped.

        Parameters
        ----------
        reply : (int, Reply) or None
            The sink's answer to a manager.
        freed : Freed or None
            The engine's.
        taken : bool
            The flit on offer leaves.
        """
        full = len(self._freed) >= self._places
        if self._chosen is None:
            if self._freed:
                self._chosen = *self._freed[0], True
            else:
                waiting = ((m, held, False) for m, held in enumerate(self.slots) if held)
                self._chosen = next(waiting, None)
            if self._chosen:
                self.offer = Flit(self._channel, self._headers[self._chosen[0]], True, False)
        elif taken and self.offer:
            manager, held, queued = self._chosen
            if self.offer.head:
                word = REPLY.pack(held._asdict())
                self.offer = Flit(self._channel, word, False, True)
            else:
                self.offer = self._chosen = None
                if queued:
                    self._freed.popleft()
                else:
                    self.slots[manager] = None
        if reply:
            self.slots[reply[0]] = reply[1]
        owner = self._owner.get(freed.entry) if freed else None
        if freed is None or owner is None:
            return False
        if not full:
            report = Reply(Answer.FREED, 0, freed.epoch, freed.entry, self._router)
            self._freed.append((owner, report))
        return full
