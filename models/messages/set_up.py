"""Set-up and tear-down through the network: packets, commands, and the manager's words."""

import enum

from syncfabric.models.messages.layout import Field, Layout

__all__ = [
    "COMMAND_WORD",
    "LIFE",
    "MANAGER_BASE",
    "MANAGER_COMMAND",
    "MANAGER_FREED",
    "MANAGER_STATUS",
    "REPLY",
    "REQUEST",
    "SEQUENCE_BITS",
    "TAG_BITS",
    "Answer",
    "Command",
    "ManagerState",
    "ManagerWord",
    "Request",
]

LIFE = Layout(
    "life of a register",
    (
        Field("go", 1, "GO has been: members may arrive"),
        Field("last", 1, "all arrivals of this episode were the last"),
        Field("dying", 1, "BROKEN is on its way to the children"),
        Field("freed", 1, "the last barrier is over, and the manager not told yet"),
        Field("broken", 1, "the process was released by BROKEN"),
    ),
)
"""With set-up by managers, what stands above the fields of a status or arrived word."""

MANAGER_BASE = 1056
"""First config address of a node's manager."""

COMMAND_WORD = 4
"""Word of an irregular register that takes a :class:`Command`; a mesh register's is STATUS."""


class Command(enum.IntEnum):
    """What a command word makes a register do."""

    GO, KILL = 1, 2


class Request(enum.IntEnum):
    """What a manager asks of a router's set-up sink; ABORT, of the manager, ends its command."""

    SETUP, CLEAR, KILL, ABORT = range(4)


class Answer(enum.IntEnum):
    """What a set-up sink answers; FREED comes unasked, after a group's last barrier.

    ABORTED is no answer: a manager says so of a command that software has ended.
    """

    OK, FULL, EXISTS, BUSY, DENIED, BAD, FREED, ABORTED = range(8)


class ManagerWord(enum.IntEnum):
    """Words of a manager on its node's config port, from ``MANAGER_BASE``."""

    POINTER, DATA, COMMAND, STATUS, FREED = range(5)


class ManagerState(enum.IntEnum):
    """What a manager's status word says of the last command."""

    IDLE, RUNNING, DONE, FAILED = range(4)


SEQUENCE_BITS = 10
TAG_BITS = 2
"""Of the number by which replies of a command that was aborted are told from later ones."""

REQUEST = Layout(
    "request word",
    (
        Field("operation", 2, "0 SETUP, 1 CLEAR, 2 KILL"),
        Field("gid", 8, "group identifier"),
        Field("manager", 2, "which manager asks"),
        Field("sequence", SEQUENCE_BITS, "comes back in the reply"),
        Field("epoch", 2, "epoch of the set-up"),
        Field("op", 3, "combining operation"),
        Field("root", 1, "the barrier is turned around here"),
        Field("turn", 1, "first turn of the REDUCE to the parent, on a mesh"),
        Field("fire", 1, "send GO down the tree"),
        Field("tag", TAG_BITS, "comes back in the reply"),
    ),
)
"""Second flit of a manager's request."""

REPLY = Layout(
    "reply word",
    (
        Field("code", 3, "0 OK, 1 FULL, 2 EXISTS, 3 BUSY, 4 DENIED, 5 BAD, 6 FREED"),
        Field("sequence", SEQUENCE_BITS, "of the request; 0 with FREED"),
        Field("gid", 8, "group identifier"),
        Field("tag", TAG_BITS, "of the request; 0 with FREED"),
        Field("sender", 9, "number of the router, modulo 2^9"),
    ),
)
"""Second flit of a set-up sink's reply."""

MANAGER_COMMAND = Layout(
    "manager's command word",
    (
        Field("operation", 2, "0 SETUP, 1 CLEAR, 2 KILL, 3 ABORT"),
        Field("count", SEQUENCE_BITS + 1, "entries; ignored by ABORT"),
    ),
)

MANAGER_STATUS = Layout(
    "manager's status word",
    (
        Field("state", 2, "0 idle, 1 running, 2 done, 3 failed"),
        Field("code", 3, "code of the first refusal; 7 ABORTED"),
        Field("entry", SEQUENCE_BITS, "entry that it came from"),
    ),
)

MANAGER_FREED = Layout(
    "manager's freed word",
    (
        Field("gid", 8, "a group whose last barrier is over"),
        Field("there", 1, "there was one to tell"),
    ),
)
"""Word FREED of a manager; all zeros when no group is left to be told."""
