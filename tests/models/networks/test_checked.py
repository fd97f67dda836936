"""Keys of check bits and of the watchdog: what they make, and what they go with."""

import re
from typing import Any

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks import reader
from syncfabric.models.networks.schema import file_schema
from syncfabric.models.networks.spec import IrregularSpec, MeshSpec, NetworkSpec
from tests.models.networks.irregulars import chain


def mesh(**keys: Any) -> MeshSpec:
    return MeshSpec(**{"kind": "mesh", "width": 8, "height": 8, **keys})


def local(**keys: Any) -> IrregularSpec:
    return chain(**{"setup": "local", **keys})


def refused(message: str, make: Any, **keys: Any) -> None:
    with pytest.raises(SpecError, match=f"^{re.escape(message)}$"):
        make(**keys)


@pytest.mark.parametrize("make", [mesh, local, chain])
def test_a_guarded_link_has_a_wider_flit(make: Any) -> None:
    plain, guarded = make(), make(check_bits=8)
    assert (plain.guarded, guarded.guarded) == (False, True)
    assert guarded.layout.flit.width == plain.layout.flit.width + 1
    assert guarded.layout.flit.offsets["cut"] == plain.layout.flit.width
    assert "cut" not in plain.layout.flit.offsets


@pytest.mark.parametrize("make", [mesh, local, chain])
def test_who_is_watched(make: Any) -> None:
    assert not make().watched
    for wires in (0, 2):
        watched = make(watchdog=9, wires=wires)
        assert watched.watched
        assert watched.shape.router.watchdog == 9


def test_messages_alone_can_be_checked() -> None:
    assert mesh(check_bits=4, channels=0).guarded


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("check_bits = 9", "network: check_bits must be 0 to 8, not 9"),
        ("check_bits = -1", "network: check_bits must be 0 to 8, not -1"),
        ("check_bits = true", "network: check_bits must be a whole number, not true"),
        ('check_bits = "8"', 'network: check_bits must be a whole number, not "8"'),
        ("watchdog = 65536", "network: watchdog must be 0 to 65535, not 65536"),
        ("watchdog = 0.5", "network: watchdog must be a whole number, not 0.5"),
        ("check_bit = 8", 'network: unknown key "check_bit"; did you mean "check_bits"?'),
    ],
)
def test_bad_keys(line: str, message: str) -> None:
    text = f'name = "n"\n[network]\nkind = "mesh"\nwidth = 4\nheight = 4\n{line}\n'
    with pytest.raises(SpecError, match=f"^{re.escape(message)}$"):
        reader.loads(text)


def test_files_ask_for_checks() -> None:
    text = 'name = "n"\n[network]\nkind = "mesh"\nwidth = 4\nheight = 4\n'
    network = reader.loads(f"{text}check_bits = 8\nwatchdog = 1000\n").message_network
    assert (network.check_bits, network.watchdog) == (8, 1000)
    for table in ("MeshSpec", "IrregularTable"):
        properties = file_schema()["$defs"][table]["properties"]
        assert (properties["check_bits"]["minimum"], properties["check_bits"]["maximum"]) == (0, 8)


def test_json_round_trip() -> None:
    for made in (mesh(check_bits=8, watchdog=20), local(check_bits=3, watchdog=70)):
        spec = NetworkSpec(name="n", network=made, groups=())
        assert NetworkSpec.model_validate_json(spec.model_dump_json()) == spec
