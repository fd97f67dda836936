"""Networks built from Python keep the same rules as network files."""

from typing import Any

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.layout.flit import table_header
from syncfabric.models.layout.slots import MOST_SLOTS
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.spec import GroupSpec, MeshSpec, NetworkSpec, StaticSpec
from syncfabric.models.planning.updown import MOST_ROUTED
from tests.models.networks.irregulars import LINKS, NODES, chain


def mesh(**changes: Any) -> MeshSpec:
    return MeshSpec(**{"kind": "mesh", "width": 8, "height": 8, **changes})


def static(**changes: Any) -> StaticSpec:
    return StaticSpec(**{"kind": "static", "width": 4, "height": 4, **changes})


COMMON: dict[str, Any] = {
    "transport": "link",
    "groups": 16,
    "wires": 0,
    "streams": 0,
    "stream_bits": 32,
    "stream_operations": ("add",),
    "stream_join": "tree",
    "stream_links": "own",
    "offload": None,
    "port_registers": 16,
    "message_links": "own",
    "data_bits": 4,
    "operations": "bitwise",
    "engine_stages": 0,
    "flit_bits": 32,
    "buffer_flits": 4,
    "channels": 1,
    "output_register": False,
    "link_registers": 0,
    "check_bits": 0,
    "key_bits": 0,
    "watchdog": 0,
    "counters": True,
    "read_back": True,
    "clock_enables": False,
    "managers": (),
}
"""Defaults of keys that meshes and irregular networks share (docs/network-files.md)."""


def test_defaults_are_those_of_the_table() -> None:
    assert mesh().model_dump() == {
        "kind": "mesh",
        "width": 8,
        "height": 8,
        **COMMON,
        "setup": "local",
    }
    assert mesh().topology == Mesh(8, 8)


RANGES = {
    "mesh": {
        **{"width": (1, 1024), "height": (1, 1024), "flit_bits": (16, 128), "data_bits": (0, 32)},
        **{"buffer_flits": (1, 40), "groups": (1, 256), "wires": (0, MOST_SLOTS)},
        **{
            "engine_stages": (0, 4),
            "channels": (0, 4),
            "link_registers": (0, 15),
        },
        **{"check_bits": (0, 8), "key_bits": (0, 8), "watchdog": (0, 65535)},
    },
    "irregular": {"ports": (2, 16), "groups": (1, 256)},
    "static": {
        **{"width": (1, 1024), "height": (1, 1024), "flit_bits": (1, 128)},
        **dict.fromkeys(("switch_buffer", "core_buffer", "injection_buffer"), (1, 16)),
        "watchdog": (0, 65535),
    },
}
"""The least and the most of each key, where a network with it can be built."""


@pytest.mark.parametrize(("kind", "key"), [(kind, key) for kind in RANGES for key in RANGES[kind]])
def test_ranges(kind: str, key: str) -> None:
    low, high = RANGES[kind][key]
    made: dict[str, tuple[Any, dict[str, Any]]] = {
        "mesh": (mesh, {"width": 2, "height": 2, "data_bits": 0, "flit_bits": 128}),
        "irregular": (chain, {"switches": 2, "links": LINKS[:1], "nodes": NODES[:1]}),
        "static": (static, {}),
    }
    make, small = made[kind]
    for value in (low, high):
        assert getattr(make(**{**small, key: value}), key) == value
    for value in (low - 1, high + 1):
        rule = rf"^network: {key} must be {low} to {high}, not {value}$"
        with pytest.raises(SpecError, match=rule):
            make(**{key: value})


def test_specs_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        mesh().width = 3


def test_a_flit_must_hold_the_header() -> None:
    """Column and row of a mesh; messages have wires as wide as they are, and need no flit."""
    assert mesh(flit_bits=16, data_bits=32, message_links="shared").flit_bits == 16
    rule = (
        r"^network: flit_bits must be at least 20 here, not 16: a header holds the destination's "
        r"coordinates$"
    )
    with pytest.raises(SpecError, match=rule):
        mesh(width=1024, height=1024, flit_bits=16)
    assert mesh(width=1024, height=1024, flit_bits=20).flit_bits == 20


def test_defaults_of_an_irregular_network() -> None:
    assert chain().model_dump() == {
        "kind": "irregular",
        "ports": 4,
        "switches": 3,
        "links": LINKS,
        "nodes": NODES,
        "tables": None,
        "datelines": (),
        "routing": "table",
        **COMMON,
        "setup": "manager",
        "notes": (),
    }
    assert chain().topology.across(2, 0) == (1, 1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"nodes": ()}, r"nodes is empty; name at least one \[switch, port\]"),
        (
            {"nodes": ((0, 0), (2, 1))},
            r"port 0 of switch 0 is used twice, by link \[\[0, 0\], \[1, 0\]\] and node \[0, 0\]; "
            r"give each a port of its own",
        ),
        (
            {"links": (*LINKS, ((1, 0), (2, 2)))},
            r"port 0 of switch 1 is used twice, by link \[\[0, 0\], \[1, 0\]\] and link "
            r"\[\[1, 0\], \[2, 2\]\]; give each a port of its own",
        ),
        (
            {"links": (*LINKS, LINKS[0])},
            r"link \[\[0, 0\], \[1, 0\]\] is listed twice; list it once",
        ),
        ({"nodes": ((2, 1), (2, 1))}, r"node \[2, 1\] is listed twice; list it once"),
        (
            {"links": (*LINKS, ((1, 2), (1, 3)))},
            r"link \[\[1, 2\], \[1, 3\]\] leads from switch 1 to itself; link two switches",
        ),
        (
            {"links": (*LINKS, ((1, 2), (3, 0)))},
            r"link \[\[1, 2\], \[3, 0\]\]: there is no switch 3; switches must be 0\.\.2",
        ),
        (
            {"links": (), "switches": 1},
            r"node \[2, 1\]: there is no switch 2; switches must be 0",
        ),
        ({"nodes": ((0, 4),)}, r"node \[0, 4\]: switch 0 has no port 4; ports must be 0\.\.3"),
        ({"nodes": ((0, 10**30),)}, r"node .*: switch 0 has no port 10{30}; ports must be 0\.\.3"),
        (
            {"links": LINKS[:1]},
            r"the switches are not connected: 2 parts have no link between them \(2 switches: 0, "
            r"1; 1 switch: 2\); link every part to another",
        ),
        (
            {"switches": 10, "links": (*LINKS, ((2, 2), (3, 0)), ((3, 1), (7, 0)))},
            r"the switches are not connected: 6 parts have no link between them \(5 switches: 0, "
            r"1, 2, 3, …; 1 switch: 4; 1 switch: 5; 1 switch: 6; 2 more\); link every part to "
            r"another",
        ),
        (
            {"datelines": ((0, 1),), "channels": 2, "setup": "local"},
            r"dateline \[0, 1\] is not at a link; name the \[switch, port\] by which packets leave "
            r"for another switch",
        ),
        (
            {"datelines": ((0, 0), (1, 1), (0, 0)), "channels": 2, "setup": "local"},
            r"dateline \[0, 0\] is listed twice; list it once",
        ),
        (
            {"datelines": ((0, 0),), "channels": 3},
            r"channels = 3 does not go with datelines, .*; set channels = 2 or 4",
        ),
        (
            {"tables": ((-1, 0, 0), (0, -1, 1))},
            r"tables must have 3 rows of 3 ports, one for each switch",
        ),
        (
            {"tables": ((-1, 0, 0), (0, -1, 1), (0, 0, 0))},
            r"tables: switch 2 needs no port to itself; write -1",
        ),
        (
            {"tables": ((-1, 0, 1), (0, -1, 1), (0, 0, -1))},
            r"tables: switch 0 sends packets for switch 2 by port 1, which leads to no switch; its "
            r"ports that do are 0",
        ),
        (
            {"tables": ((-1, 0, -1), (0, -1, 1), (0, 0, -1))},
            r"tables: switch 0 sends packets for switch 2 by port -1, which leads to no switch; .*",
        ),
    ],
)
def test_an_irregular_network_must_be_sound(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError, match=f"^network: {message}$"):
        chain(**changes)


def test_the_narrowest_flit_holds_the_widest_header() -> None:
    """Of as many routers as can be routed, with as many ports as there can be."""
    header = table_header(MOST_ROUTED, 16)
    assert header.offsets["reply"] == 16
    assert chain(setup="local", flit_bits=16).flit_bits == 16


def test_defaults_of_a_static_network() -> None:
    assert static().model_dump() == {
        "kind": "static",
        "width": 4,
        "height": 4,
        "flit_bits": 1,
        "data_bits": 0,
        "switch_buffer": 2,
        "core_buffer": 2,
        "injection_buffer": 2,
        "watchdog": 0,
    }
    assert static().topology == Mesh(4, 4)
    assert (static().port_registers, static().managed) == (1, False)


TABLES = ((-1, 0, 0), (0, -1, 1), (0, 0, -1))
DATELINES: dict[str, Any] = {"datelines": ((1, 1),), "channels": 2, "setup": "local"}


@pytest.mark.parametrize(
    ("network", "members", "planner"),
    [
        (mesh(check_bits=8, watchdog=20), ((0, 0), (3, 4)), "shortest"),
        (static(core_buffer=3), ((0, 0), (3, 3)), "ring"),
        (chain(tables=TABLES, notes=("by hand",), **DATELINES), ((2, 1), (0, 2)), "updown"),
    ],
)
def test_a_network_can_be_written_and_read(network: Any, members: Any, planner: str) -> None:
    group = GroupSpec(id=1, members=members, planner=planner)
    spec = NetworkSpec(name="two-nodes", network=network, groups=(group,))
    assert NetworkSpec.model_validate_json(spec.model_dump_json()) == spec
    assert NetworkSpec(**spec.model_dump(mode="json")) == spec
    assert spec.module == "two_nodes"


def test_a_static_network_has_no_messages() -> None:
    groups = (GroupSpec(id=0, members=((1, 0), (3, 2))),)
    spec = NetworkSpec(name="r", network=static(), groups=groups)
    assert spec.groups[0].planner == "ring"
    with pytest.raises(SpecError, match=r"^r is static, and has neither packets nor engines; take"):
        _ = spec.message_network


@pytest.mark.parametrize("make", [mesh, chain])
def test_guards_and_watchdogs(make: Any) -> None:
    """A guarded link has a wider flit."""
    plain, checked = make(), make(check_bits=8, watchdog=100, wires=2)
    assert (plain.guarded, plain.watched) == (False, False)
    assert checked.guarded
    assert checked.watched
    assert checked.shape.router.watchdog == 100
    assert checked.layout.flit.width == plain.layout.flit.width + 1
    assert checked.layout.flit.offsets["cut"] == plain.layout.flit.width
    assert "cut" not in plain.layout.flit.offsets
    assert make(check_bits=4, channels=0, setup="local").guarded


def test_the_first_node_is_the_manager_where_none_is_named() -> None:
    assert chain().manager_nodes == (NODES[0],)
    assert chain(managers=((2, 1), (0, 2))).manager_nodes == ((2, 1), (0, 2))
    assert chain(setup="local").manager_nodes == mesh().manager_nodes == ()
    assert mesh(setup="manager").manager_nodes == ((0, 0),)


def test_a_group_takes_the_planner_of_the_networks_kind() -> None:
    on_mesh = GroupSpec(id=1, members=((0, 0),))
    on_chain = GroupSpec(id=1, members=((0, 1),))
    for network, group, default in (
        (mesh(), on_mesh, "shortest"),
        (mesh(transport="routed"), on_mesh, "btm"),
        (mesh(wires=1), on_mesh, "wires"),
        (mesh(transport="routed", wires=1), on_mesh, "wires"),
        (chain(), on_chain, "shortest"),
        (chain(wires=1), on_chain, "wires"),
    ):
        spec = NetworkSpec(name="n", network=network, groups=(group,))
        assert spec.groups[0].planner == default
    for planner in ("shortest", "btin", "updown"):
        named = GroupSpec(id=1, members=((0, 1),), planner=planner)
        assert NetworkSpec(name="n", network=chain(wires=1), groups=(named,)).groups == (named,)
    for wrong, rule in (
        ("wires", r'^group 1: planner "wires" needs slots of barrier wires; set wires to 1 or mo'),
        ("cs", r'^group 1: planner "cs" is for transport = "routed"; set it in \[network\], or pl'),
    ):
        named = GroupSpec(id=1, members=((0, 1),), planner=wrong)
        with pytest.raises(SpecError, match=rule):
            NetworkSpec(name="n", network=chain(), groups=(named,))
    bare = GroupSpec(id=1, members=((1, 0),))
    with pytest.raises(SpecError, match=r"^group 1: member \(1, 0\) is not a node; "):
        NetworkSpec(name="n", network=chain(), groups=(bare,))
