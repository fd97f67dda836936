"""Networks built from Python keep the same rules as network files."""

from typing import Any

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.spec import GroupSpec, MeshSpec, NetworkSpec, StaticSpec
from tests.models.networks.irregulars import LINKS, NODES, chain


def mesh(**changes: Any) -> MeshSpec:
    return MeshSpec(**{"kind": "mesh", "width": 8, "height": 8, **changes})


def test_defaults_are_those_of_the_table() -> None:
    assert mesh().model_dump() == {
        "kind": "mesh",
        "width": 8,
        "height": 8,
        "flit_bits": 32,
        "data_bits": 4,
        "buffer_flits": 8,
        "channels": 1,
        "barrier_registers": 4,
        "barrier_pipeline": 1,
        "sync_links": "shared",
        "operations": "bitwise",
        "setup": "local",
        "managers": (),
        "sync": "messages",
        "link_registers": 0,
        "wires": "separate",
        "parity": False,
        "check_bits": 0,
        "watchdog": 0,
    }
    assert mesh().mesh == Mesh(8, 8)
    assert mesh().layout.sync.width == 23


@pytest.mark.parametrize(
    ("key", "low", "high"),
    [
        ("width", 1, 1024),
        ("height", 1, 1024),
        ("flit_bits", 16, 128),
        ("data_bits", 0, 32),
        ("buffer_flits", 1, 16),
        ("barrier_registers", 1, 64),
        ("barrier_pipeline", 0, 1),
    ],
)
def test_ranges(key: str, low: int, high: int) -> None:
    for value in (low, high):
        spec = mesh(**{"width": 2, "height": 2, "data_bits": 0, "flit_bits": 128, key: value})
        assert getattr(spec, key) == value
    for value in (low - 1, high + 1):
        rule = rf"^network: {key} must be {low} to {high}, not {value}$"
        with pytest.raises(SpecError, match=rule):
            mesh(**{key: value})


def test_a_spec_can_be_written_and_read() -> None:
    groups = (GroupSpec(id=1, members=((0, 0), (3, 4)), planner="shortest", op="and"),)
    spec = NetworkSpec(name="two-nodes", network=mesh(), groups=groups)
    assert NetworkSpec.model_validate_json(spec.model_dump_json()) == spec
    assert spec.module == "two_nodes"


def test_specs_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        mesh().width = 3


def test_a_member_on_a_one_wide_mesh_has_one_place_to_be() -> None:
    rule = r"^group 0: member \(1, 0\) is outside the 1x4 mesh; x must be 0$"
    group = GroupSpec(id=0, members=((1, 0),))
    with pytest.raises(SpecError, match=rule):
        NetworkSpec(name="n", network=mesh(width=1, height=4), groups=(group,))


def test_a_flit_must_hold_the_message() -> None:
    rule = (
        r"^network: flit_bits = 16 is too narrow for the synchronization message of a 8x8 mesh "
        r"with data_bits = 4; it needs at least 23$"
    )
    with pytest.raises(SpecError, match=rule):
        mesh(flit_bits=16)
    with pytest.raises(SpecError, match=r"it needs at least 37$"):
        mesh(width=1024, height=1024)


def test_defaults_of_an_irregular_network() -> None:
    assert chain().model_dump() == {
        "kind": "irregular",
        "ports": 4,
        "switches": 3,
        "links": LINKS,
        "nodes": NODES,
        "tables": None,
        "datelines": (),
        "flit_bits": 32,
        "data_bits": 6,
        "buffer_flits": 1,
        "channels": 1,
        "barrier_registers": 4,
        "cycles_per_hop": 2,
        "turnaround": "switch",
        "operations": "bitwise",
        "setup": "manager",
        "managers": (),
        "sync": "messages",
        "link_registers": 0,
        "wires": "separate",
        "parity": False,
        "check_bits": 0,
        "watchdog": 0,
        "notes": (),
    }
    assert chain().topology.across(2, 0) == (1, 1)
    assert chain().layout.sync.width == 18


@pytest.mark.parametrize(
    ("key", "low", "high"),
    [
        ("ports", 2, 16),
        ("flit_bits", 16, 128),
        ("data_bits", 0, 32),
        ("buffer_flits", 1, 16),
        ("barrier_registers", 1, 64),
        ("cycles_per_hop", 1, 2),
    ],
)
def test_ranges_of_an_irregular_network(key: str, low: int, high: int) -> None:
    pair: dict[str, Any] = {"switches": 2, "links": (((0, 0), (1, 0)),), "nodes": ((0, 1),)}
    pair |= {"data_bits": 0, "setup": "local"}
    for value in (low, high):
        assert getattr(chain(**{**pair, "flit_bits": 128, key: value}), key) == value
    for value in (low - 1, high + 1):
        rule = rf"^network: {key} must be {low} to {high}, not {value}$"
        with pytest.raises(SpecError, match=rule):
            chain(**{key: value})


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
            {"datelines": ((0, 1),), "channels": 2},
            r"dateline \[0, 1\] is not at a link; name the \[switch, port\] by which packets leave "
            r"for another switch",
        ),
        (
            {"datelines": ((0, 0), (1, 1), (0, 0)), "channels": 2},
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
        (
            {"flit_bits": 17},
            r"flit_bits = 17 is too narrow for the sync.* of 3 switches with data_bits = 6; it "
            r"needs at least 18",
        ),
    ],
)
def test_an_irregular_network_must_be_sound(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError, match=f"^network: {message}$"):
        chain(**changes)


def test_a_wide_header_needs_a_wide_flit() -> None:
    links = tuple(((s, 3), (s + 1, 0)) for s in range(1999))
    keys: dict[str, Any] = {"ports": 16, "switches": 2000, "links": links, "data_bits": 0}
    keys["setup"] = "local"
    with pytest.raises(SpecError, match=r"packet header of 2000 switches .* needs at least 17$"):
        chain(**keys, flit_bits=16)
    assert chain(**keys, flit_bits=17).layout.header.width == 17


def static(**changes: Any) -> StaticSpec:
    return StaticSpec(**{"kind": "static", "width": 4, "height": 4, **changes})


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
    assert (static().barrier_registers, static().managed) == (1, False)


@pytest.mark.parametrize(
    ("key", "low", "high"),
    [
        ("width", 1, 1024),
        ("height", 1, 1024),
        ("flit_bits", 1, 128),
        ("switch_buffer", 1, 16),
        ("core_buffer", 1, 16),
        ("injection_buffer", 1, 16),
        ("watchdog", 0, 65535),
    ],
)
def test_ranges_of_a_static_network(key: str, low: int, high: int) -> None:
    for value in (low, high):
        assert getattr(static(**{key: value}), key) == value
    for value in (low - 1, high + 1):
        rule = rf"^network: {key} must be {low} to {high}, not {value}$"
        with pytest.raises(SpecError, match=rule):
            static(**{key: value})


def test_a_static_network_can_be_written_and_read() -> None:
    groups = (
        GroupSpec(id=1, members=((0, 0), (3, 3)), planner="tree"),
        GroupSpec(id=0, members=((1, 0), (3, 2))),
    )
    spec = NetworkSpec(name="r", network=static(core_buffer=3), groups=groups)
    assert [group.planner for group in spec.groups] == ["tree", "ring"]
    assert NetworkSpec.model_validate_json(spec.model_dump_json()) == spec
    with pytest.raises(SpecError, match=r"^r is static, and has neither packets nor barrier reg"):
        _ = spec.register_network


@pytest.mark.parametrize("op", ["and", "xor", "max", "min", "sum"])
def test_a_barrier_of_a_static_network_combines_nothing(op: str) -> None:
    group = GroupSpec.model_validate({"id": 1, "members": ((0, 0), (1, 0)), "op": op})
    rule = f'^group 1: op = "{op}" has nothing to combine; '
    with pytest.raises(SpecError, match=rule):
        NetworkSpec(name="n", network=static(), groups=(group,))


def test_the_first_node_is_the_manager_where_none_is_named() -> None:
    assert chain().manager_nodes == (NODES[0],)
    assert chain(managers=((2, 1), (0, 2))).manager_nodes == ((2, 1), (0, 2))
    assert chain(setup="local").manager_nodes == mesh().manager_nodes == ()
    assert mesh(setup="manager").manager_nodes == ((0, 0),)


def test_an_irregular_network_can_be_written_and_read() -> None:
    tables = ((-1, 0, 0), (0, -1, 1), (0, 0, -1))
    keys: dict[str, Any] = {"datelines": ((1, 1),), "channels": 2, "setup": "local"}
    network = chain(tables=tables, notes=("made by hand",), **keys)
    group = GroupSpec(id=1, members=((2, 1), (0, 2)), planner="updown", op="and")
    spec = NetworkSpec(name="chain", network=network, groups=(group,))
    assert NetworkSpec.model_validate_json(spec.model_dump_json()) == spec
    assert NetworkSpec(**spec.model_dump(mode="json")) == spec


def test_a_group_takes_the_planner_of_the_networks_kind() -> None:
    on_mesh = GroupSpec(id=1, members=((0, 0),))
    on_chain = GroupSpec(id=1, members=((0, 1),))
    assert NetworkSpec(name="n", network=mesh(), groups=(on_mesh,)).groups[0].planner == "btm"
    assert NetworkSpec(name="n", network=chain(), groups=(on_chain,)).groups[0].planner == "btin"
    wrong = GroupSpec(id=1, members=((0, 1),), planner="shortest")
    with pytest.raises(SpecError, match=r'^group 1: planner must be "btin" or "updown", not "sho'):
        NetworkSpec(name="n", network=chain(), groups=(wrong,))
    bare = GroupSpec(id=1, members=((1, 0),))
    with pytest.raises(SpecError, match=r"^group 1: member \(1, 0\) is not a node; "):
        NetworkSpec(name="n", network=chain(), groups=(bare,))
