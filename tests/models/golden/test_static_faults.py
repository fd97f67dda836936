"""Each rule that the barriers rest on, broken: somebody is released too early, or nobody at all."""

import random

import pytest

from syncfabric.models.golden import static as static_model
from syncfabric.models.golden.static_agent import Agent
from syncfabric.models.golden.static_switches import Switches
from syncfabric.models.networks.spec import StaticSpec
from tests.models.golden.static_bench import (
    Bench,
    Group,
    cycle,
    mesh_of,
    random_tree,
    ready_bench,
    ring,
    static,
)
from tests.models.golden.static_play import EarlyReleaseError, HangError, Play, When
from tests.models.golden.static_software import Software

RUNS = 30


class RelaxedSwitches(Switches):
    """Not in lock step: a flit goes to each output when that one has a credit."""

    def move(self, sent: dict[int, int]) -> list[int]:
        """Send what can be sent; a buffer moves with the last copy of its front flit."""
        moved, active = [], set()
        for link in self.active:
            queue, to = self.buffers[link], self._outputs[link]
            if not queue or not to:
                continue
            ahead = self.owing.setdefault(link, set(to))
            for output in [output for output in ahead if self.credits[output]]:
                sent[output] = queue[0]
                ahead.discard(output)
                active.add(link)
            if not ahead:
                moved.append(link)
                del self.owing[link]
        self.active = active
        return moved

    @property
    def owing(self) -> dict[int, set[int]]:
        """Outputs that still want the front flit of a buffer."""
        found: dict[int, set[int]] = self.__dict__.setdefault("owing_", {})
        return found


class ShortAgent(Agent):
    """Takes the core buffers for one place smaller than they are."""

    def __init__(self, core_buffer: int, timeout: int = 0) -> None:
        super().__init__(core_buffer - 1, timeout)


def random_ring(rng: random.Random, *, core: int = 1) -> tuple[StaticSpec, Group]:
    size = rng.choice(((2, 2), (3, 2), (4, 2), (3, 4), (4, 4)))
    spec = static(*size, (rng.randint(1, 3), rng.randint(core, 5), rng.randint(1, 3)))
    return spec, ring(cycle(*size))


def is_early(bench: Bench, when: When, episodes: int) -> bool:
    """Return whether somebody leaves too early."""
    play = Play(bench, when)
    play.join(bench.groups[0])
    try:
        play.run(episodes)
    except EarlyReleaseError:
        return True
    except HangError:
        pass
    return False


def skewed(rng: random.Random) -> When:
    return lambda *_: rng.choice((0, 0, 3, 200))


def early_rings(core: int) -> int:
    """Count the runs with early releases, of rings with skewed arrivals."""
    early = 0
    for seed in range(RUNS):
        rng = random.Random(seed)
        spec, group = random_ring(rng, core=core)
        bench = ready_bench(spec, group)
        early += is_early(bench, skewed(rng), 8)
    return early


def test_replication_that_is_not_lock_step_releases_early(monkeypatch: pytest.MonkeyPatch) -> None:
    assert early_rings(1) == 0
    monkeypatch.setattr(static_model, "Switches", RelaxedSwitches)
    assert early_rings(1) > 0.9 * RUNS


def test_one_free_slot_after_init_releases_early(monkeypatch: pytest.MonkeyPatch) -> None:
    assert early_rings(2) == 0
    monkeypatch.setattr(static_model, "Agent", ShortAgent)
    assert early_rings(2) > 0.9 * RUNS


@pytest.mark.parametrize(("less", "early"), [(0, False), (1, True)])
def test_a_tree_with_one_flit_less_an_episode_releases_early(less: int, early: bool) -> None:
    """Each member in turn is late; the farthest is the one that is not waited for."""
    for seed in range(RUNS):
        rng = random.Random(seed)
        buffers = rng.randint(1, 3), rng.randint(1, 3), rng.randint(1, 3)
        spec = static(rng.randint(2, 4), rng.randint(2, 4), buffers)
        group = random_tree(rng, mesh_of(spec), spec.topology.nodes)
        bench = ready_bench(spec, group, flits=group.flits(spec) - less)
        count = len(group.members)
        assert early == is_early(bench, lambda e, m, _, n=count: 300 * (m == e % n), count)  # type: ignore[misc]


def software(
    size: tuple[int, int],
    buffers: tuple[int, int, int],
    wait: int,
    late: list[list[int]],
    fillers: int | None = None,
) -> Software:
    group = ring(cycle(*size))
    bench = Bench(static(*size, buffers), [group])
    bench.load()
    return Software(bench, group, wait, late, fillers)


@pytest.mark.parametrize("size", [(2, 2), (4, 4)])
def test_the_printed_algorithm_releases_early(size: tuple[int, int]) -> None:
    """SPEC section 3: with one core 200 cycles late, others leave about 195 cycles early."""
    cores = size[0] * size[1]
    late = [[200 if core == cores // 2 + 1 else 0] for core in range(cores)]
    for core_buffer in (1, 2, 4):
        assert software(size, (2, core_buffer, 2), 2, late).run_on() == 0
        assert 190 <= software(size, (2, core_buffer, 2), 1, late).run_on() <= 196


def test_the_printed_algorithm_hangs_back_to_back() -> None:
    """Of eight episodes with B = 1 the root does not come out of the sixth."""
    late = [[0] * 8 for _ in range(16)]
    printed = software((4, 4), (1, 1, 1), 1, late)
    with pytest.raises(HangError):
        printed.run_on()
    assert [len(cycles) for cycles in printed.course.released] == [5] + [8] * 15
    corrected = software((4, 4), (1, 1, 1), 2, late)
    corrected.run()
    assert [len(cycles) for cycles in corrected.course.released] == [8] * 16


@pytest.mark.parametrize("seed", range(20))
def test_the_corrected_algorithm_neither_releases_early_nor_hangs(seed: int) -> None:
    rng = random.Random(seed)
    spec, group = random_ring(rng)
    size = mesh_of(spec).width, mesh_of(spec).height
    buffers = spec.switch_buffer, spec.core_buffer, spec.injection_buffer
    skew = rng.choice((0, 3, 50, 200))
    late = [[rng.randint(0, skew) for _ in range(8)] for _ in group.members]
    software(size, buffers, 2, late).run()


@pytest.mark.parametrize("buffers", [(1, 1, 1), (1, 2, 1), (2, 3, 1), (1, 2, 3)])
def test_software_that_fills_a_ring_with_too_little_or_too_much(
    buffers: tuple[int, int, int],
) -> None:
    """Both sides of each limit of R8; each core in turn is late."""
    switch, core, injection = buffers
    most = core + switch + injection
    late = [[300 * (episode % 4 == member) for episode in range(8)] for member in range(4)]

    def play(fillers: int) -> Software:
        return software((2, 2), buffers, 2, late, fillers)

    for fillers in (core, core + 1, most):
        play(fillers).run()
    with pytest.raises(HangError):
        play(most + 1).run()
    if core > 1:
        with pytest.raises(EarlyReleaseError):
            play(core - 1).run()
