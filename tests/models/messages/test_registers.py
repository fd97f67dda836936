"""Operations' identities."""

from collections.abc import Callable

import pytest

from syncfabric.models.messages.registers import Op

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
