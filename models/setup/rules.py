"""The rules of set-up and tear-down, each of which can be left out to see what it is for."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Rules"]


@dataclass(frozen=True)
class Rules:
    """What managers, switches and members keep to.

    Parameters
    ----------
    one_command : bool
        A manager runs one command at a time, so no switch has two requests of it.
    free_places : bool
        SETUP writes a free entry only, or finds the identical one, idle.
    root_last : bool
        The root is written when all other switches have said OK, and it alone fires.
    go : bool
        A member arrives only when GO has come to its node.
    go_ends_at_node : bool
        A node interface sends GO to nobody, be it the root.
    set_up_once : bool
        A group that has been set up is not set up again before it is cleared or killed.
    rollback : bool
        After a refusal, whatever said OK is cleared.
    idle_test : bool
        CLEAR is obeyed on an idle entry only; else the answer is BUSY.
    owner : bool
        CLEAR and KILL are obeyed for the manager that wrote the entry only; else DENIED.
    hold_free : bool
        A manager keeps FREED in mind if it comes before the root's OK.
    freed_apart : bool
        FREED does not take the reply slot, where a request would find it and be lost.
    epochs : bool
        Messages of another epoch are strays.
    node_epoch : bool
        Members write the epoch, and GO must have it; else GO of any epoch is taken, with its epoch.
    drained : bool
        Not needed, and no rule that anyone could keep to; it stands for links so short that nothing
        of an old life is under way when members open for the next.
    opened_first : bool
        All members have written their nodes' registers before the manager begins.
    kill_drops_freed : bool
        A register that dies forgets that it was to tell FREED.
    kill_tells_root_node : bool
        A root switch that turns around in its root node tells that one too that it dies.
    start : bool
        With ``setup = "local"``: nobody arrives before all registers are written.
    """

    one_command: bool = True
    free_places: bool = True
    root_last: bool = True
    go: bool = True
    go_ends_at_node: bool = True
    set_up_once: bool = True
    rollback: bool = True
    idle_test: bool = True
    owner: bool = True
    hold_free: bool = True
    freed_apart: bool = True
    epochs: bool = True
    node_epoch: bool = True
    drained: bool = False
    opened_first: bool = True
    kill_drops_freed: bool = True
    kill_tells_root_node: bool = True
    start: bool = True
