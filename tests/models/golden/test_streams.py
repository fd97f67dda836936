"""Streams of routers in trees: latency, results, credits, failure and turns."""

import random
from collections.abc import Sequence

import pytest

from syncfabric.models.golden.record import Beat
from syncfabric.models.golden.streams import RouterStreams
from syncfabric.models.layout.streams import StreamLayout, Type
from tests.models.golden import graphs
from tests.models.golden.stream_bench import (
    DEAD,
    Group,
    Tree,
    alive,
    chain,
    head,
    layout_of,
    opened,
    packet,
    word,
)

MASK = (1 << 32) - 1


def summed(operands: Sequence[Sequence[int]]) -> list[int]:
    return [sum(words) & MASK for words in zip(*operands, strict=True)]


@pytest.mark.parametrize("registers", [0, 1, 3])
@pytest.mark.parametrize("operations", [("add",), ("integer",), ("add", "bf16"), ("fp32",)])
@pytest.mark.parametrize("links", [0, 1, 3, 8])
def test_v10_first_word_and_a_word_in_each_cycle(
    links: int, operations: tuple[str, ...], registers: int
) -> None:
    tree = chain(links + 1, operations=operations, registers=registers)
    tree.run(5)
    start, operands = tree.now, [range(100 * i, 100 * i + 40) for i in range(links + 1)]
    kind = Type.FP32 if operations == ("fp32",) else Type.BF16
    says = {"function": 1, "kind": kind} if operations[-1] in ("bf16", "fp32") else {}
    for i, operand in enumerate(operands):
        tree.queue[i].extend(packet(operand, **says))
    tree.run(400)
    stages = {"add": 1, "integer": 2, "bf16": 3, "fp32": 4}[operations[-1]]
    latency = 3 * stages  # of five ports
    first = links * (latency + 3 + 2 * registers) + latency + 7
    assert [cycle - start for cycle, _ in tree.got[links]] == list(range(first, first + 40))
    if not says:
        assert tree.data(0) == tree.data(links) == summed(operands)


def test_a_serial_join_takes_a_port_at_a_time() -> None:
    """With three ports and two cycles each, a result comes every six cycles, heads too."""
    layout = layout_of(join="serial", operations=("integer",))
    router, slots = RouterStreams(layout), [alive({0, 2, 4}, {1}, goes=True)]
    assert (layout.latency, layout.places) == (2, 15)
    router.step(slots)
    for p in (0, 2, 4):
        router.step(slots, {p: (0, head(layout, takes=p == 2))})
        router.step(slots, {p: (0, word(layout, p + 1, tail=True))})
    # The head of port 4 came in cycle 5: it is in its buffer in 6.
    freed, sent = [], []
    for cycle in range(7, 25):
        freed += [(cycle, p) for p, _ in router.freed]
        sent += [(cycle, p, *carried) for p, carried in router.sends.items()]
        router.step(slots)
    assert freed == [(7, 0), (9, 2), (11, 4), (13, 0), (15, 2), (17, 4)]
    assert sent == [(12, 1, 0, head(layout)), (18, 1, 0, word(layout, 1 + 3 + 5, tail=True))]


def random_tree(rng: random.Random, layout: StreamLayout) -> Tree:
    """Return groups on trees of a random graph, one for each channel, with some of its routers."""
    routers, own = rng.randint(1, 7), layout.ports - 1
    links = graphs.random_graph(rng, routers, own) if routers > 1 else []
    groups: list[Group] = []
    for _ in range(layout.channels):
        root = rng.randrange(routers)
        members = {root, *rng.sample(range(routers), rng.randint(1, routers))}
        _, up_links = graphs.distances(links, root)
        group: dict[int, tuple[set[int], set[int]]] = {}
        for n in members:
            group.setdefault(n, (set(), set()))[0].add(own)
            while n != root and not group[n][1]:
                above, up, down = up_links[n]
                group[n][1].add(up)
                group.setdefault(above, (set(), set()))[0].add(down)
                n = above
        groups.append(group)
    return Tree(layout, links, groups)


@pytest.mark.parametrize("join", ["tree", "serial"])
@pytest.mark.parametrize("channels", [1, 2, 4])
@pytest.mark.parametrize("seed", range(6))
def test_each_member_has_what_it_takes(channels: int, join: str, seed: int) -> None:
    """Streams of givers and takers drawn by lot, processes that offer and accept as they please."""
    rng = random.Random(f"{channels} {join} {seed}")
    keys = {"ports": rng.randint(3, 6), "registers": rng.choice((0, 0, 1, 3))}
    layout = layout_of(channels=channels, join=join, **keys)
    tree, own = random_tree(rng, layout), layout.ports - 1
    wanted: dict[tuple[int, int], list[list[int]]] = {}
    queues: dict[tuple[int, int], list[list[Beat]]] = {}
    for c in range(channels):
        members = [n for n, slots in enumerate(tree.slots) if own in slots[c].children]
        for _ in range(20):
            length = rng.choice((1, 1, 2, 5, 30))
            givers = set(rng.sample(members, rng.randint(0, len(members))))
            takers = set(rng.sample(members, rng.randint(0, len(members))))
            operands = {n: [rng.getrandbits(32) for _ in range(length)] for n in givers}
            result = summed(list(operands.values())) if givers else []
            for n in members:
                beats = packet(operands.get(n, []), c, takes=n in takers)
                queues.setdefault((n, c), []).append(beats)
                wanted.setdefault((n, c), []).append(result if n in takers else [])
    tree.run(5)
    for c in rng.sample([*range(channels)] * 20, 20 * channels):  # the same order everywhere
        for n, queue in enumerate(tree.queue):
            if (n, c) in queues:
                queue.extend(queues[n, c].pop(0))
    eager = rng.choice((0.3, 0.9, 1.0))
    tree.accepts = tree.offers = lambda i, now: rng.random() < eager
    packets = sum(map(len, wanted.values()))
    while sum(beat.last for got in tree.got for _, beat in got) < packets:
        assert tree.now < 20_000, "it hangs"
        tree.step()
    tree.run(60)
    assert not tree.failed
    for (n, c), results in wanted.items():
        assert tree.data(n, c) == [one for result in results for one in result]
        lasts = [beat for _, beat in tree.got[n] if beat.last and beat.tid == c]
        assert [bool(beat.keep) for beat in lasts] == [bool(result) for result in results]
        assert not any(beat.user for beat in lasts)


def test_reduce_and_broadcast() -> None:
    tree = chain(3)
    tree.run(5)
    for i in range(3):  # all give, the last takes; then the middle one gives, all take
        tree.queue[i].extend(packet([10 + i, 20 + i], takes=i == 2))
        tree.queue[i].extend(packet([7, 8, 9] if i == 1 else []))
    tree.run(120)
    nothing = Beat(0, 0, True)
    results = [Beat(7, 15, False), Beat(8, 15, False), Beat(9, 15, True)]
    for i in range(2):
        assert [beat for _, beat in tree.got[i]] == [nothing, *results]
    reduced = [Beat(33, 15, False), Beat(63, 15, True)]
    assert [beat for _, beat in tree.got[2]] == [*reduced, *results]


def test_bytes_that_do_not_count() -> None:
    """The last word of each operand has as many bytes, here three of eight."""
    tree = chain(2, bits=64)
    tree.run(5)
    for i in range(2):
        beats = [Beat(1 << 32 | 5, 0xFF, False, 0, 0x50), Beat((1 << 64) - 1 - i, 0b10111, True)]
        tree.queue[i].extend(beats)
    tree.run(60)
    last = (0xFFFFFF + 0xFFFFFE) & 0xFFFFFF
    assert [beat for _, beat in tree.got[0]] == [
        Beat(2 << 32 | 10, 0xFF, False),
        Beat(last, 7, True),
    ]


def test_a_sender_has_b_credits_and_each_that_comes_lets_one_word_go() -> None:
    layout = layout_of()
    assert layout.places == 15
    router, slots = opened(layout, {0}, {1}), [alive({0}, {1})]
    sent = []
    for cycle in range(1, 60):
        words = {0: (0, head(layout) if cycle == 1 else word(layout, cycle))} if cycle < 20 else {}
        router.step(slots, words, [(1, 0)] if cycle == 50 else ())
        sent += [cycle + 1] * (1 in router.sends)
    # In its buffer in t + 1, on the link Λ = 3 cycles later; a credit of 50 may be used in 51.
    assert sent == [*range(1 + 1 + 3, 1 + 1 + 3 + 15), 51 + 3]


def test_words_for_a_full_buffer_are_dropped_and_the_channel_fails() -> None:
    layout = layout_of()
    router, slots = opened(layout, {0, 2}, {1}), [alive({0, 2}, {1})]
    for _ in range(15):
        router.step(slots, {0: (0, head(layout))})
        assert router.events == 0
    assert router.failed(slots) == []
    router.step(slots, {0: (0, head(layout))})
    assert (router.events, router.failed(slots)) == (1, [0])
    router.step(slots, {2: (0, head(layout))})
    router.step(slots)
    assert (router.events, router.sends, router.failed(slots)) == (0, {}, [0])
    assert router.failed([DEAD]) == []


def test_a_process_that_does_not_accept_stops_its_group_without_loss() -> None:
    tree = chain(2)
    tree.accepts = lambda i, now: i == 0 or now > 300
    tree.run(5)
    operand = list(range(1, 201))
    for i in range(2):
        tree.queue[i].extend(packet(operand))
    tree.run(295)
    assert len(tree.data(0)) < 60
    assert all(router.is_idle for router in tree.routers)
    tree.run(400)
    assert tree.data(0) == tree.data(1) == [2 * one for one in operand]


def test_operands_that_differ_in_length_fail_where_they_meet() -> None:
    """The router that sees it fails, and those above it; the others go on until they are ended."""
    tree = chain(5)
    tree.run(5)
    for i in range(5):
        tree.queue[i].extend(packet(range(19 + (i == 3))))
    tree.run(120)
    assert tree.failed == {0, 1, 2, 3}
    assert not tree.data(0)[19:]


def test_v6_a_fault_comes_up_a_level_at_a_time() -> None:
    layout = layout_of()
    router, slots = opened(layout, {0, 4}, {1}), [alive({0, 4}, {1})]
    router.step(slots, faults=[(2, 0)])  # no port of the group's
    assert router.failed(slots) == []
    router.step(slots, faults=[(0, 0)])
    assert router.failed(slots) == [0]
    router.step(slots, {0: (0, head(layout)), 4: (0, head(layout))})
    for _ in range(10):
        router.step(slots)
        assert not router.sends
        assert not router.freed


def test_what_is_ended_in_the_midst_is_gone_and_no_credit_is_lost() -> None:
    """However often a stream is stopped, the next one has its full pace."""
    tree = chain(4, registers=1)
    tree.accepts = lambda i, now: tree.now > 3000 or now % 5 < i
    for instance in range(30):
        while any(router.holds(0) for router in tree.routers):
            tree.step()
        tree.slots = [
            [slot._replace(alive=True, goes=True) for slot in slots] for slots in tree.slots
        ]
        tree.ready = [{0} for _ in tree.ready]
        tree.run(3)
        for i in range(4):
            tree.queue[i].extend(packet(range(100)))
        tree.run(20 + 7 * instance % 60)
        tree.close()
        tree.run(tree.layout.places + 8)
        assert all(router.is_idle and not router.holds(0) for router in tree.routers)
        while any(tree.queue):
            tree.step()
        tree.run(3)
    assert {beat.user for got in tree.got for _, beat in got} == {0, 1}
    tree.run(3000)
    tree.got = [[] for _ in tree.got]
    tree.slots = [[slot._replace(alive=True, goes=True) for slot in slots] for slots in tree.slots]
    tree.ready = [{0} for _ in tree.ready]
    tree.run(3)
    start = tree.now
    for i in range(4):
        tree.queue[i].extend(packet(range(100)))
    tree.run(200)
    first = tree.layout.cycles(3)
    assert [cycle - start for cycle, _ in tree.got[3]] == list(range(first, first + 100))


def test_v8_channels_take_turns_and_one_alone_has_every_cycle() -> None:
    layout = layout_of(channels=2)
    router = RouterStreams(layout)
    slots = [alive({0}, {1}), alive({2}, {1})]
    router.step([slot._replace(goes=True) for slot in slots])
    left = []
    for cycle in range(1, 21):
        words = {0: (0, head(layout, tail=True))} if cycle < 9 else {}
        words |= {2: (1, head(layout, tail=True))} if 3 <= cycle < 8 else {}
        credits = [(1, c) for c, _ in router.sends.values()]
        router.step(slots, words, credits)
        left += [c for _, c in router.freed]
    assert left == [0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0]


def crossing() -> tuple[RouterStreams, StreamLayout]:
    """Return a router where channel 0 goes up by the link by which channel 1 comes down.

    In cycle 5 channel 1 waits for the result of a stream, as link 1 wants.
    """
    layout = layout_of(channels=2)
    router = RouterStreams(layout)
    router.step([slot._replace(goes=True) for slot in CROSSING])
    router.step(CROSSING, {1: (1, head(layout))})
    for _ in range(3):
        router.step(CROSSING)
    assert router.sends == {2: (1, head(layout))}
    return router, layout


CROSSING = [alive({0}, {1}), alive({1}, {2})]


def test_v8_a_fork_that_is_blocked_lets_no_other_channel_join() -> None:
    router, layout = crossing()
    sent, freed = [], []
    for cycle in range(5, 20):
        words = {0: (0, head(layout) if cycle == 5 else word(layout, cycle))}
        words |= {2: (1, head(layout))} if cycle == 7 else {}
        router.step(CROSSING, words)
        sent += [(cycle + 1, c) for p, (c, _) in router.sends.items() if p == 1]
        freed += [(cycle + 1, c) for p, c in router.freed if p == 2]
    # Channel 0 joins in 6 and 7. The fork is served in 8 and 9, and blocked; it copies in 10. The
    # next join is in 11.
    assert sent[:6] == [(9, 0), (10, 0), (11, 1), (14, 0), (15, 0), (16, 0)]
    assert freed == [(11, 1)]


def test_v8_a_fork_without_credits_blocks_no_other() -> None:
    router, layout = crossing()
    for cycle in range(5, 30):
        words = {2: (1, head(layout) if cycle == 5 else word(layout, 1))} if cycle < 14 else {}
        router.step(CROSSING, words)
    sent = []
    for cycle in range(20):
        words = {0: (0, head(layout) if cycle == 0 else word(layout, cycle))}
        router.step(CROSSING, words, [(1, 0)] * (1 in router.sends))
        sent += [c for p, (c, _) in router.sends.items() if p == 1]
    assert sent == [0] * (20 - 3)


@pytest.mark.parametrize("late", range(8))
def test_v8_a_port_without_a_credit_does_not_block_a_fork_that_copies_elsewhere(late: int) -> None:
    """Channel 1 goes down by links 0 and 1, whose receiver frees nothing; channel 0 up by 1."""
    layout, sent, fed = layout_of(channels=2, operations=("integer",)), [], 0
    slots = [alive({3}, {1}), alive({0, 1}, {2})]
    router = RouterStreams(layout)
    router.step([slot._replace(goes=True) for slot in slots])
    for p in (0, 1):
        router.step(slots, {p: (1, head(layout))})
    router.step(slots)
    for cycle in range(100):
        credits = [(p, c) for p, (c, _) in router.sends.items() if (p, c) != (1, 1)]
        words = {2: (1, head(layout))} if cycle == 0 else {}
        if cycle in range(1, 15) or cycle == 30 + late:
            words[2] = 1, word(layout, cycle)
        if cycle < 5 or (3, 0) in router.freed:
            words[3] = 0, word(layout, fed) if fed else head(layout)
            fed += 1
        router.step(slots, words, credits)
        sent += [(cycle, p, c) for p, (c, _) in router.sends.items()]
    assert sum((p, c) == (1, 1) for _, p, c in sent) == layout.places == 15
    assert sum((p, c) == (0, 1) for _, p, c in sent) == 16
    assert [cycle for cycle, p, c in sent if (p, c) == (1, 0) and cycle >= 80] == [*range(80, 100)]


def test_a_head_says_what_its_heads_say() -> None:
    layout = layout_of()
    for takes in (False, True):
        for tails in (0, 1, 2):
            router, slots = opened(layout, {0, 4}, {1}), [alive({0, 4}, {1})]
            heads = [head(layout, takes=takes and i == 1, tail=i < tails) for i in range(2)]
            router.step(slots, {0: (0, heads[0]), 4: (0, heads[1])})
            for _ in range(3):
                router.step(slots)
            assert router.sends == {1: (0, head(layout, takes=takes, tail=tails == 2))}


@pytest.mark.parametrize("comes", ["types", "unbuilt", "body", "head", "tails", "sizes"])
def test_v5_words_that_do_not_fit(comes: str) -> None:
    """They leave, a head of type 6 with ``tail`` goes up, and the channel has failed."""
    layout = layout_of(operations=("add", "fp32"))
    usual, fp32 = head(layout), head(layout, type=Type.FP32)
    bodies = comes in ("head", "tails", "sizes")
    pairs = {
        "types": (usual, fp32),
        "unbuilt": (head(layout, function=1), head(layout, function=1)),
        "body": (usual, word(layout, 2 << 3)),
        "head": (word(layout, 1), usual),
        "tails": (word(layout, 1), word(layout, 1, tail=True)),
        "sizes": (word(layout, 1, 1, tail=True), word(layout, 1, 2, tail=True)),
    }
    router, slots = opened(layout, {0, 4}, {1}), [alive({0, 4}, {1})]
    if bodies:
        router.step(slots, {0: (0, usual), 4: (0, usual)})
    first, second = pairs[comes]
    router.step(slots, {0: (0, first), 4: (0, second)})
    router.step(slots)
    assert router.freed == [(0, 0), (4, 0)]
    assert router.failed(slots) == [0]
    sent = []
    for _ in range(30):
        sent += [router.sends] if router.sends else []
        router.step(slots)
    unfit = layout.word.pack({"data": 6 << 3, "tail": 1, "head": 1})
    assert sent == [{1: (0, usual)}] * bodies + [{1: (0, unfit)}]


def test_v5_a_serial_join_that_is_ended_gives_what_does_not_fit() -> None:
    layout = layout_of(join="serial", operations=("integer",))
    router, slots = RouterStreams(layout), [alive({0, 2, 4}, {1})]
    router.step([slots[0]._replace(goes=True)])
    router.step(slots, {p: (0, head(layout)) for p in (0, 2, 4)})
    sent = []
    for cycle in range(2, 12):  # taken in 2, 4 and 6, on the link in 8
        router.step(slots if cycle < 5 else [DEAD._replace(parent=slots[0].parent)])
        sent += [(cycle + 1, *carried) for carried in router.sends.values()]
    assert sent == [(8, 0, layout.word.pack({"data": 6 << 3, "tail": 1, "head": 1}))]
