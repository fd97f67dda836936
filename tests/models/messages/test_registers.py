"""Operations' identities, and the addresses on the config port."""

from collections.abc import Callable

import pytest

from syncfabric.models.messages import (
    ARRIVED,
    CONFIG_ADDRESS_BITS,
    CONTROL,
    COUNTER_BASE,
    LIFE,
    MANAGER_BASE,
    NODE_WORD,
    PENDING,
    REPLY,
    REQUEST,
    STATUS,
    TREE,
    Counter,
    Layout,
    ManagerWord,
    Op,
    RegisterWord,
    SwitchWord,
    register_address,
)

BY_HAND: dict[Op, Callable[[int, int], int]] = {
    Op.OR: lambda a, b: a | b,
    Op.AND: lambda a, b: a & b,
    Op.XOR: lambda a, b: a ^ b,
    Op.MAX: max,
    Op.MIN: min,
    Op.SUM: lambda a, b: (a + b) % 16,
}


@pytest.mark.parametrize("op", Op)
def test_an_identity_changes_nothing(op: Op) -> None:
    identity = op.identity(4)
    assert [BY_HAND[op](identity, word) for word in range(16)] == list(range(16))


@pytest.mark.parametrize("op", Op)
def test_no_data_has_the_identity_0(op: Op) -> None:
    assert op.identity(0) == 0


def test_addresses_by_hand() -> None:
    assert register_address(0, RegisterWord.CONTROL) == 0
    assert register_address(3, RegisterWord.RESULT) == 31
    assert register_address(3, SwitchWord.TREE) == 25


def test_no_two_things_share_an_address() -> None:
    """64 registers, the counters, and a manager, in 12 bits."""
    words = [register_address(r, word) for r in range(64) for word in RegisterWord]
    words += [COUNTER_BASE + counter for counter in Counter]
    words += [MANAGER_BASE + word for word in ManagerWord]
    assert len(set(words)) == len(words)
    assert max(words) < 1 << CONFIG_ADDRESS_BITS


@pytest.mark.parametrize(
    "layout", [CONTROL, NODE_WORD, TREE, ARRIVED, PENDING, REQUEST, REPLY], ids=lambda w: w.name
)
def test_every_word_fits_the_config_port(layout: Layout) -> None:
    assert layout.width <= 32
    assert len(layout.offsets) == len(layout.fields)


@pytest.mark.parametrize("layout", [STATUS, ARRIVED], ids=lambda w: w.name)
def test_there_is_room_for_the_life_above_the_state(layout: Layout) -> None:
    assert layout.width + LIFE.width <= 32
