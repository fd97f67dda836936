"""A board's registers by their names, and boards that are not what was asked for."""

from collections.abc import Mapping
from typing import cast

import pytest

from syncfabric import Network
from syncfabric.fpga.host.host import Host, Identity, name_of
from syncfabric.fpga.host.link import Link, RefusedError
from syncfabric.fpga.host.measure import check_request, measure
from syncfabric.fpga.host.set_up import check_shape, set_up
from syncfabric.models.errors import BoardError, SpecError
from syncfabric.models.messages.host import (
    CONFIG_WINDOW,
    DATA_BASE,
    HISTOGRAM_BASE,
    MASK_BASE,
    RESULT_BASE,
    SHAPE,
    WAIT_BASE,
    GlobalWord,
    MeterWord,
    NodeWord,
    StreamWord,
    TrafficWord,
    config_word,
    meter_word,
    node_word_address,
    stream_word,
    traffic_word,
)
from syncfabric.models.planning.set_up import Epochs
from tests.fpga.host.peer import Peer, Words

WAIT = 30.0


def test_every_word_has_its_name() -> None:
    assert [name_of(word) for word in GlobalWord] == [word.name for word in GlobalWord]
    names = {
        traffic_word(TrafficWord.RATE): "TRAFFIC RATE",
        stream_word(StreamWord.LAST): "STREAM LAST",
        config_word(1056): "config word 1056",
        meter_word(3, MeterWord.LEAST): "meter 3 LEAST",
        meter_word(3, HISTOGRAM_BASE + 7): "meter 3 HISTOGRAM 7",
        meter_word(15, MASK_BASE + 5): "meter 15 MASK 5",
        node_word_address(1023, NodeWord.IRQ_ENABLE): "node 1023 IRQ_ENABLE",
        node_word_address(2, DATA_BASE + 31): "node 2 DATA 31",
        node_word_address(2, RESULT_BASE): "node 2 RESULT 0",
        node_word_address(2, WAIT_BASE + 1): "node 2 WAIT 1",
    }
    assert {address: name_of(address) for address in names} == names
    none = (13, 0x1F, 0x28, CONFIG_WINDOW - 1, meter_word(0, 5), node_word_address(0, 31))
    assert {name_of(address) for address in none} == {"no word"}


def test_a_refused_word_is_reported_by_address_and_name() -> None:
    with Peer(Words({7: 0})) as peer, Link(peer.port, timeout=WAIT) as link:
        host = Host(link)
        with pytest.raises(RefusedError, match=r"refused to read word 0x20062 \(node 0 WAIT 2\)"):
            host.wait(0, 2)
        with pytest.raises(RefusedError, match=r"refused to write 0x4 to word 0x20080 \(node 1 A"):
            host.arrive(1, 2)
        with pytest.raises(
            RefusedError, match=r"write 0x9 to word 0x01008 \(config word 8\), of target 3"
        ):
            host.configure(3, 8, 9)


def test_named_words_are_the_words() -> None:
    mask = {meter_word(0, MASK_BASE + k): 0 for k in range(3)}
    held = {
        GlobalWord.CYCLE_LOW: 7,
        GlobalWord.CYCLE_HIGH: 2,
        GlobalWord.CONFIG_NODE: 0,
        GlobalWord.IRQ_STATUS: 0,
        GlobalWord.NODES: 40,
        GlobalWord.SHAPE: SHAPE.pack({"registers": 2, "data_bits": 4, "meters": 1}),
        config_word(8): 0,
        config_word(9): 0,
        meter_word(0, MeterWord.CLEAR): 0,
        node_word_address(33, NodeWord.IRQ_ENABLE): 0,
        node_word_address(33, DATA_BASE + 1): 0,
        **{traffic_word(word): 10 + word for word in TrafficWord},
        **mask,
    }
    board = Words(held)
    with Peer(board) as peer, Link(peer.port, timeout=WAIT) as link:
        host = Host(link)
        assert host.identity == Identity(40, 2, 4, 1, last=False, broken=False, traffic=False)
        assert host.cycle() == 2 << 32 | 7
        host.configure(5, 8, 1)
        host.configure(5, 9, 2)
        host.watch(0, [(0, 1), (16, 0), (33, 1)])
        host.enable_interrupts(33, [1])
        host.put(33, 1, 13)
        assert host.interrupting() is None
        board.words[GlobalWord.IRQ_STATUS] = 33 << 1 | 1
        assert host.interrupting() == 33
        assert host.traffic_counts().wrong == 10 + TrafficWord.WRONG
        host.traffic(0.5, 9)
    assert board.written == [
        (GlobalWord.CONFIG_NODE, 5),
        (config_word(8), 1),
        (config_word(9), 2),
        (meter_word(0, MASK_BASE), 2),
        (meter_word(0, MASK_BASE + 1), 1),
        (meter_word(0, MASK_BASE + 2), 8),
        (meter_word(0, MeterWord.CLEAR), 0),
        (node_word_address(33, NodeWord.IRQ_ENABLE), 2),
        (node_word_address(33, DATA_BASE + 1), 13),
        (traffic_word(TrafficWord.RATE), round(0.1 * (1 << 24))),
        (traffic_word(TrafficWord.SEED), 9),
        (traffic_word(TrafficWord.CONTROL), 2),
        (traffic_word(TrafficWord.CONTROL), 1),
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({GlobalWord.ID: 0x1234}, r"ID is 0x00001234, not 0x53464142: this is no Syncfabric"),
        ({GlobalWord.VERSION: 9}, r"of version 9, and this program needs 3: build its bitstream"),
    ],
)
def test_boards_that_are_none(words: Mapping[int, int], said: str) -> None:
    with (
        Peer(Words(words)) as peer,
        Link(peer.port, timeout=WAIT) as link,
        pytest.raises(BoardError, match=said),
    ):
        Host(link)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({GlobalWord.NODES: 16}, r"has 16 nodes, and mesh-2x2 has 4: load the bitstream of"),
        ({GlobalWord.SHAPE: 0x010401}, r"has 1 registers a node, and mesh-2x2 has 16"),
        ({GlobalWord.SHAPE: 0x010810}, r"has 8 data bits, and mesh-2x2 has 4"),
        ({GlobalWord.SHAPE: 0x0010410}, r"has 0 ports last, and mesh-2x2 has 1"),
        ({GlobalWord.SHAPE: 0x1010410}, r"has 0 ports broken, and mesh-2x2 has 1"),
        ({GlobalWord.SHAPE: 0x3000410}, r"the board has no meters; build it with some"),
    ],
)
def test_boards_with_another_network(words: Mapping[int, int], said: str) -> None:
    with (
        Peer(Words(words)) as peer,
        Link(peer.port, timeout=WAIT) as link,
        pytest.raises(BoardError, match=said),
    ):
        check_shape(Host(link), Network.load("mesh-2x2").plan())


def test_a_board_without_traffic() -> None:
    with (
        Peer(Words({GlobalWord.SHAPE: 0x3010410})) as peer,
        Link(peer.port, timeout=WAIT) as link,
        pytest.raises(BoardError, match=r"the board has no sources of traffic"),
    ):
        measure(Host(link), Network.load("mesh-2x2").plan(), traffic=0.1)


class Zero:
    """A host whose words all read 0."""

    def __init__(self, link: Link) -> None:
        self.link = link

    def configure(self, target: int, address: int, word: int) -> None: ...

    def configured(self, target: int, address: int) -> int:
        return 0


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("reflex-2x2", r"word \d+ of target 4 reads 0x0 after the set-up; is the network on the"),
        ("cluster-19", r"the manager did not set group \d+ up: IDLE, .* reset the board"),
    ],
)
def test_a_set_up_that_is_not_done(monkeypatch: pytest.MonkeyPatch, name: str, said: str) -> None:
    """The words that are waited for never come: a static network's chain, a manager's status."""
    monkeypatch.setattr("syncfabric.fpga.host.set_up.end_groups", lambda host, shape: Epochs())
    with Peer(Words({})) as peer, Link(peer.port, timeout=WAIT) as link:
        host = cast("Host", Zero(link))
        with pytest.raises(BoardError, match=said):
            set_up(host, Network.load(name).plan())


@pytest.mark.parametrize(
    ("episodes", "traffic", "seed", "said"),
    [
        (0, 0.0, 1, "episodes must be 1 or more, not 0"),
        (1, -0.5, 1, r"traffic must be 0 to 1 flits a node a cycle, not -0\.5"),
        (1, 0.0, -1, "seed must be 0 to 2,147,483,647, not -1"),
    ],
)
def test_requests_that_are_none(episodes: int, traffic: float, seed: int, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        check_request(Network.load("mesh-2x2").plan(), episodes, traffic, seed)


def test_groups_that_a_host_cannot_reach() -> None:
    empty = 'name = "one"\n[network]\nkind = "mesh"\nwidth = 1\nheight = 1\n'
    with pytest.raises(SpecError, match=r"one has no groups"):
        check_request(Network.loads(empty).plan(), 1, 0.0, 1)
