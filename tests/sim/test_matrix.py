"""Topology x plane x routing x options, from one table: planned, run on the model and on the RTL.

Each combination is refused as ``REFUSED`` says, or plans, cannot deadlock, and keeps the rules. A
part of them, chosen so that each name of the table is in one, is compared in every cycle.
"""

import random
import re
from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

from syncfabric import Network
from syncfabric.models.errors import PlanError, SpecError
from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.spec import IrregularSpec, MessageSpec, NetworkSpec
from syncfabric.models.planning import deadlock
from syncfabric.models.planning.entries import owner_of
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.models.planning.updown import updown_tables
from syncfabric.sim.campaign.campaign import campaign
from syncfabric.sim.campaign.request import CampaignRequest
from syncfabric.sim.drive.backends import run_job
from syncfabric.sim.drive.recovery.run import recover
from syncfabric.sim.drive.recovery.scenario import RecoveryScenario, check_scenario, plan_after
from syncfabric.sim.drive.run import run, verdict_of
from syncfabric.sim.drive.scenario import Job, Scenario, Sending
from syncfabric.sim.fabric.build import build_fabric
from syncfabric.sim.report.blocks import Gallery, Play, Table
from syncfabric.sim.report.sections import network_section
from syncfabric.sim.request import RunRequest
from syncfabric.sim.results import Counters, RunResult
from syncfabric.sim.simulators.base import Built
from syncfabric.sim.soak.soak import SoakRequest, soak
from syncfabric.sim.vectors import StreamRequest
from tests.nightly import nightly_but
from tests.sim.matrix import (
    CHECKED,
    CLUSTER,
    MANAGED,
    MESH,
    NONE,
    PACKAGE,
    PLANES,
    ROUTINGS,
    SMALL,
    TOPOLOGIES,
    Cell,
    cells,
    compared,
    compared_spec,
    few,
    network,
    refusal,
)


def checked(
    spec: NetworkSpec,
    sim: str = "model",
    *,
    episodes: int = 4,
    background: float = 0.15,
    jitter: int | None = None,
    churn: int = 0,
) -> RunResult:
    """Run a network's groups, and see that all is as it must be."""
    plan = make_plan(spec)
    deadlock.check(plan)
    assert BarrierPlan.from_json(plan.to_json()).groups == plan.groups
    keys, streams = spec.message_network, any(group.stream for group in spec.groups)
    request = RunRequest(
        sim=sim,
        episodes=episodes,
        seed=3,
        background=background if keys.channels and keys.shape.router.routing != "source" else 0.0,
        jitter=jitter,
        churn=churn,
        stream=StreamRequest("allreduce", 8) if streams else None,
    )
    result = run(plan, request)
    assert (result.verdict, result.reason) == ("match", None)
    assert churn or result.counters == Counters()
    for planned, group in zip(plan.groups, result.groups, strict=True):
        assert group.latency
        assert group.episodes >= episodes
        assert planned.bound is not None
        if jitter is not None:
            assert group.latency.max <= planned.bound
            assert planned.planner != "wires" or group.latency.max == planned.bound
    assert not result.traffic.offered or result.traffic.packets
    assert all(stream.last for stream in result.streams or ())
    return result


def header(spec: MessageSpec, source: int, target: int) -> int:
    """Return the header of a packet; a route is that of up/down tables."""
    shape = spec.shape
    if shape.router.routing != "source":
        return shape.header_of(shape.nodes[target])
    assert isinstance(spec, IrregularSpec)
    tables = updown_tables(spec.topology).tolist()
    (here, _), (end, port) = shape.nodes[source], shape.nodes[target]
    outputs = []
    while here != end:
        outputs.append(tables[here][end])
        here = shape.ends[here, outputs[-1]][0]
    return shape.route_header([*outputs, port])


def send(spec: NetworkSpec, sim: str = "model") -> None:
    """Run barriers while nodes send packets of random payload."""
    rng, network, sendings = random.Random(2), spec.message_network, list[Sending]()
    for _ in range(40):
        source, target = rng.sample(range(len(network.topology.nodes)), 2)
        words = [rng.getrandbits(network.flit_bits) for _ in range(rng.randint(1, 6))]
        flits, channel = [header(network, source, target), *words], rng.randrange(network.channels)
        sendings.append(Sending(rng.randrange(200), source, channel, flits))
    scenario = Scenario(episodes=5, packets=tuple(sendings))
    (outcome,) = run_job(Job(((make_plan(spec), scenario),)), sim).outcomes
    assert verdict_of(outcome) == ("match", None)


KINDS = ("mesh", "star-8", "links", "fat-tree-4x2", "chiplets", "random", "torus-3x3", "mesh-2x4")
"""One of each kind: of grids, of families, of links that a file has, and drawn."""


def test_traffic_brings_no_routes() -> None:
    with pytest.raises(SpecError, match='does not go with routing = "source"'):
        Network(Cell("random", "link", "source").spec()).run("model", background=0.1)


def test_what_cannot_be_is_refused() -> None:
    for place in product(TOPOLOGIES, PLANES, ROUTINGS, ("local", *MANAGED)):
        cell = Cell(*place)
        if words := refusal(cell):
            with pytest.raises(SpecError, match=re.escape(words)):
                cell.spec()


def check_model(chosen: Sequence[Cell], topology: str) -> None:
    """Run combinations of a topology on the model."""
    for cell in chosen:
        if cell.topology == topology:
            plane = cell.plane
            churn = int(cell.option == "managed" and plane != "packets")
            checked(cell.spec(), churn=churn, background=0.15 * (plane in ("packets", "link")))
            if plane == "packets" and cell.option not in NONE:
                send(cell.spec())


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_the_model_keeps_the_rules(topology: str) -> None:
    check_model(few(), topology)


@pytest.mark.nightly
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_the_model_keeps_the_rules_of_all(topology: str) -> None:
    check_model(cells(), topology)


@pytest.mark.parametrize("topology", nightly_but(KINDS, TOPOLOGIES))
def test_a_group_alone_keeps_its_bound(topology: str) -> None:
    """On an idle network; on wires any last member waits for the bound (X6.2)."""
    for plane in set(PLANES) - {"packets"}:
        if not refusal(cell := Cell(topology, plane)):
            spec = cell.spec(link_registers=int(plane == "wires"))
            spec = spec.model_copy(update={"groups": spec.groups[:1]})
            checked(spec, episodes=len(spec.groups[0].members), background=0.0, jitter=30)


def check_hardware(topology: str, strength: int) -> None:
    """Compare what has been chosen of a topology in every cycle."""
    for cell in compared(strength):
        if cell.topology == topology:
            checked(compared_spec(cell), "verilator")
            if cell.routing == "source":
                send(compared_spec(cell), "verilator")


@pytest.mark.nightly
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_hardware_and_model_agree(topology: str) -> None:
    check_hardware(topology, 1)


@pytest.mark.nightly
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_so_they_do_for_all_pairs(topology: str) -> None:
    check_hardware(topology, 2)


def test_so_they_do_under_icarus() -> None:
    """Two managers share slots and entries; links have more registers than fit in three bits."""
    keys = {"wires": 2, "setup": "manager", "managers": [[0, 3], [4, 3]], "buffer_flits": 4}
    checked(network(PACKAGE, 1, 3, **SMALL | keys), "icarus", episodes=3, background=0.0)


def on_links(topology: str) -> NetworkSpec:
    """Return a network with checked links, messages alone, and two groups."""
    if topology == "mesh":
        spec = Cell(topology, "link").spec(**SMALL, **CHECKED)
    else:
        spec = compared_spec(Cell(topology, "link", option="no packets"))
    return spec.model_copy(update={"groups": spec.groups[:2]})


@pytest.mark.parametrize("topology", nightly_but(KINDS, TOPOLOGIES))
def test_groups_come_back_around_a_dead_link(topology: str) -> None:
    """They are refused where no other path is left."""
    plan = make_plan(on_links(topology))
    network, tree = plan.spec.message_network, plan.groups[0].tree
    far = next(i for i, port in enumerate(tree.parent_port.tolist()) if port >= 0)
    here = int(tree.routers[far]), int(tree.parent_port[far])
    name = "-".join(
        "{},{}".format(*(network.topology.node(place[0]) if topology == "mesh" else place))
        for place in (here, network.shape.ends[here])
    )
    dead = Dead.of(network.topology, [name])
    scenario = RecoveryScenario(dead, at=100, timeout=200, episodes=3, limit=60_000)
    check_scenario(plan, scenario)
    if topology == "star-8":
        with pytest.raises(PlanError, match="no path is left without 1,0-0,0; take it out"):
            plan_after(plan, scenario)
        return
    found = recover(plan, plan_after(plan, scenario), scenario)
    assert found.ok
    assert found.broken
    assert not found.early
    assert 1 in {cost.group for cost in found.costs}


@pytest.mark.nightly
@pytest.mark.parametrize("topology", ["octagon-8", "k-ring-8"])
def test_soak_and_campaign_find_nothing(topology: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def build(network: MessageSpec, queue: int) -> Built:
        return build_fabric(network)

    monkeypatch.setattr("syncfabric.sim.soak.soak.build_fabric", build)
    monkeypatch.setattr("syncfabric.sim.campaign.campaign.build_fabric", build)
    assert soak(on_links(topology), SoakRequest(episodes=60, jitter=7)).verdict == "clean"
    result = campaign(on_links(topology), CampaignRequest(60, 1))
    assert (result.verdict, result.findings) == ("clean", [])
    assert result.faults == 60


DRAWN = ("fat-tree-4x2", "chiplets")


@pytest.mark.parametrize("topology", nightly_but(DRAWN, TOPOLOGIES))
def test_it_is_drawn_and_reported(topology: str) -> None:
    section, result = network_section(
        Network(on_links(topology)), RunRequest(sim="model", episodes=2), "s0"
    )
    assert result.ok
    assert {type(block) for block in section.blocks} >= {Gallery, Play, Table}


@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.parametrize(("kind", "size"), [(MESH, (3, 2)), (CLUSTER, (4, 6))])
def test_managers_set_up_what_is_in_their_shares(
    kind: str, size: tuple[int, int], count: int
) -> None:
    nodes = network(kind, *size).network.topology.nodes
    managers = [list(node) for node in nodes[-count:]]
    spec = network(kind, *size, setup="manager", managers=managers, groups=8)
    checked(spec, background=0.0)
    engines = spec.message_network
    assert isinstance(engines, MessageSpec)
    owners = {
        owner_of(group.placement.values(), engines.shape.router)
        for group in make_plan(spec).engine_groups
    }
    assert owners == set(range(min(count, len(spec.groups))))


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"groups": 0}, "network: groups must be 1 to 256, not 0"),
        ({"wires": 17}, "network: wires must be 0 to 16, not 17"),
        (
            {"wires": 1, "groups": 200},
            "network: wires must be at most 0 with 200 groups, not 1: entries and slots are "
            "numbered 0 to 255 together",
        ),
        (
            {"wires": 3, "port_registers": 3},
            "network: port_registers must be 4 to 19 with groups = 16 and wires = 3, not 3; leave "
            "it out for that",
        ),
        (
            {"sync": "wires"},
            'network: key "sync" is gone: set wires to the slots of barrier wires, 0 for none; '
            "remove it",
        ),
        ({"message_links": "none"}, 'network: message_links must be "own" or "shared", not "none"'),
        (
            {"channels": 0, "message_links": "shared"},
            "network: message_links 'shared' needs packets; take 'own', or channels of 1 and more",
        ),
        (
            {"managers": [[0, 0]]},
            'network: managers set groups up with setup = "manager", not "local"; set it, or '
            'remove "managers"',
        ),
        ({"port_registers": 33}, "network: port_registers must be 1 to 32, not 33"),
        (
            {"groups": 6, "port_registers": 9},
            "network: port_registers must be at most 8 with groups = 6, not 9; leave it out for"
            " that",
        ),
        (
            {"setup": "manager", "flit_bits": 16},
            "network: flit_bits must be at least 32 with managers, not 16; a flit holds a word of "
            "a set-up packet",
        ),
    ],
)
def test_keys_are_refused_with_value_reason_and_remedy(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError) as refused:
        network(MESH, 3, 3, **keys)
    assert str(refused.value) == message
