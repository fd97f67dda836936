"""Kinds of faults, and which of them a network is meant to stand."""

from __future__ import annotations

import enum

from syncfabric.models.networks.spec import AnySpec, StaticSpec

__all__ = ["Kind", "is_meant", "kinds_of"]


class Kind(enum.Enum):
    """What happens once in a trial; its value is its name on the command line."""

    FLIP = "flip"
    DROP = "drop"
    CREDIT = "credit"
    DEAD = "dead"
    ABSENT = "absent"
    FORGED = "forged"
    SPURIOUS = "spurious"
    SETUP = "setup"
    WRITE = "write"
    RENEW = "renew"
    FLIPS = "flips"
    POSED = "posed"

    @property
    def words(self) -> str:
        """What it is, in a table."""
        return _WORDS[self]


_WORDS = {
    Kind.FLIP: "wires flipped for a cycle, within the checks' distance",
    Kind.DROP: "flit, message or word of wires dropped whole",
    Kind.CREDIT: "credit lost",
    Kind.DEAD: "link, or router with its links, silent from then on",
    Kind.ABSENT: "member that arrives no more",
    Kind.FORGED: "message of nobody, for an entry without a group or of another epoch",
    Kind.SPURIOUS: "message of nobody, with a group's entry and epoch, of a kind not used there",
    Kind.SETUP: "set-up of a group that is in use, by a manager",
    Kind.WRITE: "word written over the config port into an entry of a group that is in use",
    Kind.RENEW: "flip, drop or credit lost while a manager kills a group and sets it up anew",
    Kind.FLIPS: "more wires flipped, beyond the checks' distance",
    Kind.POSED: "message of nobody, with a group's own entry and epoch",
}


def kinds_of(network: AnySpec) -> tuple[Kind, ...]:
    """Return the kinds of faults that can happen to a network."""
    if isinstance(network, StaticSpec):
        return (Kind.FLIP, Kind.DROP, Kind.CREDIT, Kind.DEAD, Kind.ABSENT)
    kinds = [Kind.FLIP, Kind.DROP]
    kinds += [Kind.CREDIT] if network.guarded else []
    kinds += [Kind.DEAD] if network.transport == "link" else []
    kinds.append(Kind.ABSENT)
    kinds += [Kind.FORGED] if network.guarded else []
    entries = network.guarded and not network.wires  # groups on wires get no messages
    kinds += [Kind.SPURIOUS] if entries and network.managed else []
    kinds += [Kind.SETUP, Kind.WRITE] if network.managed else []
    kinds += [Kind.RENEW] if network.guarded and network.managed else []
    kinds.append(Kind.FLIPS)
    return (*kinds, *([Kind.POSED] if entries else ()))


def is_meant(network: AnySpec, kind: Kind) -> bool:
    """Whether a network is meant to stand it: nobody early, no wrong data, and no hang unreported.

    What a message says of its group is believed. A static network has no checks: a flit that never
    was makes agents count one too many; one that is lost, one too few, and so they wait.
    """
    if isinstance(network, StaticSpec):
        return kind is not Kind.FLIP
    return kind not in (Kind.FLIPS, Kind.POSED)
