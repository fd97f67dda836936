"""What may as well happen at once hides nothing; so three switches can be gone through."""

from collections.abc import Callable, Hashable

import pytest

from syncfabric.models.messages import Request
from syncfabric.models.networks.irregular import Place
from syncfabric.models.setup.explore import Explored, explore
from syncfabric.models.setup.life import life_of
from syncfabric.models.setup.managed import ManagedNetwork
from syncfabric.models.setup.manager import Meddling
from syncfabric.models.setup.network import Violation
from syncfabric.models.setup.rules import Rules
from tests.models.setup.instances import line, plan
from tests.models.setup.test_explore import alone, contending, meddled, reused

Covered = Callable[[str, Explored], None]


def states(network: ManagedNetwork, settle: Callable[[ManagedNetwork], None]) -> set[Hashable]:
    """Return all states that can be reached, each as it is after ``settle``."""
    found, front = {network.key()}, [network]
    while front:
        state = front.pop()
        for event in state.events():
            after = state.copy()
            after.apply(event)
            settle(after)
            if (key := after.key()) not in found:
                found.add(key)
                front.append(after)
    return found


def settle(network: ManagedNetwork) -> None:
    while event := network.at_once():
        assert event in network.events()
        network.apply(event)


def settled(network: ManagedNetwork) -> set[Hashable]:
    """Return all states that can be reached, as they are when all of them have settled."""
    kept: set[Hashable] = {network.key()}

    def note(state: ManagedNetwork) -> None:
        after = state.copy()
        settle(after)
        kept.add(after.key())

    states(network, note)
    return kept


@pytest.mark.parametrize(
    "network",
    [
        alone(2, "node"),
        alone(2, repeats=1),
        pytest.param(alone(3, repeats=1), marks=pytest.mark.long),
        pytest.param(contending(1, 2, 2), marks=pytest.mark.long),
        pytest.param(contending(2, 2, 1), marks=pytest.mark.long),
        pytest.param(meddled(Request.CLEAR), marks=pytest.mark.long),
        pytest.param(meddled(Request.KILL), marks=pytest.mark.long),
    ],
)
def test_every_state_settles_into_one_that_is_gone_through(network: ManagedNetwork) -> None:
    assert settled(network) == states(network, settle)


def test_nothing_is_settled_where_groups_may_be_killed() -> None:
    network = reused(1)
    for event in [("open", 0, 0), ("open", 0, 1), ("command", 0, Request.SETUP)]:
        network.apply(event)
    assert ("ask", 0, 0) in network.events()
    assert network.at_once() is None


@pytest.mark.parametrize(
    ("rule", "network"),
    [
        ("opened_first", alone(2)),
        ("go", alone(2)),
        ("idle_test", alone(2, "node")),
        ("go_ends_at_node", alone(2, "node")),
        pytest.param("rollback", contending(2, 1, 1), marks=pytest.mark.long),
    ],
)
def test_what_goes_wrong_is_found(rule: str, network: ManagedNetwork) -> None:
    network.rules = Rules(**{rule: False})
    found = []
    for whole in (True, False):
        with pytest.raises(Violation) as caught:
            explore(network, 400_000, whole=whole)
        found.append(str(caught.value).partition(":")[0].partition(" at ")[0])
    assert found[0] == found[1]


def pair(
    second: tuple[Place, ...],
    *patience: int,
    repeats: int = 0,
    meddlings: tuple[Meddling, ...] = (),
) -> ManagedNetwork:
    """Two managers' groups on three switches of one register: one over all, and another."""
    row = line(3, 2)
    groups = plan(row, 1, [(switch, 2) for switch in range(3)]), plan(row, 2, second)
    lives = [
        life_of(group, number, manager=number, patience=tries, repeats=repeats)
        for number, (group, tries) in enumerate(zip(groups, patience, strict=True))
    ]
    return ManagedNetwork(row, lives, registers=1, meddlings=meddlings)


ALL, TWO = ((0, 3), (1, 3), (2, 3)), ((1, 3), (2, 3))


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "network"),
    [
        ("over 3 and 2", pair(TWO, 2, 2)),
        ("over 3 each", pair(ALL, 2, 2)),
        ("over 3 each, requests repeated", pair(ALL, 2, 2, repeats=1)),
        (
            "over 3 and 2, and a manager that meddles",
            pair(TWO, 2, 2, meddlings=(Meddling(2, 0, Request.KILL),)),
        ),
    ],
)
def test_two_groups_over_three_switches(
    name: str, network: ManagedNetwork, covered: Covered
) -> None:
    covered(f"2 groups {name}, 3 switches of one register, retries", explore(
        network, 3_000_000, whole=False
    ))  # fmt: skip
