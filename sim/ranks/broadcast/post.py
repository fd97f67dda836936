"""Messages between ranks without waiting: sent when due, taken as they come."""

from __future__ import annotations

import heapq
import pickle
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum, auto
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from syncfabric.models.broadcast.layout import children
from syncfabric.sim.ranks.payloads import Bytes

PAUSE = 1e-4
"""Seconds of sleep between two looks, where ranks share processors."""


class Kind(IntEnum):
    """What a message is; its tag."""

    DATA = auto()
    """The broadcast, and its destinations."""
    GOT = auto()
    """To the root: it has come."""
    CHECKED = auto()
    """To the root: every byte has been compared."""
    PING = auto()
    PONG = auto()
    PROBE = auto()
    """From the root: measure the latency to these ranks."""
    SEEN = auto()
    """To the root: the latencies."""
    ASK = auto()
    """From the root: are you there?"""
    HERE = auto()
    """To the root: yes."""
    ROUND = auto()
    """From the root: the round, and the links that are slow."""
    JOIN = auto()
    """From the root, for the experiment: be there again, and measure as ``PROBE`` says."""
    END = auto()
    """From the root, for the experiment: all is over, be there again."""
    GO = auto()
    """From the root, for the experiment: go, and whether MPI can be ended in order."""


class Received(NamedTuple):
    """A message that has come."""

    source: int
    kind: Kind
    body: Bytes

    @property
    def value(self) -> Any:
        """What was sent, if it was no data."""
        return pickle.loads(self.body.tobytes())


class Post:
    """One rank's messages.

    No call waits for another rank: a message to one that is gone is never taken, and harms none.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
    shared : bool
        Whether ranks share processors: then it sleeps between two looks.
    delay : function
        Returns the seconds by which messages to a rank are held back.
    """

    def __init__(self, comm: Any, *, shared: bool, delay: Callable[[int], float]) -> None:
        self.rank: int = comm.Get_rank()
        self._comm, self._shared, self._delay = comm, shared, delay
        self._number = count()
        # Due, number, destination, message. Links do not wait for each other.
        self._held: list[tuple[float, int, int, Kind, Bytes]] = []
        self._leaving: list[tuple[Any, Bytes]] = []

    def send(self, to: int, kind: Kind, value: object = None, *, held: bool = False) -> None:
        """Send a message; ``held`` if the link's delay is to hold it back."""
        body = value if isinstance(value, np.ndarray) else pickled(value)
        due = time.monotonic() + (self._delay(to) if held else 0.0)
        heapq.heappush(self._held, (due, next(self._number), to, kind, body))
        self._send_due()

    def receive(self, until: float) -> Received | None:
        """Return a message, or None if none comes until then (``time.monotonic``)."""
        from mpi4py import MPI

        status = MPI.Status()
        while True:
            self._send_due()
            message = self._comm.Improbe(status=status)
            if message is not None:
                body = np.empty(status.Get_count(MPI.BYTE), np.uint8)
                message.Recv([body, MPI.BYTE])
                return Received(status.Get_source(), Kind(status.Get_tag()), body)
            now = time.monotonic()
            if now >= until:
                return None
            if self._shared:
                due = self._held[0][0] if self._held else until
                time.sleep(max(0.0, min(PAUSE, due - now, until - now)))

    def flush(self, until: float) -> None:
        """Send what is held back, and wait until it has left, though no longer than until then."""
        while (self._held or self._leaving) and time.monotonic() < until:
            self._send_due()
            time.sleep(PAUSE)

    def _send_due(self) -> None:
        from mpi4py import MPI

        while self._held and self._held[0][0] <= time.monotonic():
            _, _, to, kind, body = heapq.heappop(self._held)
            self._leaving.append((self._comm.Isend([body, MPI.BYTE], to, kind), body))
        self._leaving = [pair for pair in self._leaving if not pair[0].Test()]


def pickled(value: object) -> Bytes:
    """Return what is no data as a message holds it."""
    return np.frombuffer(pickle.dumps(value), np.uint8)


_HEAD = 3


@dataclass(frozen=True)
class Data:
    """A broadcast's message. It holds the tree, so that no rank need know it before.

    Parameters
    ----------
    number : int
        Of the broadcast.
    turn : int
        The round.
    order : tuple of int
        The rank at each position of a binomial tree.
    payload : array of uint8
    """

    number: int
    turn: int
    order: tuple[int, ...]
    payload: Bytes

    def pack(self) -> Bytes:
        """Return the message as bytes."""
        head = np.array([self.number, self.turn, len(self.order), *self.order], np.int64)
        return np.concatenate([head.view(np.uint8), self.payload])

    @classmethod
    def unpack(cls, body: Bytes) -> Data:
        """Return the message that ``pack`` wrote."""
        number, turn, size = body[: _HEAD * 8].view(np.int64).tolist()
        end = (_HEAD + size) * 8
        order = body[_HEAD * 8 : end].view(np.int64).tolist()
        return cls(number, turn, tuple(order), body[end:])

    def onward(self, rank: int) -> list[int]:
        """Return the ranks that a rank passes it on to: the one with the largest subtree first."""
        below = children(self.order.index(rank), len(self.order))
        return [self.order[position] for position in reversed(below)]
