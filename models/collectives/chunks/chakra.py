"""A schedule in chunks as execution traces of Chakra, one a rank, as ASTRA-sim reads them.

Source: MLCommons Chakra, ``schema/protobuf/et_def.proto`` and the fields that its feeder looks at
(github.com/mlcommons/chakra). A trace is a list of nodes that send or receive; a node begins when
those that it depends on have ended. Combining takes no time and has no node.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from syncfabric.models.collectives.chunks.schedule import Schedule, needed

SEND, RECEIVE = 5, 6
"""``COMM_SEND_NODE`` and ``COMM_RECV_NODE``."""
VERSION = "0.0.4"
"""Of the schema."""


class Node(NamedTuple):
    """A rank sends a chunk, or receives one."""

    number: int
    name: str
    kind: int
    needs: tuple[int, ...]
    """Nodes of the rank that are to end before."""
    source: int
    target: int
    size: int
    """Bytes."""
    tag: int
    """The number of the send in the schedule: the same at both ends."""


def traces_of(schedule: Schedule) -> list[list[Node]]:
    """Return the nodes of each rank, in the schedule's order.

    A send needs what wrote its chunk last; a reception what wrote it, and all that has read it
    since.
    """
    exchange = schedule.exchange
    size = -(-exchange.piece.numerator // exchange.piece.denominator)
    nodes: list[list[Node]] = [[] for _ in range(exchange.ranks)]
    ends = list[tuple[int, int]]()
    for tag, (send, needs) in enumerate(zip(schedule.sends, needed(schedule.sends), strict=True)):
        source, target = send.path[0], send.path[-1]
        share, part = divmod(send.item, exchange.parts)
        what = f"share {share}, part {part}"
        more = source, target, size, tag
        ends.append((len(nodes[source]), len(nodes[target])))
        after = tuple(ends[n][1] for n in needs.brought)
        nodes[source].append(Node(ends[tag][0], f"send {what} to {target}", SEND, after, *more))
        after = tuple(ends[n][1] for n in needs.replaced) + tuple(ends[n][0] for n in needs.read)
        name = f"{'combine' if send.combine else 'receive'} {what} from {source}"
        nodes[target].append(Node(ends[tag][1], name, RECEIVE, after, *more))
    return nodes


def trace_json(nodes: Sequence[Node]) -> dict[str, Any]:
    """Return a rank's trace as the feeder's JSON has it."""
    return {
        "workload_graph": [
            {
                "Id": node.number,
                "Name": node.name,
                "NodeType": node.kind,
                "is_cpu_op": False,
                "runtime": 0,
                "data_deps": list(node.needs),
                "comm_size": node.size,
                "comm_src": node.source,
                "comm_dst": node.target,
                "comm_tag": node.tag,
            }
            for node in nodes
        ]
    }


def trace_bytes(nodes: Sequence[Node]) -> bytes:
    """Return a rank's trace as a file ``.et``: metadata and nodes, each behind its length."""
    messages = [_text(1, VERSION), *(b"".join(_node(node)) for node in nodes)]
    return b"".join(_varint(len(message)) + message for message in messages)


def _node(node: Node) -> Iterator[bytes]:
    """Yield the fields of a message ``Node``."""
    if node.number:  # what is 0 is left out
        yield _number(1, node.number)
    yield _text(2, node.name)
    yield _number(3, node.kind)
    if node.needs:
        yield _block(5, b"".join(map(_varint, node.needs)))
    # Attributes by the fields of their types: bool 27, int64 9, int32 7.
    for name, field, value in (
        ("is_cpu_op", 27, 0),
        ("comm_size", 9, node.size),
        ("comm_src", 7, node.source),
        ("comm_dst", 7, node.target),
        ("comm_tag", 7, node.tag),
    ):
        yield _block(10, _text(1, name) + _number(field, value))


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _block(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _text(field: int, text: str) -> bytes:
    return _block(field, text.encode())
