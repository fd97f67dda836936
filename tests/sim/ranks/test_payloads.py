"""What messages carry."""

import numpy as np
import pytest

from syncfabric.sim.ranks.payloads import first_wrong, payload, payload_sum


def test_sizes_are_prefixes_of_random_bytes() -> None:
    long = payload((3, 5), 4096, 1, 0)
    assert np.array_equal(payload((3, 5), 1001, 1, 0), long[:1001])
    assert 120 < long.mean() < 135
    assert len(set(long.tolist())) == 256


def test_no_two_messages_of_a_turn_are_alike() -> None:
    names = [(a, b) for a in range(40) for b in range(40)]
    assert len({payload(name, 8, 1, 0).tobytes() for name in names}) == len(names)


@pytest.mark.parametrize("changed", [((5, 3), 1, 0), ((3, 5), 2, 0), ((3, 5), 1, 1)])
def test_another_name_seed_or_turn_is_another_payload(
    changed: tuple[tuple[int, int], int, int],
) -> None:
    name, seed, turn = changed
    one, other = payload((3, 5), 64, 1, 0), payload(name, 64, seed, turn)
    assert (one != other).mean() > 0.9


def test_sums_are_of_whole_numbers_and_wrap() -> None:
    names = [(node, 2) for node in range(9)]
    found = payload_sum(names, 48, 7, 1)
    terms = [payload(name, 48, 7, 1).tobytes() for name in names]
    for start in range(0, 48, 8):
        numbers = [int.from_bytes(term[start : start + 8], "little") for term in terms]
        assert sum(numbers) >= 1 << 64
        right = sum(numbers) % (1 << 64)
        assert int.from_bytes(found.tobytes()[start : start + 8], "little") == right


def test_the_first_wrong_byte() -> None:
    right = payload((0, 1), 100, 1, 0)
    found = right.copy()
    assert first_wrong(found, right) is None
    found[[41, 77]] ^= 1
    assert first_wrong(found, right) == 41
