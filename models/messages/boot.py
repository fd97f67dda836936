"""The boot block: a core's groups, written before its program begins.

Little-endian: two words, ``BOOT_MAGIC`` and the number of groups; then of each group half-words:
its GID, the core's register of it, the core's rank, the members, the operation (with a fence,
``BOOT_FENCE`` more), the core's role,
the flits of a barrier, and the members' core numbers by their rank. Register and rank are
``BOOT_NONE`` where there is none. A group that has members beside the cores is of no use to them:
it comes last, without members and rank, for its number and its register are taken. A core that has
a manager of collective engines gets last which entries these groups have: a half-word a router,
a bit an entry.

Source: docs/microarchitecture-cores.md.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from syncfabric.models.errors import SpecError
from syncfabric.models.messages.core import MOST_CORES
from syncfabric.models.messages.registers import Op
from syncfabric.models.messages.static import Role

BOOT_MAGIC = 0x3142_4653
BOOT_NONE = 0xFFFF
BOOT_FENCE = 1 << 8


@dataclass(frozen=True)
class BootGroup:
    """A group, as all its cores see it.

    Parameters
    ----------
    gid : int
        Group identifier.
    members : tuple of int
        Nodes by their rank; node i has core i, if there are so many.
    registers : tuple of (int or None)
        Each member's barrier register; None where the group is in none.
    op : Op
        How values are combined.
    roles : tuple of Role
        What each member does where programs send the flits of a static network's ring or tree
        themselves; empty where they do not.
    flits : int
        Flits of such a tree's barrier; 0 of a ring.
    fence : bool
        Whether an arrive waits until the core's packets are acknowledged.
    """

    gid: int
    members: tuple[int, ...]
    registers: tuple[int | None, ...]
    op: Op = Op.OR
    roles: tuple[Role, ...] = ()
    flits: int = 0
    fence: bool = False


def boot_block(
    groups: Sequence[BootGroup],
    core: int,
    room: int,
    *,
    cores: int = MOST_CORES,
    taken: Sequence[int] = (),
) -> bytes:
    """Return the boot block of a core.

    Parameters
    ----------
    groups : sequence of BootGroup
        The same for all cores, in the same order: by their places software tells them apart.
    core : int
        Number of the core.
    room : int
        Bytes that the program keeps for it: the size of its symbol ``sf_boot``.
    cores : int
        How many there are.
    taken : sequence of int
        Entries that the groups have, a bit each, by router: for a manager's core.

    Raises
    ------
    SpecError
        It does not fit.
    """
    block = struct.pack("<II", BOOT_MAGIC, len(groups))
    for group in sorted(groups, key=lambda group: max(group.members) >= cores):
        rank = group.members.index(core) if core in group.members else None
        register = None if rank is None else group.registers[rank]
        members = group.members
        if max(members) >= cores:
            rank, members = None, ()
        own = (BOOT_NONE if value is None else value for value in (register, rank))
        role = Role.NONE if rank is None or not group.roles else group.roles[rank]
        op = group.op | BOOT_FENCE * group.fence
        words = (group.gid, *own, len(members), op, role, group.flits, *members)
        block += struct.pack(f"<{len(words)}H", *words)
    block += struct.pack(f"<{len(taken)}H", *taken)
    if len(block) > room:
        raise SpecError(
            f"{len(groups)} groups take a boot block of {len(block)} bytes, and the program keeps "
            f"{room}: choose fewer groups, or compile with --define SF_BOOT_BYTES="
            f"{-(-len(block) // 256) * 256}"
        )
    return block
