"""Small instances, in every order in which anything can happen."""

from collections.abc import Callable
from typing import Any

import pytest

from syncfabric.models.messages import Request
from syncfabric.models.setup.explore import Explored, explore
from syncfabric.models.setup.life import Life, life_of
from syncfabric.models.setup.managed import ManagedNetwork
from syncfabric.models.setup.manager import Meddling
from syncfabric.models.setup.network import Event, Violation
from syncfabric.models.setup.rules import Rules
from tests.models.setup.instances import line, plan

Covered = Callable[[str, Explored], None]
MOST = 400_000


def reused(switches: int, turnaround: str = "switch", **second: Any) -> ManagedNetwork:
    """A GID used twice; the first life may be killed at any moment."""
    row = line(switches, 2 if switches == 1 else 1)
    group = plan(row, 7, row.nodes, turnaround)
    lives = [life_of(group, 0, kill=True), life_of(group, 1, epoch=1, after=0, **second)]
    return ManagedNetwork(row, lives)


def contending(switches: int, *patience: int) -> ManagedNetwork:
    """Two managers, each with a group over the first switch, whose only register one can have."""
    row = line(switches, 2)
    first = [(0, 2), (0, 3)] if switches == 1 else [(switch, 2) for switch in range(switches)]
    groups = plan(row, 1, first), plan(row, 2, [(0, 2), (0, 3)])
    lives = [
        life_of(group, number, manager=number, patience=tries)
        for number, (group, tries) in enumerate(zip(groups, patience, strict=True))
    ]
    return ManagedNetwork(row, lives, registers=1)


def alone(switches: int, turnaround: str = "switch", **keys: Any) -> ManagedNetwork:
    row = line(switches, 2 if switches == 1 else 1)
    return ManagedNetwork(row, [life_of(plan(row, 7, row.nodes, turnaround), 0, **keys)])


def meddled(operation: Request) -> ManagedNetwork:
    row = line(2)
    life: Life = life_of(plan(row, 7, row.nodes), 0)
    return ManagedNetwork(row, [life], meddlings=[Meddling(1, 0, operation)])


@pytest.mark.parametrize(
    ("name", "network"),
    [
        ("1 switch, killed or freed, used again", reused(1)),
        ("the same, turned around in a node", reused(1, "node")),
        ("the same, killed twice", reused(1, kill=True)),
        ("2 switches, 2 barriers", alone(2, barriers=2)),
        ("2 switches, turned around in a node", alone(2, "node")),
    ],
)
def test_nothing_goes_wrong_in_any_order(
    name: str, network: ManagedNetwork, covered: Covered
) -> None:
    covered(name, explore(network, MOST))


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "network"),
    [
        ("2 switches, killed or freed, used again", reused(2)),
        ("2 managers, 1 switch of one register, retries", contending(1, 2, 2)),
        ("2 managers, 2 switches of one register", contending(2, 1, 1)),
        ("2 managers, 2 switches of one register, retries", contending(2, 2, 1)),
        ("3 switches, 2 requests repeated", alone(3, repeats=2)),
        ("2 switches, another manager clears", meddled(Request.CLEAR)),
        ("2 switches, another manager kills", meddled(Request.KILL)),
    ],
)
def test_nothing_goes_wrong_in_any_order_of_more(
    name: str, network: ManagedNetwork, covered: Covered
) -> None:
    covered(name, explore(network, MOST))


@pytest.mark.parametrize(
    ("rule", "what"),
    [
        ("hold_free", "stuck"),
        ("epochs", "GO.*of an old life used"),
        ("node_epoch", "GO.*of an old life used"),
        ("kill_drops_freed", "FREED of life 0 taken for that of life 1"),
    ],
)
def test_each_of_these_rules_is_needed(rule: str, what: str) -> None:
    network = reused(1)
    network.rules = Rules(**{rule: False})
    with pytest.raises(Violation, match=what):
        explore(network, MOST)


def test_go_may_bring_the_epoch_if_nothing_old_is_under_way() -> None:
    network = reused(1)
    network.rules = Rules(node_epoch=False, drained=True)
    assert explore(network, MOST).ends


def test_the_shortest_way_to_a_violation_is_told() -> None:
    network = alone(2)
    network.rules = Rules(opened_first=False)
    with pytest.raises(Violation, match=r"^lost at \(0, 2\): Message\(kind=<Kind.GO") as caught:
        explore(network, MOST)
    (told,) = caught.value.__notes__
    assert told.splitlines()[0] == "command 0 0"
    assert told.splitlines()[-1].startswith("deliver")


def test_waiting_for_ever_is_found() -> None:
    network = alone(2, last=False)
    with pytest.raises(Violation, match="stuck"):
        explore(network, MOST)


class Spinning(ManagedNetwork):
    """Something may always happen, and changes nothing."""

    def events(self) -> list[Event]:
        return [*super().events(), ("spin",)]

    def _spin(self) -> None:
        pass


def test_going_round_for_ever_is_found() -> None:
    once = alone(1)
    with pytest.raises(Violation, match="no end can be reached"):
        explore(Spinning(once.topology, once.lives.values()), MOST)


def test_too_many_states_are_told() -> None:
    with pytest.raises(MemoryError, match="more than 100 states"):
        explore(alone(2), 100)
