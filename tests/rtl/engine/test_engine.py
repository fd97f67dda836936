"""Engines on a mesh: barriers of random trees, their data and latency, ends, faults, re-use."""

import random
from collections.abc import Callable, Iterator

import pytest

from syncfabric.models.layout.engine import (
    COUNTER_ADDRESS,
    IMAGE_ADDRESS,
    Code,
    EngineCounter,
    EngineLayout,
    Kind,
)
from tests.rtl.engine.fabric import Fabric, Group, Node, Run, random_group, random_routed_group

OPS = (
    lambda a, b: a | b,
    lambda a, b: a & b,
    lambda a, b: a ^ b,
    max,
    min,
    lambda a, b: a + b,
)


def layout(groups: int = 16, data_bits: int = 0, operations: str = "none") -> EngineLayout:
    return EngineLayout(4, True, groups, data_bits, operations)


def expected(group: Group, words: dict[Node, int], data_bits: int) -> int:
    """Return what the words of all members combine to."""
    result, *others = words.values()
    for word in others:
        result = OPS[group.op](result, word)
    return result & (1 << data_bits) - 1


def line(length: int, entry: int) -> Group:
    """Return a group of all of a row, its root at the west end."""
    nodes = [(x, 0) for x in range(length)]
    parents: dict[Node, Node | None] = {n: (n[0] - 1, 0) if n[0] else None for n in nodes}
    return Group(parents, nodes, 0, dict.fromkeys(nodes, entry))


def wait_for_go(run: Run, group: Group) -> Iterator[None]:
    """Wait until every member has seen its GO."""
    ready: set[Node] = set()
    while ready != set(group.members):
        for node, message in run.released.items():
            if message["entry"] == group.entries.get(node):
                assert message["kind"] == Kind.GO
                ready.add(node)
        yield


@pytest.mark.parametrize("stages", [1, 2, 3, 4])
def test_latency(stages: int) -> None:
    length = 4
    fabric = Fabric(length, 1, layout(), stages=stages, counters=False, read_back=False)
    group = line(length, entry=5)
    seen: list[int] = []

    def program(run: Run) -> Iterator[None]:
        yield from run.set_up(group)
        yield from wait_for_go(run, group)
        for late in group.members:
            for node in group.members:
                if node != late:
                    run.arrive(group, node, 0)
            for _ in range(60):
                yield
                assert not run.released
            run.arrive(group, late, 0)
            start = run.cycle
            left = set(group.members)
            while left:
                yield
                left -= run.released.keys()
            seen.append(run.cycle - 1 - start)

    fabric.run(program)
    height = length - 1
    assert max(seen) == 2 * height * stages + (2, 3, 3, 4)[stages - 1]


@pytest.mark.parametrize(
    ("size", "stages", "cycles"),
    [
        (4, 1, 10),
        pytest.param(8, 1, 18, marks=pytest.mark.long),
        pytest.param(8, 2, 35, marks=pytest.mark.long),
    ],
)
def test_all_of_a_mesh(size: int, stages: int, cycles: int) -> None:
    """The last of all to arrive is in a corner: E11's latency with L = ``size``."""
    fabric = Fabric(size, size, layout(), stages=stages, counters=False, read_back=False)
    half = size // 2

    def up(x: int, y: int) -> Node | None:
        if x != half:
            return x + (1 if x < half else -1), y
        return (x, y + (1 if y < half else -1)) if y != half else None

    nodes = fabric.nodes
    group = Group({node: up(*node) for node in nodes}, nodes, 0, dict.fromkeys(nodes, 3))
    assert group.height == size
    seen: list[int] = []

    def program(run: Run) -> Iterator[None]:
        yield from run.set_up(group)
        yield from wait_for_go(run, group)
        for node in nodes[1:]:
            run.arrive(group, node, 0)
        for _ in range(20 * size):
            yield
            assert not run.released
        run.arrive(group, nodes[0], 0)
        start, left = run.cycle, set(nodes)
        while left:
            yield
            left -= run.released.keys()
        seen.append(run.cycle - 1 - start)

    fabric.run(program)
    assert seen == [cycles]


@pytest.mark.parametrize(
    ("stages", "groups", "data_bits", "operations"),
    [
        (1, 16, 0, "none"),
        (1, 16, 4, "all"),
        (2, 4, 6, "bitwise"),
        (3, 32, 12, "all"),
        (4, 64, 5, "bitwise"),
    ],
)
def test_random_groups(stages: int, groups: int, data_bits: int, operations: str) -> None:
    rng = random.Random(stages)
    fabric = Fabric(3, 2, layout(groups, data_bits, operations), stages=stages, watchdog=50)
    lives(rng, fabric, random_group)


@pytest.mark.parametrize(("stages", "data_bits", "operations"), [(2, 0, "none"), (3, 5, "all")])
def test_random_routed_groups(stages: int, data_bits: int, operations: str) -> None:
    """Messages pass through routers that are no members, many groups at a time."""
    rng = random.Random(stages)
    routed = EngineLayout(4, True, 8, data_bits, operations, 2, 1)
    fabric = Fabric(3, 2, routed, stages=stages, watchdog=50, shared=True)
    lives(rng, fabric, random_routed_group)


def lives(rng: random.Random, fabric: Fabric, draw: Callable[..., Group]) -> None:
    """Set groups up, use them and end them, several at a time."""
    groups, data_bits = fabric.layout.groups, fabric.layout.data_bits
    operations = fabric.layout.operations
    ops = {"none": [0], "bitwise": [0, 1, 2], "all": range(6)}[operations]
    counts = dict.fromkeys(("ended", "killed", "barriers"), 0)

    def life(run: Run, number: int) -> Iterator[None]:
        """Set a group up, use it, end it by LAST or by KILL, and again."""
        for _ in range(3):
            entries = dict.fromkeys(fabric.nodes, number)
            group = draw(rng, fabric.nodes, entries, rng.choice(list(ops)))
            while busy:
                yield
            busy.append(number)
            yield from run.set_up(group)
            busy.clear()
            yield from wait_for_go(run, group)
            episodes = rng.randrange(2, 5)
            kills = rng.random() < 0.4
            for episode in range(episodes):
                last = episode == episodes - 1 and not kills
                words = {node: rng.getrandbits(data_bits) for node in group.members}
                order = rng.sample(group.members, len(group.members))
                if kills and episode == episodes - 1:
                    order = order[:-1]
                left = set(group.members)
                for node in order:
                    run.arrive(group, node, words[node], last=last)
                    pause = 0 if node == order[-1] else rng.choice((0, 0, 1, 7))
                    for _ in range(pause):
                        assert not mine(run, group)
                        yield
                if len(order) < len(left):
                    break
                result = expected(group, words, data_bits)
                while left:
                    for node, message in mine(run, group).items():
                        assert message["kind"] == (Kind.LAST if last else Kind.PLAIN)
                        assert message["data"] == result
                        left.remove(node)
                    yield
                counts["barriers"] += 1
            if kills:
                yield from kill(run, group)
                counts["killed"] += 1
            else:
                counts["ended"] += 1
            for _ in range(40):
                assert not mine(run, group)
                yield

    def mine(run: Run, group: Group) -> dict[Node, dict[str, int]]:
        """Return this cycle's messages to a group's members."""
        shown = run.released.items()
        return {n: msg for n, msg in shown if group.entries.get(n) == msg["entry"]}

    def kill(run: Run, group: Group) -> Iterator[None]:
        """Kill every entry from the root, and see each member told once."""
        left = set(group.members)
        asked = sorted(group.parents, key=group.depth)
        while busy:
            yield
        busy.append(-1)
        for node in asked:
            run.commit(node, Code.KILL, group.entries[node], group.epochs[node])
        while any(fabric.requests.values()) or left:
            for node, message in mine(run, group).items():
                assert message["kind"] == Kind.BROKEN
                left.remove(node)
            yield
        busy.clear()

    busy: list[int] = []

    def program(run: Run) -> Iterator[None]:
        lives = [life(run, number) for number in rng.sample(range(groups), min(groups, 6))]
        while lives:
            lives = [one for one in lives if next(one, "end") != "end"]
            yield

    fabric.run(program)
    assert counts["ended"] >= 1
    assert counts["killed"] >= 1
    assert counts["barriers"] > 20


def test_the_watchdog_breaks_what_waits_and_nothing_else() -> None:
    period, entries = 4, 8
    fabric = Fabric(3, 1, layout(entries), stages=1, watchdog=period)
    waiting, idle, unstarted = (line(3, entry) for entry in (2, 3, 4))
    told: list[tuple[Node, int]] = []

    def program(run: Run) -> Iterator[None]:
        for group in (waiting, idle):
            yield from run.set_up(group)
            yield from wait_for_go(run, group)
        # An entry that awaits its first GO may wait for as long as it likes.
        node = (1, 0)
        unstarted.epochs = dict.fromkeys(unstarted.parents, 1)
        write_image(run, unstarted, node)
        run.commit(node, Code.SETUP, 4, 0)
        yield from run.settle()
        run.arrive(waiting, (1, 0), 0)
        start = run.cycle
        while len(told) < 2:
            for at, message in run.released.items():
                assert message["kind"] == Kind.BROKEN
                assert (message["entry"], message["epoch"]) == (2, 1)
                told.append((at, run.cycle - start))
            yield
        for _ in range(3 * period * entries):
            assert not run.released
            yield
        for entry, alive in ((2, 0), (3, 1), (4, 1)):
            run.commit(node, Code.READ, entry, 0)
            yield from run.settle()
            assert run.answers[node][-1][1] & 1 == alive

    fabric.run(program)
    # What is above it has not waited: a manager ends that.
    assert {at for at, _ in told} == {(1, 0), (2, 0)}
    assert period * entries <= min(cycle for _, cycle in told)
    assert max(cycle for _, cycle in told) <= 2 * period * entries + 8


def write_image(run: Run, group: Group, node: Node) -> int:
    """Stage the image of one router, and return it."""
    image = run.image_of(group, node)
    for k in range(run.fabric.layout.image_words):
        run.ask(node, 1, IMAGE_ADDRESS + k, image >> 32 * k & 0xFFFFFFFF)
    return image


def test_what_is_refused_or_unexpected_changes_nothing_and_is_counted() -> None:
    fabric = Fabric(1, 1, layout(4, 8, "bitwise"), stages=1)
    node = (0, 0)
    group = line(1, entry=3)
    words = fabric.layout

    def ask(run: Run, *request: int) -> Iterator[None]:
        run.ask(node, *request)
        yield from run.settle()

    def read(run: Run, word: int) -> Iterator[None]:
        run.commit(node, Code.READ, 3, 0, word)
        yield from run.settle()

    def program(run: Run) -> Iterator[None]:
        answers = run.answers[node]
        yield from run.set_up(group)
        image = run.image_of(group, node)
        for code, epoch in (
            *((Code.SETUP, 1), (Code.SETUP, 0), (Code.GO, 1)),
            *((Code.KILL, 0), (Code.KILL, 2)),
        ):
            run.commit(node, code, 3, epoch)
            yield from run.settle()
            assert answers[-1][0] == 1
        for k in range(words.image_words):
            yield from read(run, 2 + k)
            assert answers[-1] == (0, image >> 32 * k & 0xFFFFFFFF)
        for epoch in (0, 2, 3):
            fields = {"entry": 3, "epoch": epoch, "kind": Kind.PLAIN, "data": 1}
            fabric.arrivals[node].append(fields)
        for _ in range(8):
            yield
            assert not run.released
        run.arrive(group, node, 0x5A)
        yield
        while not run.released:
            yield
        assert run.released[node]["data"] == 0x5A
        yield from ask(run, 0, COUNTER_ADDRESS + EngineCounter.UNEXPECTED, 0)
        assert answers[-1] == (0, 3)
        yield from ask(run, 0, COUNTER_ADDRESS + EngineCounter.REFUSED_COMMAND, 0)
        assert answers[-1] == (0, 5)
        yield from read(run, 0)
        status = words.status.unpack(answers[-1][1])
        assert status == {
            **{"alive": 1, "epoch": 1, "turn": 1, "last": 1, "fresh": 1, "old": 0},
            "missing": 1 << words.links,
        }
        for request in ((0, 0, 0), (1, COUNTER_ADDRESS, 0), (1, 31, 0), (0, IMAGE_ADDRESS, 0)):
            yield from ask(run, *request)
            assert answers[-1] == (1, 0)

    fabric.run(program)


@pytest.mark.parametrize(("stages", "interval"), [(1, 1), (3, 2), (4, 3)])
def test_reset_clears_all_entries_before_a_command(stages: int, interval: int) -> None:
    entries = 16
    fabric = Fabric(1, 1, layout(entries), stages=stages)
    answered: list[int] = []

    def program(run: Run) -> Iterator[None]:
        for entry in range(entries):
            run.commit((0, 0), Code.READ, entry, 0)
            yield from run.settle()
            answered.append(run.cycle - 1)
            assert run.answers[0, 0][-1] == (0, 0)

    fabric.run(program)
    assert answered[0] == (entries + 1) * interval
