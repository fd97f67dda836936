"""Wires that stick from any cycle on, in every state: what the checks keep from happening."""

from collections.abc import Iterable

import pytest

from syncfabric.models.wires.explore import Break, Exploration, Violation
from syncfabric.models.wires.rules import Rules
from syncfabric.models.wires.slots import Slots
from syncfabric.models.wires.tree import Tree, trees

LINK = ("up", "up_idle", "up_parity", "down", "down_idle", "down_parity")


def misfires(tree: Tree, registers: int, wires: tuple[str, ...], value: int, rules: Rules) -> int:
    """Count the links on which these wires, once stuck, let anybody go too early."""
    early = 0
    for unit in range(1, len(tree.parents)):
        slots = Slots([tree], registers, rules)
        try:
            Exploration(slots, may_break=Break(wires, unit, value)).explore()
        except Violation as violation:
            if "released before all had arrived" not in str(violation):
                raise
            early += 1
    return early


def check_all(chosen: Iterable[Tree], registers: int) -> None:
    """With the check nothing that sticks at 0 misfires, with parity nothing at all."""
    parity = Rules(parity=True)
    for tree in chosen:
        for wire in ("up", "down"):
            assert not misfires(tree, registers, (wire,), 0, Rules())
            for value in (0, 1):
                assert not misfires(tree, registers, (wire,), value, parity)
        assert not misfires(tree, registers, LINK, 0, Rules())
        assert not misfires(tree, registers, LINK, 0, parity)


@pytest.mark.parametrize("registers", [0, 1, 2])
def test_what_sticks_never_releases_early(registers: int) -> None:
    check_all(trees(2), registers)


def test_what_sticks_never_releases_early_in_three() -> None:
    check_all([Tree((0, 0, 1), 0b101)], 0)


@pytest.mark.long
@pytest.mark.parametrize(("units", "registers"), [(3, 0), (3, 1), (4, 0)])
def test_what_sticks_never_releases_early_in_more(units: int, registers: int) -> None:
    check_all(trees(units), registers)


@pytest.mark.parametrize("registers", [0, 1])
def test_without_the_check_a_wire_at_0_misfires(registers: int) -> None:
    rules = Rules(check=False)
    assert misfires(Tree((0, 0, 0), 7), registers, ("down",), 0, rules) == 2
    assert misfires(Tree((0, 0, 1), 7), registers, ("down",), 0, rules) == 2
    assert not misfires(Tree((0, 0, 0), 7), registers, ("up",), 0, rules)


@pytest.mark.parametrize("wire", ["up", "down"])
def test_with_the_check_alone_a_wire_at_1_may_misfire(wire: str) -> None:
    """It sticks in the middle of an episode, before its time."""
    assert misfires(Tree((0, 0, 0), 7), 0, (wire,), 1, Rules()) == 2


@pytest.mark.parametrize("wire", ["up_parity", "down_parity", "up_idle", "down_idle"])
@pytest.mark.parametrize("value", [0, 1])
def test_wires_that_only_parity_looks_at_do_no_harm(wire: str, value: int) -> None:
    for tree in trees(2):
        assert not misfires(tree, 0, (wire,), value, Rules(parity=True))
