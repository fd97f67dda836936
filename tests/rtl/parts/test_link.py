"""What a link carries, under every option."""

import pytest

from syncfabric.models.messages import MeshLayout
from syncfabric.rtl.parts.link import LinkSignature, LocalLinkSignature

LAYOUT = MeshLayout(width=8, height=8, flit_bits=32, data_bits=4)


@pytest.mark.parametrize("channels", [1, 4])
def test_local_link_has_ordinary_channels_only(channels: int) -> None:
    members = LocalLinkSignature(LAYOUT, channels).members
    assert {name: member.flow.name for name, member in members.items()} == {
        "valid": "Out",
        "flit": "Out",
        "credit": "In",
    }
    assert members["valid"].shape == members["credit"].shape == channels
    assert members["flit"].shape.size == LAYOUT.flit.width == 34


@pytest.mark.parametrize("own", [False, True])
def test_link_between_routers_has_two_classes(own: bool) -> None:
    members = LinkSignature(LAYOUT, 2, own=own).members
    assert members["sync_valid"].shape == members["sync_credit"].shape == 2
    assert ("sync" in members) == own
    if own:
        assert members["sync"].shape.size == LAYOUT.sync.width
