"""What a slot makes of its words where a unit has the most links."""

from syncfabric.models.messages import CONTROL, MOST_PORTS, TREE
from syncfabric.models.networks.wires import WirePlane
from syncfabric.rtl.wires.images import SlotImages
from tests.rtl.support import clocked


def test_every_link_is_a_parent_and_a_child() -> None:
    """The tree word, then the control word, of one slot after the other; roots have no parent."""
    plane = WirePlane(slots=2 * MOST_PORTS, data_bits=0)
    cases: list[dict[str, int]] = []
    for slot in range(plane.slots):
        root, link = divmod(slot, MOST_PORTS)
        tree = {"parent": link, "children": 1 << (link + 1) % MOST_PORTS}
        control = {"valid": 1, "root": root, "gid": slot}
        for write, word, data in ((2, 1, TREE.pack(tree)), (1, 0, CONTROL.pack(control))):
            cases.append({"place": slot, "writes": 1, "write": write, "word": word, "data": data})
    part = SlotImages(plane, MOST_PORTS, process=False, sink=False)
    *_, seen = clocked(part, [*cases, {"write": 0}])
    for slot in range(plane.slots):
        root, link = divmod(slot, MOST_PORTS)
        role = {name: seen[f"role_{slot}__{name}"] for name in ("root", "parent", "kids")}
        kids = 1 << (link + 1) % MOST_PORTS
        assert role == {"root": root, "parent": 0 if root else 1 << link, "kids": kids}
