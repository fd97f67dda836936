"""Barriers by packets on the mesh: cycles and links counted by hand, and wrong programs."""

import random
from collections.abc import Callable

import pytest

from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import (
    GroupSpec,
    MeshSpec,
    NetworkSpec,
    StaticSpec,
)
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.collectives import Collective, run_collectives
from syncfabric.sim.drive.cause_check import CauseCheck
from syncfabric.sim.drive.driver import Driver
from syncfabric.sim.drive.scenario import Job, Outcome, Policy, Scenario
from syncfabric.sim.drive.scheme import Scheme
from syncfabric.sim.drive.schemes import (
    SCHEMES,
    Dissemination,
    Gathering,
    UdnStn,
    Unicast,
    release_cycles,
)
from syncfabric.sim.drive.simulate import run_model
from syncfabric.sim.drive.software import MemberStep, StepKind
from syncfabric.sim.drive.tiles import simulate_tiles
from syncfabric.sim.fabric import build_fabric
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import SEED, plan_of
from tests.sim.drive.networks import irregular as engine_irregular
from tests.sim.drive.networks import mesh as engine_mesh

CHOSEN = ("dissemination", "udn/stn", "unicast")
POLICIES: tuple[Policy, ...] = ("together", "last")
SIZES = [(2, 1), (2, 2), (3, 3), (4, 4)]


def mesh(width: int, height: int) -> MeshSpec:
    """Return a mesh on which the root of a group is one of its members."""
    return engine_mesh(width, height, transport="routed", data_bits=4)


def plan(network: MeshSpec, *nodes: Node, gid: int = 9) -> BarrierPlan:
    """Return a group of nodes, or of all."""
    members = nodes or tuple(network.topology.nodes)
    return plan_of(network, GroupSpec(id=gid, members=members, planner="btm"))


def runs(*plans: BarrierPlan) -> Job:
    """Return a run of every plan, scheme and policy; each member is late once."""
    return Job(
        tuple(
            (each, Scenario(episodes=len(each.groups[0].members), scheme=scheme, policy=policy))
            for each in plans
            for scheme in CHOSEN
            for policy in POLICIES
        )
    )


def links(plan: BarrierPlan, scheme: str) -> tuple[int, int]:
    """Return the links between routers and the links of nodes that an episode's packets take."""
    group, members = plan.groups[0], plan.groups[0].members
    assert group.root is not None
    up = [(member, group.root) for member in members if member != group.root]
    ways = {"udn/stn": up, "unicast": up + up, "dissemination": []}[scheme]
    if scheme == "dissemination":
        distance = 1
        while distance < len(members):
            ways += zip(members, members[distance:] + members[:distance], strict=True)
            distance *= 2
    hops = sum(abs(a[0] - b[0]) + abs(a[1] - b[1]) for a, b in ways)
    return hops, 2 * len(ways)


def check(job: Job, outcomes: list[Outcome]) -> None:
    for (each, scenario), outcome in zip(job.runs, outcomes, strict=True):
        assert outcome.mismatches == []
        assert outcome.hang is None
        assert outcome.scheme is not None
        assert len(outcome.scheme.cycles) == scenario.episodes
        taken = set(zip(outcome.scheme.between, outcome.scheme.beside, strict=True))
        assert taken == {links(each, scenario.scheme)}


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_packets_are_those_of_the_scheme(width: int, height: int) -> None:
    job = runs(plan(mesh(width, height)))
    check(job, run_model(job).outcomes)


@pytest.mark.long
def test_hardware_is_as_the_model() -> None:
    network, rng = mesh(4, 4), random.Random(SEED)
    nodes = network.topology.nodes
    job = runs(plan(network), plan(network, *rng.sample(nodes, 11), gid=255))
    check(job, simulate_tiles(job, build_fabric(network)).outcomes)


@pytest.mark.parametrize(
    ("scheme", "root_late", "other_late", "together"),
    [("dissemination", 4, 4, 4), ("udn/stn", 3, 7, 7), ("unicast", 4, 8, 8)],
)
def test_two_neighbours_take_the_cycles_counted_by_hand(
    scheme: str, root_late: int, other_late: int, together: int
) -> None:
    """A message is put, then on three links, a cycle each, and then acted upon: four cycles."""
    pair = plan(mesh(2, 1))
    root = pair.groups[0].members.index(pair.groups[0].root or (0, 0))
    for policy, wanted in (("last", [other_late, other_late]), ("together", [together] * 2)):
        if policy == "last":
            wanted[root] = root_late
        scenario = Scenario(episodes=2, scheme=scheme, policy=policy)  # type: ignore[arg-type]
        (outcome,) = run_model(Job(((pair, scenario),))).outcomes
        assert outcome.scheme is not None
        assert outcome.scheme.cycles == wanted


@pytest.mark.parametrize("side", [2, 3, 4])
def test_dissemination_takes_the_longest_chain_of_ways(side: int) -> None:
    """Its packets hardly meet, and a message takes its hops and three cycles more."""
    each = plan(mesh(side, side))
    members, distance = each.groups[0].members, 1
    through = dict.fromkeys(members, 0)
    while distance < len(members):
        before, pairs = through, zip(members, members[distance:] + members[:distance], strict=True)
        through = {
            b: max(before[b], before[a] + abs(a[0] - b[0]) + abs(a[1] - b[1]) + 3) for a, b in pairs
        }
        distance *= 2
    scenario = Scenario(episodes=1, scheme="dissemination", policy="together")
    (outcome,) = run_model(Job(((each, scenario),))).outcomes
    assert outcome.scheme is not None
    assert outcome.scheme.cycles == [max(through.values())]


def test_dissemination_goes_on_any_network() -> None:
    network = engine_irregular(SMALL)
    group = GroupSpec(id=255, members=tuple(network.nodes), planner="btin")
    job = Job(((plan_of(network, group), Scenario(episodes=4, scheme="dissemination")),))
    (outcome,) = run_model(job).outcomes
    assert outcome.mismatches == []
    assert outcome.scheme is not None
    assert len(outcome.scheme.cycles) == 4


def test_the_static_network_takes_a_cycle_a_link() -> None:
    assert release_cycles((3, 3), (3, 3)) == 0
    assert release_cycles((3, 3), (3, 2)) == 3
    assert release_cycles((3, 3), (7, 0)) == 9


@pytest.mark.parametrize("side", [2, 3, 5])
def test_a_release_is_the_static_networks_broadcast_of_a_flit(side: int) -> None:
    """But for the cycle in which the last core takes it."""
    spec = StaticSpec(kind="static", width=side, height=side)
    group = GroupSpec(id=1, members=tuple(spec.topology.nodes), planner="tree")
    tree = make_plan(NetworkSpec(name="stn", network=spec, groups=(group,)))
    each_last = len(group.members)
    ran = run_collectives(tree, [Collective(1, "broadcast")], sim="model", episodes=each_last)
    root = tree.groups[0].root
    assert root is not None
    furthest = max(release_cycles(root, member) for member in group.members)
    assert max(ran.collectives[0].cycles) == furthest + 1


class RoundLeftOut(Dissemination):
    """Goes on a round too early."""

    def __init__(self, of: Driver) -> None:
        super().__init__(of)
        self._rounds -= 1


class Neighbours(Dissemination):
    """Signals the next member in every round."""

    def _send(self, sender: int, receiver: int, number: int) -> None:
        super()._send(sender, (sender + 1) % len(self.nodes), number)


class OneForgotten(Unicast):
    """The root does not wait for the last one."""

    def _is_in(self, now: int, member: int) -> None:
        super()._is_in(now, member)
        if len(self._arrived) == len(self.nodes) - 1:
            self._distribute(now)


class Forgetful(UdnStn):
    """The root does not wait for itself."""

    def _is_in(self, now: int, member: int) -> None:
        if not self._arrived:
            super()._is_in(now, self.root)
        if member != self.root:
            super()._is_in(now, member)


class Hasty(Gathering):
    """Whoever arrives goes on."""

    def _enter(self, now: int, member: int) -> None:
        super()._enter(now, member)
        self._release(now, member)


class Twice(Dissemination):
    """A member goes on twice."""

    def _release(self, now: int, member: int) -> None:
        super()._release(now, member)
        if member == 1:
            super()._release(now, member)


EARLY = "arrivals that a released member can know of"
UNASKED = "releases of a member, of its arrivals"
WRONG: list[tuple[Callable[[Driver], Scheme], Policy, str]] = [
    *((scheme, policy, EARLY) for scheme in (RoundLeftOut, Hasty) for policy in POLICIES),
    *((scheme, policy, EARLY) for scheme in (Neighbours, OneForgotten) for policy in POLICIES),
    (Forgetful, "last", UNASKED),
    (Twice, "together", UNASKED),
]


@pytest.mark.parametrize(("scheme", "policy", "rule"), WRONG)
def test_a_wrong_program_is_found_out(
    monkeypatch: pytest.MonkeyPatch,
    scheme: Callable[[Driver], Scheme],
    policy: Policy,
    rule: str,
) -> None:
    monkeypatch.setitem(SCHEMES, "wrong", scheme)
    nine = plan(mesh(3, 3))
    job = Job(((nine, Scenario(episodes=9, scheme="wrong", policy=policy, limit=20_000)),))
    (outcome,) = run_model(job).outcomes
    assert outcome.mismatches
    assert outcome.mismatches[0].signal == rule


def test_who_is_never_released_is_found_out() -> None:
    check_of = CauseCheck(plan(mesh(2, 1)))
    steps = [MemberStep(3, 0, StepKind.ARRIVE), MemberStep(3, 1, StepKind.ARRIVE)]
    steps += [MemberStep(4, 0, StepKind.TELL), MemberStep(4, 1, StepKind.TELL)]
    steps += [MemberStep(5, 1, StepKind.RELEASE)]
    assert [found for step in steps for found in check_of.step(step)] == []
    (found,) = check_of.close(9)
    assert (found.node, found.hardware, found.model) == ((0, 0), 0, 1)


def test_what_a_scheme_cannot_do_is_refused() -> None:
    network = engine_irregular(SMALL)
    nodes = tuple(network.topology.nodes)
    for groups, scheme, told in ((1, "udn/stn", "switches of a mesh"), (2, "unicast", "one group")):
        several = (GroupSpec(id=gid, members=nodes, planner="btin") for gid in range(groups))
        with pytest.raises(ValueError, match=told):
            run_model(Job(((plan_of(network, *several), Scenario(scheme=scheme)),)))
