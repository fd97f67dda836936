"""Groups that come and go by hundreds, and all at once; room for them, and acts in their cycles."""

import random
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.golden.engine import memory
from syncfabric.models.golden.engine.memory import Memory, Service
from syncfabric.models.golden.engine.node_port import NodePort
from syncfabric.models.layout.engine import Kind
from syncfabric.models.layout.setup import Operation
from syncfabric.models.networks.spec import GroupSpec, MessageSpec, NetworkSpec
from syncfabric.models.planning.free import FreeEntries
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.set_up import Epochs
from syncfabric.sim.drive import churn, stimulus
from syncfabric.sim.drive.backends import run_job
from syncfabric.sim.drive.churn import Churner, ChurnInstance
from syncfabric.sim.drive.config_port import Cycles
from syncfabric.sim.drive.driver import EventQueue
from syncfabric.sim.drive.scenario import Job, Outcome, Scenario, free_gids
from syncfabric.sim.drive.trace import Commanded, Created, Removed
from syncfabric.sim.lifecycle.effects import Ask, Steps
from syncfabric.sim.lifecycle.lifecycle import Lifecycle
from syncfabric.sim.request import check_churn
from tests.nightly import nightly_but
from tests.sim.drive.churn.networks import (
    NETWORKS,
    TREE,
    drawn,
    grid,
    plan_with,
    played_by_model,
    well,
)
from tests.sim.drive.networks import SEED, irregular, mesh, plan_of, played


@pytest.mark.parametrize(
    ("name", "scenario"),
    [
        ("mesh managed", Scenario(episodes=2, seed=3, churn=24)),
        ("mesh local", Scenario(episodes=3, churn=30, background=0.1, lead_in=50)),
        ("irregular managed", Scenario(episodes=3, churn=30, policy="mixed")),
        ("routed local", Scenario(episodes=2, seed=3, churn=24)),
    ],
)
def test_groups_come_and_go(name: str, scenario: Scenario) -> None:
    outcome = played_by_model(plan_with(NETWORKS[name]), scenario)
    well(outcome, scenario)
    churn = outcome.churn
    assert churn is not None
    assert churn.given_up == 0
    assert churn.killed > 0
    managed = name.endswith("managed")
    assert all((packets > 0) == managed for packets in churn.set_up_packets)
    assert min(len(group.latency) for group in outcome.groups) > 2 * scenario.episodes


@pytest.mark.parametrize("number", nightly_but([0, 1], range(4)))
def test_groups_on_any_network(number: int) -> None:
    scenario = Scenario(episodes=1, seed=SEED, churn=15)
    well(played_by_model(drawn(random.Random(f"{SEED}/{number}")), scenario), scenario)


@pytest.mark.nightly
@pytest.mark.parametrize("number", range(60))
def test_many_groups_on_any_network(number: int) -> None:
    rng = random.Random(f"{SEED}/many/{number}")
    scenario = Scenario(
        episodes=2,
        seed=SEED + number,
        churn=100,
        background=rng.choice((0.0, 0.1, 0.3)),
        lead_in=50,
        policy=rng.choice(("last", "mixed")),
    )
    well(played_by_model(drawn(rng), scenario), scenario)


def test_a_network_without_groups_of_its_own() -> None:
    scenario = Scenario(churn=12)
    well(played_by_model(plan_with(NETWORKS["irregular managed"], 0), scenario), scenario)


def test_a_group_without_entries_is_given_up() -> None:
    scenario = Scenario(episodes=1, churn=12)
    plan = plan_with(grid(groups=2), 2)
    outcome = played_by_model(plan, scenario)
    well(outcome, scenario)
    assert outcome.churn is not None
    assert outcome.churn.given_up > 0


@pytest.mark.nightly
def test_instances_are_drawn_as_they_should() -> None:
    plan, scenario = plan_with(grid(operations="all", data_bits=4)), Scenario(episodes=1, churn=120)
    acts = [act for chunk in played(plan, scenario) for act in chunk.acts]
    created = [act for act in acts if isinstance(act, Created)]
    assert len(created) == 120
    sizes = [len(each.nodes) for each in created]
    assert {min(sizes), max(sizes)} == {2, 6}
    assert {each.op for each in created} == {"or", "and", "xor", "max", "min", "sum"}
    assert not {7, 9} & {each.gid for each in created}
    orders = [act for act in acts if isinstance(act, Commanded)]
    assert {order.manager for order in orders} == {0, 1}
    killed = {order.number for order in orders if order.operation is Operation.KILL}
    assert 120 / 16 < len(killed) < 120 / 5
    episodes = [each.episodes for each in created if each.number not in killed]
    assert {min(episodes), max(episodes)} == {1, 8}
    assert any(each.episodes > 8 for each in created if each.number in killed)
    alive = most = 0
    for act in acts:
        alive += isinstance(act, Created) - isinstance(act, Removed)
        most = max(most, alive)
    assert most == 4


@pytest.mark.nightly
def test_on_a_large_network_most_are_few() -> None:
    plan = plan_with(mesh(6, 6, groups=8), 0)
    acts = [act for chunk in played(plan, Scenario(episodes=1, churn=25)) for act in chunk.acts]
    sizes = sorted(len(act.nodes) for act in acts if isinstance(act, Created))
    assert sizes[len(sizes) // 2] <= 6
    assert sizes[-1] > 12


def test_churn_is_the_seeds() -> None:
    plan = plan_with(NETWORKS["mesh local"])
    texts = [
        [
            line
            for chunk in played(plan, Scenario(episodes=1, seed=seed, churn=5))
            for line in chunk.text
        ]
        for seed in (1, 1, 2)
    ]
    assert texts[0] == texts[1]
    assert texts[0] != texts[2]


@pytest.mark.nightly
@pytest.mark.parametrize("name", NETWORKS)
def test_hardware_as_the_model(name: str) -> None:
    scenarios = (
        Scenario(episodes=3, churn=40),
        Scenario(episodes=3, seed=2, churn=40, background=0.1, lead_in=50, policy="mixed"),
    )
    plan = plan_with(NETWORKS[name])
    job = Job(tuple((plan, scenario) for scenario in scenarios))
    outcomes = run_job(job, "verilator").outcomes
    for outcome, scenario in zip(outcomes, scenarios, strict=True):
        well(outcome, scenario)
        assert outcome.churn is not None
        assert outcome.churn.killed > 0


@pytest.mark.nightly
@pytest.mark.icarus
def test_hardware_under_icarus() -> None:
    network, scenario = grid(groups=4), Scenario(episodes=2, churn=12)
    job = Job(((plan_with(network, 1), scenario),))
    (outcome,) = run_job(job, "icarus").outcomes
    well(outcome, scenario)


GROUPS, STORMS = 16, 2
STORMY: dict[str, MessageSpec] = {
    "mesh": grid(groups=GROUPS, data_bits=4),
    "mesh local": grid(groups=GROUPS, setup="local", managers=()),
    "irregular": irregular(TREE, groups=GROUPS, setup="manager", message_links="shared"),
}
STORM = Scenario(episodes=0, churn=GROUPS * STORMS, background=0.2, lead_in=50, policy="mixed")


class Storms(Churner):
    """Waits until there are sixteen groups, and kills them all by one command of each manager."""

    struck: list[int]

    def _kill(self, instance: ChurnInstance) -> Cycles[None]:
        instances = list(self.alive.values())
        instance.closed = True
        if not all(each.closed for each in instances) or (len(instances) < GROUPS and self._ahead):
            return
        self.struck.append(len(instances))
        for each in instances:
            self._order(each, Operation.KILL)
        self.outcome.killed += len(instances)
        start, sent = self._now, self._sent()
        yield from self._perform_for(instance, self._all(each.group for each in instances))
        for each in instances:
            self.outcome.tear_down(self._now - start, 2 * (self._sent() - sent) // len(instances))
            while each.inside:
                yield
            yield from self._end(each)

    def _all(self, groups: Iterable[GroupPlan]) -> Steps[None]:
        yield from self._software.kill(*groups)


@pytest.fixture
def struck(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return how many groups each storm ends."""
    counts: list[int] = []
    monkeypatch.setattr(Storms, "struck", counts, raising=False)
    monkeypatch.setattr(stimulus, "Churner", Storms)
    monkeypatch.setattr(churn, "AT_ONCE", GROUPS)
    monkeypatch.setattr(churn, "TO_KILL", 1)
    monkeypatch.setattr(churn, "FEW", 3)
    return counts


def check_storm(outcome: Outcome, struck: list[int]) -> None:
    well(outcome, STORM)
    assert outcome.churn is not None
    assert outcome.churn.given_up == 0
    assert struck == [GROUPS] * STORMS


@pytest.mark.parametrize("name", nightly_but(STORMY.keys() - {"mesh"}, STORMY))
def test_the_model_loses_nothing(name: str, struck: list[int]) -> None:
    check_storm(played_by_model(plan_with(STORMY[name], 0), STORM), struck)


@pytest.mark.nightly
@pytest.mark.parametrize("name", STORMY)
def test_hardware_does_as_the_model_in_every_cycle(name: str, struck: list[int]) -> None:
    plan = plan_with(STORMY[name], 0)
    job = Job(((plan, STORM),))
    (outcome,) = run_job(job, "verilator").outcomes
    check_storm(outcome, struck)


def spec_with(count: int, **keys: object) -> NetworkSpec:
    """Return everybody's groups, as many as asked for."""
    network = mesh(2, 2, **{"groups": 4, **keys})
    nodes = tuple(network.topology.nodes)
    groups = tuple(GroupSpec(id=gid, members=nodes) for gid in range(count))
    return NetworkSpec(name="net", network=network, groups=groups)


def test_room_is_what_the_networks_groups_leave() -> None:
    check_churn(spec_with(3))
    assert free_gids(spec_with(3)) == list(range(3, 256))
    for network in NETWORKS.values():
        check_churn(plan_with(network).spec)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            plan_of(irregular(TREE, setup="paper")).spec,
            r'^churn tears groups down and sets them up anew, and with setup = "paper" members '
            r'set them up once, by packets; set setup = "manager" or "local" in \[network\]$',
        ),
        (
            spec_with(4),
            r"^churn: 0 of the nodes of net can take another group, and a group that comes and "
            r"goes has two members; set groups above 4 in \[network\], or remove a group$",
        ),
        (
            plan_of(mesh(1, 1)).spec,
            r"^churn: 1 of the nodes of net can take another group, and",
        ),
        (
            spec_with(256, groups=256),
            r"^churn: the groups of net have all 256 ids, so there is none for another; "
            r"remove a group$",
        ),
    ],
)
def test_what_has_no_room_is_refused(spec: NetworkSpec, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        check_churn(spec)


def test_acts_come_in_order_of_cycles_and_of_entering() -> None:
    events, done = EventQueue(), list[tuple[str, int]]()
    assert events.next_cycle is None

    def enter(cycle: int, name: str) -> None:
        events.at(cycle, lambda now: done.append((name, now)))

    for cycle, name in ((7, "b"), (5, "a"), (7, "c")):
        enter(cycle, name)
    assert events.next_cycle == 5
    events.step(4)
    assert done == []
    events.step(7)
    assert done == [("a", 7), ("b", 7), ("c", 7)]


def test_what_an_act_enters_for_now_is_done_at_once() -> None:
    events, done = EventQueue(), list[int]()
    events.at(3, lambda now: events.at(now, done.append))
    events.step(3)
    assert done == [3]
    assert events.next_cycle is None


Break = Callable[[pytest.MonkeyPatch], None]

SCENARIO = Scenario(episodes=2, seed=3, churn=24)
HANGS = "which is to come and go, comes no further"


def _not(*_: object) -> Steps[None]:
    """Do nothing, and say that it is done."""
    yield Ask([])


def without_go(patch: pytest.MonkeyPatch) -> None:
    """Drop GO: no member is notified that a group is set up."""
    receive = NodePort._receive

    def drop(self: NodePort, message: Any) -> None:
        if message.kind != Kind.GO:
            receive(self, message)

    patch.setattr(NodePort, "_receive", drop)


def released_early(patch: pytest.MonkeyPatch) -> None:
    """Let an entry fire at the first arrival."""
    merge = Memory._merge

    def fires(self: Memory, number: int, kind: int, data: int, port: frozenset[int]) -> Service:
        entry = self._entries[number]
        if port and not entry.turn:
            self._entries[number] = entry._replace(missing=port)
        return merge(self, number, kind, data, port)

    patch.setattr(Memory, "_merge", fires)


def never_last(patch: pytest.MonkeyPatch) -> None:
    """Forget that a barrier is the last."""
    patch.setattr(memory, "_LAST", -1)


def killed_and_alive(patch: pytest.MonkeyPatch) -> None:
    """Say that a group is killed, and do nothing."""
    patch.setattr(Lifecycle, "kill", _not)


def by_an_old_epoch(patch: pytest.MonkeyPatch) -> None:
    """Forget that set-ups count the epoch."""
    patch.setattr(Epochs, "set_up", lambda *_: None)


def in_taken_entries(patch: pytest.MonkeyPatch) -> None:
    """Take entries that other groups have."""
    patch.setattr(FreeEntries, "hold", lambda *_: None)
    patch.setattr(FreeEntries, "leave", lambda *_: None)


def broken_is_lost(patch: pytest.MonkeyPatch) -> None:
    """Have KILL release no member."""
    receive, over = NodePort._receive, NodePort.over

    def drop(self: NodePort, message: Any) -> None:
        if message.kind != Kind.BROKEN:
            receive(self, message)

    patch.setattr(NodePort, "_receive", drop)
    patch.setattr(
        NodePort, "over", lambda self, m: over(self, m) and m is not None and m.kind != Kind.BROKEN
    )


@pytest.mark.parametrize(
    ("name", "breaks", "found"),
    [
        ("mesh local", without_go, "nothing moves any more; unfinished groups: 7, 9"),
        ("mesh local", released_early, "arrivals before a release"),
        ("mesh managed", never_last, HANGS),
        ("mesh local", killed_and_alive, "alive when it is over"),
        ("mesh managed", by_an_old_epoch, HANGS),
        ("irregular managed", in_taken_entries, ""),
    ],
)
def test_it_is_reported(
    name: str, breaks: Break, found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    breaks(monkeypatch)
    monkeypatch.setattr(churn, "TIMEOUT", 3000)
    outcome = played_by_model(plan_with(NETWORKS[name]), SCENARIO)
    assert any(found in words for words in said(outcome)), said(outcome)


def said(outcome: Outcome) -> list[str]:
    """Return everything that a run complains of."""
    mismatches = [mismatch.signal for mismatch in outcome.mismatches]
    return [*mismatches, outcome.hang] if outcome.hang else mismatches
