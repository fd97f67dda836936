"""Whole networks of collective engines: hardware against golden model, in every cycle."""

import json
import random
from typing import Any

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.reader import loads
from syncfabric.models.networks.spec import MessageSpec, NetworkSpec
from syncfabric.models.planning.entries import owner_of
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.drive.run import run
from syncfabric.sim.request import RunRequest
from syncfabric.sim.results import RunResult

MESH = "kind = 'mesh'\nwidth = {}\nheight = {}\n"
CLUSTER = """
kind = 'irregular'
ports = 5
random = {{ switches = {}, nodes = {}, connectivity = 0.8, seed = 3 }}
"""
GRID = 'kind = "irregular"\ntopology = "{}"\n'

PACKAGE = """
kind = 'irregular'
chiplets = [{{ name = 'a', topology = 'mesh-{}x2' }}, {{ name = 'b', topology = 'ring-{}' }}]
bridges = [
    {{ between = ['a', 'b'], switches = [[1, 0]], registers = 7 }},
    {{ between = ['b', 'a'], switches = [[2, 0]], registers = 2 }},
]
"""

GROUPS = """
[[group]]
id = 1
members = "all"
op = "xor"
[[group]]
id = 2
members = {{ random = {}, seed = 5 }}
op = "and"
[[group]]
id = 3
members = {{ random = 1, seed = 2 }}
"""


def network(kind: str, *size: int | str, members: int = 3, **keys: Any) -> NetworkSpec:
    """Return a network with three groups, and these keys."""
    transport = keys.pop("transport", "link")
    lines = [f'name = "tried"\n[network]\ntransport = "{transport}"', kind.format(*size)]
    lines += [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
    return loads("\n".join(lines) + GROUPS.format(members))


def checked(
    spec: NetworkSpec, sim: str, *, episodes: int = 25, background: float = 0.15
) -> RunResult:
    """Run a network's groups, and see that all is as it must be."""
    plan = make_plan(spec)
    background = 0.15 if spec.message_network.channels else 0.0
    result = run(plan, RunRequest(sim=sim, episodes=episodes, seed=3, background=background))
    assert (result.verdict, result.reason) == ("match", None)
    counters = result.counters
    assert counters
    assert (counters.overflow, counters.stray) == (0, 0)
    assert (counters.refused_arrive, counters.refused_write) == (0, 0)
    for planned, group in zip(plan.groups, result.groups, strict=True):
        assert group.latency
        assert group.episodes == episodes
        assert planned.bound is not None
    return result


NETWORKS: dict[str, dict[str, Any]] = {
    "mesh": {"kind": MESH, "size": (3, 2), "setup": "manager", "managers": [[0, 0], [2, 1]]},
    "cluster": {
        "kind": CLUSTER,
        "size": (4, 6),
        "message_links": "shared",
        "link_registers": 1,
        "setup": "manager",
    },
    "wires": {
        "kind": MESH,
        "size": (3, 2),
        "wires": 2,
        "groups": 2,
        "setup": "manager",
        "managers": [[0, 0], [2, 1]],
        "check_bits": 3,
        "watchdog": 200,
        "link_registers": 1,
    },
    "chiplets": {
        **{"kind": PACKAGE, "size": (2, 3), "link_registers": 1, "check_bits": 4, "wires": 1},
        **{"setup": "manager", "watchdog": 200},
    },
    "cluster-wires": {"kind": CLUSTER, "size": (3, 5), "wires": 9, "groups": 2},
    "torus-routed": {"kind": GRID, "size": ["torus-3x3"], "transport": "routed", "groups": 4},
}
MORE: dict[str, dict[str, Any]] = {
    "local": {"kind": MESH, "size": (4, 4)},
    "row": {"kind": MESH, "size": (5, 1), "data_bits": 0},
    "column": {"kind": MESH, "size": (1, 4), "message_links": "shared", "channels": 2},
    "wide": {"kind": MESH, "size": (3, 3), "data_bits": 32, "operations": "all", "channels": 3},
    "alone": {"kind": MESH, "size": (3, 3), "channels": 0},
    "few": {
        "kind": MESH,
        "size": (3, 3),
        "channels": 0,
        "port_registers": 3,
        "counters": False,
        "read_back": False,
    },
    "many": {"kind": MESH, "size": (2, 2), "groups": 256, "setup": "manager"},
    "registers": {"kind": MESH, "size": (3, 3), "link_registers": 3, "output_register": True},
    "watched": {"kind": MESH, "size": (2, 3), "watchdog": 300},
    "guarded": {"kind": MESH, "size": (3, 2), "check_bits": 5, "link_registers": 2},
    "shared-guarded": {
        "kind": CLUSTER,
        "size": (4, 6),
        "check_bits": 8,
        "message_links": "shared",
        "setup": "manager",
    },
    "own-guarded": {"kind": CLUSTER, "size": (4, 6), "check_bits": 1, "link_registers": 1},
    "plain-cluster": {"kind": CLUSTER, "size": (6, 8), "setup": "local", "channels": 4},
    "wires-alone": {"kind": MESH, "size": (3, 3), "wires": 1, "channels": 0, "data_bits": 0},
    "wires-routed": {"kind": MESH, "size": (4, 2), "wires": 16, "transport": "routed"},
    "wires-wide": {
        "kind": CLUSTER,
        "size": (4, 6),
        "wires": 3,
        "data_bits": 32,
        "operations": "all",
        "link_registers": 3,
        "setup": "local",
    },
    "wider-than-a-flit": {
        **{"kind": MESH, "size": (3, 2), "message_links": "shared", "flit_bits": 16},
        **{"data_bits": 32, "operations": "all"},
    },
    "wider-in-a-cluster": {
        **{"kind": CLUSTER, "size": (4, 6), "message_links": "shared", "flit_bits": 16},
        **{"data_bits": 32, "setup": "local"},
    },
    "ring-routed": {
        **{"kind": GRID, "size": ["ring-6"], "transport": "routed"},
        **{"check_bits": 4, "link_registers": 1, "channels": 4},
    },
    "mesh-3d-routed": {
        **{"kind": GRID, "size": ["mesh-3x2x3"], "transport": "routed", "setup": "local"},
        **{"output_register": True, "operations": "all", "data_bits": 9},
    },
    "hypercube-routed": {"kind": GRID, "size": ["hypercube-8"], "transport": "routed", "wires": 2},
    "longest": {"kind": MESH, "size": (2, 2), "link_registers": 15, "buffer_flits": 40},
    "long": {"kind": PACKAGE, "size": (2, 3), "interfaces": True, "message_links": "shared"},
    "stages": {"kind": CLUSTER, "size": (3, 4), "setup": "local", "engine_stages": 4},
}


def _made(keys: dict[str, Any]) -> NetworkSpec:
    keys = dict(keys)
    return network(keys.pop("kind"), *keys.pop("size"), **keys)


@pytest.mark.parametrize("name", NETWORKS)
def test_hardware_and_model_agree(name: str) -> None:
    checked(_made(NETWORKS[name]), "verilator")


def test_so_they_do_under_icarus() -> None:
    keys = {**NETWORKS["wires"], "size": (2, 2), "managers": [[0, 0], [1, 1]]}
    checked(_made(keys), "icarus", episodes=6)
    keys = {"kind": PACKAGE, "size": (1, 3), "setup": "local", "groups": 4}
    checked(_made(keys), "icarus", episodes=6)


@pytest.mark.nightly
@pytest.mark.parametrize("name", MORE)
def test_hardware_and_model_agree_with_other_keys(name: str) -> None:
    checked(_made(MORE[name]), "verilator")


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["cluster"])
def test_so_do_clusters_under_icarus(name: str) -> None:
    checked(_made(NETWORKS[name]), "icarus", episodes=8)


@pytest.mark.parametrize("name", MORE)
def test_the_model_keeps_the_rules(name: str) -> None:
    spec = _made(MORE[name])
    plan = make_plan(spec)
    result = run(plan, RunRequest(sim="model", episodes=10, seed=1))
    assert result.verdict == "match"


@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.parametrize(("kind", "size"), [(MESH, (3, 2)), (CLUSTER, (4, 6))])
def test_managers_set_up_what_is_in_their_shares(
    kind: str, size: tuple[int, int], count: int
) -> None:
    nodes = network(kind, *size).network.topology.nodes
    managers = [list(node) for node in nodes[-count:]]
    spec = network(kind, *size, setup="manager", managers=managers, groups=8)
    checked(spec, "model", episodes=8)
    engines = spec.message_network
    assert isinstance(engines, MessageSpec)
    owners = {
        owner_of(group.placement.values(), engines.shape.router)
        for group in make_plan(spec).engine_groups
    }
    assert owners == set(range(min(count, len(spec.groups))))


@pytest.mark.parametrize("seed", range(4))
def test_a_group_alone_keeps_its_bound(seed: int) -> None:
    """On an idle network, for any order of arrivals."""
    rng = random.Random(seed)
    kind, size = rng.choice([(MESH, (4, 3)), (CLUSTER, (5, 9))])
    spec = network(kind, *size, setup="local", link_registers=rng.choice([0, 2]))
    spec = spec.model_copy(update={"groups": spec.groups[:1]})
    plan = make_plan(spec)
    result = run(plan, RunRequest(sim="model", episodes=40, seed=seed))
    (group,) = result.groups
    assert group.latency
    assert plan.groups[0].bound is not None
    assert group.latency.max <= plan.groups[0].bound


@pytest.mark.parametrize(("width", "cycles"), [(4, 11), (8, 19), (16, 35)])
def test_last_of_a_mesh_waits_for_the_way_there_and_back(width: int, cycles: int) -> None:
    """Ways of 4, 8 and 16 links at a cycle each, two at the root, one of the node port (E11)."""
    text = f'name = "all"\n[network]\ntransport = "link"\n{MESH.format(width, width)}'
    plan = make_plan(loads(text + '[[group]]\nid = 1\nmembers = "all"\n'))
    result = run(plan, RunRequest(sim="model", episodes=width * width, jitter=60))
    (group,) = result.groups
    assert group.latency
    assert group.latency.max == cycles


@pytest.mark.parametrize("registers", [0, 2])
@pytest.mark.parametrize(
    ("kind", "size", "last"), [(MESH, (8, 8), 2 * 8 + 2), (CLUSTER, (1, 4), 3), (MESH, (4, 4), 10)]
)
def test_on_wires_a_link_takes_a_cycle(
    kind: str, size: tuple[int, ...], last: int, registers: int
) -> None:
    """A cycle and the link's registers, each way, whatever else goes on (X6.3)."""
    spec = network(kind, *size, wires=2, setup="local", link_registers=registers)
    plan = make_plan(spec.model_copy(update={"groups": spec.groups[:1]}))
    result = run(plan, RunRequest(sim="model", episodes=48, jitter=30, seed=2))
    (group,), (planned,) = result.groups, plan.groups
    links = planned.tree.radius
    assert planned.bound == last + 2 * registers * links
    assert group.latency
    assert group.latency.max == planned.bound


def test_plans_come_back_from_json() -> None:
    for keys in (*NETWORKS.values(), *MORE.values()):
        plan = make_plan(_made(keys))
        assert BarrierPlan.from_json(plan.to_json()).groups == plan.groups


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
def test_refused_with_value_reason_and_remedy(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError) as refused:
        network(MESH, 3, 3, **keys)
    assert str(refused.value) == message
