"""Animations of schedules: messages along their paths."""

from collections import Counter
from itertools import pairwise

from syncfabric.sim.report.sections import schedule_animation
from tests.sim.report.made import scatter, schedule


def test_messages_of_a_schedule_take_their_paths() -> None:
    made = schedule()
    animation = schedule_animation(made)
    assert (animation.first, animation.last, animation.unit) == (0, 4, "step")
    channels = {
        animation.scene.link_numbers[channel]: channel for channel in made.topology.channels
    }
    seen = Counter(
        (move.cycle, tuple(channels[link] for link in move.links), animation.kinds[move.kind].words)
        for move in animation.moves
    )
    assert seen == Counter(
        (number, tuple(pairwise(path)), f"from {message[0]}")
        for number, step in enumerate(made.steps, 1)
        for message, path in step
    )
    (cast,) = animation.casts
    for member, done in zip(cast.members, cast.releases, strict=True):
        got = [n for n, step in enumerate(made.steps, 1) for _, path in step if path[-1] == member]
        assert done == max(got)


def test_messages_of_a_scatter_differ_by_their_destinations() -> None:
    made = scatter()
    animation = schedule_animation(made)
    assert [kind.words for kind in animation.kinds] == ["to 1", "to 2", "to 3"]
    assert len({kind.ink for kind in animation.kinds}) == 3
    assert animation.casts[0].members == (1, 2, 3)
    assert animation.casts[0].releases == (1, 2, 3)
