"""Networks built from Python keep the same rules as network files."""

from typing import Any

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.spec import GroupSpec, MeshSpec, NetworkSpec


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
        "spill": False,
        "barrier_pipeline": 1,
        "reduction_route": "reverse",
        "sync_links": "shared",
        "operations": "bitwise",
        "setup": "local",
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
        ("channels", 1, 4),
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
