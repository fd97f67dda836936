"""A barrier register as events see it: what each message, command or departure makes of it.

A switch's register and that of a node interface are alike; the latter has the switch at port 0 and
its process at port 1. Data are left out: nothing of set-up depends on them.

Source: SPEC, rules of set-up; the states are those of the hardware's registers.
"""

from __future__ import annotations

import enum
from typing import NamedTuple

from syncfabric.models.messages import Kind
from syncfabric.models.planning.switch_tree import PROCESS_PORT, UPLINK_PORT
from syncfabric.models.setup.message import Image, Message
from syncfabric.models.setup.rules import Rules

__all__ = ["Change", "Entry", "Release", "arrive", "die", "receive", "send", "start"]

PROCESS = 1 << PROCESS_PORT


class Release(enum.IntEnum):
    """What a node's process sees of a change."""

    NONE, RELEASED, BROKEN = range(3)


class Entry(NamedTuple):
    """A valid register. ``pending`` and ``up`` say what is still to be sent; ``wave`` what kind."""

    image: Image
    life: int
    go: bool = False
    arrived: int = 0
    fired: bool = False
    pending: int = 0
    up: bool = False
    wave: Kind = Kind.DISTRIBUTE
    last: bool = True
    dying: bool = False
    freed: bool = False

    @property
    def busy(self) -> bool:
        """Whether a barrier, a GO or its end is in progress."""
        return bool(self.arrived or self.fired or self.pending or self.up or self.dying)


class Change(NamedTuple):
    """The register after an event (None: no longer valid), and what the process sees."""

    entry: Entry | None
    release: Release = Release.NONE


def receive(
    entry: Entry, port: int, message: Message, *, node: bool, rules: Rules
) -> Change | None:
    """Take in a message that came by a port; None if it cannot be used: a stray."""
    image, kind, bit = entry.image, message.kind, 1 << port
    if entry.dying or not _matches(image, message, node, rules):
        return None
    if kind is Kind.REDUCE:
        if not image.children & ~(entry.arrived | entry.pending) & bit:
            return None
        return _join(entry, bit, message.last, node)
    if kind is Kind.DISTRIBUTE:
        if port != image.parent or not entry.fired or entry.up:
            return None
        return _distribute(entry, node)
    # GO and BROKEN come from above, and to a node from its switch even at the root.
    if port != (UPLINK_PORT if node else image.parent):
        return None
    if kind is Kind.BROKEN:
        return die(entry, node=node, up=False, rules=rules)
    if entry.go or entry.busy:
        return None
    told = 0 if node and rules.go_ends_at_node else _below(image, node)
    epoch = image._replace(epoch=message.epoch)
    return Change(entry._replace(image=epoch, go=True, pending=told, wave=Kind.GO))


def start(entry: Entry) -> Entry:
    """Obey the command GO: from the root down, and up to the node where the barrier turns."""
    image = entry.image
    return entry._replace(go=True, pending=image.children, up=not image.root, wave=Kind.GO)


def arrive(entry: Entry, *, last: bool) -> Change:
    """Take in the arrival of the node's own process."""
    return _join(entry, PROCESS, last, node=True)


def die(entry: Entry, *, node: bool, up: bool, rules: Rules) -> Change:
    """Drop everything, and send BROKEN down; by the port to the parent too if ``up``."""
    waiting = node and (entry.arrived & PROCESS or entry.fired)
    dead = entry._replace(
        go=False,
        arrived=0,
        fired=False,
        pending=_below(entry.image, node),
        up=up,
        wave=Kind.BROKEN,
        last=True,
        dying=True,
        freed=entry.freed and not rules.kill_drops_freed,
    )
    return Change(_unless_gone(dead), Release.BROKEN if waiting else Release.NONE)


def send(entry: Entry, port: int, *, node: bool) -> tuple[Change, Message]:
    """Let the message for a port go."""
    image = entry.image
    if port == image.parent:
        kind = Kind.REDUCE if entry.fired else entry.wave
        sent = entry._replace(up=False)
    else:
        kind = entry.wave
        sent = entry._replace(pending=entry.pending & ~(1 << port))
    message = Message(kind, image.gid, image.epoch, kind is Kind.REDUCE and entry.last, entry.life)
    left = _unless_gone(sent)
    return (_fire(left, node) if left else Change(None)), message


def _matches(image: Image, message: Message, node: bool, rules: Rules) -> bool:
    any_epoch = node and message.kind is Kind.GO and not rules.node_epoch
    return any_epoch or not rules.epochs or image.epoch == message.epoch


def _below(image: Image, node: bool) -> int:
    return image.children & ~PROCESS if node else image.children


def _join(entry: Entry, bit: int, last: bool, node: bool) -> Change:
    joined = entry._replace(arrived=entry.arrived | bit, last=entry.last and last)
    return _fire(joined, node)


def _fire(entry: Entry, node: bool) -> Change:
    """Pass a completed barrier on, unless something from before is still to be sent."""
    complete = entry.arrived == entry.image.children
    if not complete or entry.fired or entry.pending or entry.up:
        return Change(entry)
    if entry.image.root:
        return _distribute(entry._replace(freed=entry.last), node)
    return Change(entry._replace(fired=True, up=True))


def _distribute(entry: Entry, node: bool) -> Change:
    spread = entry._replace(
        arrived=0,
        fired=False,
        pending=_below(entry.image, node),
        wave=Kind.DISTRIBUTE,
        last=True,
    )
    own = node and entry.image.children & PROCESS
    return Change(spread, Release.RELEASED if own else Release.NONE)


def _unless_gone(entry: Entry) -> Entry | None:
    return None if entry.dying and not entry.pending and not entry.up else entry
