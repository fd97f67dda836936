"""Keys of groups in the engine's golden model, and tags on links (E2, E6)."""

import pytest

from syncfabric.models.golden.engine.commands import Request
from syncfabric.models.golden.engine.engine import Engine
from syncfabric.models.golden.engine.memory import Message
from syncfabric.models.golden.link import LinkForm, Sent
from syncfabric.models.layout.engine import COMMIT, Code, EngineLayout, Kind
from syncfabric.models.layout.words import EngineWord

KEY = 5
LAYOUT = EngineLayout(2, True, 2, 3, "bitwise", key_bits=4)


def write(engine: Engine, address: int, word: int) -> None:
    """Write a word and wait for the answer."""
    request = Request(True, address, word)
    while engine.step(request=request).answer is None:
        pass
    engine.step()


def root() -> Engine:
    """Return an engine with a group of one child and the own process, at its first barrier."""
    engine = Engine(LAYOUT, stages=2)
    for _ in range(20):
        engine.step()
    image = LAYOUT.image.pack({"children": 0b101, "key": KEY})
    write(engine, EngineWord.IMAGE, image & 0xFFFFFFFF)
    write(engine, EngineWord.COMMIT, COMMIT.pack({"code": Code.SETUP}))
    write(engine, EngineWord.COMMIT, COMMIT.pack({"code": Code.GO, "epoch": 1}))
    return engine


@pytest.mark.parametrize("key", range(16))
def test_only_messages_of_the_groups_key_count(key: int) -> None:
    engine = root()
    assert len(engine.entry(0).missing) == 2
    engine.step({0: Message(0, 1, Kind.PLAIN, 3, key)})
    engine.step()
    engine.step(arrive=Message(0, 1, Kind.PLAIN, 4, KEY))
    sent = [engine.step() for _ in range(8)]
    released = [outputs.release for outputs in sent if outputs.release]
    assert released == ([Message(0, 1, Kind.PLAIN, 7, KEY)] if key == KEY else [])


def test_a_tag_covers_every_bit_of_a_message() -> None:
    form = LinkForm(1, 16, LAYOUT, "own")
    wires = form.pack(None, Sent(Message(1, 2, Kind.LAST, 6, KEY)))
    tag, at = LAYOUT.message.fields[2].width, LAYOUT.message.offsets["tag"]
    assert form.sent(wires, 0).message.tag == KEY
    for bit in range(LAYOUT.message.width):
        seen = form.sent(wires._replace(message=wires.message ^ 1 << bit), 0).message
        assert seen.tag != KEY
        assert at <= bit < at + tag or seen[:4] != (1, 2, Kind.LAST, 6)
