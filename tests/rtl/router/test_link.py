"""What the link between a node and its router carries."""

import pytest

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.router.link import FlitSignature


@pytest.mark.parametrize("channels", [1, 4])
@pytest.mark.parametrize("check_bits", [0, 8])
def test_local_link_has_ordinary_channels_only(channels: int, check_bits: int) -> None:
    spec = MeshSpec(kind="mesh", width=8, height=8, flit_bits=32, check_bits=check_bits)
    members = FlitSignature(channels, spec.flit_bits, cut=spec.guarded).members
    assert {name: member.flow.name for name, member in members.items()} == {
        "valid": "Out",
        "flit": "Out",
        "credit": "In",
    }
    assert members["valid"].shape == members["credit"].shape == channels
    # Head, tail, and with check bits whether the packet was cut.
    assert members["flit"].shape.size == 32 + 2 + (check_bits > 0)
