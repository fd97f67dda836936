"""All that can happen to a group's slots, in every order (proof by exhaustion)."""

from itertools import permutations, product

import pytest

from syncfabric.models.wires.explore import Exploration, Violation
from syncfabric.models.wires.rules import Rules
from syncfabric.models.wires.settle import check_clean, check_ends
from syncfabric.models.wires.slots import Slots
from syncfabric.models.wires.tree import Tree, trees

PAIR, STAR = (0, 0), (0, 0, 0)


def explore(tree: Tree, registers: int, *, at_once: bool = False, **rules: bool | int) -> int:
    """Go through one life: barriers, set-up in any order, clearing at any moment."""
    slots = Slots([tree], registers, Rules(**rules))  # type: ignore[arg-type]
    exploration = Exploration(slots, at_once=at_once)
    worlds = exploration.explore()
    check_ends(exploration, exploration.known)
    check_clean(exploration, exploration.known)
    return worlds


def again(first: Tree, second: Tree, registers: int, **rules: bool) -> int:
    """Go through a life that is cut off at any moment, and another in the same slots."""
    return Exploration(Slots([first, second], registers, Rules(**rules))).explore()


@pytest.mark.parametrize("registers", [0, 1])
@pytest.mark.parametrize("units", [1, 2, 3])
def test_every_tree(units: int, registers: int) -> None:
    for tree in trees(units):
        assert explore(tree, registers) >= 5
        assert explore(tree, registers, at_once=True) >= 5


def test_every_tree_of_four() -> None:
    assert sum(explore(tree, 0) for tree in trees(4)) == 9066


@pytest.mark.long
@pytest.mark.parametrize(("registers", "worlds"), [(0, 127_207), (1, 420_454)])
def test_every_tree_of_five(registers: int, worlds: int) -> None:
    assert sum(explore(tree, registers) for tree in trees(5)) == worlds


@pytest.mark.long
@pytest.mark.parametrize("registers", [1, 2])
def test_every_tree_of_four_with_link_registers(registers: int) -> None:
    for tree in trees(4):
        explore(tree, registers)
        explore(tree, registers, at_once=True)


def placed(units: int, room: int) -> list[Tree]:
    """Return every tree of so many units, on any of the units that there are, all members."""
    found = []
    for parents in {tree.parents for tree in trees(units)}:
        for places in permutations(range(room), units):
            there: list[int | None] = [None] * room
            for unit, place in enumerate(places):
                above = parents[unit]
                assert above is not None
                there[place] = places[above]
            found.append(Tree(tuple(there), sum(1 << place for place in places)))
    return found


@pytest.mark.parametrize("registers", [0, 1])
def test_a_slot_is_used_again_by_any_tree(registers: int) -> None:
    first = Tree((0, 0, None), 3)
    for second in (*placed(2, 3), *placed(3, 3)):
        assert again(first, second, registers)


@pytest.mark.long
@pytest.mark.parametrize("registers", [0, 1, 2])
def test_a_slot_is_used_again_from_any_tree_by_any(registers: int) -> None:
    some = placed(3, 3) if registers < 2 else placed(2, 2)
    for first, second in product(some, some):
        again(first, second, registers)


# Each rule is needed.


@pytest.mark.parametrize("registers", [0, 1])
def test_without_hold_a_slot_fires_by_old_levels(registers: int) -> None:
    passing = Tree(STAR, 0b110)
    with pytest.raises(Violation, match="released before all had arrived"):
        explore(passing, registers, hold=-2, check=False)
    # 2 P + 1 cycles are enough to fire, but then the check would see levels that still fall.
    assert explore(passing, registers, hold=-1, check=False)
    with pytest.raises(Violation, match="a false fault"):
        explore(passing, registers, hold=-1)


def test_up_must_be_a_level() -> None:
    with pytest.raises(Violation, match="a false fault"):
        explore(Tree(STAR, 7), 0, level=False)
    with pytest.raises(Violation, match="hang"):
        explore(Tree(STAR, 7), 1, level=False, check=False)


def test_a_pulse_must_clear_la() -> None:
    with pytest.raises(Violation, match="hang"):
        explore(Tree(PAIR, 3), 0, clears_la=False)


@pytest.mark.parametrize("registers", [0, 1])
def test_the_old_tree_must_be_clear_before_the_new_one(registers: int) -> None:
    with pytest.raises(Violation, match="released before all had arrived"):
        again(Tree(PAIR, 3), Tree(PAIR, 3), registers, reuse=False)


def test_links_must_be_empty_before_the_new_tree() -> None:
    """With 0 or 1 registers they are by the time anything can be written."""
    two = Tree(PAIR, 3), Tree((1, 1), 3)
    for registers in (0, 1):
        assert again(*two, registers, gap=False)
    assert again(*two, 2)
    with pytest.raises(Violation, match="a false fault"):
        again(*two, 2, gap=False)


@pytest.mark.parametrize("registers", [0, 1])
def test_all_of_the_new_tree_must_be_free_before_any_of_it_is_set_up(registers: int) -> None:
    """A unit that is early takes the `up` of an old group for its kid's."""
    first, second = Tree((0, 0, None), 3), Tree((1, 2, 2), 7)
    assert again(first, second, registers)
    with pytest.raises(Violation, match="released before all had arrived"):
        again(first, second, registers, together=False)


def test_too_many_worlds_are_told() -> None:
    with pytest.raises(MemoryError, match="more than 20 worlds"):
        Exploration(Slots([Tree(PAIR, 3)], 0, Rules())).explore(20)
    with pytest.raises(MemoryError, match="there is room for 64"):
        Exploration(Slots([Tree((0, 0, 1, 2, 3), 31)], 2, Rules())).explore()
