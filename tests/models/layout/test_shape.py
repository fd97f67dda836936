"""What the keys of a node refuse, and the stages that they ask for."""

from typing import Any

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.layout.shape import EngineShape, NodeShape
from syncfabric.models.networks.kinds import MeshNodeShape

TABLE: dict[str, Any] = {"links": 3, "routing": "table", "routers": 8}
SHARED: dict[str, Any] = {"wires": 1, "streams": 1, "stream_links": "shared"}

REFUSED: list[tuple[type[EngineShape], dict[str, Any], str]] = [
    (EngineShape, {"links": 16}, "links must be at most 15 with own, not 16"),
    (
        EngineShape,
        {"links": 4, "data_bits": 3},
        "operations 'none' do not go with data_bits 3;"
        " 'none' goes with 0 data_bits, and 'bitwise' or 'all' with 1 and more",
    ),
    (
        EngineShape,
        {"links": 4, "groups": 33, "engine_stages": 3},
        "engine_stages must be at least 4 here, not 3; leave it out for the least",
    ),
    (
        EngineShape,
        {"links": 4, "engine_stages": 3, "watchdog": 10},
        "watchdog must be 0, or at least 11 cycles here, not 10:"
        " visits would leave no room for arrivals",
    ),
    (
        NodeShape,
        {"links": 1, "own": False},
        "channels must be 0 with a single port, not 1; a router of packets needs 2 ports",
    ),
    (
        NodeShape,
        {"links": 4, "channels": 0, "message_links": "shared"},
        "message_links 'shared' needs packets; take 'own', or channels of 1 and more",
    ),
    (
        NodeShape,
        {"links": 4, "transport": "routed"},
        "transport 'routed' needs a mesh or torus with channels and routing 'dimension', not"
        " 1 channels and"
        " 'source'; take transport 'link'",
    ),
    (
        MeshNodeShape,
        {"channels": 0, "transport": "routed"},
        "transport 'routed' needs a mesh or torus with channels and routing 'dimension', not"
        " 0 channels and"
        " 'dimension'; take transport 'link'",
    ),
    (
        MeshNodeShape,
        {"groups": 33, "transport": "routed"},
        "groups must be at most 32 with transport 'routed', not 33; take transport 'link' for more",
    ),
    (
        NodeShape,
        {"links": 4, "routing": "dimension"},
        "routing 'dimension' needs sides of a mesh or torus; take 'table' or 'source'",
    ),
    (
        NodeShape,
        {"links": 4, "routing": "adaptive", "channels": 2},
        "routing 'adaptive' needs sides of a mesh or torus; take 'table' or 'source'",
    ),
    (
        NodeShape,
        {"links": 4, "routing": "adaptive", "sides": (4, 4)},
        "channels must be at least 2 with routing 'adaptive' here, not 1: packets go by dimension"
        " order in channel 0, and adapt in those above",
    ),
    (
        NodeShape,
        {"links": 4, "routing": "adaptive", "sides": (4, 4), "channels": 2, "datelines": True},
        "channels must be at least 3 with routing 'adaptive' here, not 2: packets go by dimension"
        " order in channels 0 and 1, and adapt in those above",
    ),
    (
        NodeShape,
        {"links": 3, "routing": "dimension", "sides": (4, 4)},
        "links must be at least 4 with sides (4, 4), not 3",
    ),
    (
        NodeShape,
        {**TABLE, "groups": 2, "managers": 3},
        "groups must be at least 4 with 3 managers, not 2: each has a share of a router's entries",
    ),
    (
        NodeShape,
        {**TABLE, "routers": 0},
        "routers must be 1 and more with routing 'table', not 0; they are what the table leads to",
    ),
    (
        NodeShape,
        {**TABLE, "routing": "source"},
        "routers must be 0 with routing 'source', not 8; only routing 'table' has a table",
    ),
    (
        MeshNodeShape,
        {"width": 1024, "height": 257, "flit_bits": 18},
        "flit_bits must be at least 19 here, not 18: a header holds the destination's coordinates",
    ),
    (
        NodeShape,
        {**TABLE, "own": False, "registers": 2},
        "registers must be 0 without own, not 2; a node port belongs to the router's own process",
    ),
    (
        NodeShape,
        {**TABLE, "groups": 3, "registers": 5},
        "registers must be at most 4 with 3 groups, not 5",
    ),
    (
        NodeShape,
        {**SHARED, "links": 4, "channels": 0},
        "stream_links 'shared' needs packets; take 'own', or channels of 1 and more",
    ),
    (
        NodeShape,
        {**SHARED, "links": 4, "stream_bits": 256},
        "stream_bits must be at most 128 with stream_links 'shared', not 256; take stream_links"
        " 'own' for more",
    ),
    (
        MeshNodeShape,
        {**SHARED, "check_bits": 8, "stream_bits": 128},
        "stream_bits must be at most 64 with stream_links 'shared' and check_bits, not 128; take"
        " stream_links 'own' for more",
    ),
    *(
        (
            MeshNodeShape,
            {**SHARED, **messages},
            "stream_links 'shared' does not go with messages on the same links: neither can wait;"
            " take message_links 'own' and transport 'link', or stream_links 'own'",
        )
        for messages in ({"message_links": "shared"}, {"transport": "routed"})
    ),
]


def test_links_that_no_stream_shares_may_be_like_any() -> None:
    NodeShape(links=4, channels=0, stream_links="shared", message_links="own", stream_bits=512)


@pytest.mark.parametrize(("kind", "options", "text"), REFUSED)
def test_refused_with_value_reason_and_remedy(
    kind: type[EngineShape], options: dict[str, Any], text: str
) -> None:
    with pytest.raises(SpecError) as refusal:
        kind(**options)
    assert str(refusal.value) == text


@pytest.mark.parametrize(
    ("options", "stages"),
    [
        ({}, 1),
        ({"data_bits": 8, "operations": "bitwise"}, 1),
        ({"data_bits": 5, "operations": "all"}, 3),
        ({"message_links": "shared"}, 2),
        ({"check_bits": 1}, 2),
        ({"transport": "routed"}, 2),
        ({"data_bits": 9, "operations": "bitwise", "check_bits": 8}, 3),
        ({"groups": 33}, 4),
        ({"engine_stages": 4}, 4),
    ],
)
def test_least_stages(options: dict[str, Any], stages: int) -> None:
    assert MeshNodeShape(**options).stages == stages


def test_what_routed_messages_share() -> None:
    shape = MeshNodeShape(transport="routed", width=5, height=2)
    assert (shape.shared, shape.options["shared"]) == (True, True)
    assert shape.layout.place_bits == (3, 1)
    assert not MeshNodeShape(width=5).layout.routed
