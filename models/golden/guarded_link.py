"""What guards of links are put together from, and what they ask of the network around them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from syncfabric.models.golden.channel import Flit
from syncfabric.models.golden.link_form import LinkForm
from syncfabric.models.golden.receiver_guard import ReceiverGuard
from syncfabric.models.golden.record import GuardWires, Message, Packet
from syncfabric.models.golden.sender_guard import SenderGuard
from syncfabric.models.messages import Counter, LinkCounter

__all__ = ["GuardedLink", "Load", "Passed", "Surroundings"]

NOBODY = Packet(-1, -1, -1, -1)


class Surroundings(Protocol):
    """What guards ask of the network around them."""

    @abstractmethod
    def ends(self, link: int) -> tuple[int, int] | None:
        """Return from where a guarded link leads, and to where; None of a link without guards.

        Places are numbered as on the config port; -1: over the rim of a mesh, where nobody is.
        """

    @abstractmethod
    def has_room(self, lane: int) -> bool:
        """Return whether a buffer, or slot, had room at the start of the cycle."""

    @abstractmethod
    def port_links(self, place: int) -> Sequence[tuple[int, int | None]]:
        """Return the links away from a place and towards it, by port; None: there is none."""

    @abstractmethod
    def happened(self, place: int, counter: Counter | LinkCounter) -> None:
        """Count an event of this cycle."""


class Passed(NamedTuple):
    """What comes out of all links in a cycle, and what the guards' wires show.

    ``shown_flits`` and ``shown_messages`` are what is on the links: all, but for fenced ones.
    ``shown_credit`` are the lanes whose credit is on the links, and ``credit`` those whose sender
    gets one.
    """

    flits: list[tuple[int, Flit]]
    messages: list[tuple[int, Message]]
    credit: list[int]
    shown_credit: list[int]
    shown_flits: Sequence[tuple[int, Flit]]
    shown_messages: Sequence[tuple[int, Message]]
    wires: list[tuple[int, GuardWires]]


class GuardedLink:
    """One directed link."""

    __slots__ = ("link", "packets", "receiver", "sender", "source", "target")

    def __init__(self, link: int, ends: tuple[int, int], form: LinkForm) -> None:
        self.link, (self.source, self.target) = link, ends
        self.sender = SenderGuard(form.places)
        self.receiver = ReceiverGuard(form.places, form.ordinary, own=form.own)
        self.packets = [NOBODY] * form.ordinary

    def is_awake(self) -> bool:
        """Return whether anything changes without a flit, message or credit."""
        return self.sender.is_awake() or self.receiver.is_awake()


class Load:
    """What is on one link in a cycle."""

    __slots__ = ("channel", "credit", "flit", "message", "sync_class")

    def __init__(self) -> None:
        self.flit: Flit | None = None
        self.message: Message | None = None
        self.channel = self.sync_class = self.credit = 0
