"""Random groups on random networks of engines: releases, data, lives, and the links' contract."""

import random
from collections import Counter

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from syncfabric.models.layout.engine import EngineCounter, EngineLayout, Kind
from tests.models.golden.engine_nets import Net, random_graph
from tests.models.golden.engine_stimuli import OPS
from tests.models.golden.engine_story import Life, Story

SEEDS = st.integers(0, 2**32)


def draw_net(rng: random.Random, watchdog: int = 0) -> tuple[Net, int]:
    """Draw a network; return it with the number of operations that it has."""
    ports = rng.choice((2, 3, 4, 6))
    nodes = rng.randint(1, 7)
    graph = random_graph(rng, nodes, ports)
    operations = rng.choice(sorted(OPS))
    bits = rng.choice((1, 4, 8)) if operations != "none" else 0
    groups = rng.choice((1, 2, 3, 4, 16, 40))
    stages = 4 if groups > 32 else rng.randint(1, 4)
    layout = EngineLayout(ports, True, groups, bits, operations)
    return Net(graph, nodes, layout, stages, rng.randrange(4), watchdog), OPS[operations]


def play(rng: random.Random, lives: int, kills: float) -> Story:
    """Let groups live until all have ended, some by KILL."""
    net, ops = draw_net(rng)
    story = Story(net, rng, ops)
    running: list[Life] = []
    quiet = 0
    while lives or running:
        if lives and rng.random() < 0.1:
            life = story.begin(rng.randint(1, 4))
            if life:
                running.append(life)
                lives -= 1
        for life in list(running):
            if rng.random() < kills:
                story.kill(life)
                running.remove(life)
            elif life.ended:
                assert life.freed == 1
                story.end(life)
                running.remove(life)
        before = story.seen.total()
        story.step()
        quiet = 0 if story.seen.total() > before else quiet + 1
        assert quiet < 3000, "a group hangs"
    net.run(200)
    return story


@given(SEEDS)
@settings(max_examples=25, deadline=None)
def test_each_member_is_released_once_an_episode_with_the_data_of_all(seed: int) -> None:
    story = play(random.Random(seed), 8, 0.0)
    for node in range(len(story.net.engines)):
        for counter in EngineCounter:
            assert story.net.read(node, counter) == 0
    assert story.seen["freed"] == 8


@given(SEEDS)
@settings(max_examples=25, deadline=None)
def test_nothing_is_merged_across_lives(seed: int) -> None:
    """KILL at any time, and the same entries set up again while messages are under way."""
    story = play(random.Random(seed), 12, 0.02)
    net = story.net
    dropped = sum(net.read(a, EngineCounter.OVERFLOW) for a in range(len(net.engines)))
    assert dropped <= net.broken_sent


@pytest.mark.long
@given(SEEDS, st.sampled_from((0.0, 0.005, 0.03)))
@settings(max_examples=1000, deadline=None)
def test_lives_at_length(seed: int, kills: float) -> None:
    play(random.Random(seed), 40, kills)


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_watchdog_breaks_a_group_whose_member_is_missing(seed: int) -> None:
    """Where members have arrived, all of the group see BROKEN within two rounds of visits."""
    rng = random.Random(seed)
    watchdog = rng.choice((31, 64))
    net, _ = draw_net(rng, watchdog)
    members = range(len(net.engines))
    assume(net.layout.entries <= 4 and len(members) > 1)
    group = net.group(members, rng.choice(members))
    assert group
    broken: Counter[int] = Counter()
    net.on_release = lambda node, message: broken.update({node: message.kind == Kind.BROKEN})
    net.set_up(group)
    net.run(100)
    assert sorted(broken) == list(members)  # GO
    late = rng.choice(members)
    for a in set(members) - {late}:
        net.arrive(group, a)
    net.run(2 * net.layout.entries * watchdog + 100)
    assert broken == Counter(members)
    assert not any(net.engines[a].entry(group.entry[a]).alive for a in members)
