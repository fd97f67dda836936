"""Networks built from Python keep the same rules as network files."""

from typing import Any

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.layout.slots import MOST_SLOTS
from syncfabric.models.networks.spec import GroupSpec, NetworkSpec
from tests.models.networks.irregulars import LINKS, NODES, chain
from tests.models.networks.specs import mesh, static

RANGES = {
    "mesh": {
        **{"width": (1, 1024), "height": (1, 1024), "flit_bits": (16, 128), "data_bits": (0, 32)},
        **{"buffer_flits": (1, 40), "groups": (1, 256), "wires": (0, MOST_SLOTS)},
        **{
            "engine_stages": (0, 4),
            "channels": (0, 4),
            "link_registers": (0, 15),
        },
        **{"check_bits": (0, 8), "key_bits": (0, 16), "watchdog": (0, 65535)},
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
