"""What a link carries, under every option."""

import pytest

from syncfabric.models.messages import MeshLayout
from syncfabric.models.networks.wires import WirePlane
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


@pytest.mark.parametrize(
    ("channels", "messages", "names"),
    [
        (2, True, {"valid", "flit", "credit", "sync_valid", "sync_credit", "wires"}),
        (1, False, {"valid", "flit", "credit", "wires"}),
        (0, False, {"wires"}),
    ],
)
def test_wires_are_one_word_beside_what_else_there_is(
    channels: int, messages: bool, names: set[str]
) -> None:
    plane = WirePlane(slots=3, data_bits=2, parity=True)
    members = LinkSignature(LAYOUT, channels, own=False, messages=messages, plane=plane).members
    assert set(members) == names
    assert members["wires"].shape == plane.link.width == 2 * 3 * (1 + 2) + 1
    assert members["wires"].flow.name == "Out"
