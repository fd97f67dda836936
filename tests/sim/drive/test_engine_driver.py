"""The script of a network of engines says the same as the model's inputs."""

import random
from itertools import pairwise

import pytest

from syncfabric.sim.assemble.script import Stimulus, StimulusKind
from syncfabric.sim.drive.engine_driver import EngineDriver
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.stimulus import driver_of
from tests.sim.drive.networks import SCENARIOS, make_job, mesh


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_script_says_what_the_model_is_given(scenario: Scenario) -> None:
    network = mesh(2, 3, groups=2)
    ((plan, _),) = make_job(network, random.Random(6), [scenario]).runs
    driver = driver_of(plan, scenario)
    assert isinstance(driver, EngineDriver)
    model = driver.model
    for now in range(700):
        before = len(driver.stimuli)
        inputs = driver.inputs(now)
        new = driver.stimuli[before:]
        assert all(stimulus.cycle == now for stimulus in new)
        assert said(new, StimulusKind.ARRIVE) == {
            (node * 2 + register, data, int((node, register) in inputs.last))
            for (node, register), data in inputs.arrive.items()
        }
        config = inputs.config
        assert said(new, StimulusKind.CONFIG) == (
            {(config.node << 12 | config.address, config.data, int(config.write))}
            if config
            else set()
        )
        assert said(new, StimulusKind.LOAD) == (
            set() if inputs.load is None else {(0, inputs.load, 0)}
        )
        model.step(
            arrive=inputs.arrive,
            last=inputs.last,
            config=inputs.config,
            load=inputs.load,
            enable=driver.enable,
            rate=driver.rate,
        )
    assert driver.stimuli[0].cycle == 1  # nothing can be driven in cycle 0
    assert all(a.cycle <= b.cycle for a, b in pairwise(driver.stimuli))


def said(stimuli: list[Stimulus], kind: StimulusKind) -> set[tuple[int, int, int]]:
    return {(s.index, s.data, s.extra) for s in stimuli if s.kind is kind}
