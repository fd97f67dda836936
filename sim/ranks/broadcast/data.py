"""What goes along the tree: the payload, and whom it goes to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from syncfabric.models.broadcast.positions import children
from syncfabric.sim.ranks.payloads import Bytes

__all__ = ["Data"]

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
        """Return to whom a rank passes it on: the one with the largest subtree first."""
        below = children(self.order.index(rank), len(self.order))
        return [self.order[position] for position in reversed(below)]
