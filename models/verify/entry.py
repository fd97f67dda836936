"""Entries and messages as E6 and E7 have them, and what is known of them beside: the instance.

An *instance* is one set-up of one group, with all its identical retries. No rule looks at the
number of an instance; the checks do.
"""

from __future__ import annotations

from typing import NamedTuple

from syncfabric.models.verify.explorer import Violation

__all__ = ["BROKEN", "DEAD", "GO", "LAST", "PLAIN", "Entry", "Image", "Message", "kill", "serve"]

PLAIN, GO, LAST, BROKEN = range(4)


class Image(NamedTuple):
    """What SETUP writes: sets of ports as bits, and (entry, epoch) at each neighbour."""

    children: int
    parent: int
    names: tuple[tuple[int, int], ...]


class Entry(NamedTuple):
    """State of an entry. While it is not alive, all but its epoch is as in :data:`DEAD`."""

    epoch: int
    alive: int = 0
    instance: int = -1
    image: Image = Image(0, 0, ())
    missing: int = 0
    turn: int = 0
    last: int = 0
    fresh: int = 0
    acc: int = 0


DEAD = Entry(0)


class Message(NamedTuple):
    """A message; its data are the arrivals that it stands for, a bit each."""

    epoch: int
    kind: int
    data: int
    instance: int


Fired = tuple[Entry, int, int, int]
"""The entry afterwards; the ports to which is sent, 0 for none; the kind and data that are sent."""


def serve(
    entry: Entry,
    port: int,
    message: Message,
    *,
    modulo: int = 4,
    whole: bool = True,
    anded: bool = True,
) -> Fired | None:
    """Serve a message at an entry (E6, rules 1 to 15).

    Parameters
    ----------
    entry : Entry
        State before.
    port : int
        The port by which the message came, as a bit; 0 for GO of the config port.
    message : Message
        What came.
    modulo : int
        Number of epochs.
    whole, anded : bool
        Rules that a weakening leaves out: a completion needs all ports; LAST needs all that
        merged to say so.

    Returns
    -------
    Fired | None
        None if nothing changes (the message is unexpected).

    Raises
    ------
    Violation
        A message of one instance changes another.
    """
    kind = message.kind
    if not entry.alive or (entry.epoch - message.epoch) % modulo:
        return None
    if kind == BROKEN:
        if not port & entry.image.parent:
            return None
    elif not port & entry.missing if port else entry.missing:
        return None
    if message.instance != entry.instance:
        raise Violation("a message of an old instance changes a new one")
    if kind == BROKEN:
        return kill(entry)
    data = message.data if entry.fresh else entry.acc | message.data
    last = entry.last if kind == LAST or not anded else 0
    missing = entry.missing & ~port
    if missing and whole:
        return entry._replace(missing=missing, acc=data, fresh=0, last=last), 0, 0, 0
    if kind != GO:
        kind = LAST if kind == LAST and last else PLAIN
    to = entry.image.children if entry.turn else entry.image.parent
    if entry.turn and kind == LAST:
        return Entry(entry.epoch), to, kind, data
    turn = 1 - entry.turn if entry.image.parent else 1
    after = entry._replace(missing=missing | to, turn=turn, last=1, fresh=1, acc=0)
    return after, to, kind, data


def kill(entry: Entry) -> Fired:
    """End an entry that is alive: BROKEN goes to its children."""
    return Entry(entry.epoch), entry.image.children, BROKEN, 0
