"""Words of set-up packets, and of managers. RTL, golden model and software share them."""

from enum import IntEnum

from syncfabric.models.layout.engine import EPOCH_BITS
from syncfabric.models.messages.layout import Field, Layout

MOST_REQUESTS = 512
"""Requests of the greatest command of a manager."""

FREED_PLACES = 64
"""Reports of ended groups that a manager can hold."""

ENTRY_BITS = 8


class Operation(IntEnum):
    """What a request asks for. ABORT is a command of a manager alone."""

    SETUP, START, KILL, ABORT = range(4)


class Answer(IntEnum):
    """Codes of replies. ABORTED is in a manager's status alone."""

    OK, BUSY, EPOCH, DENIED, BAD, FREED, ENDED, ABORTED = range(8)


class ManagerState(IntEnum):
    """What has become of a manager's command."""

    IDLE, RUNNING, DONE, FAILED = range(4)


_ENTRY = (
    Field("tag", 2, "which command of the manager, since its last ABORT"),
    Field("epoch", EPOCH_BITS, "the entry's epoch"),
    Field("entry", ENTRY_BITS, "entry of the router"),
)

REQUEST = Layout(
    "request",
    (
        Field("operation", 2, "SETUP 0, START 1, KILL 2"),
        Field("manager", 2, "who asks"),
        *_ENTRY,
        Field("sequence", 9, "number of the request in its command"),
    ),
)
"""Second flit of a request."""

REPLY = Layout(
    "reply",
    (
        Field("code", 3, "OK 0, BUSY 1, EPOCH 2, DENIED 3, BAD 4, FREED 5, ENDED 6"),
        *_ENTRY,
        Field("number", 16, "the request's sequence; FREED: the router"),
    ),
)
"""Second flit of a reply."""

COMMAND = Layout(
    "manager command",
    (
        Field("operation", 2, "SETUP 0, KILL 2, ABORT 3"),
        Field("count", 10, "requests, from the memory's first on"),
    ),
)

MANAGER_STATUS = Layout(
    "manager status",
    (
        Field("state", 2, "IDLE 0, RUNNING 1, DONE 2, FAILED 3"),
        Field("code", 3, "of the first refusal"),
        Field("epoch", EPOCH_BITS, "that it said"),
        Field("request", 9, "number of the request that was refused"),
    ),
)

FREED = Layout(
    "ended group",
    (
        Field("router", 16, "router of the root"),
        Field("epoch", EPOCH_BITS, "the root's epoch"),
        Field("entry", ENTRY_BITS, "the root's entry"),
        Field("none", 5, "0"),
        Field("valid", 1, "there is one"),
    ),
)


def manager_words(image_words: int, routers: int) -> int:
    """Return the words of a manager's memory: a power of two."""
    return 1 << ((2 + image_words) * min(MOST_REQUESTS, routers) - 1).bit_length()


def share_of(manager: int, managers: int, entries: int) -> range:
    """Return the entries of every router that a manager owns (N3.3)."""
    run = entries >> (managers - 1).bit_length()
    return range(run * manager, run * (manager + 1))


def owners_of(managers: int, entries: int, slots: int) -> dict[int, int]:
    """Return the manager of each entry and slot (N3.3, X5.1); what is no manager's is left out."""
    owners = {entry: m for m in range(managers) for entry in share_of(m, managers, entries)}
    shares = 1 << (managers - 1).bit_length()
    return owners | {entries + s: s % shares for s in range(slots) if s % shares < managers}


BATCH_MARK = 0xB7
"""Tells a command batch from other packets of software."""

BATCH = Layout(
    "management command batch",
    (
        Field("mark", 8, "0xB7"),
        Field("entry", 8, "entry of the engine at your router"),
        Field("epoch", EPOCH_BITS, "its epoch, before SETUP"),
    ),
)
"""Second flit of the packet, after its header; the words of the image follow."""
