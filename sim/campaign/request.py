"""What a user asks of a campaign, and the kinds of faults: checked before any work begins."""

import enum
import shlex
from dataclasses import dataclass
from functools import singledispatch
from typing import Any, Self

from syncfabric.models.errors import SpecError, about, check_range
from syncfabric.models.networks.spec import NetworkSpec, StaticSpec
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.request import MOST_SEED


class Kind(enum.Enum):
    """What happens once in a trial: its name on the command line, and what it is in words."""

    words: str

    FLIP = "flip", "wires flipped for a cycle, within the checks' distance"
    DROP = "drop", "flit, message or word of wires dropped whole"
    CREDIT = "credit", "credit lost"
    DEAD = "dead", "link, or router with its links, silent from then on"
    ABSENT = "absent", "member that arrives no more"
    INJECTED = "injected", "injected message for an entry without a group or of another epoch"
    SPURIOUS = (
        "spurious",
        "injected message with a group's entry and epoch, of a kind not used there",
    )
    SETUP = "setup", "set-up of a group that is in use, by a manager"
    WRITE = "write", "word written over the config port into an entry of a group that is in use"
    RENEW = (
        "renew",
        "flip, drop or credit lost while a manager kills a group and sets it up anew",
    )
    STREAM_FLIP = (
        "stream-flip",
        "wires of a stream flipped for a cycle, within the checks' distance",
    )
    STREAM_DROP = "stream-drop", "word of a stream dropped whole"
    STREAM_STUCK = "stream-stuck", "wire of a stream stuck at 0 or 1 for some time"
    STREAM_CREDIT = (
        "stream-credit",
        "wires that bring a stream's credits lost or flipped for a cycle",
    )
    FLIPS = "flips", "more wires flipped, beyond the checks' distance"
    SPOOFED = "spoofed", "injected message with a group's own entry and epoch"

    def __new__(cls, name: str, words: str) -> Self:
        """Take a kind's name as its value."""
        kind = object.__new__(cls)
        kind._value_, kind.words = name, words
        return kind


STREAM_KINDS = (Kind.STREAM_FLIP, Kind.STREAM_DROP, Kind.STREAM_STUCK, Kind.STREAM_CREDIT)
"""Those of streams' wires alone."""


@singledispatch
def kinds_of(network: Any) -> tuple[Kind, ...]:
    """Return the kinds of faults that can happen to a network."""
    guarded, managed = network.guarded, network.managed
    entries = guarded and not network.wires  # groups on wires get no messages
    can = {
        Kind.CREDIT: guarded,
        Kind.DEAD: network.transport == "link",
        Kind.INJECTED: guarded,
        Kind.SPURIOUS: entries and managed,
        Kind.SETUP: managed,
        Kind.WRITE: managed,
        Kind.RENEW: guarded and managed,
        Kind.SPOOFED: entries,
        **dict.fromkeys(STREAM_KINDS, network.streams > 0),
    }
    return tuple(kind for kind in Kind if can.get(kind, True))


@kinds_of.register
def _(network: StaticSpec) -> tuple[Kind, ...]:
    return (Kind.FLIP, Kind.DROP, Kind.CREDIT, Kind.DEAD, Kind.ABSENT)


@singledispatch
def is_meant(network: Any, kind: Kind) -> bool:
    """Whether a network is meant to withstand it: no early release, wrong data or unreported hang.

    A message's entry and epoch are believed. A static network has no checks: an injected flit makes
    agents count one too many; a lost one, one too few, and so they wait.
    """
    if kind in STREAM_KINDS:
        return bool(network.guarded)
    return kind not in (Kind.FLIPS, Kind.SPOOFED)


@is_meant.register
def _(network: StaticSpec, kind: Kind) -> bool:
    return kind is not Kind.FLIP


MOST_FAULTS = 10_000_000


@dataclass(frozen=True)
class CampaignRequest:
    """A campaign's arguments; see ``campaign``.

    Parameters
    ----------
    faults : int
        That change something; others do not count.
    kinds : tuple of str
        Names of the kinds that take turns; none: all that the network knows.
    first : int
        Number of the first trial.
    """

    faults: int = 10_000
    seed: int = 1
    kinds: tuple[str, ...] = ()
    first: int = 0

    def check(self, spec: NetworkSpec) -> BarrierPlan:
        """Refuse what cannot be done; return the plan of the groups that take part.

        Raises
        ------
        SpecError
            An argument is out of its range, or the network is none for a campaign.
        PlanError
            The groups cannot be planned.
        ToolError
            Verilator is missing.
        """
        check_range("faults", self.faults, 1, MOST_FAULTS)
        check_range("seed", self.seed, 0, MOST_SEED)
        check_range("first", self.first, 0)
        self.chosen(spec)
        with about(spec.source):
            plan = make_plan(spec.of_several("inject faults into"))
        from syncfabric.sim.simulators import find_simulator

        find_simulator("verilator")
        return plan

    def chosen(self, spec: NetworkSpec) -> tuple[Kind, ...]:
        """Return the kinds that take turns.

        Raises
        ------
        SpecError
            There is no such kind, or the network does not know it.
        """
        known = kinds_of(spec.network)
        names = ", ".join(kind.value for kind in known)
        for name in self.kinds:
            if name not in {kind.value for kind in known}:
                raise SpecError(
                    f"kinds: {name!r} is not a kind of {spec.name}; its kinds are {names}"
                )
        return tuple(kind for kind in known if kind.value in self.kinds or not self.kinds)

    def command(self, source: str, *, first: int | None = None) -> str:
        """Return the command line that repeats the campaign, or one of its trials."""
        faults = self.faults if first is None else 1
        words = ["syncfabric", "campaign", source, "--faults", str(faults)]
        words += ["--seed", str(self.seed)]
        words += ["--kinds", ",".join(self.kinds)] if self.kinds else []
        number = self.first if first is None else first
        words += ["--first", str(number)] if number else []
        return shlex.join(words)
