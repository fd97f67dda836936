"""When members arrive, policy by policy."""

import random
from collections.abc import Callable

import pytest

from syncfabric.sim.drive.arrivals import GroupArrivals
from syncfabric.sim.drive.scenario import Policy, Scenario
from tests.sim.drive.networks import members, mesh, plan_of

NODES = ((0, 0), (1, 0), (2, 0), (0, 1))
(GROUP,) = plan_of(mesh(3, 2), members(4, *NODES)).groups
BEGIN, LATENCY = 100, 7

Episodes = list[dict[int, tuple[int, int]]]
"""For each episode and member, its arrival, and the release before it (-1: none)."""


def play(
    policy: Policy, episodes: int, jitter: int, late: Callable[[int], int] = lambda member: 0
) -> tuple[GroupArrivals, Episodes]:
    """Let a network of ``LATENCY`` cycles release everybody, member m ``late(m)`` cycles later."""
    events: list[tuple[int, int]] = []
    arrivals = GroupArrivals(
        GROUP,
        [(n, 0) for n in range(len(NODES))],
        Scenario(episodes=episodes, policy=policy, jitter=jitter),
        random.Random(policy),
        lambda cycle, member: events.append((cycle, member)),
    )
    seen: Episodes = []
    before = dict.fromkeys(range(len(NODES)), -1)
    releases: dict[int, list[int]] = {}
    arrivals.begin(BEGIN)
    for cycle in range(BEGIN, 100_000):
        for member in releases.pop(cycle, []):
            arrivals.release(cycle, member)
            before[member] = cycle
        for due, member in sorted(events):
            assert due >= cycle
            if due > cycle:
                continue
            events.remove((due, member))
            assert not arrivals.inside(member)
            episode = arrivals.arrived[member]
            arrivals.took(cycle, member)
            seen.extend([{}] * 0 if episode < len(seen) else [{}])
            seen[episode][member] = (cycle, before[member])
            if len(seen[episode]) == len(NODES):
                for other in range(len(NODES)):
                    releases.setdefault(cycle + LATENCY + late(other), []).append(other)
        if arrivals.finished:
            break
    return arrivals, seen


@pytest.mark.parametrize("policy", ["last", "late", "together", "back_to_back", "skew", "mixed"])
def test_every_member_arrives_once_an_episode(policy: Policy) -> None:
    arrivals, seen = play(policy, 30, jitter=9, late=lambda member: member % 3)
    assert arrivals.finished
    assert arrivals.latency == [LATENCY + 2] * 30
    assert [sorted(episode) for episode in seen] == [[0, 1, 2, 3]] * 30


def test_the_last_member_changes_from_episode_to_episode() -> None:
    _, seen = play("last", 12, jitter=5)
    for number, episode in enumerate(seen):
        last, latest = number % 4, episode[number % 4][0]
        others = [cycle for member, (cycle, _) in episode.items() if member != last]
        assert max(others) < latest <= max(others) + 6


def test_together_is_in_one_cycle() -> None:
    _, seen = play("together", 5, jitter=9, late=lambda member: member)
    for episode in seen:
        assert len({cycle for cycle, _ in episode.values()}) == 1


def test_back_to_back_is_in_the_cycle_of_the_release() -> None:
    _, seen = play("back_to_back", 6, jitter=9, late=lambda member: member)
    for episode in seen[1:]:
        assert all(cycle == release for cycle, release in episode.values())


def test_skew_is_within_the_jitter() -> None:
    _, seen = play("skew", 40, jitter=9)
    waits = {cycle - release for episode in seen[1:] for cycle, release in episode.values()}
    assert waits == set(range(10))


def test_no_episodes_are_over_at_once() -> None:
    arrivals, seen = play("last", 0, jitter=3)
    assert arrivals.finished
    assert seen == []


def test_late_is_late_by_as_much_as_asked_for_each_in_turn() -> None:
    _, seen = play("late", 8, jitter=25)
    for episode, arrived in enumerate(seen):
        cycles = {member: cycle for member, (cycle, _) in arrived.items()}
        last = cycles.pop(episode % len(NODES))
        assert {last - cycle for cycle in cycles.values()} == {25}


def test_a_member_that_runs_ahead_draws_nothing_anew() -> None:
    """The leader of an operation of software may be episodes ahead of the last member."""
    for seed in range(30):
        events: list[int] = []
        arrivals = GroupArrivals(
            GROUP,
            [(n, 0) for n in range(len(NODES))],
            Scenario(episodes=40, policy="mixed", jitter=0),
            random.Random(seed),
            lambda _, member, events=events: events.append(member),  # type: ignore[misc]
        )
        arrivals.begin(0)
        cycle = 0
        while events:  # the first goes on as long as it can, the last as late as it can
            cycle += 1
            member = min(events)
            events.remove(member)
            arrivals.took(cycle, member)
            arrivals.release(cycle, member)
        assert arrivals.arrived == arrivals.released == [40] * len(NODES), seed
