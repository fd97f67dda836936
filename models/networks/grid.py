"""Routers at coordinates: meshes and tori of any dimensions, and the ports of their links."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import count

__all__ = ["Grid"]


@dataclass(frozen=True)
class Grid:
    """A mesh, or with ``wraps`` a torus; the first coordinate counts fastest.

    Ports 0 to n - 1 of a router lead up its n dimensions. Further ones, in the same order, lead
    down those of more than two routers: of two, the port up leads to the other one.

    Parameters
    ----------
    sides : tuple of int
        Routers in each dimension, at least 2.
    wraps : bool
        Lines of more than two routers are rings.
    """

    sides: tuple[int, ...]
    wraps: bool = False

    @cached_property
    def axes(self) -> tuple[tuple[int, int], ...]:
        """The ports up and down each dimension; the same one twice where it has two routers."""
        further = count(len(self.sides))
        return tuple((up, next(further) if side > 2 else up) for up, side in enumerate(self.sides))

    @property
    def ports(self) -> int:
        """Ports of a router for its links, those at a rim that lead nowhere among them."""
        return 1 + max(max(axis) for axis in self.axes)

    def place(self, router: int) -> tuple[int, ...]:
        """Return the coordinates of a router."""
        found = []
        for side in self.sides:
            router, here = divmod(router, side)
            found.append(here)
        return tuple(found)

    def ends(self, a: int, b: int) -> tuple[int, int]:
        """Return the ports of both routers at the link up from ``a`` to ``b``."""
        ways = zip(self.axes, self.place(a), self.place(b), strict=True)
        return next(axis for axis, here, there in ways if here != there)
