"""Words of an engine whose messages are routed."""

from syncfabric.models.layout.engine import EngineLayout


def test_a_routed_name_says_where_its_receiver_is() -> None:
    plain, routed = EngineLayout(4, True, 8, 3, "all"), EngineLayout(4, True, 8, 3, "all", (3, 2))
    assert (plain.routed, routed.routed) == (False, True)
    assert plain.name.offsets == {"entry": 0, "epoch": 3}
    assert routed.name.offsets == {"entry": 0, "epoch": 3, "x": 5, "y": 8, "route_class": 10}
    assert plain.named == ("0", "1", "2", "3")
    assert routed.named == (*plain.named, "u")
    assert routed.image.width == plain.image.width + 4 * (3 + 2 + 1) + 11
    assert routed.image.offsets["entry_u"] == routed.image.offsets["entry_3"] + 11
    assert routed.image.offsets["x_1"] == routed.image.offsets["entry_0"] + 11 + 5
    assert routed.message == plain.message == plain.link_message
    places = [routed.link_message.offsets[name] for name in ("data", "x", "y")]
    assert places == [7, 10, 13]
