"""The software of members: they wait for GO, arrive, and hear that it is over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from syncfabric.sim.drive.churn.life import Life
from syncfabric.sim.drive.churn.notes import Came, Note
from syncfabric.sim.drive.churn.seats import Seats

if TYPE_CHECKING:
    import random

    from syncfabric.sim.drive.driver import Driver, Inputs

__all__ = ["Members"]


class Members:
    """Members of all lives.

    Parameters
    ----------
    driver : Driver
        Whose inputs they use.
    seats : Seats
        Where members have their registers.
    rng : random.Random
        Draws data.
    lives : mapping of int to Life
        Those that are not over, by GID.
    note : callable
        Takes notes.
    """

    def __init__(
        self,
        driver: Driver,
        seats: Seats,
        rng: random.Random,
        lives: Mapping[int, Life],
        note: Callable[[Note], None],
    ) -> None:
        self._driver, self._model = driver, driver.model
        self._seats, self._rng, self._lives, self._note = seats, rng, lives, note
        self._data_bits = driver.plan.spec.network.data_bits
        self._sitting: dict[tuple[int, int], tuple[Life, int]] = {}

    def hear(self, now: int) -> None:
        """Hear what processes are told in a cycle."""
        for node, register, _ in self._model.release:
            if (node, register) in self._sitting:
                life, member = self._sitting[node, register]
                if self._model.broken(node, register):
                    del self._sitting[node, register]
                else:
                    self._released(now, life, member)

    def _released(self, now: int, life: Life, member: int) -> None:
        life.since = now
        life.arrivals.release(now, member)

    def arrive(self, now: int, life: Life, inputs: Inputs) -> None:
        """Let those of a life's members arrive that are due and can."""
        for member in sorted(life.due):
            seat = self._seats.find(life, member)
            if seat is None:
                continue
            life.due.discard(member)
            if member not in life.came:
                self._come(now, life, member, seat)
            data = self._rng.getrandbits(self._data_bits) if self._data_bits else 0
            last, node = life.arrives_last(member), life.nodes[member]
            self._driver.arrive(now, inputs, (node, seat), data, last=last)
            life.arrivals.took(now, member)
            self._driver.note_arrival(now, life.number, member, data)

    def _come(self, now: int, life: Life, member: int, register: int) -> None:
        node = life.nodes[member]
        life.came.add(member)
        self._sitting[node, register] = life, member
        self._note(Came(now, life.number, member, node, register))

    def dismiss(self, life: Life) -> None:
        """Forget a life that is over."""
        life.due.clear()
        for place in [key for key, (other, _) in self._sitting.items() if other is life]:
            del self._sitting[place]
