"""The barrier registers of a node interface, and the process that arrives there."""

from __future__ import annotations

from syncfabric.models.golden.switch_register import PROCESS, TreeRules
from syncfabric.models.golden.switch_unit import Events, SwitchUnit
from syncfabric.models.messages import Counter
from syncfabric.models.networks.spec import IrregularSpec

__all__ = ["NodeUnit"]


class NodeUnit(SwitchUnit):
    """Registers of one node interface (docs/microarchitecture.md, section I5).

    Messages match as with one cycle a hop, and are combined as they come.

    Parameters
    ----------
    network, rules, target, credits, events
        As of ``SwitchUnit``; the target is the node's number.
    released : list of (node, register, result)
        What is released in the next cycle, shared by all nodes; appended to.
    """

    def __init__(
        self,
        network: IrregularSpec,
        rules: TreeRules,
        target: int,
        credits: list[int],
        events: Events,
        released: list[tuple[int, int, int]],
    ) -> None:
        super().__init__(network, rules, target, credits, events)
        self.late, self.serial = False, None
        self.released = released
        self.lasting: set[int] = set()

    def is_ready(self, r: int, started: bool) -> bool:
        """Return whether a group can be used; ``started``: ``start`` has been high."""
        return started and self.registers[r].valid and not self.registers[r].tripped

    def is_broken(self, r: int) -> bool:
        """Return whether the process was released because its group died, or nobody came."""
        return self.registers[r].broken

    def accepts(self, r: int, started: bool) -> bool:
        """Return whether an arrive in this cycle is accepted; the state is the edge's before."""
        return self.is_ready(r, started) and self.registers[r].admits()

    def arrive(self, r: int, data: int) -> None:
        """Take an accepted arrive, which is used in this cycle."""
        self.arriving[r] = data & self.rules.mask

    def _arrivals(self) -> set[int]:
        joined = set(self.arriving)
        for r, data in self.arriving.items():
            self.registers[r].enter(data)
            self.registers[r].done = self.registers[r].broken = False
        self.arriving.clear()
        return joined

    # The watchdog (docs/microarchitecture-faults.md, F5).

    def is_dying(self, r: int) -> bool:
        """Return whether a register dies by a command of this cycle."""
        return False

    def trip(self, r: int) -> None:
        """Release the process of a register with ``broken``."""
        self.registers[r].trip()
        self.outbox.sending.discard(r)
        self.released.append((self.node, r, self.registers[r].result))
        self.count(Counter.STRAY)

    def _finish(self, r: int, result: int) -> None:
        super()._finish(r, result)
        if PROCESS in self.registers[r].children:
            self.registers[r].done = True
            self.released.append((self.node, r, result))
