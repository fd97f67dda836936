"""Set-up packets (networks N3)."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from syncfabric.models.verify.entry import Image

__all__ = ["Code", "Operation", "Reply", "Request"]


class Operation(IntEnum):
    """Operations of a request; GO is START after its first access."""

    SETUP = 0
    START = 1
    KILL = 2
    GO = 3


class Code(IntEnum):
    """Codes of a reply."""

    OK = 0
    BUSY = 1
    EPOCH = 2
    DENIED = 3
    FREED = 5
    ENDED = 6


class Request(NamedTuple):
    """A request; KILL has no image."""

    operation: Operation
    tag: int
    entry: int
    epoch: int
    instance: int
    image: Image


class Reply(NamedTuple):
    """A reply or FREED, with the true epoch of the entry."""

    code: Code
    tag: int
    entry: int
    epoch: int
    instance: int
