"""Requests and waiting, driven by hand."""

from collections.abc import Generator
from typing import Any

import pytest

from syncfabric.sim.lifecycle.effects import LOOK, Ask, FoundError, Pause, ask_all, await_reads


def drive(steps: Generator[Any, Any, list[int]], answers: list[Any]) -> tuple[list[Any], list[int]]:
    """Give each step its answer; return the steps, and what comes out."""
    asked = [next(steps)]
    for answer in answers:
        try:
            asked.append(steps.send(answer))
        except StopIteration as end:
            return asked, end.value
    raise AssertionError("it goes on")


def test_answers_come_in_the_order_of_requests() -> None:
    requests = [(1, 2, None), (3, 4, 5)]
    asked, read = drive(ask_all(requests, "it"), [[(False, 7), (False, 8)]])
    assert asked == [Ask(requests)]
    assert read == [7, 8]
    assert list(ask_all([], "it")) == []


def test_a_request_that_is_refused_is_found() -> None:
    requests = [(1, 2, None), (3, 4, 5)]
    with pytest.raises(FoundError, match=r"^it: the config port refuses address 4 of target 3$"):
        drive(ask_all(requests, "it"), [[(False, 7), (True, 0)]])


def test_it_looks_until_what_is_read_holds() -> None:
    asking = await_reads([(1, 2, None)], lambda read: read == [9], "it waits", timeout=3 * LOOK)
    asked, read = drive(asking, [[(False, 0)], None, [(False, 9)]])
    assert asked == [Ask([(1, 2, None)]), Pause(LOOK), Ask([(1, 2, None)])]
    assert read == [9]


def test_what_never_holds_is_found() -> None:
    asking = await_reads([(1, 2, None)], lambda _: False, "it waits", timeout=2 * LOOK)
    with pytest.raises(FoundError, match=f"^it waits for {2 * LOOK} cycles$"):
        drive(asking, [[(False, 0)], None] * 3)
