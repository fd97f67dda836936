"""Rules of the protocol, each of which can be left out to see what it is for."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Rules"]


@dataclass(frozen=True)
class Rules:
    """Rules of hardware and software.

    Parameters
    ----------
    epochs : int
        Number of epochs; 1: messages have none.
    under_way : int
        An assumption: an entry is set up fewer times than this while a message for it is under way,
        and one time less while its FREED is.
    whole : bool
        An entry fires only when nothing is missing.
    anded : bool
        LAST leaves an entry only if all that merged said so.
    ready : bool
        A process arrives only when its register is ready.
    busy : bool
        SETUP of an entry that is alive is refused.
    shares : bool
        A manager's requests for entries outside its share are refused.
    kill_epoch : bool
        KILL needs the entry's epoch.
    ended : bool
        A SETUP that was obeyed before and whose instance is over is answered ENDED, not EPOCH.
    tags : int
        Number of tags; 1: a manager takes replies of a command that it aborted. With more, no
        packet is assumed to be under way when its tag comes again.
    freed_epoch : bool
        Software compares the epoch of FREED.
    freed_in_order : bool
        FREED leaves a router before the replies of later requests, and so comes before them. (No
        rule of the contract: with it, ``freed_epoch`` is not needed.)
    awaits : bool
        START is sent when all SETUPs were OK.
    root_last : bool
        START, which sends GO, goes to the root after the other routers' SETUP.
    again : bool
        After BUSY the same command is given again; else the group is killed first.
    kills_before_reuse : bool
        After ABORT, an entry is used for another group only after KILL.
    kill_sets : bool
        KILL gives an entry that is not alive the epoch of the command.
    """

    epochs: int = 4
    under_way: int = 4
    whole: bool = True
    anded: bool = True
    ready: bool = True
    busy: bool = True
    shares: bool = True
    kill_epoch: bool = True
    ended: bool = True
    tags: int = 4
    freed_epoch: bool = True
    freed_in_order: bool = False
    awaits: bool = True
    root_last: bool = True
    again: bool = True
    kills_before_reuse: bool = True
    kill_sets: bool = True
