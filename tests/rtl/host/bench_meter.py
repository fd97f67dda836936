"""The meter against its model, and against what groups measure by themselves."""

from typing import Any

import cocotb

from syncfabric.models.messages.host import BINS, HISTOGRAM_BASE, SKEW_BOUNDS, MeterWord
from tests.rtl.host.group import Members
from tests.rtl.host.meter_model import Meter
from tests.rtl.support import Bench, Scoreboard

WIDTHS = (1, 5, 16)
WORDS = (0, 1, 2, 3, *range(HISTOGRAM_BASE, HISTOGRAM_BASE + BINS))


def shown(model: Meter, word: int) -> int:
    """Return what a word of the meter holds."""
    if word >= HISTOGRAM_BASE:
        return model.histogram[word - HISTOGRAM_BASE]
    return (model.episodes, model.last, model.least, model.greatest)[word]


class Play:
    """A meter and its model, cycle by cycle."""

    def __init__(self, dut: Any, width: int, name: str) -> None:
        self.bench, self.board = Bench(dut), Scoreboard(f"{name} {width}")
        self.pins, self.rng = self.bench.pins[f"meter_{width}"], self.board.rng
        self.model, self.full, self.cycle = Meter(), (1 << width) - 1, 0

    async def step(self, mask: int, *, clear: int = 0, forget: int = 0, **seen: int) -> None:
        """Take one cycle, and compare one word."""
        word = self.rng.choice(WORDS)
        stimulus = {"mask": mask, "clear": clear, "forget": forget, **seen}
        self.pins.drive(stimulus | {"word": word})
        await self.bench.settle()
        value = self.pins.read(["value"])
        expected = {"value": shown(self.model, word)}
        self.board.compare(self.cycle, seen=value, expected=expected, stimulus=(word, stimulus))
        self.model.step(mask, **seen)
        if clear:
            self.model.clear()
        if forget:
            self.model.forget()
        self.cycle += 1
        await self.bench.edge()

    async def pass_by(self, cycles: int, mask: int) -> None:
        """Let cycles pass in which nothing comes."""
        from cocotb.triggers import Timer

        await self.step(mask, arrive=0, ready=mask, released=0, broken=0)
        for _ in range(cycles - 1):
            self.model.step(mask, 0, mask, 0)
        if cycles > 1:
            await self.bench.settle()
            await Timer(10 * (cycles - 2), "ns") if cycles > 2 else None
            await self.bench.edge()
            self.cycle += cycles - 1

    async def compare_all(self) -> None:
        """Compare every word."""
        for word in WORDS:
            self.pins.drive({"word": word})
            await self.bench.settle()
            seen, expected = self.pins["value"], shown(self.model, word)
            assert seen == expected, (word, seen, expected)
            if word % 3 == 2:  # as many settles as a cycle holds
                await self.step(0, arrive=0, ready=0, released=0, broken=0)

    async def same_as(self, group: Members) -> None:
        """Compare the model with what the group measured."""
        await self.compare_all()
        kept = group.latencies
        assert self.model.episodes == len(kept)
        assert (self.model.last, self.model.least, self.model.greatest) == (
            kept[-1],
            min(kept),
            max(kept),
        )
        assert self.model.histogram == group.histogram


@cocotb.test()
@cocotb.parametrize(width=WIDTHS)
async def anything_may_come(dut: Any, width: int) -> None:
    """Arrivals, releases, breaks and clears without sense; new masks at any time."""
    play = Play(dut, width, "anything")
    await play.bench.reset()
    rng, mask = play.rng, play.full
    for cycle in range(600):
        forget = rng.random() < 0.01
        few = rng.getrandbits(width) & rng.getrandbits(width)
        await play.step(
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
    await play.compare_all()


@cocotb.test()
@cocotb.parametrize(width=WIDTHS)
async def episodes_follow_each_other(dut: Any, width: int) -> None:
    """Back to back, also while others wait; with other masks in turn, and idle when they change."""
    play = Play(dut, width, "episodes")
    await play.bench.reset()
    for round_ in range(4):
        members = sorted(play.rng.sample(range(width), play.rng.randint(1, width)))
        mask = sum(1 << m for m in members)
        group = Members(members, play.rng, skew=(0, 2, 7, 30)[round_], late=(1, 12, 4, 2)[round_])
        still = {"arrive": 0, "ready": 0, "released": 0, "broken": 0}
        await play.step(mask, clear=1, forget=1, **still)
        for cycle in range(2000):
            if cycle > 150 and group.idle:
                break
            arrive, released = group.step(stop=cycle > 150)
            noise = play.rng.getrandbits(width) & ~mask
            await play.step(
                mask, arrive=arrive | noise, ready=play.full, released=released, broken=noise
            )
        assert group.idle
        assert len(group.latencies) > 4
        await play.same_as(group)


@cocotb.test()
async def skews_fall_into_their_bins(dut: Any) -> None:
    """Right below and right at every bound."""
    play = Play(dut, 5, "skews")
    await play.bench.reset()
    expected = [0] * BINS
    cases = [(i + late, bound - 1 + late) for i, bound in enumerate(SKEW_BOUNDS) for late in (0, 1)]
    for place, skew in [*cases, (BINS - 1, 2 * SKEW_BOUNDS[-1] + 9)]:  # more than the age can count
        for arrive, released in ((1, 0), (2, 0)) if skew else ((3, 0),):
            await play.step(3, arrive=arrive, ready=3, released=released, broken=0)
            if skew > 1 and arrive == 1:
                await play.pass_by(skew - 1, 3)
        await play.step(3, arrive=0, ready=3, released=3, broken=0)
        expected[place] += 1
    assert play.model.histogram == expected
    await play.compare_all()


@cocotb.test()
async def a_broken_barrier_is_not_counted(dut: Any) -> None:
    """Broken while members wait, or before all have come; the next one counts."""
    play = Play(dut, 5, "broken")
    await play.bench.reset()
    steps = [(1, 0, 0), (2, 0, 0), (0, 1, 1), (0, 2, 0)]  # one of two releases is broken
    steps += [(1, 0, 0), (0, 1, 1), (1, 0, 0), (2, 0, 0), (0, 0, 0), (0, 3, 0)]
    for arrive, released, broken in steps:
        await play.step(3, arrive=arrive, ready=31, released=released, broken=broken)
    assert (play.model.episodes, play.model.last, play.model.histogram[1]) == (1, 2, 1)
    await play.compare_all()
    assert play.pins.read(["value"])["value"] == 0
    play.pins.drive({"word": MeterWord.EPISODES})
    await play.bench.settle()
    assert play.pins["value"] == 1
