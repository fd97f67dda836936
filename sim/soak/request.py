"""What a user asks of a soak: checked as a whole before any work begins."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from syncfabric.models.errors import SpecError, about
from syncfabric.models.networks.spec import NetworkSpec, StaticSpec
from syncfabric.models.planning import deadlock
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.drive.room import patience

__all__ = ["SPOILS", "SoakRequest"]

MOST_JITTER = 5_000
"""Cycles that a member may linger: half of those after which a group hangs."""
SPOILS = ("drop", "credit", "dead", "release")
"""What can be broken on purpose; see ``sim/fabric/spoil.h``."""
NUMBER = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True)
class SoakRequest:
    """A soak's arguments; see ``soak``."""

    episodes: int = 100_000
    seed: int = 1
    jitter: int = 15
    life: int | None = None
    spoil: str | None = None

    def check(self, spec: NetworkSpec) -> BarrierPlan:
        """Refuse what cannot be done; return the plan of the groups that are soaked.

        Raises
        ------
        SpecError
            An argument is out of its range, or there is nothing to soak.
        PlanError
            The groups cannot be planned.
        ToolError
            Verilator is missing.
        """
        if self.episodes < 1:
            raise SpecError(f"episodes must be 1 or more, not {self.episodes}")
        if not 0 <= self.seed < 1 << 32:
            raise SpecError(f"seed must be 0..{(1 << 32) - 1}, not {self.seed}")
        if not 0 <= self.jitter <= MOST_JITTER:
            raise SpecError(f"jitter must be 0..{MOST_JITTER:,} cycles, not {self.jitter}")
        if self.life is not None and self.life < 1:
            raise SpecError(f"lifetime must be 1 barrier or more, not {self.life}")
        self.spoiled()
        with about(spec.source):
            plan = make_plan(spec.of_several("soak"))
            apart = None if isinstance(spec.network, StaticSpec) else _patience(plan)
        if apart is not None and self.jitter > apart:
            raise SpecError(
                f"jitter = {self.jitter}: the watchdog may release members "
                f"that are more than {apart} cycles apart; set a smaller jitter, or a greater "
                "watchdog in [network]"
            )
        from syncfabric.sim.simulators import find_simulator

        find_simulator("verilator")
        return plan

    def spoiled(self) -> tuple[str, int, int, int] | None:
        """Return kind, place, cycle and register of what is to be broken.

        Raises
        ------
        SpecError
            That is not how such a thing is named.
        """
        if self.spoil is None:
            return None
        kind, *numbers = self.spoil.split() or [""]
        if kind in SPOILS and len(numbers) in (2, 3) and all(map(NUMBER.fullmatch, numbers)):
            place, cycle, register = (*map(int, numbers), 0)[:3]
            return kind, place, cycle, register
        raise SpecError(
            f"inject must be KIND PLACE CYCLE [REGISTER], with KIND one of {', '.join(SPOILS)}, "
            f"not {self.spoil!r}"
        )

    def command(self, source: str) -> str:
        """Return the command line that repeats the soak."""
        words = ["syncfabric", "soak", source, "--episodes", str(self.episodes)]
        words += ["--seed", str(self.seed), "--jitter", str(self.jitter)]
        words += [] if self.life is None else ["--lifetime", str(self.life)]
        words += [] if self.spoil is None else ["--inject", self.spoil]
        return shlex.join(words)


def _patience(plan: BarrierPlan) -> int | None:
    """Refuse groups that cannot be soaked; return how far apart members may arrive."""
    deadlock.check(plan)
    if plan.spec.message_network.setup == "paper":
        raise SpecError(
            'setup = "paper" is not soaked: there software sets groups up once, by packets, '
            'and tears none down; set setup = "manager" or "local" in [network]'
        )
    return patience(plan)
