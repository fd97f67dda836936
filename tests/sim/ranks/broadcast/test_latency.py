"""Which pairs are measured when, and how figures are smoothed."""

from itertools import combinations

import pytest

from syncfabric.sim.ranks.broadcast.latencies import Latencies, matching


@pytest.mark.parametrize("ranks", [[0, 1], [0, 2, 5], [0, 1, 2, 3], list(range(7)), [*range(8)]])
def test_matchings_hold_every_pair_once_in_turn(ranks: list[int]) -> None:
    turns = len(ranks) - 1 + len(ranks) % 2
    pairs = []
    for number in range(turns):
        found = matching(ranks, number)
        ends = [rank for pair in found for rank in pair]
        assert len(set(ends)) == len(ends) >= len(ranks) - 1
        pairs += found
    assert sorted(pairs) == list(combinations(ranks, 2))
    assert matching(ranks, turns) == matching(ranks, 0)


def test_one_rank_has_no_pair() -> None:
    assert matching([0], 3) == []


def test_figures_go_halfway_to_what_is_measured() -> None:
    latencies = Latencies()
    latencies.note((0, 1), 2.0)
    assert latencies.tell((0, 1), 9.0) == 2.0
    latencies.note((0, 1), 10.0)
    assert latencies.tell((0, 1), 9.0) == 6.0
    latencies.note((0, 1), 10.0)
    assert latencies.tell((0, 1), 9.0) == 8.0
    assert latencies.tell((0, 2), 9.0) == 9.0


def test_the_tree_is_told_of_changes_by_more_than_a_quarter() -> None:
    latencies = Latencies()
    for pair in ((0, 1), (0, 2), (1, 2)):
        latencies.note(pair, 4.0)
        latencies.tell(pair, 0.0)
    assert latencies.changes([0, 1, 2]) == []
    latencies.note((0, 1), 6.0)  # 5 is no more than a quarter more
    assert latencies.changes([0, 1, 2]) == []
    latencies.note((0, 1), 6.0)
    latencies.note((1, 2), 1.0)
    assert latencies.changes([0, 2]) == []
    assert latencies.changes([0, 1, 2]) == [((1, 2), 2.5), ((0, 1), 5.5)]
    assert latencies.changes([0, 1, 2]) == []


def test_who_is_gone_is_forgotten() -> None:
    latencies = Latencies()
    latencies.note((0, 1), 2.0)
    latencies.note((0, 2), 2.0)
    latencies.forget(1)
    latencies.note((0, 1), 8.0)
    assert latencies.tell((0, 1), 0.0) == 8.0
    assert latencies.tell((0, 2), 0.0) == 2.0
