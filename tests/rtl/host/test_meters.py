"""The meter against its model, and against what groups measure by themselves."""

import random

import pytest

from syncfabric.models.messages.host import (
    BINS,
    HISTOGRAM_BASE,
    MASK_BASE,
    SKEW_BOUNDS,
    HostShape,
)
from syncfabric.rtl.host.meters import Meter, Meters
from tests.rtl.host.group import Members
from tests.rtl.host.meter_model import Meter as Model
from tests.rtl.support import SEED, agree, clocked

WIDTHS = (1, 5, 16)
WORDS = (0, 1, 2, 3, *range(HISTOGRAM_BASE, HISTOGRAM_BASE + BINS))
STILL = {"arrive": 0, "ready": 0, "released": 0, "broken": 0}


class Play:
    """What a meter is given, and what its model shows, cycle by cycle."""

    def __init__(self, width: int, name: str) -> None:
        self.rng, self.width, self.full = random.Random(f"{SEED}/{name}"), width, (1 << width) - 1
        self.model = Model()
        self.cases, self.expected = list[dict[str, int]](), list[dict[str, int]]()

    def step(
        self, mask: int, *, clear: int = 0, forget: int = 0, word: int | None = None, **seen: int
    ) -> None:
        """Take one cycle, and look at a word."""
        word, model = self.rng.choice(WORDS) if word is None else word, self.model
        counts = (model.episodes, model.last, model.least, model.greatest, *[0] * 4)
        value = [*counts, *model.histogram][word]
        self.cases.append({"mask": mask, "clear": clear, "forget": forget, "word": word, **seen})
        self.expected.append({"value": value})
        model.step(mask, **seen)
        if clear:
            model.clear()
        if forget:
            model.forget()

    def look(self) -> None:
        """Look at every word, while nothing comes."""
        for word in WORDS:
            self.step(0, word=word, **STILL)

    def check(self) -> None:
        """Compare the meter with the model."""
        self.look()
        agree(Meter(self.width), self.cases, self.expected)


@pytest.mark.parametrize("width", WIDTHS)
def test_anything_may_come(width: int) -> None:
    """Arrivals, releases, breaks and clears without sense; new masks at any time."""
    play = Play(width, "anything")
    rng, mask = play.rng, play.full
    for cycle in range(600):
        forget = rng.random() < 0.01
        few = rng.getrandbits(width) & rng.getrandbits(width)
        play.step(
            mask,
            arrive=rng.getrandbits(width),
            ready=play.full if cycle % 200 < 100 else rng.getrandbits(width) | few,
            released=few,
            broken=few & -(rng.random() < 0.02),
            clear=rng.random() < 0.01,
            forget=forget,
        )
        if forget:
            mask = rng.choice([0, play.full, rng.getrandbits(width), 1 << rng.randrange(width)])
    play.check()


@pytest.mark.parametrize("width", WIDTHS)
def test_episodes_follow_each_other(width: int) -> None:
    """Back to back, also while others wait; with other masks in turn, and idle when they change."""
    play = Play(width, "episodes")
    for skew, late in ((0, 1), (2, 12), (7, 4), (30, 2)):
        members = sorted(play.rng.sample(range(width), play.rng.randint(1, width)))
        mask = sum(1 << m for m in members)
        group, model = Members(members, play.rng, skew=skew, late=late), play.model
        play.step(mask, clear=1, forget=1, **STILL)
        for cycle in range(2000):
            if cycle > 150 and group.idle:
                break
            arrive, released = group.step(stop=cycle > 150)
            noise = play.rng.getrandbits(width) & ~mask
            seen = {"arrive": arrive | noise, "released": released, "broken": noise}
            play.step(mask, ready=play.full, **seen)
        assert group.idle
        kept = group.latencies
        assert len(kept) > 4
        assert (model.episodes, model.last) == (len(kept), kept[-1])
        assert (model.least, model.greatest) == (min(kept), max(kept))
        assert model.histogram == group.histogram
        play.look()
    play.check()


def test_skews_fall_into_their_bins() -> None:
    """Right below and right at every bound."""
    play, expected = Play(5, "skews"), [0] * BINS
    cases = [(i + late, bound - 1 + late) for i, bound in enumerate(SKEW_BOUNDS) for late in (0, 1)]
    for place, skew in [*cases, (BINS - 1, 2 * SKEW_BOUNDS[-1] + 9)]:  # more than the age can count
        if skew:
            play.step(3, **STILL | {"arrive": 1, "ready": 3})
        for _ in range(skew - 1):
            play.step(3, **STILL | {"ready": 3})
        play.step(3, **STILL | {"arrive": 2 if skew else 3, "ready": 3})
        play.step(3, **STILL | {"released": 3, "ready": 3})
        expected[place] += 1
    assert play.model.histogram == expected
    play.check()


def test_a_broken_barrier_is_not_counted() -> None:
    """Broken while members wait, or before all have come; the next one counts."""
    play = Play(5, "broken")
    steps = [(1, 0, 0), (2, 0, 0), (0, 1, 1), (0, 2, 0)]  # one of two releases is broken
    steps += [(1, 0, 0), (0, 1, 1), (1, 0, 0), (2, 0, 0), (0, 0, 0), (0, 3, 0)]
    for arrive, released, broken in steps:
        play.step(3, arrive=arrive, ready=31, released=released, broken=broken)
    assert (play.model.episodes, play.model.last, play.model.histogram[1]) == (1, 2, 1)
    play.check()


def test_counts_stay_at_their_greatest_value() -> None:
    """Of the model; the meter's own counters are too wide to be filled."""
    model, most = Model(), (1 << 32) - 1
    model.episodes = most
    model.histogram[0] = most
    for arrive, released in ((1, 0), (0, 1)):
        model.step(1, arrive, 1, released)
    assert (model.episodes, model.histogram[0], model.last) == (most, most, 1)


def test_an_empty_mask_counts_nothing() -> None:
    word = {"arrive": 3, "ready": 3, "released": 3, "mask": 0, "word": 0}
    assert {seen["value"] for seen in clocked(Meter(2), [word] * 5)} == {0}


def test_a_new_mask_forgets_who_has_arrived() -> None:
    """One member arrives before the mask is written again, the other after."""
    shape = HostShape(nodes=2, registers=1, data_bits=0, targets=2, meters=1)
    still = {"write": 0, "read": 0, "arrive": 0, "released": 0, "ready": 3, "word": MASK_BASE}
    mask, last = still | {"write": 1, "data": 3}, still | {"word": 0}
    one, other, over = still | {"arrive": 1}, still | {"arrive": 2}, still | {"released": 3}
    for again, episodes in ((still, 1), (mask, 0)):
        cases = [still, mask, still, one, still, again, still, other, still, over, *[last] * 4]
        assert clocked(Meters(shape), cases)[-1]["value"] == episodes
