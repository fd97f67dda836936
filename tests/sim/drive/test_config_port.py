"""The config port's queue: one request a cycle, answers in order, each to who asked."""

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import SwitchWord, register_address
from syncfabric.sim.assemble.player import Stimulus, StimulusKind
from syncfabric.sim.drive.config_port import ConfigPort
from tests.sim.drive.networks import mesh

NETWORK = mesh(2, 2)
FIRST = ConfigRequest(3, 8, True, 77)


def test_requests_go_in_order_and_as_stimuli() -> None:
    port = ConfigPort(NETWORK, [FIRST])
    port.ask(ConfigRequest(1, 9, False))
    assert port.may_ask
    assert port.give(5) == (FIRST, Stimulus(5, StimulusKind.CONFIG, 3 << 12 | 8, 77, 1))
    assert port.give(6)[0] == ConfigRequest(1, 9, False)
    assert not port.may_ask
    assert port.all_given


def test_answers_go_to_who_asked() -> None:
    port = ConfigPort(NETWORK, [FIRST])
    heard: list[tuple[int, bool, int]] = []
    port.ask(ConfigRequest(1, 9, False), lambda *answer: heard.append(answer))
    port.give(5)
    port.give(6)
    port.hear(6, (True, False, 0))
    assert heard == []
    port.hear(7, (False, False, 0))
    assert not port.all_answered
    port.hear(8, (True, True, 5))
    assert heard == [(8, True, 5)]
    assert port.all_answered
    assert port.answered == {6: FIRST, 8: ConfigRequest(1, 9, False)}


def test_who_is_not_there_does_not_answer() -> None:
    port = ConfigPort(NETWORK, [ConfigRequest(9, register_address(1, SwitchWord.CONTROL), False)])
    port.give(1)
    assert port.all_answered
    assert port.all_given
