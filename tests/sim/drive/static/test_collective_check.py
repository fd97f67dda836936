"""The rules of collectives: each is told where it is broken, on the wires or by the software."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from syncfabric.models.networks.mesh import Port
from syncfabric.sim.drive.runner import ScenarioRunner
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.static import software
from syncfabric.sim.drive.static.collective_check import CollectiveCheck, static_rules
from syncfabric.sim.drive.static.operations import KINDS, Collective
from syncfabric.sim.drive.trace import Line, Turn, bits
from tests.models.golden.static_bench import cycle, ring, static
from tests.sim.drive.static.planned import plan_of

SPEC = static(2, 2)
PLAN = plan_of(SPEC, ring(cycle(2, 2)))
CORES = sum(1 << 5 * node + Port.LOCAL for node in range(4))
Story = list[Turn | Line]


def recorded(kind: str, **values: Any) -> tuple[Scenario, Story]:
    """Return a run's turns and wires in the order in which a judge takes them."""
    scenario = Scenario(
        episodes=2, policy="together", collectives=(Collective(0, kind, 3, **values),)
    )
    runner = ScenarioRunner(PLAN, scenario)
    story: list[tuple[int, int, Turn | Line]] = []
    while not runner.finished:
        chunk = runner.advance()
        story += [(act.cycle, 0, act) for act in chunk.acts if isinstance(act, Turn)]
        story += [(line.cycle, 1, line) for line in chunk.lines]
    return scenario, [entry for *_, entry in sorted(story, key=lambda entry: entry[:2])]


def judged(scenario: Scenario, story: Story) -> list[str]:
    """Return the names of the rules that are broken, in order."""
    rules = static_rules(PLAN, scenario, coverage=False)
    (check,), broken = [rule for rule in rules if isinstance(rule, CollectiveCheck)], []
    for entry in story:
        found = check.act(entry) if isinstance(entry, Turn) else check.wires(entry)
        broken += [mismatch.signal for mismatch in found]
    return broken + [mismatch.signal for mismatch in check.close(0)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_sound_run_breaks_no_rule(kind: str) -> None:
    assert not judged(*recorded(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_a_flipped_flit_is_told(kind: str) -> None:
    scenario, story = recorded(kind)
    place = next(i for i, e in enumerate(story) if isinstance(e, Line) and e.record.valid & CORES)
    line = story[place]
    assert isinstance(line, Line)
    links = list(bits(line.record.valid))
    core = next(i for i, link in enumerate(links) if CORES >> link & 1)
    flits = [flit ^ (i == core) for i, flit in enumerate(line.record.payloads)]
    story[place] = replace(line, record=line.record._replace(payloads=flits))
    rules = judged(scenario, story)
    assert any("flits read" in rule for rule in rules)


@pytest.mark.parametrize("kind", KINDS)
def test_a_lost_flit_is_missed(kind: str) -> None:
    scenario, story = recorded(kind)
    place = max(i for i, e in enumerate(story) if isinstance(e, Line) and e.record.credit & CORES)
    assert any("operations" in rule for rule in judged(scenario, story[:place]))


@pytest.mark.parametrize("kind", KINDS)
def test_flits_of_a_root_that_has_not_begun(kind: str) -> None:
    scenario, story = recorded(kind)
    late = [e for e in story if not (isinstance(e, Turn) and e.member == 0 and not e.ends)]
    rules = judged(scenario, late)
    assert "group 0: a flit before the root has begun" in rules
    assert "group 0: flits outside of operations" in rules


def test_a_result_before_all_have_begun() -> None:
    """One member begins the second reduction after the root has its result, by the turns."""
    scenario, story = recorded("reduce")
    place = max(i for i, e in enumerate(story) if isinstance(e, Turn) and not e.ends)
    begins = story.pop(place)
    assert isinstance(begins, Turn)
    assert begins.member
    assert "group 0: begun before the result" in judged(scenario, story)


def test_the_root_has_its_last_flit_back_too_early() -> None:
    """A member's flits that it has yet to read are more than its core buffer holds."""
    scenario, story = recorded("broadcast")
    reader = 1 << 5 * 2 + Port.LOCAL  # of the second member of the ring
    last = max(i for i, e in enumerate(story) if isinstance(e, Line) and e.record.credit & CORES)
    without = [
        replace(e, record=e.record._replace(credit=e.record.credit & ~reader))
        if isinstance(e, Line)
        else e
        for e in story[: last + 1]
    ]
    assert "group 0: flits behind the root's last" in judged(scenario, without)


def without_carries(own: int, theirs: int) -> int:
    """Return the sum of each flit with its other, and no carry from one to the next."""
    bits, mask = SPEC.flit_bits, (1 << SPEC.flit_bits) - 1
    pairs = ((own >> bits * place, theirs >> bits * place) for place in range(3))
    return sum((one + other & mask) << bits * place for place, (one, other) in enumerate(pairs))


@pytest.mark.parametrize(
    ("kind", "op", "combine"),
    [
        ("reduce", "sum", without_carries),
        ("reduce", "sum", lambda own, _: own),
        ("allreduce", "max", lambda own, _: own),
    ],
)
def test_software_that_combines_wrongly(
    kind: str, op: str, combine: Callable[[int, int], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(software.COMBINE, op, combine)
    assert "group 0: flits sent" in judged(*recorded(kind, op=op))


def test_software_that_joins_wrongly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(software, "joined", lambda *_: 5)
    assert "group 0: word in the end" in judged(*recorded("scatter"))
