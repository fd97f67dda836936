# amaranth: UnusedElaboratable=no
"""Nodes of drawn parameters beside their golden models: every output, in every cycle."""

import random
from collections import Counter
from typing import Any

import pytest

from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.networks.kinds import MeshNodeShape
from syncfabric.rtl.planes.interface import NodeInterface
from syncfabric.rtl.planes.node import Node
from tests.nightly import long_by_night, nightly_but
from tests.rtl.planes.draws import headers
from tests.rtl.planes.interface_lockstep import InterfaceLockstep
from tests.rtl.planes.lockstep import together
from tests.rtl.planes.node_lockstep import NodeLockstep
from tests.rtl.planes.test_combinations import SHAPES

BY_DEFAULT, CYCLES = 4, 600


def run(shape: NodeShape, seed: int, cycles: int) -> Counter[str]:
    """Compare a node with its golden model; return what has happened.

    Slots of barrier wires have a lock-step of their own.
    """
    registers = min(shape.registers, shape.layout.entries, 16)
    shape = type(shape)(**shape.model_dump() | {"wires": 0, "streams": 0, "registers": registers})
    lockstep = NodeLockstep(shape, random.Random(seed))
    return together(Node(shape, lockstep.constants.headers), lockstep, seed, cycles)


def run_interface(shape: NodeShape, registers: int, seed: int, cycles: int) -> Counter[str]:
    """Compare a node interface with its golden model; return what has happened."""
    lockstep = InterfaceLockstep(shape, registers, random.Random(seed))
    return together(NodeInterface(shape, registers, headers(shape)), lockstep, seed, cycles)


@pytest.mark.parametrize("number", nightly_but(range(BY_DEFAULT), range(40)))
def test_a_node_agrees_with_its_golden_model(number: int) -> None:
    run(SHAPES[number], number, CYCLES if number < BY_DEFAULT else 3 * CYCLES)


ROUTED: dict[str, dict[str, Any]] = {
    "mesh": {"sides": (3, 3, 3), "links": 6},
    "torus": {"sides": (4, 2, 3), "links": 5, "wraps": True, "datelines": True, "channels": 2},
    "cube": {"sides": (2, 2, 2, 2), "links": 4, "check_bits": 5, "data_bits": 3},
    "ring": {"sides": (8,), "links": 2, "wraps": True, "datelines": True, "channels": 2},
}


@pytest.mark.parametrize(("name", "cycles"), long_by_night(["torus", "cube"], ROUTED, 1000, 2500))
def test_routed_messages_in_any_dimensions(name: str, cycles: int) -> None:
    options = {"transport": "routed", "routing": "dimension", "groups": 4, **ROUTED[name]}
    options["operations"] = "bitwise" if options.get("data_bits") else "none"
    seen = run(NodeShape(**options), 3, cycles)
    assert seen.keys() >= {"flit", "message", "answered", "reset", "release PLAIN"}


MESH: dict[str, dict[str, Any]] = {
    "shared": {
        **{"message_links": "shared", "registers": 4, "data_bits": 2, "operations": "bitwise"}
    },
    "routed": {"transport": "routed", "groups": 8, "channels": 2},
    "guarded": {"check_bits": 6, "link_registers": 2, "transport": "routed", "groups": 4},
    "table": {"routing": "table", "routers": 9, "channels": 2, "datelines": True, "registers": 3},
    "keys": {"key_bits": 5, "registers": 4, "data_bits": 3, "operations": "bitwise"},
    "keys, guarded": {"key_bits": 8, "message_links": "shared", "check_bits": 6, "registers": 4},
    "keys, routed": {"key_bits": 3, "transport": "routed", "groups": 2, "channels": 2},
}


@pytest.mark.parametrize(
    ("name", "cycles"), long_by_night(["shared", "routed", "table", "keys"], MESH, 1200, 4000)
)
def test_a_mesh_node(name: str, cycles: int) -> None:
    shape = MeshNodeShape(**{"width": 4, "height": 4, "groups": 4, **MESH[name]})
    seen = run(shape, 4, cycles)
    assert seen.keys() >= {"flit", "message", "answered", "refused", "reset"}
    assert sum(seen[f"release {kind}"] for kind in ("GO", "PLAIN", "LAST", "BROKEN")) > 0


@pytest.mark.parametrize(("longest", "cycles"), long_by_night([15], [0, 15], 1000, 3000))
def test_a_router_of_links_with_few_and_many_registers(longest: int, cycles: int) -> None:
    """Its guards ask the near ones sooner."""
    options: dict[str, Any] = {"links": 3, "own": False, "check_bits": 7, "link_registers": 3}
    options["longest_link"] = longest
    shape = NodeShape(**options, routing="table", routers=5, channels=2, datelines=True)
    seen = run(shape, 2, cycles)
    assert seen.keys() >= {"flit", "message", "answered", "refused", "reset"}


MANAGED: dict[str, dict[str, Any]] = {
    "own": {"groups": 16, "registers": 4},
    "shared": {"message_links": "shared", "channels": 2, "data_bits": 2, "operations": "all"},
    "guarded": {"check_bits": 6, "buffer_flits": 2, "link_registers": 1, "groups": 8},
    "block_ram": {"groups": 256, "managers": 4, "output_register": True},
}


@pytest.mark.parametrize(
    ("name", "cycles"), long_by_night(["shared", "guarded"], MANAGED, 800, 2000)
)
@pytest.mark.parametrize("kind", nightly_but([NodeShape], [MeshNodeShape, NodeShape]))
def test_set_up_by_managers(kind: type[NodeShape], name: str, cycles: int) -> None:
    options = {"managers": 2, **MANAGED[name]}
    if kind is MeshNodeShape:
        options |= {"width": 4, "height": 2}
    else:
        options |= {"links": 3, "own": False, "routing": "table", "routers": 7, "registers": 0}
    run(kind(**options), 1, cycles)


INTERFACES: dict[str, dict[str, Any]] = {
    "messages alone": {"channels": 0, "data_bits": 3, "operations": "bitwise"},
    "own": {},
    "own, guarded": {"check_bits": 4, "link_registers": 2},
    "own, managers": {"managers": 2, "channels": 2, "buffer_flits": 1},
    "shared": {"message_links": "shared", "data_bits": 16, "operations": "all", "flit_bits": 16},
    "shared, managers": {"message_links": "shared", "managers": 3, "channels": 4},
    "shared, keys": {"message_links": "shared", "data_bits": 7, "operations": "all", "key_bits": 8},
    "own, keys": {"data_bits": 2, "operations": "bitwise", "key_bits": 4},
    "shared, managers, guarded": {"message_links": "shared", "managers": 1, "check_bits": 7},
}


@pytest.mark.parametrize(
    ("name", "cycles"),
    long_by_night(["own, guarded", "shared, managers", "shared, keys"], INTERFACES, 600, 1500),
)
def test_a_node_interface(name: str, cycles: int) -> None:
    """With several numbers of registers."""
    options = {"links": 2, "own": False, "routing": "source", **INTERFACES[name]}
    if not options.get("channels", 1):
        options["message_links"] = "own"
    elif options.get("managers"):
        options |= {"routing": "table", "routers": 6}
    shape, seen = NodeShape(**options), Counter[str]()
    for seed in range(3):
        seen += run_interface(shape, 1 + 5 * seed, seed, cycles)
    wanted = {"message", "released", "answered", "reset"}
    wanted |= {"flit", "eject"} if shape.channels else set()
    assert seen.keys() >= wanted | ({"request"} if shape.managers else set())
