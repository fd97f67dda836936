"""The explorer on a protocol that can be counted by hand: tokens that go up a ladder."""

import random
from collections.abc import Hashable
from typing import Self

import pytest

from tests.models.verify.explorer import Event, Violation, explore, run


class Ladder:
    """Tokens that climb to a height; at ``trap`` one breaks, at ``pit`` one stays."""

    def __init__(self, tokens: int, height: int, trap: int = -1, pit: int = -1) -> None:
        self.at = [0] * tokens
        self.height, self.trap, self.pit = height, trap, pit
        self.jumps = False
        self.good = True

    def key(self) -> tuple[Hashable, ...]:
        return (tuple(self.at),)

    def copy(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__, at=self.at.copy())
        return twin

    def events(self) -> list[Event]:
        events: list[Event] = []
        for token, at in enumerate(self.at):
            if at == self.pit:
                events.append(("stay", token))
            elif at < self.height:
                events.append(("climb", token))
        return events

    def apply(self, event: Event) -> None:
        what, token = event
        self.at[token] += what == "climb"
        if self.at[token] == self.trap:
            raise Violation("a token breaks")

    def persistent(self) -> Event | None:
        return self.events()[0] if self.jumps and self.at[0] < self.height else None

    def check_end(self) -> None:
        if not self.good:
            raise Violation("no good end")


def test_all_states_are_visited() -> None:
    assert explore(Ladder(3, 4), 1000) == (5**3, 3 * 4 * 25, 1)


def test_states_with_persistent_events_are_not_visited() -> None:
    ladder = Ladder(3, 4)
    ladder.jumps = True
    assert explore(ladder, 1000).states == 5**2
    assert explore(ladder, 1000, reduce=False).states == 5**3


def test_a_violation_has_a_shortest_trace() -> None:
    with pytest.raises(Violation, match="breaks") as caught:
        explore(Ladder(2, 4, trap=3), 1000)
    assert caught.value.__notes__ == ["\n".join(["climb 0"] * 3)]


def test_a_trace_names_persistent_events() -> None:
    ladder = Ladder(2, 3, trap=3)
    ladder.at[0] = 1
    ladder.jumps = True
    with pytest.raises(Violation):
        explore(ladder, 1000)
    ladder.at = [3, 2]
    with pytest.raises(Violation) as caught:
        explore(ladder, 1000)
    assert caught.value.__notes__ == ["climb 1"]


def test_a_bad_end_is_found() -> None:
    ladder = Ladder(1, 2)
    ladder.good = False
    with pytest.raises(Violation, match="no good end") as caught:
        explore(ladder, 1000)
    assert caught.value.__notes__ == ["climb 0\nclimb 0"]


def test_a_state_without_a_path_to_an_end_is_found() -> None:
    with pytest.raises(Violation, match="no good end can be reached") as caught:
        explore(Ladder(1, 4, pit=2), 1000)
    assert caught.value.__notes__ == [""], "from the first state no end is reachable"
    assert explore(Ladder(1, 4, pit=2), 1000, endless=True).states == 3


def test_too_many_states() -> None:
    with pytest.raises(MemoryError, match="more than 100 states"):
        explore(Ladder(3, 4), 100)


def test_a_random_run() -> None:
    assert run(Ladder(3, 4), random.Random(1), 100) == 12
    with pytest.raises(Violation, match="breaks") as caught:
        run(Ladder(3, 4, trap=3), random.Random(1), 100)
    assert caught.value.__notes__[0].splitlines().count("climb 0") <= 3
    with pytest.raises(MemoryError, match="more than 11 events"):
        run(Ladder(3, 4), random.Random(1), 11)


def test_persistent_events_must_end() -> None:
    ladder = Ladder(1, 4, pit=2)
    ladder.jumps = True
    with pytest.raises(RuntimeError, match="they must end"):
        explore(ladder, 1000)
