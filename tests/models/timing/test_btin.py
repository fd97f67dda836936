"""Paper BTIN's latency formula and mean height, against the values its figures give."""

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.timing.btin import (
    PacketTiming,
    Timing,
    formula_ns,
    height_bound,
    mean_height,
    multicast_ns,
    unicast_ns,
)


def test_latency_is_linear_in_the_height() -> None:
    """5.88 + 0.64 h µs at the paper's times."""
    for height in range(6):
        assert formula_ns(height) == 5_880 + 640 * height
    assert formula_ns(3, Timing(t_s=10_000, t_p=40, t_r=500)) == 2 * (10_000 + 5 * 40 + 6 * 500)


@pytest.mark.parametrize(("nodes", "switches", "height"), [(256, 75, 6.44), (1024, 300, 9.47)])
def test_mean_height(nodes: int, switches: int, height: float) -> None:
    assert mean_height(8, 0.75, nodes, switches) == pytest.approx(height, abs=0.005)


@pytest.mark.parametrize(("nodes", "switches", "height"), [(256, 75, 12.0), (1024, 300, 15.0)])
def test_theorem_1_as_printed_is_about_twice_as_high(
    nodes: int, switches: int, height: float
) -> None:
    theorem = height_bound(8, 0.75, nodes, switches, nodes)
    assert theorem == pytest.approx(height, abs=0.05)
    assert theorem > height_bound(8, 0.75, nodes, switches, switches)


def test_further_messages_are_switched_by_all_links_in_turn() -> None:
    """1,023 of 300 ns over 2.587 links; the last of 1,023 sent waits for 1,022 start-ups."""
    m = multicast_ns(9, 1024, 6 - 1024 / 300)
    assert m == pytest.approx(11_640 + 118_647, abs=1)
    assert unicast_ns(9, 1024, 6 - 1024 / 300) == m + 1022 * 2000
    assert multicast_ns(9, 2, 4) == unicast_ns(9, 2, 4) == 11_640 + 75
    assert multicast_ns(9, 1, 4) == unicast_ns(9, 1, 4) == formula_ns(9)
    assert multicast_ns(0, 3, 4, PacketTiming(t_in=7)) == 5_880 + 14
    assert unicast_ns(0, 4, 4, PacketTiming(t_in=7, t_out=11)) == 5_880 + 21 + 22


def test_switches_without_links_have_no_multicast() -> None:
    message = (
        r"^Multicast model: a switch must have more than 0 links to others, not -0.2; "
        r"take fewer nodes, or a greater connectivity$"
    )
    with pytest.raises(PlanError, match=message):
        multicast_ns(3, 8, -0.2)


def test_networks_without_branches_have_no_mean_height() -> None:
    message = (
        r"^Mean height: 75 switches with -0.413 children each make no tree; "
        r"take two or more of each$"
    )
    with pytest.raises(PlanError, match=message):
        mean_height(8, 0.5, 256, 75)
    with pytest.raises(PlanError, match=r"^Mean height: 1 switches with 3 children"):
        mean_height(8, 0.75, 2, 1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"t_s": -1}, r"^Timing: t_s must be 0 to 100000 ns, not -1$"),
        ({"t_p": 1001}, r"^Timing: t_p must be 0 to 1000 ns, not 1001$"),
        ({"t_r": float("nan")}, r"^Timing: t_r must be 0 to 10000 ns, not nan$"),
    ],
)
def test_times_out_of_range_are_refused(changes: dict[str, float], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        Timing(**changes)
