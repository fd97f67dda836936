"""Soaks of small networks: clean, and red with whatever is broken; all groups killed at once."""

import re
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.reader import load
from syncfabric.models.networks.spec import MessageSpec, NetworkSpec
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.assemble.script import Stimulus
from syncfabric.sim.fabric.program import Fabric
from syncfabric.sim.lifecycle.effects import HANG, FoundError
from syncfabric.sim.lifecycle.lifecycle import TRIES
from syncfabric.sim.soak.bench import Bench
from syncfabric.sim.soak.groups import EngineGroups
from syncfabric.sim.soak.result import SoakResult
from syncfabric.sim.soak.soak import SoakRequest, soak
from syncfabric.sim.soak.streams import GroupStreams
from tests.nightly import nightly_but
from tests.sim.soak.networks import BUILD, ENGINES, LONG, NETWORKS, SIXTEEN, STREAMS


@pytest.fixture(autouse=True)
def built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take builds that other tests have: sources whose queue is longer."""
    monkeypatch.setattr(
        "syncfabric.sim.soak.soak.build_fabric", lambda network, queue: BUILD(network)
    )


EPISODES = 160


def soaked(spec: NetworkSpec, inject: str | None = None, seed: int = 1) -> SoakResult:
    return soak(spec, SoakRequest(episodes=EPISODES, seed=seed, jitter=7, inject=inject))


@pytest.mark.parametrize("name", nightly_but(["engines"], [*NETWORKS, *LONG]))
def test_nothing_is_found(name: str) -> None:
    spec = (NETWORKS | LONG)[name]
    result = soaked(spec, seed=3)
    assert (result.verdict, result.findings) == ("clean", ())
    assert result.episodes == EPISODES
    assert all(group.instances > 1 for group in result.groups)
    assert name not in ENGINES or any(group.killed for group in result.groups)
    assert sum(group.latency.count for group in result.groups if group.latency) == EPISODES
    assert (result.streams > 10) == (name == "streams")
    for group in result.groups:
        assert group.latency is not None
        assert 0 < group.latency.min <= group.latency.median <= group.latency.most_999
        if group.proved:
            assert group.latency.max <= group.bound
    if result.phases:
        offered = [phase.offered for phase in result.phases]
        saturation = result.phases[0].accepted
        assert offered == [1.0, 0.0, saturation / 2, saturation]
        assert [phase.packets > 0 for phase in result.phases] == [True, False, True, True]
        assert result.latency_max
        assert result.wait_max


def test_a_soak_is_the_same_again() -> None:
    first, second, other = (soaked(NETWORKS["engines"], seed=seed) for seed in (4, 4, 5))
    assert first.groups == second.groups != other.groups
    assert first.cycles == second.cycles


EARLY = "released (early|twice)"
HANGS = (  # the first that waits when nothing comes any more
    "no arrival or release|goes on for 10000|first in its source's queue|not come out|"
    "does not come|received no FREED|looked for|manager of node|is not (set up|killed)"
)
BROKEN = {
    ("engines", "release 1 3000 0"): f"{EARLY}|in no group",
    ("engines", "release 1 20 0"): "in no group",  # before the first is set up
    ("engines", "drop 0 3000"): HANGS,
    ("engines", "credit 0 3000"): r"link \d+ holds",
    ("engines", "dead 0 3000"): HANGS,
    ("engine cluster", "release 1 3000 0"): f"{EARLY}|in no group",
    ("engine cluster", "drop 0 3000"): rf"counted \d+ errors|{HANGS}",
    ("engine cluster", "credit 0 3000"): rf"link \d+ holds|{HANGS}",
    ("engine cluster", "dead 0 3000"): HANGS,
    ("static", "release 1 6000 0"): f"{EARLY}|in no group",
    ("static", "drop 0 6000"): f"at rest, and link|{HANGS}",
    ("static", "credit 0 6000"): rf"link \d+ holds|{HANGS}",
    ("static", "dead 0 6000"): f"at rest, and link|{HANGS}",
    ("wires", "release 1 3000 0"): f"{EARLY}|in no group",
    ("wires", "drop 0 3000"): rf"counted \d+ errors|{HANGS}|broken",
    ("wires", "dead 0 3000"): rf"counted \d+ errors|{HANGS}|broken",
}


@pytest.mark.parametrize(
    ("name", "inject"), nightly_but([case for case in BROKEN if case[0] == "engines"], BROKEN)
)
def test_what_is_broken_is_found(name: str, inject: str) -> None:
    result = soaked(NETWORKS[name], inject)
    assert result.verdict == "wrong"
    first = result.findings[0]
    assert re.search(BROKEN[name, inject], first.text), first
    assert first.cycle >= int(inject.split()[2])


def test_a_fault_where_nothing_goes_is_refused() -> None:
    with pytest.raises(
        SpecError, match=r"no route of a group .* goes over link 0; take one of 1, "
    ):
        soaked(load("campaign-static"), "drop 0 6000")


def test_wrong_data_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checker is given another operation than the hardware."""
    group = Fabric.group

    def another(fabric: Fabric, gid: int, endpoints: object, *, op: str, bound: int) -> None:
        group(fabric, gid, endpoints, op={"xor": "or"}.get(op, op), bound=bound)  # type: ignore[arg-type]

    monkeypatch.setattr(Fabric, "group", another)
    result = soaked(NETWORKS["engines"])
    assert result.verdict == "wrong"
    assert re.fullmatch(r"result \d+, not \d+", result.findings[0].text)


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["static", "wires"])
def test_a_barrier_that_takes_too_long_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    group = Fabric.group

    def shorter(fabric: Fabric, gid: int, endpoints: object, *, op: str, bound: int) -> None:
        group(fabric, gid, endpoints, op=op, bound=bound - 1)  # type: ignore[arg-type]

    monkeypatch.setattr(Fabric, "group", shorter)
    (first, *_) = soaked(NETWORKS[name]).findings
    assert re.fullmatch(r"\d+ cycles, and \d+ is the bound", first.text)


def test_a_soak_that_is_stopped_reports_where_it_stands() -> None:
    turns = iter([False] * 20)
    request = SoakRequest(episodes=10**9)
    result = soak(NETWORKS["engines"], request, stopped=lambda: next(turns, True))
    assert result.verdict == "interrupted"
    assert 0 < result.episodes < 10**9
    assert result.episodes == sum(sum(group.histogram.values()) for group in result.groups)


RATE, AT, AFTERWARDS = 1.0, 1_000, 5


class Storm(Bench):
    """A network whose groups are killed together, by managers or the host; with an escape after."""

    def __init__(self, fabric: Fabric, plan: BarrierPlan, by: str) -> None:
        super().__init__(fabric, plan)
        network = plan.spec.network
        assert isinstance(network, MessageSpec)
        self.groups, self.by = EngineGroups(fabric, plan, timeout=HANG, tries=TRIES), by
        fabric.seed(seed=1, jitter=7, hang=HANG)
        self.wait(2)
        self.seed_packets(1)
        self.wait(2)
        self.set_rate(RATE)

    def open(self, episodes: int) -> None:
        """Set all groups up, and let their members begin."""
        for group in self.plan.engine_groups:
            self.perform(self.groups.set_up(group))
            self.watch(group)
            self.fabric.open(group.id, episodes)

    def strike(self) -> None:
        """Kill all groups: every member is released broken."""
        groups = self.plan.engine_groups
        for group in groups:
            self.fabric.close(group.id)
        killer = self.groups._software if self.by == "managers" else self.groups._host
        self.perform(killer.kill(*groups))
        for group in groups:
            assert self.fabric.inside(group.id) == 0
            self.fabric.dismiss(group.id)
        for group in groups if self.by == "escape" else ():
            for place in group.placement.items():
                self.perform(self.groups._host.free(*place))

    def await_ends(self) -> None:
        """Let all groups have their last barrier."""
        end = self.cycle + HANG
        while len(self.over) < len(self.plan.groups) and self.cycle < end:
            self.play(100)
        for group in self.plan.engine_groups:
            self.perform(self.groups.tear_down(group))

    def check(self) -> None:
        """Nothing was wrong, and nothing is left."""
        self.set_rate(0.0)
        self.drain(100 * HANG)
        wrong = [wrong for wrong in self.wrong if "released, but in no group" in wrong.text]
        assert bool(wrong) is (self.by == "escape")  # BROKEN, of registers that are in no group
        assert len(wrong) == len(self.wrong)
        assert self.wrong_packets() == ""
        self.perform(self.groups.check_end(killed=True))


STORMY = {**ENGINES, "sixteen groups": SIXTEEN, "soak-4x4": load("soak-4x4")}
STORMS = ("sixteen groups", "managers"), ("engines", "host"), ("engines", "escape")


@pytest.mark.parametrize(
    ("name", "by"), nightly_but(STORMS, product(STORMY, ("managers", "host", "escape")))
)
def test_nothing_is_lost_when_all_groups_are_killed_at_once(name: str, by: str) -> None:
    plan = make_plan(STORMY[name])
    with Fabric(BUILD(plan.spec.network)) as fabric:
        storm = Storm(fabric, plan, by)
        for _ in range(3):
            storm.open(10**6)
            storm.wait(AT)
            storm.strike()
        storm.open(AFTERWARDS)
        storm.await_ends()
        storm.check()


def test_a_credit_that_is_lost_without_packets_is_found_at_the_end() -> None:
    """Set-up packets alone go over the link, after the last phase of packets."""
    plan = make_plan(ENGINES["engines"])
    with Fabric(BUILD(plan.spec.network)) as fabric:
        storm = Storm(fabric, plan, "managers")
        storm.set_rate(0.0)
        fabric.corrupt("credit", 0, storm.cycle)
        storm.open(AFTERWARDS)
        storm.await_ends()
        with pytest.raises(FoundError, match="all is over, and link 0 holds 1 flits"):
            storm.check()


@pytest.mark.nightly
def test_a_member_whose_broken_release_is_lost_is_let_go_by_another_kill() -> None:
    """Its group is set up and killed again: all members are released broken, once more each."""
    plan = make_plan(ENGINES["engine cluster"])
    group, network = plan.engine_groups[0], plan.spec.network
    node = network.topology.index(group.members[0])
    with Fabric(BUILD(network)) as fabric:
        storm = Storm(fabric, plan, "managers")
        storm.set_rate(0.0)
        storm.perform(storm.groups.set_up(group))
        storm.watch(group)
        fabric.open(group.id, 10**6, ends=False)  # as a campaign does
        storm.wait(AT)
        fabric.close(group.id)
        storm.wait(AT)
        fabric.corrupt("drop", links_of(network).eject[node], storm.cycle)
        storm.perform(storm.groups.end(group, None))
        assert not storm.wrong


@pytest.mark.nightly
@pytest.mark.parametrize("change", [lambda word: word ^ 1 << 20, lambda word: None])
def test_streams_that_go_wrong_are_found(change: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A member has other operands, or leaves a stream out."""
    drawn = GroupStreams.drawn

    def other(self: GroupStreams, *given: Any) -> list[Stimulus]:
        first, *others = drawn(self, *given)
        word = change(first.data)
        return others if word is None else [replace(first, data=word), *others]

    monkeypatch.setattr(GroupStreams, "drawn", other)
    result = soaked(STREAMS, seed=3)
    assert result.verdict == "wrong"
    assert re.fullmatch("a word of a stream of group . at node . is wrong", result.findings[0].text)
