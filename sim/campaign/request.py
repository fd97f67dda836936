"""What a user asks of a campaign: checked as a whole before any work begins."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from syncfabric.models.errors import SpecError, about
from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.campaign.kinds import Kind, kinds_of

__all__ = ["CampaignRequest"]

MOST_FAULTS = 10_000_000


@dataclass(frozen=True)
class CampaignRequest:
    """A campaign's arguments; see ``campaign``.

    Parameters
    ----------
    faults : int
        That change something; others do not count.
    seed : int
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
        if not 1 <= self.faults <= MOST_FAULTS:
            raise SpecError(f"faults must be 1..{MOST_FAULTS:,}, not {self.faults}")
        if not 0 <= self.seed < 1 << 32:
            raise SpecError(f"seed must be 0..{(1 << 32) - 1}, not {self.seed}")
        if self.first < 0:
            raise SpecError(f"first must be 0 or more, not {self.first}")
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
                raise SpecError(f"kinds: {name!r} is none that {spec.name} knows; it knows {names}")
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
