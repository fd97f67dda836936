"""Which entry each group takes at each router of its tree, and the refusal of too many groups."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from syncfabric.models.errors import PlanError, SpecError
from syncfabric.models.layout.engine import entries_of
from syncfabric.models.layout.network import MOST_REGISTERS
from syncfabric.models.layout.setup import owners_of, share_of
from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.networks.irregular import Ints, Irregular


def allot(
    routers: Sequence[Ints], members: Sequence[Ints], shares: Sequence[range], count: int
) -> list[Ints]:
    """Give each group an entry at each of its routers: the lowest that is free in its share.

    All groups are served at their members' routers first, for a node port has registers for the
    lowest entries alone; then at the routers that they pass.

    Parameters
    ----------
    routers : sequence of array of int64
        Each group's routers, ascending.
    members : sequence of array of int64
        Those of them that have members.
    shares : sequence of range
        Each group's share of every router's entries; none is asked for more than it has.
    count : int
        Routers of the network.

    Returns
    -------
    list of array of int64
        The entry at each of the group's routers.
    """
    used = {share.start: np.zeros(count, dtype=np.int64) for share in shares}
    found = [np.full(len(places), -1, dtype=np.int64) for places in routers]
    for at_members in (True, False):
        for entries, places, own, share in zip(found, routers, members, shares, strict=True):
            now = np.isin(places, own) == at_members
            taken = used[share.start]
            entries[now] = share.start + taken[places[now]]
            taken[places[now]] += 1
    return found


def owner_of(entries: Collection[int], router: NodeShape) -> int:
    """Return the manager in whose share a group's entries are; 0 without managers.

    Raises
    ------
    SpecError
        An entry does not exist, or they are not all one manager's.
    """
    most = router.layout.entries + router.wires - 1
    for entry in entries:
        if type(entry) is not int or not 0 <= entry <= most:
            raise SpecError(f"entry must be 0..{most}, not {entry!r}")
    all_owners = owners_of(max(1, router.managers), router.layout.entries, router.wires)
    owners = {all_owners.get(entry, -1) for entry in entries}
    if len(owners) != 1 or -1 in owners:
        raise SpecError(f"entries {min(entries)} to {max(entries)} are not of one manager's share")
    return owners.pop()


MOST_ENTRIES = 256


@dataclass(frozen=True, eq=False)
class Capacity:
    """The entries of a network's routers, and who wants them.

    Parameters
    ----------
    graph : Irregular
    router : NodeShape
    ids, owners : sequence of int
        The groups, and the manager of each; 0 without managers.
    members : sequence of tuple of int
        The routers of each group's members.
    registers : int
        Entries, the lowest, for which a node port can have registers.
    """

    graph: Irregular
    router: NodeShape
    ids: Sequence[int]
    owners: Sequence[int]
    members: Sequence[tuple[int, ...]]
    registers: int

    @property
    def managers(self) -> int:
        """Shares that are in use."""
        return max(1, self.router.managers)

    @property
    def entries(self) -> int:
        """Entries of a share."""
        return len(share_of(0, self.managers, self.router.layout.entries))

    @cached_property
    def _wanted(self) -> Counter[tuple[int, int]]:
        pairs = zip(self.owners, self.members, strict=True)
        return Counter((owner, router) for owner, routers in pairs for router in routers)

    def _usable(self, owner: int, entries: int, registers: int) -> int:
        """Return the entries of a share, of so many in all, that have a register of a node port."""
        return sum(e < registers for e in share_of(owner, self.managers, entries))

    def _registers_for_all(self, entries: int) -> int | None:
        """Return the fewest registers, not below those there are, that do for all members."""
        for registers in range(self.registers, MOST_REGISTERS + 1):
            wanted = self._wanted.items()
            if all(n <= self._usable(owner, entries, registers) for (owner, _), n in wanted):
                return registers
        return None

    def check_members(self) -> None:
        """Refuse a router with more groups of members than entries with registers.

        Raises
        ------
        PlanError
            The router, the groups, and how many ``groups`` would do.
        """
        entries = self.router.layout.entries
        for (owner, router), count in self._wanted.most_common():
            if count > (usable := self._usable(owner, entries, self.registers)):
                there = f"but members there can have {usable}"
                raise self._refusal(router, owner, self.members, there, count)

    def check(self, routers: Sequence[Collection[int]]) -> None:
        """Refuse trees of which a router has more than entries; see ``check_members``."""
        pairs = zip(self.owners, routers, strict=True)
        load = Counter((owner, router) for owner, tree in pairs for router in tree)
        for (owner, router), count in load.most_common(1):
            if count > self.entries:
                raise self.full(router, owner, routers, count)

    def full(
        self, router: int, owner: int, routers: Sequence[Collection[int]], needed: int
    ) -> PlanError:
        """Return the refusal of a router with more trees than entries.

        Parameters
        ----------
        router, owner : int
            Where, and of whose share.
        routers : sequence of collection of int
            The routers of each group's tree.
        needed : int
            Entries of a share that are found to do.
        """
        return self._refusal(router, owner, routers, f"but there are {self.entries}", needed)

    @property
    def _keys(self) -> str:
        """The keys of the network that say what there is room for."""
        limited = self.registers < MOST_REGISTERS
        more = f" and port_registers = {self.registers + self.router.wires}" if limited else ""
        return f"groups = {self.router.groups}{more}"

    def _refusal(
        self,
        router: int,
        owner: int,
        routers: Sequence[Collection[int]],
        there: str,
        needed: int,
    ) -> PlanError:
        runs = self.router.layout.entries // self.entries
        ids = [
            gid
            for gid, other, places in zip(self.ids, self.owners, routers, strict=True)
            if other == owner and router in places
        ]
        groups = needed if runs == 1 else runs << (needed - 1).bit_length()
        choices: list[tuple[int, tuple[str, ...]]] = [(entries_of(groups), (f"groups = {groups}",))]
        if needed <= self.entries:
            choices.insert(0, (self.router.layout.entries, ()))
        fewer = "groups" if runs == 1 else "groups or managers"
        remedy = f"a node has registers for {MOST_REGISTERS} groups: take fewer {fewer}"
        for entries, keys in choices:
            registers = self._registers_for_all(entries)
            if entries <= MOST_ENTRIES and registers is not None:
                if registers > self.registers:
                    keys = (*keys, f"port_registers = {registers + self.router.wires}")
                remedy = f"set {' and '.join(keys)} in [network]"
                break
        whose = f" of manager {owner}" if self.router.managers else ""
        return PlanError(
            f"{self.graph.name(router)}: groups {', '.join(map(str, ids))} need {len(ids)}"
            f" entries{whose}, {there} with {self._keys}; {remedy}"
        )
