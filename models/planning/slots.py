"""Handing out barrier registers: at every place 0, 1, … in the order of the groups."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.spec import (
    RegisterSpec,
)
from syncfabric.models.planning.tree import Ints

__all__ = ["Slots"]


class Slots:
    """The registers of numbered places, all nodes or all switches.

    Parameters
    ----------
    places : int
        How many there are.
    network : MeshSpec or IrregularSpec
        How many registers each has.
    """

    def __init__(self, places: int, network: RegisterSpec) -> None:
        self._used = np.zeros(places, dtype=np.int64)
        self._network = network
        self._taken: list[tuple[int, Ints]] = []

    def take(self, group: int, places: Ints) -> Ints:
        """Give a group one register at each of some places; return their numbers."""
        numbers = self._used[places]
        self._used[places] += 1
        self._taken.append((group, places))
        return numbers

    def check(self, name: Callable[[int], str]) -> None:
        """Refuse a place with more groups than registers.

        Parameters
        ----------
        name : callable
            What to call a place of a number.

        Raises
        ------
        PlanError
            The place with the most groups.
        """
        registers = self._network.barrier_registers
        if self._used.max(initial=0) <= registers:
            return
        place = int(self._used.argmax())
        ids = [group for group, places in self._taken if (places == place).any()]
        more = f"barrier_registers = {len(ids)} or " if len(ids) <= 64 else ""
        raise PlanError(
            f"{name(place)}: groups {', '.join(map(str, ids))} need {len(ids)} registers, but "
            f'barrier_registers = {registers}; set {more}transport = "link" in [network]'
        )
