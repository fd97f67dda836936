"""Set-up cycle by cycle: when a manager sends, when a sink acts, and when it answers."""

import pytest

from syncfabric.models.golden.irregular import ConfigRequest
from syncfabric.models.messages import (
    MANAGER_BASE,
    MANAGER_COMMAND,
    REPLY,
    REQUEST,
    ManagerState,
    ManagerWord,
    Request,
)
from tests.models.golden.irregular_bench import line, tree
from tests.models.golden.set_up_bench import IrregularBench, tree_word

SWITCH = 2
"""Target of the only switch of ``line(1)``."""


def lane(made: IrregularBench, link: int, channel: int) -> int:
    return link * (made.network.channels + 2) + channel


@pytest.mark.parametrize("hop", [1, 2])
@pytest.mark.parametrize("asked", [(), (10,), (9, 10, 11), (8, 14)])
def test_a_request_and_its_reply(hop: int, asked: tuple[int, ...]) -> None:
    """Requests from outside in cycles ``asked`` after the command's keep the sink from its own."""
    network = line(1, setup="manager", cycles_per_hop=hop, buffer_flits=4, channels=2)
    made = IrregularBench(network)
    group = tree(network, [0, 1], 0)
    made.enrol(group, 9, epoch=2)
    made.load(group, 9, epoch=2, op="xor")
    made.settle()
    up, down = lane(made, 4, 2), lane(made, 2, 2)
    go = [lane(made, port, 3) for port in (2, 3)]
    seen: dict[int, list[tuple[int, int]]] = {up: [], down: [], go[0]: [], go[1]: []}
    done = None
    command = MANAGER_COMMAND.pack({"operation": Request.SETUP, "count": 1})
    first = made.model.cycle + 1  # looked at a cycle later
    for now in range(-1, 40):
        config = None
        if now == -1:
            config = ConfigRequest(0, MANAGER_BASE + ManagerWord.COMMAND, True, command)
        elif now + 1 in asked:
            config = ConfigRequest(SWITCH, 8, False)
        record = made.model.step(config=config)
        if done is None and made.model.manager_state(0) is ManagerState.DONE:
            done = made.model.cycle - first
        if record is not None:
            lanes = [bit for bit in range(record.valid.bit_length()) if record.valid >> bit & 1]
            for bit, payload in zip(lanes, record.payloads, strict=True):
                seen.setdefault(bit, []).append((now, payload))
    head, tail = (1 << network.layout.flit.offsets[mark] for mark in ("head", "tail"))
    request = {"gid": 9, "epoch": 2, "op": 2, "root": 1, "fire": 1}
    assert seen[up] == [
        (3, made.header(0) | head),
        (4, REQUEST.pack(request)),
        (5, tree_word(0, [2, 3]) | tail),
    ]
    # Tail taken in 6, LOOK 7, accesses from 8, 10 and 12, ANSWER 14, chosen 15.
    accesses = []
    free = 8
    for _ in range(3):
        while free in asked:
            free += 1
        accesses.append(free)
        free += 2
    late = free - 14
    for bit in go:
        assert [now for now, _ in seen[bit]] == [accesses[2] + 1]
    header = network.layout.header.pack({"switch": 0, "port": 2})
    assert seen[down] == [
        (15 + hop + late, header | head),
        (16 + hop + late, REPLY.pack({"gid": 9}) | tail),
    ]
    assert done == 18 + hop + late


def test_one_flit_a_cycle_and_one_cycle_between_packets() -> None:
    network = line(4, setup="manager", cycles_per_hop=1, buffer_flits=4)
    made = IrregularBench(network)
    count = made.load(tree(network, [0, 2, 4, 6], 0), 9)
    made.settle()
    up = lane(made, 4 * 4, 1)
    cycles = []
    made.order(Request.SETUP, count)
    first = made.model.cycle - 1
    for _ in range(60):
        now = made.model.cycle
        record = made.model.step()
        if record is not None and record.valid >> up & 1:
            cycles.append(now - first)
    # The other switches' are 3 flits each; the root's waits for their replies.
    assert cycles[:9] == [2, 3, 4, 6, 7, 8, 10, 11, 12]
    assert len(cycles) == 12
    assert cycles[9] > 20


def test_busy_entries_only_are_cleared_again() -> None:
    network = line(3, setup="manager", cycles_per_hop=1, buffer_flits=4)
    made = IrregularBench(network)
    group = tree(network, [0, 2, 5], 0)
    count = made.set_up(group, 7)
    made.arrive(7, [5])
    made.settle()
    up = lane(made, 4 * 3, 1)
    requests = []
    made.order(Request.CLEAR, count)
    for _ in range(200):
        record = made.model.step()
        if record is not None and record.valid >> up & 1:
            lanes = [bit for bit in range(up) if record.valid >> bit & 1]
            raw = record.payloads[len(lanes)]
            if raw >> network.layout.flit.offsets["tail"] & 1:
                requests.append(REQUEST.unpack(raw)["sequence"])
    assert requests[:3] == [0, 1, 2]
    assert requests[3:7] == [0, 1, 0, 1]
    assert made.model.manager_state(0) is ManagerState.RUNNING


def test_a_sleeping_network_stays_as_it_is() -> None:
    """Whatever ``idle_until`` says is idle: a step of it does nothing."""
    network = line(3, setup="manager", operations="all")
    made = IrregularBench(network)
    group = tree(network, [0, 2, 5], 0)
    count = made.set_up(group, 7)
    made.order(Request.KILL, count)
    made.outcome()
    made.settle()
    before = [made.model.observe(target) for target in range(9)]
    for _ in range(20):
        assert made.model.step() is None
    assert [made.model.observe(target) for target in range(9)] == before
