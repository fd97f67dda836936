"""The software of groups, performed on the golden model of their networks."""

import inspect
import random
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.golden.network import CollectiveNetwork
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.networks.spec import GroupSpec, MessageSpec
from syncfabric.models.planning.free import FreeEntries
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.planners import plan_groups
from syncfabric.models.planning.updown import updown_tables
from syncfabric.sim.lifecycle.effects import LOOK, Ask, FoundError, Pause, Steps
from syncfabric.sim.lifecycle.lifecycle import ByChain, Lifecycle, lifecycle_of
from tests.models.planning.checker import cluster, groups_of, mesh
from tests.models.planning.irregular import draw_network
from tests.nightly import nightly_but

T = TypeVar("T")
LIMIT = 3_000


class Harness:
    """A network, and the released members.

    Attributes
    ----------
    released : set of (int, int)
        Node and register of those that were, since the last look.
    """

    def __init__(self, network: MessageSpec) -> None:
        shape = network.shape
        if shape.interfaces:
            shape = replace(shape, routes=tuple(map(tuple, updown_tables(network.topology.graph))))
        self.net = CollectiveNetwork(shape)
        self.released: set[tuple[int, int]] = set()
        self._left: dict[int, list[tuple[bool, int]] | None] = {}  # answers for a program

    def run(self, cycles: int) -> None:
        for _ in range(cycles):
            self._step()

    def _step(self, config: ConfigRequest | None = None) -> None:
        self.released |= {(node, register) for node, register, _ in self.net.release}
        self.net.step(config=config)

    def perform(self, steps: Steps[T], until: int | None = None) -> T | None:
        """Do what a program asks for, to its end or only until a cycle; then it can go on."""
        answers = self._left.pop(id(steps), None)
        while until is None or self.net.cycle < until:
            try:
                step = next(steps) if answers is None else steps.send(answers)
            except StopIteration as end:
                return end.value
            answers = []
            if isinstance(step, Ask):
                answers = [self._ask(*request) for request in step.requests]
            else:
                self.run(step.cycles)
        self._left[id(steps)] = answers
        return None

    def set_up(self, software: Lifecycle, group: GroupPlan) -> None:
        """Set a group up, and await GO at its members."""
        self.perform(software.set_up(group))
        self.perform(software.await_ready(group))

    def _ask(self, target: int, address: int, word: int | None) -> tuple[bool, int]:
        self._step(ConfigRequest(target, address, word is not None, word or 0))
        for _ in range(LIMIT):
            ready, error, data = self.net.config_answer
            if ready:
                self._step()
                return error, data
            self._step()
        raise AssertionError("no answer")

    @staticmethod
    def endpoints(group: GroupPlan) -> list[tuple[int, int]]:
        nodes = [group.graph.number(member) for member in group.members]
        return list(zip(nodes, group.registers, strict=True))

    def arrive(self, endpoints: Collection[tuple[int, int]], *, last: bool = False) -> None:
        assert all(self.net.ready(*endpoint) for endpoint in endpoints)
        self.released |= {(node, register) for node, register, _ in self.net.release}
        self.net.step(arrive=dict.fromkeys(endpoints, 0), last=endpoints if last else ())

    def barrier(self, group: GroupPlan, *, last: bool = False) -> None:
        """Let all members arrive; each is released, none broken, and none before the last."""
        *others, one = endpoints = self.endpoints(group)
        self.released.clear()
        self.arrive(others, last=last)
        self.run(group.bound)
        assert not self.released & set(endpoints)
        self.arrive([one], last=last)
        self.run(group.bound + 1)
        assert set(endpoints) <= self.released
        assert not any(self.net.broken(*endpoint) for endpoint in endpoints)


TREE = draw_network(random.Random(5), 5, 3, 9, 6)
MANAGED: dict[str, MessageSpec] = {
    "mesh": mesh(3, 2, setup="manager", managers=((2, 1), (0, 0))),
    "routed": mesh(3, 3, setup="manager", transport="routed"),
    "cluster": cluster(TREE, setup="manager", message_links="shared", link_registers=1),
}
NETWORKS: dict[str, MessageSpec] = {
    **MANAGED,
    "mesh, over the chain": mesh(3, 2, engine_stages=3, read_back=False),
    "cluster, over the chain": cluster(TREE, channels=0),
}
every = pytest.mark.parametrize("name", NETWORKS)
managed = pytest.mark.parametrize("name", MANAGED)


def drawn(network: MessageSpec, seed: int, count: int = 1) -> list[GroupPlan]:
    """Return groups of random members, as if each were the only one."""
    plans: list[GroupPlan] = []
    rng = random.Random(seed)
    while len(plans) < count:
        with suppress(PlanError):  # an image of routed messages has too few names for some trees
            plans += plan_groups(network, groups_of(network, rng, 1, (2, 3, 5)))
    return plans


@every
def test_groups_come_and_go(name: str) -> None:
    """Each in entries that are free, some ended by LAST, others killed during a barrier."""
    network, rng = NETWORKS[name], random.Random(name)
    harness, software = Harness(network), lifecycle_of(network.shape)
    free, owners = FreeEntries(network.shape), max(1, len(network.shape.managers))
    present: list[GroupPlan] = []
    for group in drawn(network, 1, 14):
        taken = free.take(group, rng.randrange(owners))
        assert taken
        harness.set_up(software, taken)
        harness.barrier(taken)
        present.append(taken)
        if len(present) < 3:
            continue
        over = present.pop(rng.randrange(3))
        if rng.random() < 0.5:
            harness.barrier(over, last=True)
            harness.perform(software.tear_down(over))
        else:
            first, *others = harness.endpoints(over)
            harness.arrive(others)
            harness.perform(software.kill(over))
            assert all(harness.net.broken(*endpoint) for endpoint in (first, *others))
        free.leave(over)
        for other in present:
            harness.barrier(other)
    assert software.refused == 0


@every
def test_an_entry_is_used_again_and_again(name: str) -> None:
    """More often than it has epochs, whatever its group was."""
    network = NETWORKS[name]
    harness, software = Harness(network), lifecycle_of(network.shape)
    for time, group in enumerate(drawn(network, 2, 9)):
        harness.set_up(software, group)
        if time % 3:
            harness.barrier(group, last=True)
            harness.perform(software.tear_down(group))
        else:
            harness.perform(software.kill(group))
            harness.perform(software.kill(group))  # again: nothing is left
    assert software.refused == 0


@every
@pytest.mark.parametrize("seed", range(3))
def test_an_entry_in_use_is_busy_until_its_group_is_over(name: str, seed: int) -> None:
    """Others of the same tree may be set up already, and are when it is tried again."""
    network = NETWORKS[name]
    harness, software = Harness(network), lifecycle_of(network.shape)
    first, *others = drawn(network, seed, 9)
    second = next(each for each in others if first.placement.keys() & each.placement.keys())
    harness.set_up(software, first)
    steps = software.set_up(second)
    harness.perform(steps, until=harness.net.cycle + 15 * LOOK)
    assert software.refused > 1
    harness.barrier(first, last=True)
    harness.perform(steps)
    harness.perform(software.await_ready(second))
    harness.barrier(second)


def test_go_has_come_when_the_last_awaits_its_children() -> None:
    """Before, a status awaits the parent alone, and that of the root none."""
    network = mesh(3, 1)
    (group,) = plan_groups(network, [GroupSpec(id=1, members=((0, 0), (1, 0), (2, 0)))])
    status, steps = (
        network.shape.router.layout.status,
        lifecycle_of(network.shape).await_ready(group),
    )
    own, east, west = 1 << 4, 1 << 0, 1 << 2
    before, after = (east, 0, west), (own, own | east | west, own)
    assert group.tree.root == 1
    step = next(steps)
    for there in (before, (own, after[1], west), (east, after[1], own)):
        assert isinstance(step, Ask)
        words = [status.pack({"alive": 1, "missing": missing}) for missing in there]
        assert isinstance(steps.send([(False, word) for word in words]), Pause)
        step = steps.send([])
    steps.send([(False, status.pack({"alive": 1, "missing": missing})) for missing in after])
    with pytest.raises(StopIteration):
        steps.send([])


@every
def test_software_learns_unknown_epochs(name: str) -> None:
    """Also where a group was left alive, and where a half of one was."""
    network = NETWORKS[name]
    harness, before, software = Harness(network), *(lifecycle_of(network.shape) for _ in range(2))
    groups = drawn(network, 4, 4)
    for group in groups[:3]:
        harness.perform(before.set_up(group))
        harness.perform(before.kill(group))
    harness.perform(before.set_up(groups[3]))
    harness.perform(software.recover(groups[3]))
    knows = software.again()
    for group in groups:
        harness.set_up(software, group)
        harness.barrier(group, last=True)
        harness.perform(software.tear_down(group))
    late = drawn(network, 4, 3)[0]
    harness.perform(knows.set_up(late))  # its epochs are those of some time ago
    harness.perform(knows.await_ready(late))
    harness.barrier(late)
    assert knows.refused


@managed
@pytest.mark.parametrize("end", ["again", "recover", "over"])
@pytest.mark.parametrize("apart", nightly_but([37], [17, 37]))
def test_a_set_up_that_is_left_can_be_made_again_or_ended(name: str, end: str, apart: int) -> None:
    """Wherever it was left: ABORT, and the same again, or KILL of whatever there is."""
    network, was_ready = NETWORKS[name], []
    group = drawn(network, 5)[0]
    for after in range(10, 2000, apart):
        harness, software = Harness(network), lifecycle_of(network.shape)
        left = software.set_up(group)
        harness.perform(left, until=after)
        if inspect.getgeneratorstate(left) == inspect.GEN_CLOSED:
            break
        harness.perform(software.abort(group))
        harness.run(300)
        was_ready.append(all(harness.net.ready(*endpoint) for endpoint in harness.endpoints(group)))
        if end == "over" and was_ready[-1]:
            harness.barrier(group, last=True)
            harness.perform(software.set_up(group))  # it has been, and is over
            assert software.refused == 0
            harness.perform(software.tear_down(group))
        if end == "recover":
            harness.perform(software.recover(group))
            assert not any(harness.net.ready(*endpoint) for endpoint in harness.endpoints(group))
        harness.set_up(software, group)
        harness.barrier(group, last=True)
        harness.perform(software.tear_down(group))
    assert {True, False} <= set(was_ready)


def test_a_command_that_is_not_answered_in_time_is_aborted_and_given_again() -> None:
    network = mesh(12, 1, setup="manager", link_registers=3)
    harness, software = Harness(network), lifecycle_of(network.shape, timeout=LOOK)
    ends = GroupSpec(id=1, members=((0, 0), (11, 0)))
    (group,) = plan_groups(network, [ends])
    steps = software.set_up(group)
    while software.refused < 2:
        harness.perform(steps, until=harness.net.cycle + LOOK)
    software._timeout = 10 * LOOK
    harness.perform(steps)
    harness.perform(software.await_ready(group))
    harness.barrier(group)
    assert harness.net.managers[0]._tag == software.refused % 4  # ABORT makes it one more


@every
def test_what_does_not_end_is_found(name: str) -> None:
    network = NETWORKS[name]
    harness, software = Harness(network), lifecycle_of(network.shape, timeout=5 * LOOK)
    group = drawn(network, 7)[0]
    harness.perform(software.set_up(group))
    with pytest.raises(FoundError, match="its last barrier is over"):
        harness.perform(software.tear_down(group))


@every
def test_an_unawaited_end_is_not_that_of_a_later_group(name: str) -> None:
    """Also if that has the same epoch."""
    network = NETWORKS[name]
    harness, software = Harness(network), lifecycle_of(network.shape, timeout=5 * LOOK)
    group = drawn(network, 7)[0]
    for time in range(5):
        harness.set_up(software, group)
        if not time:
            harness.barrier(group, last=True)
        if time < 4:
            harness.perform(software.kill(group))
    with pytest.raises(FoundError, match="its last barrier is over"):
        harness.perform(software.tear_down(group))


@managed
def test_entries_of_the_chain_or_of_another_manager_are_denied(name: str) -> None:
    """By hardware; the planner does not ask for them."""
    network = NETWORKS[name]
    harness, software = Harness(network), lifecycle_of(network.shape, tries=2)
    group = drawn(network, 8)[0]
    owners = len(network.shape.managers)
    software._node = lambda entries: network.shape.managers[-1]  # type: ignore[attr-defined]
    if owners > 1:
        with pytest.raises(FoundError, match="not set up: DENIED"):
            harness.perform(software.set_up(group))
        with pytest.raises(FoundError, match="not killed: DENIED"):
            harness.perform(software.recover(group))


@every
def test_all_groups_are_killed_at_once(name: str) -> None:
    """All members are released broken, once; then all entries are free."""
    network, free = NETWORKS[name], FreeEntries(NETWORKS[name].shape)
    harness, software = Harness(network), lifecycle_of(network.shape)
    owners = max(1, len(network.shape.managers))
    taken = [free.take(group, i % owners) for i, group in enumerate(drawn(network, 9, 12))]
    groups = [group for group in taken if group]
    assert len(groups) == 12
    for group in groups:
        harness.set_up(software, group)
        harness.arrive(harness.endpoints(group)[1:])
    harness.released.clear()
    harness.perform(software.kill(*groups))
    endpoints = {endpoint for group in groups for endpoint in harness.endpoints(group)}
    assert harness.released == endpoints
    assert all(harness.net.broken(*endpoint) for endpoint in endpoints)
    for group in groups:
        harness.set_up(software, group)
    for group in groups:
        harness.barrier(group)


FAULTS = {
    "register ready": (True, ("ready",)),
    "arrival waits": (True, ("waiting",)),
    "may arrive": (True, ("ready", "_may_arrive")),
    "may not arrive": (False, ("ready", "_may_arrive")),
}
"""Whether a node port's register is put to these sets or taken from them."""


@every
@pytest.mark.parametrize("killed", [True, False])
@pytest.mark.parametrize("fault", FAULTS)
def test_what_a_fault_leaves_is_freed_over_the_chain(name: str, fault: str, killed: bool) -> None:
    """Registers of nodes and entries disagree, and no epoch is known: as after reset then."""
    network = NETWORKS[name]
    taken = FreeEntries(network.shape).take(drawn(network, 3)[0], 0)
    assert taken
    harness, software = Harness(network), lifecycle_of(network.shape)
    for _ in range((list(NETWORKS).index(name) + list(FAULTS).index(fault)) % 4):
        harness.perform(software.set_up(taken))
        harness.perform(software.kill(taken))
    harness.set_up(software, taken)
    harness.arrive(harness.endpoints(taken)[1:])
    harness.run(50)
    if killed:
        harness.perform(software.kill(taken))
        harness.run(50)
    places = {r: taken.placement[r] for r, _ in network.shape.nodes if r in taken.placement}
    endpoints = [(n, places[r]) for n, (r, _) in enumerate(network.shape.nodes) if r in places]
    assert set(harness.endpoints(taken)) <= set(endpoints)
    for node, register in endpoints:
        there, names = FAULTS[fault]
        for name in names:
            registers: set[int] = getattr(harness.net._ports[node], name)
            (registers.add if there else registers.discard)(register)
    host = ByChain(network.shape)
    for router, entry in taken.placement.items():
        harness.perform(host.free(router, entry))
    harness.run(100)
    assert not any(harness.net.ready(*endpoint) for endpoint in endpoints)
    assert not any(register in harness.net._ports[node].waiting for node, register in endpoints)
    harness.set_up(host, taken)
    for _ in range(3):
        harness.barrier(taken)
