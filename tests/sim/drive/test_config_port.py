"""The config port's queue: a request after the other's answer, each to its request."""

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.sim.assemble.script import Stimulus, StimulusKind
from syncfabric.sim.drive.config_port import ConfigPort

FIRST, SECOND = ConfigRequest(3, 8, True, 77), ConfigRequest(1, 9, False)


def test_requests_go_in_order_and_as_stimuli() -> None:
    port = ConfigPort()
    port.ask(FIRST)
    port.ask(SECOND)
    assert port.may_ask
    assert port.give(5) == (FIRST, Stimulus(5, StimulusKind.CONFIG, 3 << 12 | 8, 77, 1))
    assert port.awaits_answer
    assert not port.may_ask
    port.receive(9, (True, False, 0))
    assert port.give(10)[0] == SECOND
    assert not port.is_idle
    port.receive(12, (True, False, 0))
    assert port.is_idle


def test_answers_go_to_the_request_that_asked() -> None:
    port = ConfigPort()
    port.ask(FIRST)
    answers: list[tuple[int, bool, int]] = []
    port.ask(SECOND, lambda *answer: answers.append(answer))
    port.give(5)
    port.receive(6, (True, False, 0))
    assert answers == []
    port.give(6)
    port.receive(7, (False, False, 0))
    assert port.awaits_answer
    port.receive(8, (True, True, 5))
    assert answers == [(8, True, 5)]
    assert port.answered == {6: FIRST, 8: SECOND}


def test_many_are_reported_once_when_all_are_answered() -> None:
    port, answers = ConfigPort(), list[int]()
    port.ask_all([FIRST, SECOND], answers.append)
    for cycle in (5, 8):
        assert answers == []
        port.give(cycle)
        port.receive(cycle + 2, (True, False, 0))
    assert answers == [10]
