"""What an animation shows: who moves where in which cycle, and what becomes of the members."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Cast", "Film", "Kind", "Move"]


@dataclass(frozen=True)
class Kind:
    """A kind of thing that moves.

    Parameters
    ----------
    words : str
        For the legend.
    ink : str
        A colour in CSS.
    trail : {"lasting", "passing", "none"}
        Whether a way that it took stays in its colour, shows it in that cycle alone, or not at all.
    """

    words: str
    ink: str
    trail: str = "lasting"


@dataclass(frozen=True)
class Move:
    """Something on its way in one cycle.

    Parameters
    ----------
    cycle : int
    ways : tuple of int
        Numbers of the stage's ways, one after the other; all are passed in this cycle.
    kind : int
        Number of its kind.
    cast : int
        Whose it is; -1: nobody's.
    """

    cycle: int
    ways: tuple[int, ...]
    kind: int
    cast: int


@dataclass(frozen=True)
class Cast:
    """A group of members, and when each arrives and is released; None: not at all.

    Parameters
    ----------
    name : str
    members : tuple of int
        Numbers of the stage's places.
    arrivals, releases : tuple of int or None, by member
        Cycles.
    root : int or None
        The place where the barrier turns around.
    """

    name: str
    members: tuple[int, ...]
    arrivals: tuple[int | None, ...]
    releases: tuple[int | None, ...]
    root: int | None = None


@dataclass(frozen=True)
class Film:
    """All of it.

    Parameters
    ----------
    unit : str
        What a frame is: ``cycle`` or ``step``.
    first, last : int
        The frames.
    kinds : tuple of Kind
    casts : tuple of Cast
    moves : tuple of Move
        By rising cycles.
    words : tuple of str
        What a member is before, when it has arrived, and when it is released.
    zero : int
        The frame that is shown as 0.
    """

    unit: str
    first: int
    last: int
    kinds: tuple[Kind, ...]
    casts: tuple[Cast, ...]
    moves: tuple[Move, ...]
    words: tuple[str, str, str]
    zero: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return what the page's script plays; frames count from ``zero``."""

        def frame(cycle: int | None) -> int | None:
            return None if cycle is None else cycle - self.zero

        return {
            "unit": self.unit,
            "first": self.first - self.zero,
            "last": self.last - self.zero,
            "words": self.words,
            "kinds": [[kind.words, kind.ink, kind.trail] for kind in self.kinds],
            "casts": [
                {
                    "name": cast.name,
                    "members": cast.members,
                    "arrivals": [frame(cycle) for cycle in cast.arrivals],
                    "releases": [frame(cycle) for cycle in cast.releases],
                    "root": cast.root,
                }
                for cast in self.casts
            ],
            "moves": [
                [move.cycle - self.zero, move.ways, move.kind, move.cast] for move in self.moves
            ],
        }
