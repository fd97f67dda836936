"""Thousands of group lives on random networks, everything in random order."""

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from syncfabric.models.messages import Answer
from syncfabric.models.setup.explore import run
from syncfabric.models.setup.network import Violation
from syncfabric.models.setup.rules import Rules
from tests.models.setup.instances import draw_managed

Record = Callable[[str, object], None]


def live(networks: range, turnaround: str) -> Counter[str]:
    """Run whole networks; return what happened there."""
    seen: Counter[str] = Counter()
    for seed in networks:
        rng = random.Random(seed)
        network = run(draw_managed(rng, turnaround=turnaround), rng)
        seen.update({code.name: times for code, times in network.answers.items()})
        seen.update(lives=len(network.lives), killed=len(network.killed), strays=network.strays)
    return seen


def told(seen: Counter[str], turnaround: str) -> str:
    return f"set-up, random, turned around in a {turnaround}: " + ", ".join(
        f"{times:,} {what}" for what, times in seen.items() if times
    )


@pytest.mark.parametrize(("turnaround", "networks"), [("switch", 110), ("node", 50)])
def test_lives_end_well(turnaround: str, networks: int, record_property: Record) -> None:
    seen = live(range(networks), turnaround)
    record_property("coverage", told(seen, turnaround))
    answers = (Answer.FULL, Answer.EXISTS, Answer.BUSY, Answer.DENIED)
    assert all(seen[code.name] > 20 for code in answers)
    assert seen["strays"] > seen["killed"] > 100


@pytest.mark.long
@pytest.mark.parametrize("part", range(6))
@pytest.mark.parametrize("turnaround", ["switch", "node"])
def test_many_lives_end_well(turnaround: str, part: int, record_property: Record) -> None:
    seen = live(range(1000 + 300 * part, 1300 + 300 * part), turnaround)
    record_property("coverage", told(seen, turnaround))
    assert seen["lives"] > 3000


@pytest.mark.parametrize(
    ("rule", "what"),
    [
        ("one_command", "stuck"),
        ("free_places", "touched the entry of life"),
        ("root_last", "lost"),
        ("go", "lost"),
        ("set_up_once", "lost"),
        ("rollback", "orphaned entry|touched"),
        ("idle_test", "stuck|lost"),
        ("owner", "touched the entry of life"),
        ("freed_apart", "stuck"),
        ("epochs", "of an old life used"),
        ("opened_first", "lost"),
    ],
)
def test_each_rule_is_needed(rule: str, what: str) -> None:
    check_needed(what, "switch", **{rule: False})


@pytest.mark.parametrize(
    ("rule", "what"), [("go_ends_at_node", "lost"), ("kill_tells_root_node", "stuck")]
)
def test_each_rule_of_a_root_node_is_needed(rule: str, what: str) -> None:
    check_needed(what, "node", **{rule: False})


def check_needed(what: str, turnaround: str, **rules: Any) -> None:
    """Some of forty networks fail in this way without a rule."""
    for seed in range(40):
        rng = random.Random(seed)
        network = draw_managed(rng, rules=Rules(**rules), turnaround=turnaround)
        try:
            run(network, rng)
        except Violation as violation:
            with pytest.raises(Violation, match=what):
                raise violation
            return
    pytest.fail("nothing went wrong")
