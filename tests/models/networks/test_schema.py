"""The file's tables, and the JSON Schema made from them."""

import tomllib
from typing import Any

import jsonschema
import pytest

from syncfabric.models.networks import reader
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.schema import GroupTable, file_schema

MESH = {"kind": "mesh", "width": 2, "height": 2}


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    return file_schema()


@pytest.mark.parametrize("name", reader.ready_made())
def test_ready_made_files_keep_the_schema(schema: dict[str, Any], name: str) -> None:
    text = (reader.LIBRARY / f"{name}.toml").read_text(encoding="utf-8")
    jsonschema.validate(tomllib.loads(text), schema)


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
    ],
)
def test_the_schema_refuses(schema: dict[str, Any], data: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, schema)


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
