"""The life of a group: from its set-up to its tear-down, and how far it has come."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from syncfabric.models.networks.irregular import Place
from syncfabric.models.planning.plan_irregular import IrregularGroupPlan
from syncfabric.models.planning.switch_tree import PortRegister
from syncfabric.models.setup.message import NO_PARENT, Image

__all__ = ["Life", "Progress", "Stage", "life_of"]


@dataclass(frozen=True)
class Life:
    """A group from set-up to tear-down.

    Parameters
    ----------
    number : int
        Its own, never used twice.
    manager : int
        Who sets it up.
    switches : tuple of (switch, Image)
        The tree's registers, the root switch's last.
    nodes : tuple of (node, Image)
        The members' own, at their node interfaces.
    barriers : int
        How many there are, at least 1.
    last : bool
        The last one is told as such, and frees the group.
    kill : bool
        The manager may end it at any time by KILL; it has to if ``last`` is not set.
    after : int or None
        The life that must be over, for its manager, before this one's members open.
    patience : int
        Set-ups tried until the manager gives up.
    repeats : int
        Requests that it may repeat.
    """

    number: int
    manager: int
    switches: tuple[tuple[int, Image], ...]
    nodes: tuple[tuple[Place, Image], ...]
    barriers: int = 1
    last: bool = True
    kill: bool = False
    after: int | None = None
    patience: int = 3
    repeats: int = 0

    @cached_property
    def gid(self) -> int:
        """The group's identifier."""
        return self.nodes[0][1].gid

    @cached_property
    def epoch(self) -> int:
        """The epoch of the set-up."""
        return self.nodes[0][1].epoch


class Stage(enum.IntEnum):
    """How far a life is, as its manager knows; REFUSED and OVER: nothing is left to command."""

    OPENING, SETTING, ALIVE, CLEARING, KILLING, REFUSED, OVER = range(7)


class Progress(NamedTuple):
    """How far a life is; arrivals and releases by member, barriers broken off among the latter."""

    stage: Stage
    tries: int
    repeats: int
    freed: bool
    opened: frozenset[int]
    arrived: tuple[int, ...]
    released: tuple[int, ...]

    @classmethod
    def first(cls, life: Life) -> Progress:
        """Return where every life begins."""
        none = (0,) * len(life.nodes)
        return cls(Stage.OPENING, life.patience, life.repeats, False, frozenset(), none, none)

    def commanded(self, *, refused: bool) -> Progress:
        """Return what comes after a command of the manager has ended."""
        if self.stage is Stage.SETTING and refused:
            stage = Stage.OPENING if self.tries > 1 else Stage.REFUSED
            return self._replace(stage=stage, tries=self.tries - 1)
        after = {
            Stage.SETTING: Stage.ALIVE,
            Stage.CLEARING: Stage.OVER,
            Stage.KILLING: Stage.OVER,
        }
        return self._replace(stage=after.get(self.stage, self.stage))


def life_of(
    plan: IrregularGroupPlan,
    number: int,
    *,
    manager: int = 0,
    epoch: int = 0,
    barriers: int = 1,
    last: bool = True,
    kill: bool = False,
    after: int | None = None,
    patience: int = 3,
    repeats: int = 0,
) -> Life:
    """Make a life of a planned group; see :class:`Life` for the rest.

    Parameters
    ----------
    plan : IrregularGroupPlan
        A group of at least two members: one alone needs no set-up through the network.
    epoch : int
        Epoch of the set-up, 0 to 3.
    """

    def image(register: PortRegister) -> Image:
        parent = NO_PARENT if register.parent is None else register.parent
        children = sum(1 << port for port in register.children)
        return Image(plan.id, epoch, manager, register.parent is None, parent, children)

    registers = list(plan.registers())
    size = len(plan.members)
    nodes = [(node, image(r)) for node, r in zip(plan.members, registers, strict=False)]
    switches = [(r.seat, image(r)) for r in registers[size:] if isinstance(r.seat, int)]
    switches.sort(key=lambda item: item[0] == plan.root_switch)
    return Life(
        number,
        manager,
        tuple(switches),
        tuple(nodes),
        barriers=barriers,
        last=last,
        kill=kill,
        after=after,
        patience=patience,
        repeats=repeats,
    )
