"""``syncfabric networks``, ``topologies``, ``schema`` and ``syncfabric synth --list``."""

import json
import re
import tomllib
from pathlib import Path

from jsonschema import Draft202012Validator

from syncfabric.fpga.blocks import BLOCKS
from syncfabric.models.collectives.files import topology_from_json
from syncfabric.models.collectives.library import MACHINES, named
from syncfabric.models.networks import reader
from syncfabric.models.networks.families import FAMILIES
from tests.cli.conftest import Call


def test_networks_are_listed_with_what_they_are(call: Call) -> None:
    lines = call("networks").stdout.splitlines()
    assert len(lines) == len(reader.ready_made())
    assert any(line.startswith("fig1 ") and "14 members" in line for line in lines)


def test_networks_as_json(call: Call) -> None:
    found = json.loads(call("networks", "--json").stdout)
    assert {entry["name"]: entry["description"] for entry in found} == reader.ready_made()


def test_every_ready_made_file_keeps_to_the_schema(call: Call) -> None:
    schema = json.loads(call("schema").stdout)
    Draft202012Validator.check_schema(schema)
    for path in Path(str(reader.LIBRARY)).glob("*.toml"):
        Draft202012Validator(schema).validate(tomllib.loads(path.read_text()))


def test_the_schema_of_results(call: Call) -> None:
    schema = json.loads(call("schema", "--results", "--json").stdout)
    Draft202012Validator.check_schema(schema)
    assert "verdict" in schema["properties"]


def test_every_block_is_described_by_itself(call: Call) -> None:
    lines = call("synth", "--list").stdout.splitlines()
    text = dict(line.split(maxsplit=1) for line in lines)
    assert text.keys() == BLOCKS.keys()
    for words in text.values():
        assert re.fullmatch(r"[A-Z8].{30,}\.", words)
        assert "the same" not in words
        assert set(re.findall(r" as ([\w-]+)", words)) <= BLOCKS.keys()
    assert len({line.index(words) for line, words in zip(lines, text.values(), strict=True)}) == 1


def test_blocks_as_json(call: Call) -> None:
    found = json.loads(call("synth", "--list", "--json").stdout)
    assert found == {name: block.about for name, block in BLOCKS.items()}


def test_every_family_is_listed_with_its_example(call: Call) -> None:
    lines = call("topologies").stdout.splitlines()
    assert lines[0].split()[:7] == [
        "example",
        "nodes",
        "switches",
        "channels",
        "degree",
        "diameter",
        "bisection",
    ]
    assert [line.split()[0] for line in lines[1:]] == [
        *(f.example for f in FAMILIES.values()),
        *MACHINES,
    ]
    shown = {line.split()[0]: line.split() for line in lines}
    assert shown["octagon-8"][1:7] == ["8", "0", "24", "3", "2", "8"]
    assert shown["mesh-4x4"][1:7] == ["16", "0", "48", "2-4", "6", "8"]


def test_the_list_as_json(call: Call) -> None:
    found = {entry["family"]: entry for entry in json.loads(call("topologies", "--json").stdout)}
    assert found.keys() == FAMILIES.keys() | MACHINES.keys()
    octagon = found["fat-octagon"]
    assert (octagon["nodes"], octagon["switches"], octagon["channels"]) == (16, 8, 56)
    assert (octagon["bisection"], octagon["bisection_exact"]) == (8, True)


def test_one_topology(call: Call) -> None:
    lines = call("topologies", "coated-mesh-2x2").stdout.splitlines()
    assert lines[0] == "coated-mesh-2x2"
    assert lines[1].split() == ["nodes", "8"]
    assert "  processor 0: 8" in lines
    assert "  switch 8: 0, 7, 9, 10" in lines
    assert "  node 0: 1, 2" in call("topologies", "ring-3").stdout.splitlines()


def test_one_topology_as_json(call: Call) -> None:
    found = json.loads(call("topologies", "ring-3", "--json").stdout)
    assert topology_from_json(found["topology"]) == named("ring-3")
    assert found["diameter"] == 1


def test_a_topology_from_a_file(call: Call, here: Path) -> None:
    (here / "mine.txt").write_text("a b\nb c\n")
    lines = call("topologies", "mine.txt").stdout.splitlines()
    assert lines[0] == "mine"
    assert "  node 1: 0, 2" in lines
