"""What a ring needs of its buffers: both sides of each limit, by all interleavings."""

import itertools
from collections.abc import Iterator

import pytest

from tests.models.planning.ring_states import EarlyReleaseError, HangError, Ring, explore


def small_rings(links: int, most: int, *, software: bool) -> Iterator[Ring]:
    """Yield rings with W and O of 1 or 2, and root buffers up to the others' size."""
    for core, switch, injection in itertools.product(range(1, most + 1), (1, 2), (1, 2)):
        for root in range(1, core + 1):
            yield Ring(links, core, switch, injection, root, software)


def spare(ring: Ring) -> int:
    """Return the places that Algorithm 1 has to spare (docs/microarchitecture-static.md, R8)."""
    return ring.root + ring.links * ring.switch + ring.injection - (ring.core + 1)


def check_ring(ring: Ring) -> None:
    if spare(ring) < 0:
        with pytest.raises(HangError):
            explore(ring)
    else:
        explore(ring)


def test_software_hangs_with_one_place_too_few() -> None:
    """SPEC section 3: N = 2, B = 4, one place at the root, W = O = 1; one more anywhere will do."""
    short = Ring(2, 4, 1, 1, 1, software=True)
    assert spare(short) == -1
    with pytest.raises(HangError):
        explore(short)
    for enough in (
        Ring(2, 4, 1, 1, 2, software=True),
        Ring(2, 4, 1, 2, 1, software=True),
        Ring(2, 3, 1, 1, 1, software=True),
        Ring(3, 4, 1, 1, 1, software=True),
    ):
        assert spare(enough) == 0
        explore(enough)


def test_software_limit_of_two_switches() -> None:
    rings = list(small_rings(2, 4, software=True))
    assert {spare(ring) < 0 for ring in rings} == {True, False}
    for ring in rings:
        check_ring(ring)


@pytest.mark.parametrize("places", [(1, 1, 1), (1, 2, 1), (1, 1, 2), (2, 1, 1), (1, 3, 1)])
def test_how_many_fillers_software_may_send(places: tuple[int, int, int]) -> None:
    """All numbers, in a ring of three: too few release early, too many hang."""
    switch, core, injection = places
    most = core + switch + injection
    for fillers in range(max(1, core - 1), most + 2):
        ring = Ring(3, fillers, switch, injection, core, software=True, free=core - fillers)
        if core <= fillers <= most:
            explore(ring)
            continue
        with pytest.raises(EarlyReleaseError if fillers < core else HangError):
            explore(ring)


def test_one_place_each_is_enough_for_agents() -> None:
    """With any buffers, all of these run for ever; with no place in one of them, none does."""
    for ring in (*small_rings(2, 3, software=False), *small_rings(3, 1, software=False)):
        explore(ring)
    for core, switch, injection, root in ((1, 0, 1, 1), (1, 1, 0, 1), (1, 1, 1, 0), (0, 1, 1, 1)):
        with pytest.raises(HangError):
            explore(Ring(2, core, switch, injection, root, software=False))


@pytest.mark.nightly
@pytest.mark.parametrize("software", [True, False])
def test_limits_of_three_switches(software: bool) -> None:
    for ring in small_rings(3, 3, software=software):
        check_ring(ring) if software else explore(ring)


@pytest.mark.nightly
def test_agents_of_four_switches() -> None:
    explore(Ring(4, 1, 1, 1, 1, software=False))
    explore(Ring(4, 2, 1, 1, 2, software=False))


@pytest.mark.parametrize("software", [True, False])
@pytest.mark.parametrize("core", [1, 2])
def test_broken_rules_release_early(software: bool, core: int) -> None:
    """Not lock step; a slot left free by Init; Wait as it is printed."""
    sound = Ring(3, core, 1, 1, core, software)
    explore(sound)
    with pytest.raises(EarlyReleaseError):
        explore(Ring(3, core, 1, 1, core, software, lock_step=False))
    with pytest.raises(EarlyReleaseError):
        explore(Ring(3, core, 1, 1, core, software, free=1))
    with pytest.raises(EarlyReleaseError):
        explore(Ring(3, core, 1, 1, core, software, wait=1))
