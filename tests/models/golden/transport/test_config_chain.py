"""The rules of the config chain."""

import random

import pytest

from syncfabric.models.golden.engine.commands import Request
from syncfabric.models.golden.engine.memory import Answer
from syncfabric.models.golden.record import ConfigRequest
from tests.models.golden.chain_stimuli import Chain, ConfigNodeStimuli

TARGETS = [{0, 1, 2}, {0}, {0, 1}, {0, 2}]


@pytest.mark.parametrize("delay", [0, 1, 5])
@pytest.mark.parametrize("node", range(5))
@pytest.mark.parametrize("target", range(8))
def test_1_to_7_a_request_and_its_answer(node: int, target: int, delay: int) -> None:
    chain = Chain(TARGETS, [delay] * 4)
    got = [chain.step(ConfigRequest(node, target << 5 | 9, True, 77))]
    got += [chain.step(None) for _ in range(30)]
    there = node < 4 and target in TARGETS[node]
    assert chain.writes == ([(node, target, Request(True, 9, 77))] if there else [])
    # At node n's input in n, at its target from n + 1 on, and as long back.
    if there:
        at, answer = 2 * node + 2 + delay, Answer(False, 100 * node + target)
    elif node < 4:
        at, answer = 2 * node + 3, Answer(True)
    else:  # the end, in 5
        at, answer = 4 + 1 + 4, Answer(True)
    assert [(cycle, one) for cycle, one in enumerate(got) if one] == [(at, answer)]


def test_6_an_error_of_a_target_is_the_host_s() -> None:
    chain = Chain(TARGETS, [2] * 4)
    got = [chain.step(ConfigRequest(2, 1 << 5 | 31, False))]
    got += [chain.step(None) for _ in range(20)]
    assert [one for one in got if one] == [Answer(True, 201)]


def test_8_one_request_after_the_other() -> None:
    """In the cycle of an answer the next request may come."""
    rng, chain = random.Random(3), Chain(TARGETS, [0, 3, 1, 2])
    open_request, answers = None, 0
    for _ in range(2000):
        request = None
        answered = chain.nodes[0].answer
        if answered and open_request:
            node, address = open_request.node, open_request.address
            there = node < 4 and address >> 5 in TARGETS[node]
            assert answered.error == (not there or address & 31 == 31)
            open_request, answers = None, answers + 1
        if open_request is None:
            address = rng.randrange(3) << 5 | rng.randrange(32)
            open_request = request = ConfigRequest(rng.randrange(6), address, True, answers)
        chain.step(request)
    assert answers > 150
    assert len(chain.writes) > 50


def test_a_config_node_alone_holds_its_request_until_ready() -> None:
    for seed in range(20):
        rng = random.Random(seed)
        stimuli = ConfigNodeStimuli(rng.randrange(4), 4, {0, rng.choice((1, 2))}, rng)
        held, answers = None, 0
        for _ in range(300):
            inputs = stimuli.inputs()
            at, passing = stimuli.at_target(), stimuli.node.passing
            if held is not None:
                assert at == held
            assert not (at and passing)
            stimuli.node.step(*inputs)
            held = at if at and not inputs.target and at[0] in stimuli.targets else None
            answers += stimuli.node.answer is not None
        assert answers > 20
