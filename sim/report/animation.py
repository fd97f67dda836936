"""An animation over a scene: what moves where in each frame, and what becomes of the members."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from syncfabric.sim.draw.scene import Scene

SIDE = 44
"""Units of the drawing a hop."""
POINTS = 10
"""Points of a curve."""
READABLE = 0.1
"""Radius of a spot whose label can be read."""


class Kind(NamedTuple):
    """A kind of thing that moves."""

    words: str
    """For the legend."""
    ink: str
    """A colour in CSS."""
    mark: str = "lasting"
    """``lasting``, ``passing`` or ``none``: a link that it took stays in its colour, shows it in
    that frame alone, or never."""


class Move(NamedTuple):
    """Something in flight in one frame."""

    cycle: int
    links: tuple[int, ...]
    """Numbers of the scene's links, one after the other; all are passed in this frame."""
    kind: int
    """Number of its kind."""
    cast: int
    """Number of its group; -1: of none."""


@dataclass(frozen=True)
class Cast:
    """A group of members, and when each arrives and is released; None: not at all."""

    name: str
    members: tuple[int, ...]
    """Numbers of the scene's spots."""
    arrivals: tuple[int | None, ...]
    releases: tuple[int | None, ...]
    """Frames."""
    root: int | None = None
    """The spot where the barrier turns around."""


@dataclass(frozen=True)
class Animation:
    """The animation of a scene."""

    scene: Scene
    unit: str
    """What a frame is: ``cycle`` or ``step``."""
    first: int
    last: int
    """The frames."""
    kinds: tuple[Kind, ...]
    casts: tuple[Cast, ...]
    moves: tuple[Move, ...]
    """By rising frames."""
    words: tuple[str, str, str]
    """What a member is before, when it has arrived, and when it is released."""
    zero: int = 0
    """The frame that is shown as 0."""

    def to_json(self) -> dict[str, Any]:
        """Return what the page's script plays; frames count from ``zero``."""

        def frames(cycles: tuple[int | None, ...]) -> list[int | None]:
            return [None if cycle is None else cycle - self.zero for cycle in cycles]

        return {
            "unit": self.unit,
            "first": self.first - self.zero,
            "last": self.last - self.zero,
            "words": self.words,
            "kinds": self.kinds,
            "casts": [
                vars(cast) | {"arrivals": frames(cast.arrivals), "releases": frames(cast.releases)}
                for cast in self.casts
            ],
            "moves": [move._replace(cycle=move.cycle - self.zero) for move in self.moves],
        }

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, width and height of the drawing, in its units."""
        margin = 0.75 if self.scene.marks else 0.5
        width, height = self.scene.width - 0.5 + margin, self.scene.height - 0.5 + margin
        return -margin * SIDE, (0.5 - self.scene.height) * SIDE, width * SIDE, height * SIDE

    def paths(self) -> Iterator[str]:
        """Yield each directed link as an SVG path."""
        for link in self.scene.links:
            line = self.scene.lane(link)
            few = np.unique(np.linspace(0, len(line) - 1, POINTS).astype(int))
            yield "M" + "L".join(f"{_at(x)} {_at(-y)}" for x, y in line[few])

    def circles(self) -> Iterator[dict[str, object]]:
        """Yield each spot in the drawing's units."""
        for spot in self.scene.spots.values():
            yield vars(spot) | {
                "x": _at(spot.x),
                "y": _at(-spot.y),
                "r": _at(spot.radius),
                "label": spot.label if spot.radius > READABLE else "",
            }

    def texts(self) -> list[tuple[str, str, str]]:
        """Return the marks in the drawing's units."""
        return [(_at(x), _at(-y), words) for x, y, words in self.scene.marks]


def _at(value: float) -> str:
    return f"{value * SIDE:.1f}".removesuffix(".0")
