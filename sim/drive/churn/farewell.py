"""The end of a life: its members clean up, and all places that knew it are looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from syncfabric.models.golden.model import GoldenModel
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.sim.drive.churn.life import Life, Stage
from syncfabric.sim.drive.churn.notes import Gone, Note
from syncfabric.sim.drive.churn.seats import Seats
from syncfabric.sim.drive.config_port import ConfigPort

__all__ = ["Farewell"]


class Farewell:
    """Sees lives off that are torn down or given up.

    Parameters
    ----------
    model : GoldenModel
        Tells whether registers still have a group.
    port : ConfigPort
    seats : Seats
        Where the lives have registers, and those of their members.
    note : callable
        Takes notes.
    over : callable
        Takes a life of which nothing is left.
    """

    def __init__(
        self,
        model: GoldenModel,
        port: ConfigPort,
        seats: Seats,
        note: Callable[[Note], None],
        over: Callable[[Life], None],
    ) -> None:
        self._model, self._port, self._seats = model, port, seats
        self._note, self._over = note, over

    def tend(self, now: int, life: Life) -> None:
        """See whether all members of a life know that it is over."""
        if life.killed:
            if all(self._model.holder(target, life.gid) is None for target in life.targets):
                life.enter(Stage.GONE, now)
                self._look(life, now)
        elif life.given_up or life.arrivals.finished:
            self._leave(now, life, self._seats.wipes(life))

    def _leave(self, now: int, life: Life, wipes: Iterable[ConfigRequest]) -> None:
        life.enter(Stage.GONE, now)
        self._port.ask_all(wipes, now, partial(self._look, life))

    def _look(self, life: Life, now: int) -> None:
        """Have a look at all registers that may still know a life."""
        self._note(Gone(now, life.number, life.given_up))
        self._port.ask_all(self._seats.reads(life), now, lambda _: self._over(life))
