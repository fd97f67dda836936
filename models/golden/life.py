"""What set-up by managers adds to a barrier register of any kind: how it opens, and dies."""

from __future__ import annotations

from collections.abc import Collection

from syncfabric.models.golden.outbox import Letter
from syncfabric.models.messages import LIFE, Kind

__all__ = ["Living"]

KIND_MASK = 3


class Living:
    """State of a register that managers set up (docs/microarchitecture.md, section S1).

    Attributes
    ----------
    go, last, dying, freed, broken : bool
        As on the config port.
    manager : int
        Who set it up.
    letters : list of (Letter or None)
        The messages that it may have to send.
    kind_at : int
        Lowest bit of a message's kind.
    """

    go: bool
    last: bool
    dying: bool
    freed: bool
    broken: bool
    manager: int
    letters: list[Letter | None]
    kind_at: int

    def reset_life(self) -> None:
        """Make everything as after reset."""
        self.go = self.last = self.dying = self.freed = self.broken = False

    def renew(self) -> None:
        """Begin a life, with a new control word."""
        self.go = self.freed = self.broken = False
        self.last = True

    @property
    def life(self) -> int:
        """The bits that stand above those of a status."""
        return LIFE.pack(
            {
                "go": self.go,
                "last": self.last,
                "dying": self.dying,
                "freed": self.freed,
                "broken": self.broken,
            }
        )

    def write_to(self, places: Collection[int], kind: Kind) -> None:
        """Let the messages to children, or to the parent, be of a kind from now on."""
        for place in places:
            letter = self.letters[place]
            if letter is not None:
                raw = letter.raw & ~(KIND_MASK << self.kind_at) | kind << self.kind_at
                self.letters[place] = letter._replace(raw=raw, kind=int(kind))
