"""Synchronization messages at an input, as section I3 tells it."""

from collections.abc import Sequence
from typing import NamedTuple

from syncfabric.models.networks.spec import IrregularSpec

__all__ = ["Message", "SyncModel", "message_of"]


class Message(NamedTuple):
    """A message's fields, in their order."""

    kind: int
    gid: int
    epoch: int
    data: int

    def bits(self, spec: IrregularSpec) -> int:
        """Return the message as it is on a link."""
        return spec.layout.sync.pack(self._asdict())


def message_of(spec: IrregularSpec, bits: int) -> Message:
    """Return the message that is on a link."""
    return Message(**spec.layout.sync.unpack(bits))


class SyncModel:
    """The input of one link.

    Parameters
    ----------
    buffered : bool
        There is a slot.
    cycles : int
        Cycles a hop.

    Attributes
    ----------
    credit : bool
        ``sync_credit`` is high in this cycle.
    """

    def __init__(self, *, buffered: bool, cycles: int) -> None:
        self.buffered, self.cycles = buffered, cycles
        self.kept: Message | None = None  # in the slot, or on the link in the cycle before
        self.names: list[tuple[int, int] | None] = []
        self.credit = False

    def presented(self, link: Message | None) -> Message | None:
        """Return what is presented, with this on the link."""
        if self.cycles == 1 and self.kept is None:
            return link
        return self.kept

    def overflows(self, link: Message | None) -> bool:
        """Return whether what is on the link is lost."""
        return self.buffered and link is not None and self.kept is not None

    def match(self, link: Message | None, names: Sequence[tuple[int, int] | None]) -> set[int]:
        """Return the registers that the presented message is for.

        Parameters
        ----------
        link : Message, optional
            What is on the link.
        names : sequence of (gid, epoch) or None
            Of the registers, if they are valid.
        """
        shown = self.presented(link)
        known = names if self.cycles == 1 else self.names
        return {r for r, name in enumerate(known) if shown and name == (shown.gid, shown.epoch)}

    def step(
        self, link: Message | None, names: Sequence[tuple[int, int] | None], *, taken: bool
    ) -> None:
        """End the cycle; what is presented was taken, or stays."""
        shown = self.presented(link)
        self.credit = self.buffered and taken and shown is not None
        self.names = list(names)
        if not self.buffered:
            self.kept = link if self.cycles == 2 else None
        elif self.kept is not None:
            self.kept = None if taken else self.kept
        elif not (self.cycles == 1 and taken):
            self.kept = link
