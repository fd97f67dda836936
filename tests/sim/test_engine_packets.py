"""Packets of nodes' software on networks of engines: by header or by a route, beside barriers."""

import random
from typing import Any

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.spec import IrregularSpec, MessageSpec, NetworkSpec
from syncfabric.models.planning.plan import make_plan
from syncfabric.models.planning.updown import updown_tables
from syncfabric.sim.drive.backends import build_bench, run_model, simulate, simulate_tiles
from syncfabric.sim.drive.run import verdict_of
from syncfabric.sim.drive.scenario import Job, Scenario, Sending
from syncfabric.sim.fabric.program import build_fabric
from syncfabric.sim.network import Network
from tests.sim.test_engine_networks import CLUSTER, MESH, network

NETWORKS: dict[str, dict[str, Any]] = {
    "mesh": {"kind": MESH, "size": (3, 2), "message_links": "shared", "channels": 2},
    "tables": {"kind": CLUSTER, "size": (4, 6), "flit_bits": 64},
    "routes": {
        **{"kind": CLUSTER, "size": (4, 6), "setup": "local", "routing": "source"},
        **{"flit_bits": 80, "message_links": "shared", "channels": 2},
    },
}


def made(name: str) -> NetworkSpec:
    keys = dict(NETWORKS[name])
    return network(keys.pop("kind"), *keys.pop("size"), **keys)


def header(spec: MessageSpec, source: int, target: int) -> int:
    """Return the header of a packet; a route is that of up/down tables."""
    shape = spec.shape
    if not isinstance(spec, IrregularSpec) or spec.routing == "table":
        return shape.header_of(shape.nodes[target])
    tables = updown_tables(spec.topology).tolist()
    (here, _), (end, port) = shape.nodes[source], shape.nodes[target]
    outputs = []
    while here != end:
        outputs.append(tables[here][end])
        here = shape.ends[here, outputs[-1]][0]
    return shape.route_header([*outputs, port])


def scenario(spec: MessageSpec, rng: random.Random, count: int = 120) -> Scenario:
    """Return barriers beside packets of whatever payload."""
    nodes, sendings = len(spec.topology.nodes), list[Sending]()
    for _ in range(count):
        source, target = rng.sample(range(nodes), 2)
        words = [rng.getrandbits(spec.flit_bits) for _ in range(rng.randint(1, 6))]
        flits = [header(spec, source, target), *words]
        sendings.append(Sending(rng.randrange(400), source, rng.randrange(spec.channels), flits))
    return Scenario(episodes=15, packets=tuple(sendings))


def checked(name: str, sim: str) -> None:
    spec = made(name)
    engines = spec.message_network
    assert isinstance(engines, MessageSpec)
    plan = make_plan(spec)
    job = Job(((plan, scenario(engines, random.Random(name))),))
    if sim == "model":
        (outcome,) = run_model(job).outcomes
    elif sim == "verilator":
        (outcome,) = simulate_tiles(job, build_fabric(engines)).outcomes
    else:
        (outcome,) = simulate(job, build_bench(engines, queue=1024)).outcomes
    assert verdict_of(outcome) == ("match", None)


@pytest.mark.parametrize("name", NETWORKS)
def test_all_come_whole_in_order_and_where_they_are_to(name: str) -> None:
    checked(name, "model")


def test_hardware_and_model_agree() -> None:
    checked("routes", "verilator")


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "sim"), [("mesh", "verilator"), ("tables", "verilator"), ("routes", "icarus")]
)
def test_hardware_and_model_agree_elsewhere(name: str, sim: str) -> None:
    checked(name, sim)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (
            {},
            'network: setup = "manager", the default, does not go with routing = "source": the '
            'tables route set-up packets; set setup = "local"',
        ),
        (
            {"setup": "local", "channels": 0},
            'network: routing = "source" is for packets, and with channels = 0 there are none; '
            "remove it",
        ),
    ],
)
def test_routes_that_nothing_can_take_are_refused(keys: dict[str, Any], words: str) -> None:
    with pytest.raises(SpecError) as error:
        network(CLUSTER, 4, 6, routing="source", **keys)
    assert str(error.value) == words


def test_traffic_brings_no_routes() -> None:
    with pytest.raises(SpecError, match='does not go with routing = "source"'):
        Network(made("routes")).run("model", background=0.1)
