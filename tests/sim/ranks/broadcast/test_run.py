"""Rounds of broadcasts, in a time of their own."""

from itertools import combinations

import numpy as np
import pytest

from syncfabric.models.broadcast.policy import Policy
from syncfabric.models.broadcast.strategies import STRATEGIES
from syncfabric.models.broadcast.tree import Strategy
from syncfabric.sim.ranks.broadcast.member import ROOT
from syncfabric.sim.ranks.broadcast.post import Kind, Received
from syncfabric.sim.ranks.broadcast.results import Broadcasts
from syncfabric.sim.ranks.broadcast.run import EACH, Latencies, Root, matching
from syncfabric.sim.ranks.broadcast.script import Event, Slow
from syncfabric.sim.ranks.payloads import Times
from tests.sim.ranks.broadcast.virtual import World, play


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
    assert latencies.adopt((0, 1), 9.0) == 2.0
    latencies.note((0, 1), 10.0)
    assert latencies.adopt((0, 1), 9.0) == 6.0
    latencies.note((0, 1), 10.0)
    assert latencies.adopt((0, 1), 9.0) == 8.0
    assert latencies.adopt((0, 2), 9.0) == 9.0


def test_the_tree_receives_changes_by_more_than_a_quarter() -> None:
    latencies = Latencies()
    for pair in ((0, 1), (0, 2), (1, 2)):
        latencies.note(pair, 4.0)
        latencies.adopt(pair, 0.0)
    assert latencies.changes([0, 1, 2]) == []
    latencies.note((0, 1), 6.0)  # 5 is no more than a quarter more
    assert latencies.changes([0, 1, 2]) == []
    latencies.note((0, 1), 6.0)
    latencies.note((1, 2), 1.0)
    assert latencies.changes([0, 2]) == []
    assert latencies.changes([0, 1, 2]) == [((1, 2), 2.5), ((0, 1), 5.5)]
    assert latencies.changes([0, 1, 2]) == []


def test_a_dead_rank_is_forgotten() -> None:
    latencies = Latencies()
    latencies.note((0, 1), 2.0)
    latencies.note((0, 2), 2.0)
    latencies.forget(1)
    latencies.note((0, 1), 8.0)
    assert latencies.adopt((0, 1), 0.0) == 8.0
    assert latencies.adopt((0, 2), 0.0) == 2.0


MS = 0.001


def found(root: Root, world: World) -> Broadcasts:
    whole, times = world.members[ROOT].finalize is True, Times("Bcast", (1.0,))
    setting = root.member.setting
    return Broadcasts(setting, "", times, root.rows, root.lost, root.checked, root.wrong, whole)


def test_a_broadcast_takes_what_its_costliest_path_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    root, world = play(monkeypatch, 8, 3)
    for row in root.rows:
        assert row.adaptive == pytest.approx(6 * MS)
        assert row.fixed == pytest.approx(6 * MS)
        assert row.cost == pytest.approx(6 * MS)
        assert (sorted(row.order), row.swaps, row.said) == (list(range(8)), 0, ())
    result = found(root, world)
    assert (result.wrong, result.lost, result.whole) == ([], [], True)
    assert result.checked == 3 * EACH * 2 * 7 * 1000
    assert result.as_asked()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_slow_link_on_the_costliest_path_is_left(
    monkeypatch: pytest.MonkeyPatch, strategy: Strategy
) -> None:
    policy = Policy(rise=strategy)
    root, world = play(monkeypatch, 8, 10, (Slow(None, 10.0, 3),), policy=policy)
    (recovery,) = found(root, world).recoveries()
    assert recovery.round == 3
    assert recovery.before == pytest.approx(6 * MS)
    assert recovery.hit == pytest.approx(24 * MS)
    assert recovery.recovered is not None
    assert recovery.recovered == pytest.approx(1.0)
    assert root.rows[3].swaps >= 1
    # The tree knows the whole price of the link by then.
    slow = next(iter(world.members[ROOT].slow))
    assert root.latencies.adopt(slow, 0.0) > 5 * MS


def test_the_fixed_tree_takes_the_slow_link(monkeypatch: pytest.MonkeyPatch) -> None:
    root, _ = play(monkeypatch, 8, 6, (Slow((0, 4), 10.0, 2),))
    assert [row.fixed for row in root.rows] == pytest.approx([6 * MS] * 2 + [24 * MS] * 4)
    assert root.rows[-1].adaptive == pytest.approx(6 * MS)
    assert root.rows[2].said == ("link 0-4 takes 10 times as long",)


def test_a_link_between_others_is_slow_from_its_round_on(monkeypatch: pytest.MonkeyPatch) -> None:
    root, _ = play(monkeypatch, 8, 4, (Slow((4, 6), 10.0, 2), Slow((4, 6), 1.0, 3)))
    assert [row.fixed for row in root.rows] == pytest.approx([6 * MS, 6 * MS, 24 * MS, 6 * MS])


def test_a_link_that_is_not_in_the_tree_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    root, world = play(monkeypatch, 4, 4)
    order = root.rows[0].order
    apart = (min(order[1], order[2]), max(order[1], order[2]))
    root, world = play(monkeypatch, 4, 4, (Slow(apart, 10.0, 2),))
    assert root.rows[-1].order == order
    (recovery,) = found(root, world).recoveries()
    assert recovery.recovered is None


@pytest.mark.parametrize("fate", ["leave", "kill"])
def test_a_dead_rank_is_found_and_the_tree_repaired(
    monkeypatch: pytest.MonkeyPatch, fate: str
) -> None:
    root, world = play(monkeypatch, 8, 4, events=(Event(fate, 4, 1),))  # type: ignore[arg-type]
    result = found(root, world)
    assert [(lost.rank, lost.round) for lost in result.lost] == [(4, 1)]
    # The fixed tree goes first, in which 5, 6 and 7 receive it through 4. Two time-outs: one for
    # the data, one for the question which ranks are there; and then two links.
    assert root.rows[1].said == (
        "rank 4 is lost: no answer in 2 s; the tree is repaired",
        "sent again to 5, 6, 7; all have it after 4.004 s",
    )
    assert 4 not in root.rows[2].order
    assert len(root.rows[2].order) == 7
    assert root.rows[3].adaptive == pytest.approx(4 * MS)
    # Every broadcast has come to every rank that is alive, the one of the death included.
    assert result.checked == 1000 * EACH * 2 * (7 + 6 + 6 + 6)
    assert result.wrong == []
    assert result.as_asked()
    assert result.whole is (fate == "leave")


def test_an_unplanned_death_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def dead(rank: int, message: Received) -> Received | None:
        return None if rank == 3 else message

    root, world = play(monkeypatch, 5, 2, changed=dead)
    result = found(root, world)
    assert [lost.rank for lost in result.lost] == [3]
    assert not result.as_asked()
    assert not result.whole


def test_two_that_die_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    events = (Event("kill", 2, 1), Event("leave", 5, 1))
    root, world = play(monkeypatch, 8, 3, events=events)
    assert {lost.rank for lost in root.lost} == {2, 5}
    assert sorted(root.rows[2].order) == [0, 1, 3, 4, 6, 7]
    assert found(root, world).checked == 1000 * EACH * 2 * (7 + 5 + 5)


def test_all_others_may_go(monkeypatch: pytest.MonkeyPatch) -> None:
    root, _ = play(monkeypatch, 3, 3, events=(Event("kill", 1, 0), Event("kill", 2, 1)))
    assert root.rows[2].order == (0,)
    assert (root.rows[2].adaptive, root.rows[2].fixed) == (None, None)


def test_ranks_join_at_the_next_position_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    events = (Event("join", 6, 1), Event("leave", 2, 2), Event("join", 2, 3))
    root, world = play(monkeypatch, 8, 5, events=events)
    assert [sorted(row.order) for row in root.rows] == [
        [0, 1, 2, 3, 4, 5, 7],
        list(range(8)),
        list(range(8)),
        list(range(8)),
        list(range(8)),
    ]
    assert root.rows[1].said[0].startswith("rank 6 joins, at position ")
    assert root.rows[3].said[0].startswith("rank 2 joins")
    assert [row.cost for row in root.rows] == pytest.approx([4 * MS] + [6 * MS] * 4)
    assert found(root, world).checked == 1000 * EACH * 2 * (6 + 7 + 6 + 7 + 7)
    assert found(root, world).whole


def test_what_was_known_of_a_rank_that_left_is_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    events = (Event("leave", 2, 1), Event("join", 2, 3))
    root, _ = play(monkeypatch, 4, 4, (Slow((1, 2), 10.0, 2),), events)
    assert root.latencies.adopt((1, 2), 0.0) == pytest.approx(20 * MS)


def test_a_dead_rank_that_is_asked_to_join_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def dead(rank: int, message: Received) -> Received | None:
        return None if rank == 3 else message

    root, _ = play(monkeypatch, 4, 3, events=(Event("join", 3, 1),), changed=dead)
    assert root.rows[1].said == ("rank 3 does not join: no answer in 2 s",)
    assert sorted(root.rows[2].order) == [0, 1, 2]


def test_a_link_whose_figures_do_not_come_is_dear(monkeypatch: pytest.MonkeyPatch) -> None:
    def cut(rank: int, message: Received) -> Received | None:
        lost = message.kind in (Kind.PING, Kind.PONG) and {rank, message.source} == {1, 2}
        return None if lost else message

    root, _ = play(monkeypatch, 4, 1, changed=cut)
    links = {frozenset((root.tree.parent(node) or 0, node)) for node in (1, 2, 3)}
    assert frozenset((1, 2)) not in links


def test_a_byte_that_changes_on_its_way_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def flips(rank: int, message: Received) -> Received | None:
        if message.kind is Kind.DATA and rank == 2:
            body = np.array(message.body)
            body[-5] ^= 4
            return message._replace(body=body)
        return message

    root, world = play(monkeypatch, 3, 2, changed=flips)
    result = found(root, world)
    assert {(wrong.rank, wrong.byte) for wrong in result.wrong} == {(2, 995)}
    assert len(result.wrong) == 2 * EACH * 2
    assert not result.as_asked()


def test_data_that_never_comes_is_not_sent_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    def mute(rank: int, message: Received) -> Received | None:
        return None if message.kind is Kind.DATA and rank == 2 else message

    root, _ = play(monkeypatch, 4, 2, changed=mute)
    assert [lost.rank for lost in root.lost] == [2]
