"""One trial on the hardware: what happens, and what it is called."""

from __future__ import annotations

import enum
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from syncfabric.models.faults.fault import Fault
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.assemble.player import Stimulus, StimulusKind
from syncfabric.sim.campaign.bench import LOOK, Bench
from syncfabric.sim.campaign.crew import Crew, crew_of
from syncfabric.sim.campaign.request import Kind
from syncfabric.sim.campaign.trial import EPISODES, Trial
from syncfabric.sim.drive.recovery.plans import groups_hit
from syncfabric.sim.fabric import Fabric
from syncfabric.sim.lifecycle.effects import FoundError
from syncfabric.sim.soak.life import Life

__all__ = ["Court", "Outcome", "Verdict"]

RATE = 0.1
"""Flits a node a cycle, of trials in which packets are under way."""
SETTLED = 140
"""Cycles in which guards ask what has become of credits, on a network at rest."""
DRAINED = 5_000
"""Cycles in which packets that are under way are out."""
AFTERWARDS = 2
"""Barriers of each group afterwards."""
BEYOND = 300
"""Cycles that a barrier may stand still beyond what a watchdog lets pass."""
EARLY = ("released early", "released twice", "released, and")
BROKEN, NOBODY = "released broken", "nobody arrived"
STANDS = (BROKEN, NOBODY)
"""How the referee begins what it says (``sim/fabric/referee.h``)."""


class Verdict(enum.Enum):
    """What has become of a fault; those from EARLY on must not be."""

    MISSED = "nothing to change"
    MASKED = "masked"
    DETECTED = "detected"
    RECOVERED = "hung, recovered"
    EARLY = "false release"
    WRONG = "wrong data"
    SILENT = "silent hang"
    LOST = "not recovered"


@dataclass(frozen=True)
class Outcome:
    """What came of a trial.

    Parameters
    ----------
    trial : Trial
    verdict : Verdict
    told : tuple of str
        Who reported it: counters; ``BROKEN`` if members were released broken, ``REFUSED`` if a
        command was, ``PATIENCE`` if members had waited for too long on a static network without
        watchdogs.
    text : str
        What is wrong, if something is.
    cycles, episodes : int
    """

    trial: Trial
    verdict: Verdict
    told: tuple[str, ...]
    text: str
    cycles: int
    episodes: int


class Court(Bench):
    """Tries faults on a running fabric.

    Parameters
    ----------
    fabric : Fabric
    plan : BarrierPlan
        All groups are set up here, once.
    """

    def __init__(self, fabric: Fabric, plan: BarrierPlan) -> None:
        super().__init__(fabric, plan)
        network = self._network
        watchdog = network.watchdog
        if not isinstance(network, StaticSpec):  # an entry's turn comes after all others' (E8)
            watchdog *= network.shape.router.layout.entries
        longest = max(group.bound or 0 for group in plan.groups)
        self._hang = max(2 * watchdog, 4 * longest) + BEYOND
        self._half: set[int] = set()  # groups whose set-up was broken off
        self._crew: Crew = crew_of(fabric, plan)
        self._lives = {
            group.id: Life(BarrierPlan(plan.spec, (group,)), group, 0) for group in plan.groups
        }
        if watchdog:
            fabric.restless()  # no tile ever idles
        self._wait(2 if self._static else 4)
        if self._packets:
            self._script(Stimulus(self._cycle, StimulusKind.LOAD, data=1))
            self._wait(2)
        for life in self._lives.values():
            self._perform(self._crew.set_up(life))
            self._sit(life)
        self._wait(SETTLED)
        self._first, self._before = self._cycle, self._counters()
        fabric.keep()

    def judge(self, trial: Trial) -> Outcome:
        """Try one fault."""
        fabric = self._fabric
        fabric.restore()
        self._cycle, self._wrong, self._over = self._first, [], set()
        self._half = set()
        verdict, told, text = self._judged(trial, dict(self._lives), self._crew.again())
        return Outcome(trial, verdict, told, text, self._cycle - self._first, self._episodes())

    def _judged(
        self, trial: Trial, lives: dict[int, Life], crew: Crew
    ) -> tuple[Verdict, tuple[str, ...], str]:
        refused = self._happen(trial, lives, crew)
        stuck = self._await_ends(lives)
        hung = set(stuck)
        self._quiet(trial)
        struck = self._fabric.struck() if trial.faults else 1
        if trial.after is None:
            self._strike((), trial)
        names = self._told(refused)
        lost = self._packets_wrong()
        if early := self._judgement():
            return early[0], names, early[1]
        if hung and not names:
            return Verdict.SILENT, names, f"groups {sorted(hung)} stand still"
        if lost and not names:
            return Verdict.WRONG, names, lost
        if trial.after is not None and struck:
            hung |= {*groups_hit(self._plan, trial.after.without)}
        try:
            self._bring_back(trial, lives, crew, hung)
            for last in (False, True):
                still = self._go_on(lives)
                names = (*names, *(each for each in self._told(False) if each not in names))
                if early := self._judgement():
                    return early[0], names, early[1]
                if not still:
                    break
                where = f"afterwards groups {sorted(still)} stand still"
                if last or not names:
                    return Verdict.LOST if names else Verdict.SILENT, names, where
                stuck |= still
                self._bring_back(replace(trial, after=None), lives, crew, still)
        except FoundError as found:
            return Verdict.LOST, names, str(found)
        if stuck:
            return Verdict.RECOVERED, names, ""
        if names:
            return Verdict.DETECTED, names, ""
        return Verdict.MASKED if struck else Verdict.MISSED, names, ""

    def _told(self, refused: bool) -> tuple[str, ...]:
        """Return who has reported something."""
        broken = any(wrong.text == BROKEN for wrong in self._wrong)
        told = list(self._counters() - self._before)
        # Where nothing is checked or watched members' patience is all there is.
        bare = self._static and not self._network.watchdog
        patience = bare and any(wrong.text.startswith(NOBODY) for wrong in self._wrong)
        told += ["BROKEN"] * broken + ["REFUSED"] * refused + ["PATIENCE"] * patience
        return tuple(told)

    def _strike(self, faults: Sequence[Fault], trial: Trial) -> None:
        """Let faults happen, in place of those that have not yet."""
        placed = [replace(fault, cycle=fault.cycle + self._cycle) for fault in faults]
        with tempfile.TemporaryDirectory() as folder:
            self._fabric.faults(placed, Path(folder), roam=trial.roams)

    def _happen(self, trial: Trial, lives: dict[int, Life], crew: Crew) -> bool:
        """Let members begin, and do what software does in the trial; return if it is refused."""
        fabric = self._fabric
        fabric.seed(seed=trial.seed, jitter=trial.jitter, hang=self._hang)
        for gid in lives:
            self._open(gid, EPISODES)
        if trial.busy:
            self._rate(RATE)
        if trial.faults and trial.kind is not Kind.RENEW:
            self._strike(trial.faults, trial)
            return False
        self._wait(trial.at)
        if trial.kind is Kind.RENEW:
            self._renew(trial, lives, crew)
            return False
        if trial.kind is Kind.ABSENT:
            fabric.absent(trial.gid, trial.node)
            return False
        life = lives[trial.gid]
        if trial.kind is Kind.WRITE:
            return self._perform(crew.write(life, trial.node, *trial.write))
        return self._perform(crew.meddle(life, trial.node))

    def _renew(self, trial: Trial, lives: dict[int, Life], crew: Crew) -> None:
        """Kill a group and set it up anew while the fault happens."""
        gid = trial.gid
        self._fabric.close(gid)
        self._strike(trial.faults, trial)
        try:
            self._perform(crew.end(lives[gid], None))
            lives[gid] = self._perform(crew.renew(lives[gid], None))
        except FoundError:
            self._perform(crew.abort(lives[gid]))
            self._half.add(gid)
        self._over.discard(gid)  # its last barrier may have come to its end meanwhile
        if gid in self._half:
            return
        self._sit(lives[gid])
        self._open(gid, EPISODES)

    def _open(self, gid: int, episodes: int) -> None:
        # On engines its last barrier would end a group.
        self._fabric.open(gid, episodes, ends=self._static)

    def _await_ends(self, lives: dict[int, Life]) -> set[int]:
        """Go on until each group has had its barriers, or will not; return those that will not."""
        while True:
            stuck = self._stuck() | self._half
            if lives.keys() <= self._over | stuck:
                return stuck - self._over
            self._play(self._hang)

    def _stuck(self) -> set[int]:
        return {wrong.group for wrong in self._wrong if wrong.text.startswith(STANDS)}

    def _quiet(self, trial: Trial) -> None:
        """Let the network come to rest."""
        if trial.busy:
            self._rate(0.0)
        self._wait(SETTLED)
        end = self._cycle + DRAINED
        while trial.busy and self._under_way() and self._cycle < end:
            self._wait(LOOK)

    def _bring_back(
        self, trial: Trial, lives: dict[int, Life], crew: Crew, hung: Iterable[int]
    ) -> None:
        groups = sorted(hung)
        self._half = set()
        if trial.after is not None:
            self._perform(crew.fence(trial.after.without))
        for gid in groups:
            self._fabric.close(gid)
        for gid in groups:
            self._perform(crew.end(lives[gid], trial.after))
        for gid in groups:
            lives[gid] = self._perform(crew.renew(lives[gid], trial.after))
            self._sit(lives[gid])

    def _go_on(self, lives: dict[int, Life]) -> set[int]:
        """Let all groups have some more barriers; return those that do not."""
        self._wrong = [wrong for wrong in self._wrong if not wrong.text.startswith(STANDS)]
        self._over = set()
        for gid in lives:
            self._open(gid, AFTERWARDS)
        return self._await_ends(lives)

    def _judgement(self) -> tuple[Verdict, str] | None:
        """Return what must not have happened, if it has."""
        for wrong in self._wrong:
            where = f"cycle {wrong.cycle - self._first}, group {wrong.group}, node {wrong.node}: "
            if wrong.text.startswith(EARLY):
                return Verdict.EARLY, where + wrong.text
        for wrong in self._wrong:
            if not wrong.text.startswith(STANDS):
                return Verdict.WRONG, f"group {wrong.group}, node {wrong.node}: {wrong.text}"
        return None
