"""Schemes by packets: cycles and links counted by hand, what each cannot do, and wrong programs."""

import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import (
    GroupSpec,
    IrregularSpec,
    MeshSpec,
    MessageSpec,
    NetworkSpec,
    StaticSpec,
)
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.collectives import Collective, run_collectives
from syncfabric.sim.drive.backends import run_job
from syncfabric.sim.drive.engine_driver import EngineDriver
from syncfabric.sim.drive.packet_check import CauseCheck
from syncfabric.sim.drive.scenario import Job, Outcome, Policy, Scenario, SchemeOutcome
from syncfabric.sim.drive.schemes import (
    SCHEMES,
    Dissemination,
    Gathering,
    Scheme,
    UdnStn,
    Unicast,
    release_cycles,
)
from syncfabric.sim.drive.trace import MemberStep, StepKind
from syncfabric.sim.experiments.papers.btin_networks import Drawn, Found, look
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import SEED, irregular, plan_of
from tests.sim.drive.networks import mesh as engine_mesh

CHOSEN = ("dissemination", "udn/stn", "unicast")
POLICIES: tuple[Policy, ...] = ("together", "last")
SIZES = [(2, 1), (2, 2), (3, 3), (4, 4)]
DRAWN = Drawn(12, 5, 8, 0.75)


def mesh(width: int, height: int) -> MeshSpec:
    """Return a mesh on which the root of a group is one of its members."""
    return engine_mesh(width, height, transport="routed", data_bits=4)


def cluster(**keys: Any) -> IrregularSpec:
    return irregular(DRAWN.draw(1), **{"setup": "local", "data_bits": 0, **keys})


def plan(network: MessageSpec, *nodes: Node, planner: str = "btm", gid: int = 9) -> BarrierPlan:
    """Return a group of nodes, or of all."""
    members = nodes or tuple(network.topology.nodes)
    return plan_of(network, GroupSpec(id=gid, members=members, planner=planner))


def sample(network: MessageSpec, size: int) -> list[Node]:
    return random.Random(1).sample(network.topology.nodes, size)


def jobs(plan: BarrierPlan, schemes: Sequence[str], episodes: int = 1) -> Job:
    scenarios = [Scenario(episodes=episodes, scheme=name, policy="together") for name in schemes]
    return Job(tuple((plan, scenario) for scenario in scenarios))


def measured(job: Job) -> dict[str, SchemeOutcome]:
    outcomes = run_job(job, "model").outcomes
    for outcome in outcomes:
        assert outcome.mismatches == []
        assert outcome.hang is None
    return {
        run.scheme: o.scheme for (_, run), o in zip(job.runs, outcomes, strict=True) if o.scheme
    }


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


def hops(pairs: Iterable[tuple[Node, Node]]) -> int:
    return sum(abs(a[0] - b[0]) + abs(a[1] - b[1]) for a, b in pairs)


def links(plan: BarrierPlan, scheme: str) -> tuple[int, int]:
    """Return the links between routers and the links of nodes that an episode's packets take."""
    group, members = plan.groups[0], plan.groups[0].members
    assert group.root is not None
    up = [(member, group.root) for member in members if member != group.root]
    pairs = {"udn/stn": up, "unicast": up + up, "dissemination": []}[scheme]
    if scheme == "dissemination":
        distance = 1
        while distance < len(members):
            pairs += zip(members, members[distance:] + members[:distance], strict=True)
            distance *= 2
    return hops(pairs), 2 * len(pairs)


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
    check(job, run_job(job, "model").outcomes)


@pytest.mark.nightly
def test_hardware_is_as_the_model() -> None:
    network, rng = mesh(4, 4), random.Random(SEED)
    job = runs(plan(network), plan(network, *rng.sample(network.topology.nodes, 11), gid=255))
    check(job, run_job(job, "verilator").outcomes)
    chosen: list[tuple[MessageSpec, str, tuple[str, ...]]] = [
        (cluster(), "btin", ("btin", "multicast", "unicast")),
        (network, "btm", ("btin",)),
    ]
    for each, planner, schemes in chosen:
        job = jobs(plan(each, *sample(each, 7), planner=planner), schemes)
        alone = measured(job)
        outcomes = run_job(job, "verilator").outcomes
        for name, outcome in zip(schemes, outcomes, strict=True):
            assert outcome.mismatches == []
            assert outcome.scheme == alone[name]


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
        (outcome,) = run_job(Job(((pair, scenario),)), "model").outcomes
        assert outcome.scheme is not None
        assert outcome.scheme.cycles == wanted


@pytest.mark.parametrize("side", [2, 3, 4])
def test_dissemination_takes_the_longest_chain_of_paths(side: int) -> None:
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
    (outcome,) = run_job(Job(((each, scenario),)), "model").outcomes
    assert outcome.scheme is not None
    assert outcome.scheme.cycles == [max(through.values())]


def test_dissemination_goes_on_any_network() -> None:
    job = jobs(plan(irregular(SMALL), planner="btin", gid=255), ["dissemination"], 4)
    assert len(measured(job)["dissemination"].cycles) == 4


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

    def __init__(self, of: EngineDriver) -> None:
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


class Eager(Gathering):
    """A member that arrives goes on."""

    def _enter(self, now: int, member: int) -> None:
        super()._enter(now, member)
        self._release(now, member)


class Twice(Dissemination):
    """A member goes on twice."""

    def _release(self, now: int, member: int) -> None:
        super()._release(now, member)
        if member == 1:
            super()._release(now, member)


EARLY = "arrivals that a released member can have received"
UNASKED = "releases of a member, of its arrivals"
WRONG: list[tuple[Callable[[EngineDriver], Scheme], Policy, str]] = [
    *((scheme, policy, EARLY) for scheme in (RoundLeftOut, Eager) for policy in POLICIES),
    *((scheme, policy, EARLY) for scheme in (Neighbours, OneForgotten) for policy in POLICIES),
    (Forgetful, "last", UNASKED),
    (Twice, "together", UNASKED),
]


@pytest.mark.parametrize(("scheme", "policy", "rule"), WRONG)
def test_a_wrong_program_is_found_out(
    monkeypatch: pytest.MonkeyPatch,
    scheme: Callable[[EngineDriver], Scheme],
    policy: Policy,
    rule: str,
) -> None:
    monkeypatch.setitem(SCHEMES, "wrong", scheme)
    nine = plan(mesh(3, 3))
    job = Job(((nine, Scenario(episodes=9, scheme="wrong", policy=policy, limit=20_000)),))
    (outcome,) = run_job(job, "model").outcomes
    assert outcome.mismatches
    assert outcome.mismatches[0].signal == rule


def test_a_member_never_released_is_found_out() -> None:
    check_of = CauseCheck(plan(mesh(2, 1)))
    steps = [MemberStep(3, 0, StepKind.ARRIVE), MemberStep(3, 1, StepKind.ARRIVE)]
    steps += [MemberStep(4, 0, StepKind.NOTIFY), MemberStep(4, 1, StepKind.NOTIFY)]
    steps += [MemberStep(5, 1, StepKind.RELEASE)]
    assert [found for step in steps for found in check_of.act(step)] == []
    (found,) = check_of.close(9)
    assert (found.node, found.hardware, found.model) == ((0, 0), 0, 1)


@pytest.mark.parametrize("size", [4, 12])
@pytest.mark.parametrize("setup", ["local", "manager"])
def test_links_are_those_of_the_map(size: int, setup: str) -> None:
    network = cluster(setup=setup)
    each = plan(network, *sample(network, size), planner="btin")
    counted = Found(*look(12, 5, 8, 0.75, [1], [size])[0][0])
    found = measured(jobs(each, ("btin", "multicast", "unicast")))
    assert {name: one.between for name, one in found.items()} == {
        name: [getattr(counted, name)] for name in found
    }
    cycles = [found[name].cycles[0] for name in ("btin", "multicast", "unicast")]
    assert cycles == sorted(cycles)
    assert cycles[0] <= (each.groups[0].bound or 0)


def test_multicast_takes_as_long_wherever_the_root_is_on_the_chain() -> None:
    """Three switches in a row, the middle one the first or the last of them."""
    cycles = []
    for root, *others in ((0, 1, 2), (2, 0, 1)):
        links = tuple(((root, port), (other, 3)) for port, other in enumerate(others, 2))
        row = Irregular(4, 3, links, tuple((switch, 0) for switch in range(3)))
        each = plan(irregular(row, setup="local"), planner="btin")
        assert each.engine_groups[0].shape.root == root
        cycles += measured(jobs(each, ("multicast",)))["multicast"].cycles
    assert cycles[0] == cycles[1]


def test_barriers_and_packets_on_a_mesh_of_routed_messages() -> None:
    found = measured(
        jobs(plan(mesh(4, 4), *sample(mesh(4, 4), 9)), ("btin", "unicast", "dissemination"), 5)
    )
    for one in found.values():
        assert len(one.cycles) == len(one.between) == 5


CORNERS = tuple((x, y) for x in (0, 3) for y in (0, 3))
"""They meet in the middle of a mesh."""


@pytest.mark.parametrize(
    ("network", "nodes", "planner", "scheme", "episodes", "words"),
    [
        (cluster(), (), "btin", "multicast", 2, "a group receives GO once: episodes = 1"),
        (cluster(routing="source"), (), "btin", "unicast", 1, "members send without routes"),
        (engine_mesh(4, 4), CORNERS, "", "unicast", 1, "packets gather at a root that is a member"),
        (irregular(SMALL), (), "btin", "udn/stn", 1, "a static network has the switches of a mesh"),
    ],
    ids=["GO comes once", "routes", "no member at the root", "no mesh"],
)
def test_what_a_scheme_cannot_do_is_refused(
    network: MessageSpec,
    nodes: tuple[Node, ...],
    planner: str,
    scheme: str,
    episodes: int,
    words: str,
) -> None:
    with pytest.raises(ValueError, match=f"^{words}"):
        run_job(jobs(plan(network, *nodes, planner=planner), (scheme,), episodes), "model")


def test_a_scheme_is_of_one_group() -> None:
    network = irregular(SMALL)
    nodes = tuple(network.topology.nodes)
    several = (GroupSpec(id=gid, members=nodes, planner="btin") for gid in range(2))
    with pytest.raises(ValueError, match="one group"):
        run_job(jobs(plan_of(network, *several), ["unicast"]), "model")


def test_packets_gather_or_go_round_on_a_mesh_of_engines() -> None:
    each = plan(engine_mesh(4, 4, message_links="shared"), planner="")
    group = each.groups[0]
    assert group.root is not None
    to_root = [(member, group.root) for member in group.members]
    rounds = [
        (member, group.members[(i + (1 << k)) % 16])
        for k in range(4)
        for i, member in enumerate(group.members)
    ]
    found = measured(jobs(each, ("udn/stn", "dissemination"), 3))
    for name, pairs in (("udn/stn", to_root), ("dissemination", rounds)):
        assert found[name].between == [hops(pairs)] * 3
        assert found[name].beside == [2 * sum(a != b for a, b in pairs)] * 3
