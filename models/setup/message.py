"""What travels: synchronization messages, managers' requests, and the replies.

Each bears the number of the group life that it belongs to. No rule looks at that; the checks do.
"""

from __future__ import annotations

from typing import NamedTuple

from syncfabric.models.messages import Answer, Kind, Request

__all__ = ["NO_PARENT", "Image", "Message", "Packet", "Reply"]

NO_PARENT = -1


class Image(NamedTuple):
    """What SETUP writes: the tree's ports at a switch or node, ``children`` a bit a port."""

    gid: int
    epoch: int
    manager: int
    root: bool
    parent: int
    children: int


class Message(NamedTuple):
    """A synchronization message; ``last`` makes a REDUCE a LAST."""

    kind: Kind
    gid: int
    epoch: int
    last: bool
    life: int


class Packet(NamedTuple):
    """A manager's request to a switch; ``entry`` comes back in the reply."""

    operation: Request
    manager: int
    entry: int
    image: Image
    fire: bool
    life: int


class Reply(NamedTuple):
    """A switch's answer, or FREED."""

    code: Answer
    entry: int
    gid: int
    life: int
