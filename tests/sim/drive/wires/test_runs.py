"""`Network.run` on networks with barrier wires: what a user gets."""

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.sim.drive.churn.room import check_churn
from syncfabric.sim.drive.long_run import long_run
from syncfabric.sim.drive.run import run
from tests.sim.drive.wires.nets import network_of, wired


@pytest.mark.parametrize("watchdog", [8, 20, 40])
def test_members_come_close_enough_together_for_the_watchdog(watchdog: int) -> None:
    plan = wired(network_of("mesh", watchdog=watchdog))
    result = run(plan, sim="model", episodes=30)
    assert (result.verdict, result.reason) == ("match", None)
    assert result.counters is not None
    assert result.counters.stray == 0


def test_a_member_that_comes_too_late_for_the_watchdog_is_told() -> None:
    result = run(wired(network_of("mesh", watchdog=20)), sim="model", episodes=3, jitter=100)
    assert result.verdict == "mismatch"
    assert result.mismatches[0].signal.endswith("broken, and not killed")


def test_groups_on_wires_and_groups_of_messages_are_told_apart() -> None:
    plan = wired(network_of("irregular", sync="both", setup="manager"))
    result = run(plan, sim="model", episodes=10, background=0.1)
    assert result.verdict == "match"
    for group in result.groups[:3]:
        assert group.planner == "wires"
        assert group.latency is not None
        assert group.latency.max == group.bound
        assert group.setup_packets is None
    assert result.groups[4].setup_packets
    assert result.events is not None
    assert result.events.messages > 0


def test_managers_set_slots_up_where_there_are_wires_alone() -> None:
    plan = wired(network_of("mesh", setup="manager"))
    result = run(plan, sim="model", episodes=4)
    assert result.verdict == "match"
    for group, planned in zip(result.groups, plan.wire_groups, strict=True):
        assert group.setup_packets == 2 * len(list(planned.images()))


def test_groups_that_come_and_go_are_messages() -> None:
    both = wired(network_of("mesh", sync="both", setup="manager"))
    result = run(both, sim="model", episodes=5, churn=12)
    assert (result.verdict, result.reason) == ("match", None)
    assert result.churn is not None
    assert result.churn.lives == 12
    alone = wired(network_of("mesh", setup="manager"))
    with pytest.raises(SpecError, match=r'on wires alone \(sync = "wires"\)'):
        check_churn(alone.spec)


@pytest.mark.parametrize(
    "keys",
    [
        {"channels": 0, "link_registers": 3},  # a build that the other tests have too
        pytest.param({"setup": "manager", "watchdog": 120}, marks=pytest.mark.long),
        pytest.param({"sync": "both", "watchdog": 100}, marks=pytest.mark.long),
    ],
)
def test_a_long_run(keys: dict[str, object]) -> None:
    plan = wired(network_of("mesh", **keys))
    result = long_run(
        plan, episodes=200, background=0.1 if plan.spec.register_network.channels else 0.0
    )
    assert (result.verdict, result.reason) == ("match", None)
    for group, planned in zip(result.groups[:4], plan.wire_groups, strict=True):
        assert group.episodes >= 200
        assert group.latency is not None
        assert group.latency.max <= planned.bound
