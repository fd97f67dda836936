"""Routers at coordinates: meshes and tori of any dimensions, and the ports of their links."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, count
from math import cos, pi, prod, sin
from operator import mul

import numpy as np
from numpy.typing import NDArray


def coordinates(dimensions: int) -> tuple[str, ...]:
    """Return the names of so many coordinates."""
    return tuple("xyz"[i] if i < 3 else f"x{i}" for i in range(dimensions))


@dataclass(frozen=True)
class Grid:
    """A mesh, or with ``wraps`` a torus; the first coordinate counts fastest.

    Ports 0 to n - 1 of a router lead up its n dimensions. Further ones, in the same order, lead
    down those of more than two routers: of two, the port up leads to the other one.

    Parameters
    ----------
    sides : tuple of int
        Routers in each dimension.
    wraps : bool
        Lines of more than two routers are rings.
    pairs : bool
        All dimensions have a port down of their own, as those of the kind ``mesh``.
    """

    sides: tuple[int, ...]
    wraps: bool = False
    pairs: bool = False

    @property
    def routers(self) -> int:
        """How many there are."""
        return prod(self.sides)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the coordinates."""
        return coordinates(len(self.sides))

    @property
    def bits(self) -> tuple[int, ...]:
        """Bits of each coordinate."""
        return tuple(max(1, (side - 1).bit_length()) for side in self.sides)

    @property
    def rings(self) -> tuple[bool, ...]:
        """Whether the lines of each dimension are rings."""
        return tuple(self.wraps and side > 2 for side in self.sides)

    @cached_property
    def axes(self) -> tuple[tuple[int, int], ...]:
        """The ports up and down each dimension; the same one twice where it has two routers."""
        further = count(len(self.sides))
        return tuple(
            (up, next(further) if side > 2 or self.pairs else up)
            for up, side in enumerate(self.sides)
        )

    @property
    def ports(self) -> int:
        """Ports of a router for its links, those at an edge that lead nowhere among them."""
        return 1 + max(max(axis) for axis in self.axes)

    def axis_of(self, port: int) -> int | None:
        """Return the dimension that a port leads along; None: it is a node's."""
        return next((i for i, axis in enumerate(self.axes) if port in axis), None)

    def place(self, router: int) -> tuple[int, ...]:
        """Return the coordinates of a router."""
        found = []
        for side in self.sides:
            router, here = divmod(router, side)
            found.append(here)
        return tuple(found)

    def router(self, place: Sequence[int]) -> int | None:
        """Return the router at some coordinates; None: there is none."""
        if any(here >= side for here, side in zip(place, self.sides, strict=True)):
            return None
        strides = accumulate(self.sides, mul, initial=1)
        return sum(here * stride for here, stride in zip(place, strides, strict=False))

    def steps(self, here: NDArray[np.int64], there: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the links up each dimension, or below 0 down, of shortest paths between places.

        In a ring it is the shorter path; of two as short, the one that does not close it.

        Parameters
        ----------
        here, there : array of int64, shape (..., n)
            Coordinates; these are broadcast.
        """
        ahead = np.asarray(there - here)
        for axis, side in enumerate(self.sides):
            if self.rings[axis]:
                along = ahead[..., axis]
                around = np.where(2 * np.abs(along) > side, np.sign(along) * side, 0)
                ahead[..., axis] = along - around
        return ahead

    def path(self, a: int, b: int, order: Iterable[int]) -> list[tuple[int, int]]:
        """List the routers and outputs on the path from router ``a`` to ``b``.

        Parameters
        ----------
        a, b : int
        order : iterable of int
            All dimensions, as they are taken; in each the ``steps``.
        """
        here = list(self.place(a))
        steps = self.steps(np.array(here), np.array(self.place(b))).tolist()
        crossed = []
        for axis in order:
            step = 1 if steps[axis] > 0 else -1
            for _ in range(abs(steps[axis])):
                router = self.router(here)
                assert router is not None
                crossed.append((router, self.axes[axis][step < 0]))
                here[axis] = (here[axis] + step) % self.sides[axis]
        return crossed

    def drawn(self) -> Iterator[tuple[float, float]]:
        """Yield where pictures have each router, up to three dimensions; layers lie aslant.

        A line that is a ring is a circle.
        """
        if len(self.sides) == 1 and self.wraps:
            (side,), radius = self.sides, 0.5 / sin(pi / self.sides[0])
            turns = (pi / 2 - 2 * pi * router / side for router in range(side))
            yield from ((radius * cos(turn), radius * sin(turn)) for turn in turns)
        elif len(self.sides) <= 3:
            depth = self.sides[2] if len(self.sides) == 3 else 1
            for router in range(self.routers):
                x, y, z = (*self.place(router), 0, 0)[:3]
                yield x * depth + z * (depth > 1), y * depth + z * (depth > 1)

    def datelines(self) -> Iterator[tuple[int, int]]:
        """Yield the router and port of each end of a link that closes a ring."""
        for router in range(self.routers):
            axes = zip(self.axes, self.place(router), self.sides, self.rings, strict=True)
            for (up, down), here, side, ring in axes:
                if ring and here in (0, side - 1):
                    yield router, up if here else down

    def ends(self, a: int, b: int) -> tuple[int, int]:
        """Return the ports of both routers at the link up from ``a`` to ``b``."""
        axes = zip(self.axes, self.place(a), self.place(b), strict=True)
        return next(axis for axis, here, there in axes if here != there)
