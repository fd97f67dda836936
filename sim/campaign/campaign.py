"""Campaigns: one fault a trial, by the ten thousand, and the outcome of each.

Every trial begins with the same hardware, its groups set up and at rest, and has one fault while
they synchronize. Links, members and scoreboard are beside the tiles (`sim.fabric`), in C++; Python
draws the fault, is the software that brings groups back, and classifies the outcome.
"""

import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from syncfabric.models.faults.fault import Fault
from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.campaign.request import STREAM_KINDS, CampaignRequest, Kind, is_meant
from syncfabric.sim.campaign.result import CampaignResult, KindCount, Outcome, Verdict
from syncfabric.sim.campaign.trial import EPISODES, Draw, Trial
from syncfabric.sim.drive.recovery.scenario import groups_hit
from syncfabric.sim.fabric.build import build_fabric
from syncfabric.sim.fabric.program import Fabric, Wrong
from syncfabric.sim.lifecycle.effects import FoundError
from syncfabric.sim.progress import Progress, silent, stage
from syncfabric.sim.soak.bench import QUEUE, Bench
from syncfabric.sim.soak.groups import EngineGroups, Groups, groups_on
from syncfabric.sim.soak.streams import streams_of

SHOWN = 10
"""Trials until progress is reported again."""
MOST_MISSED = 10
"""Trials a fault, until a campaign is given up whose faults find nothing to change."""
TIMEOUT = 2_000
"""Cycles in which a manager's command is over, and GO comes."""
TRIES = 5
"""Commands that may be refused, or not be answered, one after another."""
RATE = 0.1
"""Flits a node a cycle, of trials in which packets are in flight."""
SETTLED = 140
"""Cycles in which link protection recovers lost credits, on a network at rest."""
DRAINED = 5_000
"""Cycles in which packets in flight are out."""
AFTERWARDS = 2
"""Barriers of each group afterwards."""
SHORT = 40
"""Cycles from one look at streams to the next."""
WRONG_WORDS = "words of a stream are wrong"
MARGIN = 300
"""Cycles that a barrier may stand still after the watchdog has expired."""
EARLY = ("released early", "released twice", "released, and")
BROKEN, TIMED_OUT = "released broken", "no arrival"
STANDS = (BROKEN, TIMED_OUT)
"""How the scoreboard's reports begin (``sim/fabric/scoreboard.h``)."""


def campaign(
    spec: NetworkSpec,
    request: CampaignRequest,
    *,
    stopped: Callable[[], bool] = lambda: False,
    progress: Progress = silent,
) -> CampaignResult:
    """Inject faults into a network, one a trial, and classify each outcome.

    Parameters
    ----------
    spec : NetworkSpec
        Its groups of two members and more take part.
    stopped : callable
        Is asked before each trial whether to end with what there is.

    Raises
    ------
    SpecError, PlanError
        The network is none for a campaign, or an argument is not allowed.
    ToolError
        Verilator is missing.
    """
    with stage(progress, "plan"):
        plan, kinds = request.check(spec), request.chosen(spec)
    with stage(progress, "build"):
        built = build_fabric(spec.network, queue=QUEUE)
    counts = tuple(KindCount(kind, is_meant(spec.network, kind)) for kind in kinds)
    result = CampaignResult(spec.name, request.seed, counts, build_seconds=built.seconds)
    draw, begin = Draw(plan, kinds, request.seed), time.perf_counter()
    with Fabric(built) as fabric:
        classifier = FaultClassifier(fabric, plan)
        number, last = request.first, request.first + MOST_MISSED * request.faults
        while result.faults < request.faults and number < last:
            if stopped():
                result.interrupted = True
                break
            result.add(classifier.classify(draw.trial(number)))
            number += 1
            if not number % SHOWN:
                progress("simulate", result.faults, request.faults)
        result.processor_seconds = fabric.processor_seconds()
    result.run_seconds = time.perf_counter() - begin
    return result


class FaultClassifier(Bench):
    """Tries faults on a running fabric.

    Parameters
    ----------
    plan : BarrierPlan
        All groups are set up here, once.
    """

    def __init__(self, fabric: Fabric, plan: BarrierPlan) -> None:
        super().__init__(fabric, plan)
        self._at_first = software = groups_on(fabric, plan, timeout=TIMEOUT, tries=TRIES)
        watchdog = self.network.watchdog * software.turns
        longest = max(group.bound or 0 for group in plan.groups)
        self._hang = max(2 * watchdog, 4 * longest) + MARGIN
        self._half: set[int] = set()  # groups whose set-up was aborted
        self._streams = streams_of(self)
        self._ends = not software.may_kill  # where it can, its last barrier would end a group
        # Where nothing is checked or watched, members' timeouts are all that reports.
        self._bare = self._ends and not watchdog
        if watchdog:
            fabric.all_active()  # no tile ever idles
        self.wait(software.begins)
        if self.packets:
            self.seed_packets(1)
            self.wait(2)
        for group in plan.groups:
            self.perform(self._at_first.set_up(group))
            self.watch(group)
        self.wait(SETTLED)
        self._first, self._before = self.cycle, self.counters()
        self._begin_again()
        fabric.keep()

    def _begin_again(self) -> None:
        self.cycle, self.wrong, self.over, self._half = self._first, [], set(), set()
        self._groups = {group.id: group for group in self.plan.groups}
        self._software: Groups = self._at_first.again()

    def classify(self, trial: Trial) -> Outcome:
        """Try one fault."""
        self.fabric.restore()
        self._begin_again()
        verdict, reported, text = self._classified(trial)
        episodes = sum(count.episodes for count in self.fabric.watch())
        return Outcome(trial, verdict, reported, text, self.cycle - self._first, episodes)

    def _classified(self, trial: Trial) -> tuple[Verdict, tuple[str, ...], str]:
        refused = self._happen(trial)
        stuck = self._await_ends() | self._await_streams()
        hung = set(stuck)
        if trial.busy:
            self.set_rate(0.0)
        self.wait(SETTLED)
        if trial.busy:
            self.drain(DRAINED)
        struck = self.fabric.struck() if trial.faults else 1
        if trial.after is None:
            self._inject((), trial)
        names = self._reports(refused)
        lost = self.wrong_packets()
        self._look_at_streams()
        if early := self._violation():
            return early[0], names, early[1]
        # A loss in a stream breaks its group; no later barrier shows a counter.
        quiet = hung - self._broken() if trial.kind in STREAM_KINDS else hung
        if quiet and not names:
            # A release that was lost leaves no entry waiting; the group's next barrier shows it.
            names = self._next_barrier(quiet, refused)
        if quiet and (not names or trial.kind in STREAM_KINDS):
            return Verdict.SILENT, names, f"groups {sorted(quiet)} stand still"
        if lost and not names:
            return Verdict.WRONG, names, lost
        if trial.after is not None and struck:
            hung |= {*groups_hit(self.plan, trial.after.without)}
        try:
            self._bring_back(hung, trial.after)
            for last in (False, True):
                still = self._go_on()
                names = (*names, *(each for each in self._reports(False) if each not in names))
                if early := self._violation():
                    return early[0], names, early[1]
                if not still:
                    break
                where = f"afterwards groups {sorted(still)} stand still"
                if last or not names:
                    return Verdict.LOST if names else Verdict.SILENT, names, where
                stuck |= still
                self._bring_back(still, None)
        except FoundError as found:
            return Verdict.LOST, names, str(found)
        if stuck:
            return Verdict.RECOVERED, names, ""
        if names:
            return Verdict.DETECTED, names, ""
        return Verdict.MASKED if struck else Verdict.MISSED, names, ""

    def _next_barrier(self, hung: set[int], refused: bool) -> tuple[str, ...]:
        """Let the other members of hung groups arrive once more; return what has reported then."""
        self.wrong = [wrong for wrong in self.wrong if not wrong.text.startswith(STANDS)]
        for gid in hung - self._half:
            nodes = {self.network.topology.index(node) for node in self._groups[gid].members}
            inside = [node for node in nodes if self.fabric.inside(gid, but=nodes - {node})]
            self._open(gid, 1)
            for node in inside:
                self.fabric.absent(gid, node)
        self._await_ends()
        return self._reports(refused)

    def _reports(self, refused: bool) -> tuple[str, ...]:
        """Return what has reported something; see `Outcome`."""
        reported = list(self.counters() - self._before)
        broken = len(self._broken()) > 0
        timeout = self._bare and any(wrong.text.startswith(TIMED_OUT) for wrong in self.wrong)
        reported += ["BROKEN"] * broken + ["REFUSED"] * refused + ["TIMEOUT"] * timeout
        return tuple(reported)

    def _inject(self, faults: Sequence[Fault], trial: Trial) -> None:
        """Inject faults, in place of those that have not happened yet."""
        placed = [replace(fault, cycle=fault.cycle + self.cycle) for fault in faults]
        with tempfile.TemporaryDirectory() as folder:
            self.fabric.faults(placed, Path(folder), roam=trial.roams)

    def _happen(self, trial: Trial) -> bool:
        """Let members begin, and do what software does in the trial; return if it is refused."""
        self.fabric.seed(seed=trial.seed, jitter=trial.jitter, hang=self._hang)
        self._streams.begin(self._groups, trial.seed)
        for gid in self._groups:
            self._open(gid, EPISODES)
        if trial.busy:
            self.set_rate(RATE)
        if trial.faults and trial.kind is not Kind.RENEW:
            self._inject(trial.faults, trial)
            return False
        self.wait(trial.at)
        if trial.kind is Kind.ABSENT:
            self.fabric.absent(trial.gid, trial.node)
            return False
        group, software = self._groups[trial.gid], self._software
        assert isinstance(software, EngineGroups)
        if trial.kind is Kind.RENEW:
            self._renew(trial, group, software)
            return False
        if trial.kind is Kind.WRITE:
            return self.perform(software.write(group, trial.node, *trial.write))
        return self.perform(software.try_unauthorized(group, trial.node))

    def _renew(self, trial: Trial, group: GroupPlan, software: EngineGroups) -> None:
        """Kill a group and set it up again while the fault happens."""
        gid = trial.gid
        self.fabric.close(gid)
        self._inject(trial.faults, trial)
        try:
            self.perform(software.end(group, None))
            self._look_at_streams(gid)
            self._groups[gid] = self.perform(software.renew(group, None))
        except FoundError:
            self.perform(software.abort(self._groups[gid]))
            self._half.add(gid)
        self.over.discard(gid)  # its last barrier may have come to its end meanwhile
        if gid not in self._half:
            self.watch(self._groups[gid])
            self._open(gid, EPISODES)

    def _await_streams(self) -> set[int]:
        """Go on until all streams have come; return the groups of which they will not."""
        end = self.cycle + self._hang + self._streams.cycles
        while True:
            self._streams.look()
            left, broken = self._streams.unfinished(), self._broken()
            if left <= broken or self.cycle > end:
                return {*left} | broken & self._streams.groups
            self.wait(SHORT)

    def _broken(self) -> set[int]:
        """Return the groups of which members were released broken."""
        return {wrong.group for wrong in self.wrong if wrong.text == BROKEN}

    def _look_at_streams(self, *ended: int) -> None:
        """Note what is wrong of streams; when nothing of those of groups that have ended moves."""
        if ended:
            self.wait(self._streams.cycles)
        self._streams.look()
        found = self._streams.wrong()
        self.wrong += [Wrong(self.cycle, gid, node, WRONG_WORDS) for gid, node in found]
        for gid in ended:
            self._streams.forget(gid)

    def _open(self, gid: int, episodes: int) -> None:
        self.fabric.open(gid, episodes, ends=self._ends)

    def _await_ends(self) -> set[int]:
        """Go on until each group has had its barriers, or will not; return those that will not."""
        while True:
            stuck = {wrong.group for wrong in self.wrong if wrong.text.startswith(STANDS)}
            stuck |= self._half
            if self._groups.keys() <= self.over | stuck:
                return stuck - self.over
            self.play(self._hang)

    def _bring_back(self, hung: Iterable[int], after: BarrierPlan | None) -> None:
        """End groups and set them up again; ``after`` goes around what is dead."""
        groups, software = sorted(hung), self._software
        self._half = set()
        if after is not None and isinstance(software, EngineGroups):
            self.perform(software.fence(after.without))
        for gid in groups:
            self.fabric.close(gid)
        for gid in groups:
            self.perform(software.end(self._groups[gid], after))
        self._look_at_streams(*groups)
        for gid in groups:
            self._groups[gid] = self.perform(software.renew(self._groups[gid], after))
            self.watch(self._groups[gid])

    def _go_on(self) -> set[int]:
        """Let all groups have some more barriers; return those that do not."""
        self.wrong = [wrong for wrong in self.wrong if not wrong.text.startswith(STANDS)]
        self.over = set()
        self._streams.begin(self._groups, AFTERWARDS)
        for gid in self._groups:
            self._open(gid, AFTERWARDS)
        stuck = self._await_ends() | self._await_streams()
        self._look_at_streams()
        return stuck

    def _violation(self) -> tuple[Verdict, str] | None:
        """Return what must not have happened, if it has."""
        for wrong in self.wrong:
            where = f"cycle {wrong.cycle - self._first}, group {wrong.group}, node {wrong.node}: "
            if wrong.text.startswith(EARLY):
                return Verdict.EARLY, where + wrong.text
        for wrong in self.wrong:
            if not wrong.text.startswith(STANDS):
                return Verdict.WRONG, f"group {wrong.group}, node {wrong.node}: {wrong.text}"
        return None
