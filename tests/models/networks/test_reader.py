"""Reading network files, ready-made and others."""

import random
import re
from pathlib import Path

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks import reader
from syncfabric.models.networks.mesh import Mesh

READY = [
    "demo",
    "fig1",
    "mesh-2x2",
    "mesh-4x4",
    "mesh-5x3",
    "mesh-8x8",
    "mesh-16x16",
    "mesh-32x32",
    "own-links",
    "paper-route",
    "reduce-4x4",
    "row-1x8",
    "spill-4x4",
    "two-channels",
]


def test_ready_made_networks_are_listed_with_a_description() -> None:
    found = reader.ready_made()
    assert list(found) == READY
    assert found["mesh-8x8"] == "All nodes of an 8x8 mesh"
    assert all(line and "\n" not in line for line in found.values())


@pytest.mark.parametrize("name", READY)
def test_ready_made_networks_load_under_their_own_name(name: str) -> None:
    spec = reader.load(name)
    assert spec.name == name
    assert spec.groups


def test_demo_has_the_three_groups() -> None:
    one, two, three = reader.load("demo").groups
    assert one.members == reader.load("fig1").groups[0].members
    assert len(one.members) == 14
    assert list(two.members) == Mesh(8, 8).nodes
    assert list(three.members) == random.Random(7).sample(Mesh(8, 8).nodes, 16)
    assert [group.id for group in (one, two, three)] == [1, 2, 3]


def test_a_path_is_read_and_is_not_taken_for_a_name(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\n[network]\nkind = "mesh"\nwidth = 2\nheight = 3\n')
    spec = reader.load(path)
    assert spec.name == "mine"
    assert spec.groups == ()
    assert reader.load(str(path)) == spec


def test_an_unknown_network_is_refused_with_the_nearest() -> None:
    message = '"fig2" is neither a network file nor a ready-made network; did you mean "fig1"?'
    with pytest.raises(SpecError, match=f"^{re.escape(message)}$"):
        reader.load("fig2")


def test_a_folder_and_a_binary_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=f"^{re.escape(str(tmp_path))}: cannot be read: Is a dir"):
        reader.load(tmp_path)
    path = tmp_path / "a.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(SpecError, match=f"^{re.escape(str(path))}: not a text file in UTF-8$"):
        reader.load(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('name = "a"\nwidth = = 3\n', "net.toml: line 2, column 9: not TOML: invalid value"),
        (
            "name = 1\nname = 2\n",
            "net.toml: line 2, column 9: not TOML: cannot overwrite a value",
        ),
        (
            "[network",
            "net.toml: line 1, column 9: not TOML: expected ']' at the end of a table declaration",
        ),
        ("x = ", "net.toml: line 1, column 5: not TOML: invalid value"),
    ],
)
def test_malformed_toml_is_refused_with_line_and_column(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=f"^{re.escape(message)}$"):
        reader.loads(text, source="net.toml")
