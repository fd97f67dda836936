"""Soaks: barriers by the million, while groups are set up and torn down and packets compete.

Traffic, arrivals and checks are beside the tiles (`sim.fabric`), in C++; Python is the software
that tears groups down and sets them up again.
"""

import random
import re
import shlex
import time
from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass, field

from syncfabric.models.errors import SpecError, about, check_range
from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.models.planning import deadlock
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.drive.scenario import timeout_of
from syncfabric.sim.fabric.build import build_fabric
from syncfabric.sim.fabric.program import Fabric, Happened, Wrong, idle_cores
from syncfabric.sim.lifecycle.effects import HANG, FoundError, Steps
from syncfabric.sim.progress import Progress, silent, stage
from syncfabric.sim.request import MOST_SEED, check_threads
from syncfabric.sim.soak.bench import QUEUE, Bench, Phases
from syncfabric.sim.soak.groups import Drawing, EngineGroups, Instance, groups_on
from syncfabric.sim.soak.result import Finding, Latencies, SoakGroup, SoakResult
from syncfabric.sim.soak.streams import SoakStreams

MOST_JITTER = 5_000
"""Cycles that a member may linger: half of those after which a group hangs."""
INJECTED = ("drop", "credit", "dead", "release")
"""What can be injected; see ``sim/fabric/corrupt.h``."""
NUMBER = re.compile(r"[0-9]{1,9}")
CHUNK = 10_000
"""Cycles until the packets' counters are read again."""
LIFETIME = 500
"""Barriers of a group from set-up to end, on average, if the soak is long."""
INSTANCES = 8
"""Instances of each group, at least, if there are barriers enough."""
TO_KILL = 1 / 8
"""Share of instances that are killed, where that is possible."""
SOON = 50
"""One is killed within so many cycles for each of its barriers."""


@dataclass(frozen=True)
class SoakRequest:
    """A soak's arguments; see ``soak``."""

    episodes: int = 100_000
    seed: int = 1
    jitter: int = 15
    lifetime: int | None = None
    inject: str | None = None
    threads: int | None = None

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
        check_range("episodes", self.episodes, 1)
        check_range("seed", self.seed, 0, MOST_SEED)
        check_range("jitter", self.jitter, 0, MOST_JITTER, "cycles")
        if self.lifetime is not None:
            check_range("lifetime", self.lifetime, 1, unit="barrier")
        check_threads(self.threads)
        self.injected()
        with about(spec.source):
            plan = make_plan(spec.of_several("soak"))
            apart = _apart(plan)
        if apart is not None and self.jitter > apart:
            raise SpecError(
                f"jitter = {self.jitter}: the watchdog may release members "
                f"that are more than {apart} cycles apart; set a smaller jitter, or a greater "
                "watchdog in [network]"
            )
        from syncfabric.sim.simulators import find_simulator

        find_simulator("verilator")
        return plan

    def injected(self) -> tuple[str, int, int, int] | None:
        """Return kind, place, cycle and register of the fault to inject.

        Raises
        ------
        SpecError
            That is not how such a thing is named.
        """
        if self.inject is None:
            return None
        kind, *numbers = self.inject.split() or [""]
        if kind in INJECTED and len(numbers) in (2, 3) and all(map(NUMBER.fullmatch, numbers)):
            place, cycle, register = (*map(int, numbers), 0)[:3]
            return kind, place, cycle, register
        raise SpecError(
            f"inject must be KIND PLACE CYCLE [REGISTER], with KIND one of {', '.join(INJECTED)}, "
            f"not {self.inject!r}"
        )

    def command(self, source: str) -> str:
        """Return the command line that repeats the soak."""
        words = ["syncfabric", "soak", source, "--episodes", str(self.episodes)]
        words += ["--seed", str(self.seed), "--jitter", str(self.jitter)]
        words += [] if self.lifetime is None else ["--lifetime", str(self.lifetime)]
        words += [] if self.inject is None else ["--inject", self.inject]
        return shlex.join(words)


def _apart(plan: BarrierPlan) -> int | None:
    """Refuse groups that cannot be soaked; return how far apart members may arrive."""
    deadlock.check(plan)
    plan.spec.network.check_renewal("a soak")
    return timeout_of(plan)


def soak(
    spec: NetworkSpec,
    request: SoakRequest,
    *,
    stopped: Callable[[], bool] = lambda: False,
    progress: Progress = silent,
) -> SoakResult:
    """Soak a network's groups; it stops at the first finding.

    Parameters
    ----------
    spec : NetworkSpec
        Its groups of two members and more take part.
    stopped : callable
        Is asked now and then whether to end with what there is.

    Raises
    ------
    SpecError, PlanError
        There is nothing to soak, or an argument is not allowed.
    ToolError
        Verilator is missing.
    """
    with stage(progress, "plan"):
        plan = request.check(spec)
        share = request.episodes // (INSTANCES * len(plan.groups))
        lifetime = request.lifetime or max(1, min(LIFETIME, share))
        drawing = Drawing(plan, request.seed, lifetime)
        _check_fault(request, spec, drawing)
    with stage(progress, "build"):
        built = build_fabric(spec.network, queue=QUEUE)
    begin = time.perf_counter()
    with Fabric(built, threads=request.threads or idle_cores()) as fabric:
        run = _Soak(fabric, plan, drawing, request, progress)
        run.go_on(stopped)
        return run.result(built.seconds, time.perf_counter() - begin)


def _check_fault(request: SoakRequest, spec: NetworkSpec, drawing: Drawing) -> None:
    """Refuse a fault of a link that nothing goes over: no soak could find it."""
    fault = request.injected()
    if fault is None or fault[0] == "release" or not drawing.links:
        return
    if fault[1] not in (links := sorted(drawing.links)):
        raise SpecError(
            f"inject {request.inject!r}: no route of a group of {spec.name} goes over link "
            f"{fault[1]}; take one of {', '.join(map(str, links))}"
        )


@dataclass
class _Group:
    """The instances of a group."""

    instance: Instance | None = None
    instances: int = 0
    killed: int = 0
    dies_at: int | None = None
    histogram: dict[int, int] = field(default_factory=dict)


def bound_of(group: GroupPlan) -> int:
    """Return the cycles that a barrier may take whatever others do; 0 if none is proved."""
    if not group.static and group.slot_register is None:
        return 0
    return group.bound or 0


class _Soak(Bench):
    """The software of all nodes: one group at a time is set up or torn down."""

    def __init__(
        self,
        fabric: Fabric,
        plan: BarrierPlan,
        drawing: Drawing,
        request: SoakRequest,
        progress: Progress,
    ) -> None:
        super().__init__(fabric, plan)
        self._request, self._progress, self._drawing = request, progress, drawing
        self._rng = random.Random(f"{request.seed}/kill")
        self._groups = {group.id: _Group() for group in plan.groups}
        self._phases = Phases(self, episodes=request.episodes, seed=request.seed)
        self._software = groups_on(fabric, plan)
        self._streams = SoakStreams(self, request.seed)
        self._ahead: deque[int] = deque(self._groups)  # groups to be set up or torn down
        self._change: Generator[int, None, None] | None = None  # in progress
        self._about = -1  # the group that it is of
        self._limit = CHUNK  # cycles until it may go on
        self._budget = request.episodes
        self._done = self._counted_at = 0
        self._findings: tuple[Finding, ...] = ()
        self._ends = self._interrupted = False

    def go_on(self, stopped: Callable[[], bool]) -> None:
        """Go on until all is over, something is found, or ``stopped`` says so."""
        request = self._request
        if (fault := request.injected()) is not None:
            try:
                self.fabric.corrupt(*fault)
            except ValueError:
                raise SpecError(
                    f"inject {request.inject!r}: {self.plan.spec.name} has no such place; name a "
                    "link between two routers, or a node and a register"
                ) from None
        self.fabric.seed(seed=request.seed, jitter=request.jitter, hang=HANG)
        self.play(self._software.begins)
        try:
            self._phases.begin()
            while not (self._is_over() or self._findings):
                if stopped():
                    self._interrupted = True
                    return
                self._turn()
        except FoundError as fault:
            wrong = Wrong(self.cycle, self._about, -1, str(fault))
            self._findings = (Finding.of(wrong, self.plan.spec),)

    def _is_over(self) -> bool:
        if self._done < self._request.episodes or self._change or self._ahead:
            return False
        if self._any_instance or not self._phases.over:
            return False
        if not self._ends:  # at last everything is checked
            self._ends = True
            killed = any(group.killed for group in self._groups.values())
            self._begin(self._software.check_end(killed=killed))
            return False
        return True

    def _turn(self) -> None:
        """Go on to the next cycle in which there is something to do."""
        for _ in range(len(self._ahead)):  # some may wait for others to make room
            if self._change is not None or self._phases.draining:
                break
            self._about = self._ahead.popleft()
            self._begin(self._renew(self._about))
        cycles = [CHUNK if self._change is None else min(CHUNK, self._limit)]
        cycles += [max(1, at - self.cycle) for at in self._deaths.values()]
        cycles += [look] if (look := self._streams.look) else []
        self.play(min(*cycles, 200) if self._phases.draining else min(cycles))
        if self._findings:
            return
        self._streams.step(draining=self._phases.draining)
        if self._change is not None:
            self._advance(self._change)
        self._kill()
        looks = self.cycle - self._counted_at >= CHUNK or not self._any_instance
        if self._phases.draining or looks:
            self._counted_at = self.cycle
            self._count()
            self._phases.step(self._done, quiet=self._change is None)

    @property
    def _any_instance(self) -> bool:
        return any(group.instance for group in self._groups.values())

    @property
    def _deaths(self) -> dict[int, int]:
        """When groups are to be killed."""
        groups = self._groups.items()
        return {gid: group.dies_at for gid, group in groups if group.dies_at is not None}

    def play(self, cycles: int) -> Happened:
        happened = super().play(cycles)
        if happened.wrong:
            self._findings = tuple(Finding.of(each, self.plan.spec) for each in happened.wrong)
        for gid in happened.over:
            group = self._groups[gid]
            self._streams.close(gid)
            if group.instance and not group.instance.killed:  # else it waits for that already
                group.dies_at = None
                self._ahead.append(gid)
        return happened

    def _begin(self, steps: Steps[None]) -> None:
        self._change = self.performing(steps)
        self._advance(self._change)

    def _advance(self, change: Generator[int, None, None]) -> None:
        try:
            self._limit = next(change)
        except StopIteration:
            self._change, self._about = None, -1

    def _renew(self, gid: int) -> Steps[None]:
        """Tear a group's instance down, if it has one, and begin the next, if one is to be."""
        group, software = self._groups[gid], self._software
        if (instance := group.instance) is not None:
            if instance.killed and isinstance(software, EngineGroups):
                yield from software.kill(instance.group)
            else:
                yield from software.tear_down(instance.group)
            self.fabric.dismiss(gid)
            yield from self._streams.forget(gid)
            self._drawing.leave(instance.group)
            self._count()
            self._budget += instance.episodes - (sum(group.histogram.values()) - instance.began)
            group.instance = None
        if not self._budget:
            return
        others = [each.instance.group for each in self._groups.values() if each.instance]
        instance = self._drawing.draw(gid, others, self._budget)
        if instance is None:
            self._ahead.append(gid)
            return
        self._budget -= instance.episodes
        group.instance, group.instances = instance, group.instances + 1
        yield from software.set_up(instance.group)
        instance.began = sum(group.histogram.values())
        self.watch(instance.group, bound_of(instance.group))
        if software.may_kill and self._rng.random() < TO_KILL:
            group.dies_at = self.cycle + self._rng.randint(1, SOON * instance.episodes)
        self.fabric.open(gid, instance.episodes)
        self._streams.open(instance.group)

    def _kill(self) -> None:
        for gid, at in self._deaths.items():
            group = self._groups[gid]
            if self.cycle >= at and group.instance is not None:
                self.fabric.close(gid)
                self._streams.close(gid)
                group.instance.killed, group.dies_at = True, None
                group.killed += 1
                self._ahead.append(gid)

    def _count(self) -> None:
        for count in self.fabric.watch():
            self._groups[count.gid].histogram = count.latencies
        self._done = sum(sum(group.histogram.values()) for group in self._groups.values())
        self._progress("simulate", min(self._done, self._request.episodes), self._request.episodes)

    def result(self, build: float, seconds: float) -> SoakResult:
        """Return what was found so far."""
        self._count()
        rows = self.fabric.report() if self.packets else []
        return SoakResult(
            network=self.plan.spec.name,
            verdict="wrong" if self._findings else "interrupted" if self._interrupted else "clean",
            findings=self._findings,
            episodes=self._done,
            cycles=self.cycle,
            build_seconds=build,
            run_seconds=seconds,
            processor_seconds=self.fabric.processor_seconds(),
            groups=tuple(
                SoakGroup(
                    id=group.id,
                    members=len(group.members),
                    instances=seen.instances,
                    killed=seen.killed,
                    latency=Latencies.of(seen.histogram),
                    bound=group.bound or 0,
                    proved=bound_of(group) > 0,
                    histogram=seen.histogram,
                )
                for group, seen in zip(self.plan.groups, self._groups.values(), strict=True)
            ),
            phases=tuple(self._phases.ended),
            packets=sum(row["packets"] for row in rows),
            flits=sum(row["flits"] for row in rows),
            latency_max=max((row["latency_max"] for row in rows), default=None),
            wait_max=self.fabric.waits(HANG) if self.packets else None,
            set_up_refused=self._software.refused,
            streams=self._streams.ended,
            seed=self._request.seed,
        )
