"""A whole network, and what its host, its managers and its processes do."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from syncfabric.models.golden.network import CollectiveNetwork
from syncfabric.models.golden.record import ConfigRequest, Record
from syncfabric.models.layout.engine import Code
from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.layout.setup import MANAGER_STATUS, ManagerState, Operation
from syncfabric.models.layout.words import ManagerWord
from tests.models.golden.planes.nets import (
    Group,
    command,
    manager_read,
    order,
    requests_of,
    set_up_writes,
)

LIMIT = 20_000


class Bench:
    """A network; every cycle's record and releases are kept.

    Attributes
    ----------
    releases : list of (cycle, node, register, result)
    """

    def __init__(self, shape: NetworkShape) -> None:
        self.shape, self.net = shape, CollectiveNetwork(shape)
        self.records: dict[int, Record] = {}
        self.releases: list[tuple[int, int, int, int]] = []

    @property
    def now(self) -> int:
        return self.net.cycle

    def step(self, **inputs: Any) -> Record | None:
        """Go through a cycle."""
        self.releases += [(self.now, *release) for release in self.net.release]
        record = self.net.step(**inputs)
        if record:
            self.records[self.now - 1] = record
        return record

    def run(self, cycles: int) -> None:
        for _ in range(cycles):
            self.step()

    def quiesce(self) -> None:
        """Step until nothing moves any more."""
        for _ in range(LIMIT):
            if self.net.idle_until() is None:
                return
            self.step()
        raise AssertionError("it never rests")

    def ask(self, request: ConfigRequest) -> tuple[bool, int]:
        """Make a request, and wait for the answer."""
        self.step(config=request)
        for _ in range(LIMIT):
            ready, error, rdata = self.net.config_answer
            self.step()
            if ready:
                return error, rdata
        raise AssertionError("no answer")

    def obey(self, requests: Iterable[ConfigRequest]) -> None:
        """Make requests that are not refused."""
        for request in requests:
            assert self.ask(request) == (False, 0) or request.address == 0, request

    def by_host(self, group: Group) -> None:
        """Set a group up over the config chain, and wait for GO."""
        for request in set_up_writes(self.shape, group):
            error, _ = self.ask(request)
            assert not error
        self.quiesce()
        self.is_open(group)

    def is_open(self, group: Group) -> None:
        """Whether all members may arrive."""
        assert all(self.net.ready(i, group.entry[self.home(i)]) for i in group.members)

    def home(self, node: int) -> int:
        return self.shape.nodes[node][0]

    def command(self, manager: int, operation: Operation, group: Group) -> dict[str, int]:
        """Give a manager a command for a group; return its status at the end."""
        requests = requests_of(self.shape, group, operation)
        self.obey(order(self.shape, manager, operation, requests))
        return self.status(manager)

    def status(self, manager: int) -> dict[str, int]:
        """Wait for the end of a manager's command, and return its status."""
        node = self.shape.managers[manager]
        for _ in range(LIMIT):
            if self.net.manager_state(node) is not ManagerState.RUNNING:
                break
            self.step()
        error, rdata = self.ask(manager_read(self.shape, manager, ManagerWord.STATUS))
        assert not error
        return MANAGER_STATUS.unpack(rdata)

    def read(self, manager: int, word: ManagerWord) -> int:
        error, rdata = self.ask(manager_read(self.shape, manager, word))
        assert not error
        return rdata

    def alive(self, n: int, entry: int) -> bool:
        """Read whether an entry of a router is alive."""
        _, rdata = self.ask(command(self.shape, n, Code.READ, entry, 0))
        return bool(rdata & 1)

    def counted(self, target: int, address: int) -> int:
        """Read a counter."""
        self.run(3)
        error, rdata = self.ask(ConfigRequest(target, address, False))
        assert not error
        return rdata

    def barrier(
        self,
        group: Group,
        data: Mapping[int, int] | None = None,
        last: Collection[int] = (),
        late: int | None = None,
    ) -> tuple[int, list[int]]:
        """Have all members arrive, one late; return cycles from the last one, and the results."""
        register = {i: group.entry[self.home(i)] for i in group.members}
        first = len(self.releases)
        arrive = {(i, r): (data or {}).get(i, 0) for i, r in register.items()}
        lasts = {(i, r) for i, r in register.items() if i in last}
        if late is not None:
            others = {key: value for key, value in arrive.items() if key[0] != late}
            self.step(arrive=others, last=lasts)
            self.run(600)
            arrive = {key: value for key, value in arrive.items() if key[0] == late}
        assert len(self.releases) == first
        start = self.now
        self.step(arrive=arrive, last=lasts & arrive.keys())
        for _ in range(LIMIT):
            found = self.releases[first:]
            if len(found) == len(register):
                break
            self.step()
        assert {(i, r) for _, i, r, _ in found} == set(register.items())
        return max(found)[0] - start, [result for *_, result in found]
