"""A store of free ports, to draw switches from evenly."""

from __future__ import annotations

import random

__all__ = ["Room"]


class Room:
    """Switches with their free ports; every operation takes constant time.

    Parameters
    ----------
    left : list of int
        Free ports of each switch; kept up to date.
    """

    def __init__(self, left: list[int]) -> None:
        self.left = left
        self.open = [switch for switch, free in enumerate(left) if free]
        self._place = {switch: i for i, switch in enumerate(self.open)}

    def any(self, rng: random.Random) -> int:
        """Return one of the switches that have a free port."""
        return self.open[rng.randrange(len(self.open))]

    def take(self, rng: random.Random) -> int:
        """Use a port of one of the switches that have one; return the switch."""
        switch = self.any(rng)
        self.use(switch)
        return switch

    def use(self, switch: int) -> None:
        """Use a port of a switch."""
        self.left[switch] -= 1
        if not self.left[switch]:
            place, last = self._place.pop(switch), self.open.pop()
            if last != switch:
                self.open[place], self._place[last] = last, place

    def give(self, switch: int) -> None:
        """Free a port of a switch."""
        self.left[switch] += 1
        if self.left[switch] == 1:
            self._place[switch] = len(self.open)
            self.open.append(switch)
