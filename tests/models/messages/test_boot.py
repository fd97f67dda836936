"""The boot block of a core's groups, byte by byte."""

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.messages.boot import BootGroup, boot_block
from syncfabric.models.messages.registers import Op
from syncfabric.models.messages.static import Role


def test_a_boot_block_has_the_groups_of_a_core() -> None:
    groups = [BootGroup(7, (0, 2), (3, None), Op.MAX), BootGroup(1, (1,), (0,))]
    words = [7, 3, 0, 2, 3, 0, 0, 0, 2, 1, 0xFFFF, 0xFFFF, 1, 0, 0, 0, 1]
    block = b"SFB1" + (2).to_bytes(4, "little") + b"".join(w.to_bytes(2, "little") for w in words)
    assert boot_block(groups, 0, 64) == block
    assert boot_block(groups, 2, 64)[10:14] == b"\xff\xff\x01\x00"
    # Core 2 is none, so group 7 is of no use.
    words = [1, 0, 0, 1, 1, 0, 0, 0, 7, 3, 0xFFFF, 0, 3, 0, 0]
    block = b"SFB1" + (2).to_bytes(4, "little") + b"".join(w.to_bytes(2, "little") for w in words)
    alone = [BootGroup(7, (0, 2), (3, None), Op.MAX), BootGroup(1, (0,), (0,), Op.AND)]
    assert boot_block(alone, 0, 64, cores=2) == block
    with pytest.raises(SpecError, match="take a boot block of 42 bytes, and the program keeps 32"):
        boot_block(groups, 0, 32)
    fenced = BootGroup(3, (0, 1), (5, 5), Op.XOR, fence=True)
    assert boot_block([fenced], 1, 64)[16:18] == (Op.XOR | 256).to_bytes(2, "little")
    tree = BootGroup(2, (1, 0), (None, None), roles=(Role.TREE, Role.TREE_ROOT), flits=9)
    words = [2, 0xFFFF, 1, 2, 0, Role.TREE_ROOT, 9, 1, 0]
    assert boot_block([tree], 0, 64)[8:] == b"".join(w.to_bytes(2, "little") for w in words)
