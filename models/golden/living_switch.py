"""A switch's or node interface's barrier register, set up by a manager."""

from __future__ import annotations

from syncfabric.models.golden.life import Living
from syncfabric.models.golden.record import Message
from syncfabric.models.golden.switch_register import PROCESS, UP, SwitchRegister, TreeRules
from syncfabric.models.messages import CONTROL, LIFE, Kind, SwitchWord

__all__ = ["LivingSwitchRegister"]

VALID = CONTROL.pack({"valid": 1})


class LivingSwitchRegister(Living, SwitchRegister):
    """A register of sections I4 and I5 with the life of section S1."""

    def __init__(self, rules: TreeRules) -> None:
        self.reset_life()
        self.kind_at = rules.layout.sync.offsets["kind"]
        super().__init__(rules)

    # The config port.

    def write(self, word: int, data: int) -> None:
        """Change a word of the image; a new control word begins a new life."""
        super().write(word, data)
        if word == SwitchWord.CONTROL:
            self.renew()

    def _read_image(self) -> None:
        super()._read_image()
        self.manager = CONTROL.unpack(self.words[SwitchWord.CONTROL])["manager"]

    def is_busy(self) -> bool:
        """Return whether the image must stay as it is."""
        return self.dying or super().is_busy()

    @property
    def above(self) -> int:
        """What stands above an episode's bits: its life, and whether it has tripped."""
        return self.life | self.tripped << LIFE.width

    @property
    def status_bits(self) -> int:
        """Width of ``status``."""
        return super().status_bits + LIFE.width

    # Messages and arrivals.

    @property
    def alone(self) -> bool:
        """Whether its only member is this node's process, so that no GO will come."""
        return self.root and self.children == {PROCESS} and PROCESS in self.rules.process

    @property
    def ready(self) -> bool:
        """Whether the node's process may arrive."""
        return self.valid and not (self.dying or self.tripped) and (self.go or self.alone)

    def joins(self, kind: int) -> bool:
        """Return whether a message of this kind comes from a child, as REDUCE or LAST."""
        return kind == Kind.REDUCE or (kind == Kind.GO and self.go)

    def uses(self, message: Message, port: int, pending: bool, up: bool) -> bool:
        """Return whether a message for this group is used; else it is a stray."""
        if self.dying or self.tripped:
            return False
        if self.joins(message.kind):
            return port in self.children and port not in self.arrived and not pending
        if message.kind == Kind.DISTRIBUTE:
            return super().uses(message, port, pending, up)
        from_above = port == self.parent and (bool(self.rules.process) or not self.root)
        return from_above and (message.kind == Kind.BROKEN or not self.is_busy())

    def fire(self) -> None:
        """Have the parent told that all are in."""
        self.write_to([UP], Kind.GO if self.last else Kind.REDUCE)

    def finish(self, result: int) -> frozenset[int]:
        """End the episode; at the root a last one frees the group."""
        self.freed = self.freed or (self.root and self.last)
        self.last = True
        told = super().finish(result)
        self.write_to(told, Kind.DISTRIBUTE)
        return told

    # Its life.

    def open(self) -> frozenset[int]:
        """Let members arrive, on GO; return the children that have to be told."""
        self.go = True
        return self._tell(Kind.GO)

    def die(self) -> frozenset[int]:
        """Drop the episode; return the children that have to be told."""
        self.reset_episode()
        self.go = self.freed = False
        self.dying = True
        return self._tell(Kind.BROKEN)

    def _tell(self, kind: Kind) -> frozenset[int]:
        """Have children told, unless this is a node interface, where GO and BROKEN end."""
        told = frozenset() if self.rules.process else self.below
        self.write_to(told, kind)
        return told

    def bury(self) -> None:
        """Become free."""
        self.words[SwitchWord.CONTROL] &= ~VALID
        self.valid = self.go = self.dying = False
