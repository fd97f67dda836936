"""The stimulus of a run: its phases, and the script that says the same as the inputs."""

from itertools import pairwise

from syncfabric.models.planning.set_up import Epochs, set_up_writes
from syncfabric.models.traffic import WARM_CYCLES, rate_word
from syncfabric.sim.assemble.script import Stimulus, StimulusKind
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.targets import counters_of
from tests.sim.drive.networks import members, mesh, plan_of, played

PLAN = plan_of(mesh(2, 2), members(1, (0, 0), (1, 1)), members(2, *mesh(2, 2).topology.nodes))


def stimuli(scenario: Scenario) -> list[Stimulus]:
    return [stimulus for chunk in played(PLAN, scenario) for stimulus in chunk.stimuli]


def cycles(of: list[Stimulus], kind: StimulusKind) -> list[int]:
    return [stimulus.cycle for stimulus in of if stimulus.kind is kind]


def test_groups_are_set_up_first_a_word_after_the_others_answer() -> None:
    network = PLAN.spec.message_network
    writes = list(set_up_writes(PLAN.engine_groups, network.shape, Epochs()))
    first = stimuli(Scenario())[: len(writes)]
    assert [(s.index >> 12, s.index & 4095, s.data) for s in first] == writes
    assert all(s.kind is StimulusKind.CONFIG and s.extra for s in first)
    assert all(b.cycle > a.cycle + 1 for a, b in pairwise(first))


def test_then_traffic_and_after_the_lead_in_the_barriers() -> None:
    seen = stimuli(Scenario(background=0.25, lead_in=70, policy="together"))
    (load,) = cycles(seen, StimulusKind.LOAD)
    on, off = (s for s in seen if s.kind is StimulusKind.RATE)
    assert load > max(s.cycle for s in seen[: seen.index(on)] if s.kind is StimulusKind.CONFIG)
    assert on == Stimulus(load + 1 + WARM_CYCLES, StimulusKind.RATE, 0, rate_word(0.25), 1)
    assert min(cycles(seen, StimulusKind.ARRIVE)) == on.cycle + 70
    assert (off.data, off.extra) == (0, 0)
    assert off.cycle > max(cycles(seen, StimulusKind.ARRIVE))


def test_traffic_goes_on_for_as_many_cycles_as_asked() -> None:
    seen = stimuli(Scenario(episodes=1, background=0.1, cycles=3_000))
    assert max(cycles(seen, StimulusKind.RATE)) == 3_000


def test_at_the_end_every_counter_is_read() -> None:
    seen = stimuli(Scenario(episodes=3))
    words = counters_of(PLAN.spec.network)
    wanted = [word.place for word in words if word.kind is not None]
    asked = [(s.index >> 12, s.index & 4095) for s in seen if s.kind is StimulusKind.CONFIG]
    assert asked[-len(wanted) :] == wanted
    assert seen[-1].cycle > max(cycles(seen, StimulusKind.ARRIVE))


def test_without_traffic_there_is_none() -> None:
    kinds = {stimulus.kind for stimulus in stimuli(Scenario())}
    assert kinds == {StimulusKind.CONFIG, StimulusKind.ARRIVE}
