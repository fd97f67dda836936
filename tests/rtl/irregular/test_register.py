# amaranth: UnusedElaboratable=no
"""A register of the largest switch: every port is a parent, and every port is a child."""

from syncfabric.models.messages import CONTROL, MOST_PORTS, TREE, Kind
from syncfabric.rtl.irregular.register import TreeRegister
from tests.rtl.irregular.specs import network
from tests.rtl.support import clocked

GID = 9
SPEC = network(ports=MOST_PORTS, switches=2)
QUIET = {"write": 0, "match": 0, "send__sent": 0}


def message(port: int, kind: Kind) -> dict[str, int]:
    """Return the pins of a message that matches."""
    return {
        "match": 1 << port,
        f"message_{port}": SPEC.layout.sync.pack({"kind": kind, "gid": GID}),
    }


def episode(parent: int) -> list[dict[str, int]]:
    """Return a reset, set-up, the arrivals of all ports but one, and the answer by that one."""
    children = [port for port in range(MOST_PORTS) if port != parent]
    mask = sum(1 << port for port in children)
    return [
        QUIET | {"rst": 1},
        {"rst": 0, "write": 2, "write_data": TREE.pack({"parent": parent, "children": mask})},
        {"write": 1, "write_data": CONTROL.pack({"valid": 1, "gid": GID})},
        QUIET,
        *(QUIET | message(port, Kind.REDUCE) for port in children),
        QUIET,
        QUIET | {"send__sent": 1 << parent},
        QUIET | message(parent, Kind.DISTRIBUTE),
        QUIET,
    ]


def test_messages_go_to_any_parent_and_come_from_it() -> None:
    """All other ports are children: the last arrival goes up, and the answer down to all."""
    cases = [case for parent in range(MOST_PORTS) for case in episode(parent)]
    seen = clocked(TreeRegister(SPEC, node=False), cases)
    assert [cycle["used"] for cycle in seen] == [case.get("match", 0) for case in cases]
    length = len(episode(0))
    for parent in range(MOST_PORTS):
        cycles = seen[parent * length + 1 : (parent + 1) * length]
        ups = [cycle["send__parent"] for cycle in cycles]
        assert ups == [*[0] * (length - 5), 1 << parent, 1 << parent, 0, 0]
        downs = [cycle["send__children"] for cycle in cycles]
        assert downs == [*[0] * (length - 2), (1 << MOST_PORTS) - 1 - (1 << parent)]
