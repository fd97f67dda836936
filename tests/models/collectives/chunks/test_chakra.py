"""Schedules in chunks as traces of Chakra."""

import json
from collections import Counter
from fractions import Fraction

from syncfabric.models.collectives.chunks.chakra import trace_bytes, trace_json, traces_of
from syncfabric.models.collectives.chunks.schedule import Chunked, Exchange, Schedule, Send
from syncfabric.models.collectives.chunks.search import search
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.topology import linked


def scheduled(kind: Chunked, name: str, size: int, method: str, parts: int = 1) -> Schedule:
    topology = linked(named(name), Fraction(1000), Fraction(1))
    return search(topology, kind, size, (parts,), methods=(method,)).best.schedule


def test_a_trace_has_both_ends_of_every_send() -> None:
    schedule = scheduled("allreduce", "ring-4", 256, "trees", 2)
    traces = traces_of(schedule)
    ends = Counter((node.source, node.target, node.tag) for nodes in traces for node in nodes)
    assert len(ends) == len(schedule.sends)
    assert set(ends.values()) == {2}
    for rank, nodes in enumerate(traces):
        assert [node.number for node in nodes] == list(range(len(nodes)))
        for node in nodes:
            assert (node.source if node.kind == 5 else node.target) == rank
            assert node.size == 32
            assert all(need < node.number for need in node.needs)


def test_what_is_overwritten_has_been_sent_before() -> None:
    topology = linked(named("mesh-2x1"), Fraction(1), Fraction(1))
    sends = Send(0, (0, 1), True), Send(0, (1, 0), False), Send(1, (1, 0), True)
    schedule = Schedule(topology, Exchange("allreduce", 2, 2), sends)
    needs = [[(node.kind, node.needs) for node in nodes] for nodes in traces_of(schedule)]
    assert needs == [[(5, ()), (6, (0,)), (6, ())], [(6, ()), (5, (0,)), (5, ())]]


def test_traces_carry_the_schedule_out_in_any_order_that_they_allow() -> None:
    schedule = scheduled("allreduce", "mesh-3x2", 6 * 8, "trees")
    sends, nodes = schedule.sends, traces_of(schedule)
    everyone = (1 << 6) - 1
    has = [[1 << rank for rank in range(6)] for _ in range(schedule.exchange.items)]
    done = [set[int]() for _ in nodes]
    flying: dict[int, int] = {}
    left = sum(map(len, nodes))
    while left:
        # The last nodes first: as unlike the schedule as can be.
        for rank in reversed(range(6)):
            for node in reversed(nodes[rank]):
                if node.number in done[rank] or not done[rank].issuperset(node.needs):
                    continue
                item, _, combine = sends[node.tag]
                if node.kind == 5:
                    flying[node.tag] = has[item][rank]
                elif node.tag not in flying:
                    continue
                else:
                    kept = has[item][rank] if combine else 0
                    assert not kept & flying[node.tag]
                    has[item][rank] = kept | flying[node.tag]
                done[rank].add(node.number)
                left -= 1
                break
    assert has == [[everyone] * 6] * schedule.exchange.items


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 128:
            return value, at


def fields(data: bytes) -> list[tuple[int, int | bytes]]:
    """Decode a message of Protocol Buffers: numbers, and blocks as bytes."""
    found: list[tuple[int, int | bytes]] = []
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            found.append((key >> 3, data[at : at + value]))
            at += value
        else:
            assert key & 7 == 0
            found.append((key >> 3, value))
    return found


def test_both_forms_of_a_trace_say_the_same() -> None:
    nodes = traces_of(scheduled("allgather", "ring-8", 300, "greedy"))[3]
    data, messages = trace_bytes(nodes), list[bytes]()
    at = 0
    while at < len(data):
        size, at = varint(data, at)
        messages.append(data[at : at + size])
        at += size
    assert fields(messages[0]) == [(1, b"0.0.4")]
    listed = trace_json(nodes)["workload_graph"]
    assert json.loads(json.dumps(listed)) == listed
    assert len(messages) == 1 + len(listed) == 1 + 14
    types = {b"is_cpu_op": 27, b"comm_size": 9, b"comm_src": 7, b"comm_dst": 7, b"comm_tag": 7}
    for message, node in zip(messages[1:], listed, strict=True):
        read = fields(message)
        one = {field: value for field, value in read if field not in (5, 10)}
        assert one.get(1, 0) == node["Id"]
        assert (one[2], one[3]) == (node["Name"].encode(), node["NodeType"])
        packed = [value for field, value in read if field == 5 and isinstance(value, bytes)]
        deps, place = [], 0
        for block in packed:
            while place < len(block):
                need, place = varint(block, place)
                deps.append(need)
        assert deps == node["data_deps"]
        attributes = [fields(v) for field, v in read if field == 10 and isinstance(v, bytes)]
        for (_, name), (field, value) in attributes:
            assert isinstance(name, bytes)
            assert types[name] == field
            assert int(value) == node[name.decode()]
        assert len(attributes) == len(types)
