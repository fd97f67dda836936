"""A node alone: shared links, words, reset."""

import pytest

from syncfabric.models.golden.engine.commands import Request
from syncfabric.models.golden.engine.engine import Engine
from syncfabric.models.golden.engine.memory import Answer, Message
from syncfabric.models.golden.link import Sent
from syncfabric.models.golden.node import Node
from syncfabric.models.golden.place import PlaceInputs, Site
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.golden.transport import SharedLinks
from syncfabric.models.layout.engine import COMMIT, EngineLayout, Kind
from syncfabric.models.layout.shape import NodeShape


def test_shared_links_leave_two_cycles_of_five_to_packets() -> None:
    layout, links = EngineLayout(2, False, 32, 0, "none"), SharedLinks()
    engine = Engine(layout, stages=2, shared=True)
    image = Request(True, 1, layout.image.pack({"children": 2, "parent": 1}))
    commits = [Request(True, 0, COMMIT.pack({"code": 1, "entry": x})) for x in range(32)]
    for request in (image, *commits):
        while not engine.step(request=request).answer:
            pass
    carried = []
    for cycle in range(80):
        sends = {q: Sent(message) for q, message in engine.links.items()}
        carried.append(1 in sends)
        hold = links.hold(sends)
        links.step(sends, {})
        inputs = {0: Message(cycle, 1, Kind.GO)} if cycle < 32 else {}
        engine.step(inputs, hold=hold)
    start = carried.index(True)
    assert carried[start : start + 50] == [True, True, True, False, False] * 10
    assert sum(carried) == 32


def node(check_bits: int = 8) -> Node:
    shape = NodeShape(links=2, groups=2, engine_stages=2, registers=2, check_bits=check_bits)
    return Node(shape, Site(registers=2))


def ask(there: Node, write: bool, address: int, data: int = 0) -> Answer:
    """Make a request; its answer comes in the third cycle after it."""
    there.step(PlaceInputs(request=ConfigRequest(0, address, write, data)))
    answers = [there.step(PlaceInputs()).answer for _ in range(4)]
    assert [bool(answer) for answer in answers] == [False, False, True, False]
    assert answers[2]
    return answers[2]


@pytest.mark.parametrize("check_bits", [0, 8])
def test_words_of_router_and_node_port(check_bits: int) -> None:
    there = node(check_bits)
    good = {(False, 32 + 16), (False, 64 + 16)}
    if check_bits:
        good |= {(False, 32 + 17), (False, 32 + 18), (False, 33), (True, 33)}
    for write in (False, True):
        for address in range(32, 256):
            assert ask(there, write, address).error == ((write, address) not in good)
    if check_bits:
        ask(there, True, 33, 0xFF)
        assert ask(there, False, 33) == Answer(False, 3)


def test_reset_is_registered_and_clears_all() -> None:
    there = node()
    ask(there, True, 33, 1)
    there.step(PlaceInputs(reset=True))
    assert there.ends[0].fenced
    there.step(PlaceInputs())
    assert not there.ends[0].fenced
    assert ask(there, False, 33) == Answer(False, 0)
