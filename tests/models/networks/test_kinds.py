"""Networks of engines built from Python: their flits, guards and watchdogs."""

from typing import Any

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.mesh import Mesh
from tests.models.networks.irregulars import chain
from tests.models.networks.specs import COMMON, mesh


def test_defaults_are_those_of_the_table() -> None:
    assert mesh().model_dump() == {
        "kind": "mesh",
        "width": 8,
        "height": 8,
        **COMMON,
        "setup": "local",
    }
    assert mesh().topology == Mesh(8, 8)


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
