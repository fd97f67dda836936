"""Long runs: a match, a hang, errors in the design, and what is refused."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.set_up import Write, set_up_writes
from syncfabric.sim.assemble.script import Stimulus, script_text
from syncfabric.sim.drive import backends
from syncfabric.sim.drive import long_run as module
from syncfabric.sim.drive.engine_driver import SET_UPS, ByChain, ByManagers, EngineDriver
from syncfabric.sim.drive.long_run import long_run
from syncfabric.sim.drive.run import run
from syncfabric.sim.fabric.build import build_fabric
from syncfabric.sim.fabric.program import Fabric
from syncfabric.sim.request import RunRequest
from tests.sim.drive.clusters import SMALL, drawn
from tests.sim.drive.networks import irregular, members, plan_of
from tests.sim.drive.test_backends import CLUSTERS, NETWORKS
from tests.sim.soak.networks import ENGINES

NETWORK = NETWORKS["default"]
NODES = NETWORK.topology.nodes
CLUSTER = CLUSTERS["irregular, default"]
BUILD = cache(build_fabric)
PLAN = plan_of(NETWORK, members(3, *NODES), members(8, (0, 0), (4, 4), (1, 3)))


@pytest.fixture(autouse=True)
def _built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "build_fabric", BUILD)


def test_a_match() -> None:
    reported: list[tuple[str, int, int]] = []
    result = long_run(
        PLAN,
        RunRequest(episodes=60, background=0.1),
        lambda step, done, of: reported.append((step, done, of)),
    )
    assert (result.verdict, result.reason, result.mismatches) == ("match", None, ())
    assert result.traffic.accepted == pytest.approx(0.1, rel=0.2)
    assert result.traffic.packets is not None
    assert result.traffic.packets > 100
    for group in result.groups:
        assert group.episodes >= 60
        assert group.latency is not None
        assert 0 < group.latency.min <= group.latency.median <= group.latency.max
        assert group.model_latency is None
    assert reported[-1] == ("simulate", 120, 120)


@pytest.mark.nightly
def test_a_match_on_an_irregular_network() -> None:
    plan = plan_of(
        CLUSTER, members(3, *CLUSTER.topology.nodes), members(8, *CLUSTER.topology.nodes[:3])
    )
    result = long_run(plan, RunRequest(episodes=60, background=0.02))
    assert (result.verdict, result.reason) == ("match", None)
    assert result.traffic.accepted == pytest.approx(0.02, rel=0.3)
    for group in result.groups:
        assert group.episodes >= 60
        assert group.latency is not None
        assert group.latency.max >= group.latency.min > 0


def test_a_run_is_the_same_again() -> None:
    first, second, other = (
        long_run(PLAN, RunRequest(episodes=20, seed=seed)) for seed in (4, 4, 5)
    )
    assert first.groups == second.groups != other.groups
    assert first.cycles == second.cycles


def test_latencies_keep_to_the_bound() -> None:
    alone = plan_of(NETWORK, members(3, *NODES))
    (group,) = long_run(alone, RunRequest(episodes=200)).groups
    assert group.latency is not None
    assert group.bound is not None
    assert group.latency.max <= group.bound


def test_without_groups_there_is_traffic_to_check() -> None:
    result = long_run(plan_of(NETWORK), RunRequest(background=0.2))
    assert result.verdict == "match"
    assert result.traffic.packets


def test_a_group_without_go_hangs_while_another_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Noticed by the scoreboard, for no member waits for GO."""

    def without_the_last_go(*arguments: Any) -> list[Write]:
        return list(set_up_writes(*arguments))[:-1]

    monkeypatch.setattr(ByChain, "writes", staticmethod(without_the_last_go))
    monkeypatch.setattr(EngineDriver, "_are_open", lambda self: True)
    result = long_run(PLAN, RunRequest(episodes=10))
    assert result.verdict == "hang"
    assert result.reason == "no barrier in the last 10000 cycles; unfinished groups: 8"
    assert result.groups[0].episodes >= 10
    assert (result.groups[1].episodes, result.groups[1].latency) == (0, None)


def test_errors_that_the_design_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    def with_an_outsider(
        fabric: Fabric, gid: int, endpoints: Iterable[tuple[int, int]], **keys: Any
    ) -> None:
        watch(fabric, gid, [*endpoints, (24, 3)], **keys)

    watch = Fabric.group
    monkeypatch.setattr(Fabric, "group", with_an_outsider)
    result = long_run(plan_of(NETWORK, members(8, (0, 0), (1, 3))), RunRequest(episodes=10))
    assert result.verdict != "match"
    assert result.reason is not None


MANAGED: dict[str, MessageSpec] = {
    "mesh": ENGINES["engines"].message_network,
    "irregular": irregular(SMALL, setup="manager"),
    "paper": drawn(1, 8, 4, 24, 6, setup="paper"),
}


def managed(name: str) -> BarrierPlan:
    """Return a plan of all nodes, of some, and of one."""
    nodes = MANAGED[name].topology.nodes
    groups = [members(3, *nodes), members(8, nodes[0], nodes[-1]), members(9, nodes[1])]
    if name == "paper":  # a member has to be at the root
        groups = [group.model_copy(update={"planner": "btin"}) for group in groups]
    return plan_of(MANAGED[name], *groups)


@pytest.mark.nightly
@pytest.mark.parametrize("name", MANAGED)
def test_packets_set_groups_up_before_members_and_traffic_come(name: str) -> None:
    plan = managed(name)
    result = long_run(plan, RunRequest(episodes=60, background=0.1))
    assert (result.verdict, result.reason, result.mismatches) == ("match", None, ())
    assert result.traffic.packets > 20
    ordinary = run(plan, RunRequest(sim="model", episodes=2, background=0.1))
    for group, other in zip(result.groups, ordinary.groups, strict=True):
        assert group.episodes >= 60
        assert group.latency is not None
        assert group.latency.min > 0
        costs = (group.setup_cycles, group.setup_packets)
        assert costs == (other.setup_cycles, other.setup_packets)
    assert (result.groups[0].setup_packets is None) == (name == "paper")


class Forgets(ByManagers):
    """A manager that does not know of the plan's second group."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        del self._ahead[1]


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["mesh", "irregular"])
def test_a_group_that_is_not_set_up_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the model, which waits for its GO; and if none waits, by the scoreboard."""
    monkeypatch.setitem(SET_UPS, "manager", Forgets)
    result = long_run(managed(name), RunRequest(episodes=10))
    assert result.verdict == "hang"
    assert result.reason == "nothing moves any more; unfinished groups: 3, 8, 9"
    assert [group.episodes for group in result.groups] == [0, 0, 0]
    monkeypatch.setattr(EngineDriver, "_are_open", lambda self: True)
    result = long_run(managed(name), RunRequest(episodes=10))
    assert result.verdict == "hang"
    assert result.reason == "no barrier in the last 10000 cycles; unfinished groups: 8"
    assert [group.episodes > 0 for group in result.groups] == [True, False, True]


def test_hardware_that_is_set_up_otherwise_than_the_model_is_a_mismatch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The lowest bit of all that is written is lost on the way to the hardware."""

    def without_a_bit(stimuli: list[Stimulus]) -> str:
        return script_text([replace(each, data=each.data & ~1) for each in stimuli])

    monkeypatch.setattr(backends, "script_text", without_a_bit)
    result = long_run(managed("mesh"), RunRequest(episodes=10))
    assert result.verdict == "mismatch"
    assert result.mismatches
    assert result.reason is not None
    assert result.reason.startswith("first difference in cycle ")
    assert [group.episodes for group in result.groups] == [0, 0, 0]
