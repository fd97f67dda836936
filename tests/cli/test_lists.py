"""``syncfabric networks``, ``syncfabric schema`` and ``syncfabric synth --list``."""

import json
import re
import tomllib
from pathlib import Path

from jsonschema import Draft202012Validator

from syncfabric.fpga.blocks import BLOCKS
from syncfabric.models.networks import reader
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
    told = dict(line.split(maxsplit=1) for line in lines)
    assert told.keys() == BLOCKS.keys()
    for words in told.values():
        assert re.fullmatch(r"[A-Z8].{30,}\.", words)
        assert "the same" not in words
        assert set(re.findall(r" as ([\w-]+)", words)) <= BLOCKS.keys()
    assert len({line.index(words) for line, words in zip(lines, told.values(), strict=True)}) == 1


def test_blocks_as_json(call: Call) -> None:
    found = json.loads(call("synth", "--list", "--json").stdout)
    assert found == {name: block.about for name, block in BLOCKS.items()}
