"""The file's tables, and the JSON Schema made from them."""

import tomllib
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from syncfabric.models.networks import reader
from syncfabric.models.networks.explain import REMOVED, RENAMED
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.schema import GroupTable, file_schema

MESH = {"kind": "mesh", "width": 2, "height": 2}
CHAIN = {"kind": "irregular", "ports": 4, "links": [[[0, 0], [1, 0]]], "nodes": [[0, 1]]}
RANDOM = {"switches": 3, "nodes": 3, "connectivity": 1, "seed": 1}
DRAWN = {"kind": "irregular", "ports": 4, "random": RANDOM}
NAMED = {"kind": "irregular", "topology": "torus-4x4"}
STATIC = {"kind": "static", "width": 4, "height": 4}


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    return file_schema()


@pytest.fixture(scope="module")
def validator(schema: dict[str, Any]) -> Draft202012Validator:
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.mark.parametrize("name", reader.ready_made())
def test_ready_made_files_keep_the_schema(validator: Draft202012Validator, name: str) -> None:
    text = (reader.LIBRARY / f"{name}.toml").read_text(encoding="utf-8")
    validator.validate(tomllib.loads(text))


@pytest.mark.parametrize("network", [MESH, CHAIN, NAMED | {"nodes_per_switch": 2}])
def test_the_schema_knows_wires(validator: Draft202012Validator, network: dict[str, Any]) -> None:
    group = {"id": 1, "members": "all", "planner": "wires"}
    wires = {"wires": 2, "channels": 0, "check_bits": 4, "watchdog": 100}
    validator.validate({"name": "a", "network": network | wires, "group": [group]})
    with pytest.raises(ValidationError):
        validator.validate({"name": "a", "network": STATIC, "group": [group]})
    with pytest.raises(ValidationError):
        validator.validate({"name": "a", "network": network | {"wires": "shared"}})


@pytest.mark.parametrize(
    "data",
    [
        {"name": "a"},
        {"name": "1", "network": MESH},
        {"name": "a", "network": MESH | {"width": 0}},
        {"name": "a", "network": MESH | {"colour": 1}},
        {"name": "a", "network": MESH, "group": [{"id": 1}]},
        {"name": "a", "network": MESH, "group": [{"id": 1, "members": "some"}]},
        {"name": "a", "network": MESH, "group": [{"id": 1, "members": {"random": 2}}]},
        {"name": "a", "network": MESH, "group": [{"id": 1, "members": [[1, 2, 3]]}]},
        {"name": "a", "network": MESH | {"ports": 4}},
        {"name": "a", "network": MESH, "group": [{"id": 1, "members": "all", "planner": "btn"}]},
        {"name": "a", "network": CHAIN, "group": [{"id": 1, "members": "all", "planner": "btm"}]},
        {"name": "a", "network": CHAIN | {"width": 3}},
        {"name": "a", "network": CHAIN | {"ports": 17}},
        {"name": "a", "network": CHAIN | {"links": [[[0, 0]]]}},
        {"name": "a", "network": CHAIN | {"graph": "net.txt"}},
        {"name": "a", "network": CHAIN | {"random": RANDOM}},
        {"name": "a", "network": {"kind": "irregular", "ports": 4}},
        {"name": "a", "network": {"kind": "irregular", "ports": 4, "nodes": [[0, 0]]}},
        {"name": "a", "network": {**DRAWN, "switches": 3}},
        {"name": "a", "network": {**NAMED, "nodes": [[0, 4]]}},
        {"name": "a", "network": {**NAMED, "nodes_per_switch": 16}},
        {"name": "a", "network": CHAIN | {"nodes_per_switch": 1}},
        {"name": "a", "network": {"kind": "irregular", "random": RANDOM}},
        {"name": "a", "network": {**DRAWN, "random": RANDOM | {"connectivity": 2}}},
        {"name": "a", "network": {"kind": "static", "width": 4}},
        {"name": "a", "network": STATIC | {"buffer_flits": 2}},
        {"name": "a", "network": STATIC | {"setup": "local"}},
        {"name": "a", "network": STATIC | {"core_buffer": 0}},
        {"name": "a", "network": STATIC | {"switch_buffer": 17}},
        {"name": "a", "network": STATIC | {"data_bits": 1}},
        {"name": "a", "network": MESH | {"injection_buffer": 2}},
        {"name": "a", "network": STATIC, "group": [{"id": 1, "members": "all", "planner": "btm"}]},
        {"name": "a", "network": STATIC, "group": [{"id": 1, "members": "all", "op": "and"}]},
        {"name": "a", "network": MESH, "group": [{"id": 1, "members": "all", "planner": "ring"}]},
    ],
)
def test_the_schema_refuses(validator: Draft202012Validator, data: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        validator.validate(data)


@pytest.mark.parametrize("network", [MESH, CHAIN, NAMED | {"nodes_per_switch": 2}])
@pytest.mark.parametrize("key", [*REMOVED, *RENAMED])
def test_keys_of_earlier_editions_are_refused(
    validator: Draft202012Validator, network: dict[str, Any], key: str
) -> None:
    """Of the schema and the reader alike; what the reader says is in test_explain."""
    with pytest.raises(ValidationError):
        validator.validate({"name": "a", "network": network | {key: 1}})


@pytest.mark.parametrize(
    "network",
    [
        CHAIN,
        DRAWN,
        CHAIN | {"switches": 2, "tables": "t.csv", "datelines": [[0, 0]]},
        {
            "kind": "irregular",
            "ports": 4,
            "graph": "net.txt",
            "routing": "source",
            "setup": "local",
        },
    ],
)
def test_the_schema_takes_every_form_of_links(
    validator: Draft202012Validator, network: dict[str, Any]
) -> None:
    group = {"id": 1, "members": "all", "planner": "updown"}
    validator.validate({"name": "a", "network": network, "group": [group]})


def test_the_schema_takes_static_networks(validator: Draft202012Validator) -> None:
    keys = ("flit_bits", "switch_buffer", "core_buffer", "injection_buffer")
    group = {"id": 1, "members": {"random": 3, "seed": 1}, "planner": "tree", "op": "or"}
    others = {"id": 2, "members": [[0, 0]]}
    for network in (STATIC, STATIC | dict.fromkeys(keys, 16) | {"data_bits": 0}):
        validator.validate({"name": "a", "network": network, "group": [group, others]})


def test_the_schema_is_one(schema: dict[str, Any]) -> None:
    Draft202012Validator.check_schema(schema)


def test_every_key_is_described(schema: dict[str, Any]) -> None:
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    tables = [schema, *schema["$defs"].values()]
    for table in tables:
        for key, value in table["properties"].items():
            assert value.get("description"), key


def test_the_three_forms_of_members() -> None:
    mesh = Mesh(3, 2)
    forms: tuple[Any, ...] = ("all", {"random": 2, "seed": 1}, [[2, 1], [0, 0]])
    everyone, drawn, listed = (GroupTable(id=1, members=form).resolve(mesh) for form in forms)
    assert list(everyone.members) == mesh.nodes
    assert len(set(drawn.members)) == 2
    assert listed.members == ((2, 1), (0, 0))
