"""Commands of several managers: no request and no reply comes upon what is dead."""

import random
from collections.abc import Callable, Iterator

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.golden.irregular_wiring import IrregularWiring
from syncfabric.models.golden.route import FlitRoute
from syncfabric.models.messages import REQUEST, Request
from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.irregular import Place
from syncfabric.models.networks.spec import IrregularSpec, MeshSpec, NetworkSpec, RegisterSpec
from syncfabric.models.planning.errands import (
    Errand,
    kill_errands,
    left_alone,
    routers_of,
    set_up_errands,
)
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.models.planning.reach_managers import reaches
from tests.models.planning.without import Crossing, draw_dead, draw_irregular, draw_mesh

Draw = Callable[[random.Random], NetworkSpec]


def managed(draw: Callable[..., NetworkSpec], rng: random.Random) -> NetworkSpec:
    """Draw a network with up to four managers."""
    spec = draw(rng)
    network = spec.register_network
    nodes = list(network.topology.nodes)
    managers = tuple(rng.sample(nodes, min(rng.randint(1, 4), len(nodes))))
    keys = {**network.model_dump(), "setup": "manager", "managers": managers}
    return NetworkSpec(name=spec.name, network=type(network)(**keys), groups=spec.groups)


KINDS: dict[str, Draw] = {
    "mesh": lambda rng: managed(draw_mesh, rng),
    "irregular": lambda rng: managed(draw_irregular, rng),
}


TELLING = {"mesh": (0, 1, 106, 121), "irregular": (0, 1, 101, 114, 152)}
"""Seeds where it takes several managers, or routes that requests bring along."""


def crossed(network: RegisterSpec, errand: Errand) -> Iterator[tuple[int, Crossing]]:
    """Walk requests and replies as routers pass them on; yield router and link."""
    for router, entry in zip(errand.routers, errand.entries, strict=True):
        if isinstance(network, MeshSpec):
            manager, there = network.mesh.node(errand.node), network.mesh.node(router)
            header = network.layout.header.unpack(entry[0])
            assert (header["x"], header["y"]) == there
            for start, end in ((manager, there), (there, manager)):
                yield from ((router, link) for link in _xy(start, end))
            continue
        assert isinstance(network, IrregularSpec)
        switch, port = network.topology.node(errand.node)
        yield router, ((switch, port), None)
        yield from ((router, link) for link in _by_header(network, switch, router, entry[0]))
        wiring = IrregularWiring(network)
        back = wiring.headers[errand.node]
        yield from ((router, link) for link in _by_header(network, router, switch, back, port))


def _xy(here: Place, end: Place) -> Iterator[Crossing]:
    while here != end:
        dx, dy = end[0] - here[0], end[1] - here[1]
        there = (here[0] + (1 if dx > 0 else -1), here[1]) if dx else None
        there = there or (here[0], here[1] + (1 if dy > 0 else -1))
        yield here, there
        here = there


def _by_header(
    network: IrregularSpec, here: int, end: int, raw: int, last: int | None = None
) -> Iterator[Crossing]:
    """Follow a flit through the golden routers to a switch's sink, or out to a node."""
    wiring = IrregularWiring(network)
    raw |= 1 << network.layout.flit.offsets["head"]
    for _ in range(2 * network.switches):
        way = FlitRoute(network, wiring, here).look(raw, False, wiring.channels)
        assert not way.used_up
        link, raw = way.lane // wiring.lanes, way.raw
        if way.lane == wiring.sink(here, wiring.channels):
            assert (here, last) == (end, None)
            return
        port = link % wiring.ports
        yield (here, port), None
        far = network.topology.across(here, port)
        if far is None:
            assert (here, port) == (end, last)
            return
        here = far[0]
    raise AssertionError("the packet goes round")


def errands_drawn(draw: Draw, seed: int) -> tuple[int, int]:
    """Draw, plan and check; return set-ups by one manager, and by several."""
    rng = random.Random(seed)
    spec = draw(rng)
    names, gone, _ = draw_dead(rng, spec)
    network = spec.register_network
    dead = Dead.of(network.topology, names)
    old = make_plan(spec)
    counts = [0, 0]
    try:
        plan = make_plan(spec, dead)
    except PlanError:
        return 0, 0
    reach = reaches(network, dead)
    for group in plan.message_groups:
        try:
            errands = set_up_errands(plan, group, 1, reach)
        except PlanError:
            continue
        check_set_up(plan, network, errands, routers_of(plan, group), gone, group.id)
        counts[sum(e.operation is Request.SETUP for e in errands) > 1] += bool(errands)
    manager = network.topology.index(network.manager_nodes[0])
    for group in old.message_groups:
        owners = dict.fromkeys(routers_of(old, group), manager)
        kills = kill_errands(old, group, owners, reach)
        for errand in kills:
            assert errand.operation is Request.KILL
            assert errand.node == manager
            assert not any(link in gone for _, link in crossed(network, errand))
        killed = [router for errand in kills for router in errand.routers]
        alone = left_alone(old, group, killed, dead)
        assert not set(alone) & {*killed, *dead.routers}
    return counts[0], counts[1]


def check_set_up(
    plan: BarrierPlan,
    network: RegisterSpec,
    errands: list[Errand],
    routers: list[int],
    gone: set[Crossing],
    gid: int,
) -> None:
    """Check one group's commands."""
    asked: list[int] = []
    for errand in errands:
        assert len(set(errand.routers)) == len(errand.routers)
        assert not any(link in gone for _, link in crossed(network, errand)), errand
        if errand.operation is Request.SETUP:
            for router, entry in zip(errand.routers, errand.entries, strict=True):
                request = REQUEST.unpack(entry[1])
                if request["gid"] == gid:
                    asked.append(router)
                else:  # a stand-in: last, of nobody's GID, cleared at once
                    assert router == errand.routers[-1]
                    assert request["gid"] not in {group.id for group in plan.groups}
                    assert request["root"] == 1
                    assert not any(entry[2:])
                    after = errands[errands.index(errand) + 1]
                    assert after.operation is Request.CLEAR
                    assert after.routers == (router,)
    assert sorted(asked) == sorted(routers)
    if routers:
        assert asked[-1] == routers[-1]  # the root's register is written last of all
        assert errands[-1].routers[-1] == routers[-1]


@pytest.mark.parametrize("kind", KINDS)
def test_requests_and_replies_keep_clear_of_what_is_dead(kind: str) -> None:
    counts = [errands_drawn(KINDS[kind], seed) for seed in TELLING[kind]]
    assert sum(several for _, several in counts)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_requests_and_replies_keep_clear_in_hundreds_of_networks(kind: str) -> None:
    counts = [errands_drawn(KINDS[kind], seed) for seed in range(100, 600)]
    assert sum(one for one, _ in counts) > 100
    assert sum(several for _, several in counts) > 10


def test_several_managers_set_a_row_up_whose_link_is_dead() -> None:
    network = MeshSpec(kind="mesh", width=4, height=3, setup="manager", managers=((0, 0), (3, 2)))
    group = {"id": 1, "members": [[x, 1] for x in range(4)]}
    spec = NetworkSpec(name="t", network=network, groups=(group,))  # type: ignore[arg-type]
    dead = Dead.of(network.mesh, ["1,1-2,1"])
    plan = make_plan(spec, dead)
    errands = set_up_errands(plan, plan.message_groups[0], 1, reaches(network, dead))
    assert [errand.operation for errand in errands] == [
        Request.SETUP,
        Request.CLEAR,
        Request.SETUP,
    ]
    assert errands[0].node != errands[2].node


def test_what_no_manager_reaches_is_named_with_one_who_would() -> None:
    network = MeshSpec(kind="mesh", width=4, height=3, setup="manager", managers=((0, 1),))
    group = {"id": 1, "members": [[x, 1] for x in range(4)]}
    spec = NetworkSpec(name="t", network=network, groups=(group,))  # type: ignore[arg-type]
    dead = Dead.of(network.mesh, ["1,1-2,1"])
    plan = make_plan(spec, dead)
    with pytest.raises(PlanError, match=r"routers .*\(3, 1\).*name a manager at") as refusal:
        set_up_errands(plan, plan.message_groups[0], 1, reaches(network, dead))
    assert "\n" not in str(refusal.value)
