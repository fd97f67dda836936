"""Words of a slot of barrier wires."""

import pytest

from syncfabric.models.messages import TREE, WIRE_STATUS, SwitchWord, WireLayout, WireWord


def test_words_stand_where_an_irregular_registers_do() -> None:
    shared = [word for word in SwitchWord if word.name in WireWord.__members__]
    assert [word.name for word in shared] == ["CONTROL", "TREE", "RESULT"]
    assert all(int(WireWord[word.name]) == int(word) for word in shared)
    assert [int(word) for word in WireWord] == [0, 1, 4, 5, 7]


def test_status_from_the_low_bit_up() -> None:
    names = ["la", "up", "dn", "fault", "done", "broken"]
    assert [WIRE_STATUS.pack({name: 1}) for name in names] == [1, 2, 4, 8, 16, 32]
    assert WIRE_STATUS.width == 6


@pytest.mark.parametrize(
    ("links", "process", "parents", "children"),
    [(4, True, 3, 0b11111), (1, True, 0, 0b11), (2, False, 1, 0b11), (16, False, 15, 0xFFFF)],
)
def test_bits_of_ports_that_a_unit_has_not(
    links: int, process: bool, parents: int, children: int
) -> None:
    layout = WireLayout(links, process, data_bits=3)
    assert layout.ports == links + process
    kept = TREE.unpack(layout.tree_mask)
    assert kept == {"parent": parents, "children": children}
    assert TREE.offsets["children"] == layout.tree.offsets["children"] == 4
    assert layout.tree.pack({"parent": parents, "children": children}) == layout.tree_mask
    assert layout.slot.width == 6 + 3 + 3
