"""A board's collective engines as an earlier program left them: every group ended, epochs known.

Source: docs/microarchitecture-engine.md, E7; docs/microarchitecture-networks.md, N5 and N6.
"""

from __future__ import annotations

from contextlib import suppress

from syncfabric.fpga.host.host import Host
from syncfabric.fpga.host.link import RefusedError
from syncfabric.models.layout.engine import Code, interval_of
from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.layout.setup import COMMAND, ManagerWord, Operation
from syncfabric.models.planning.set_up import Epochs, commit_write, free_writes, manager_address

__all__ = ["end_groups", "free_entry"]


def end_groups(host: Host, network: NetworkShape) -> Epochs:
    """End whatever managers and engines do, and return the epoch of every entry.

    Raises
    ------
    BoardError
        The board does not answer.
    """
    for manager in network.managers:
        _try(host, manager, manager_address(ManagerWord.COMMAND), _ABORT)
    epochs, killed = Epochs(), False
    layout = network.router.layout
    for router in range(network.routers):
        for entry in range(layout.entries + network.router.wires):
            _try(host, *commit_write(Code.READ, network, router, entry, 0))
            status = layout.status.unpack(host.config_answer())
            epochs[router, entry] = status["epoch"]
            if status["alive"]:
                # It may end just before, by BROKEN of an entry above: KILL changes nothing then.
                _try(host, *commit_write(Code.KILL, network, router, entry, status["epoch"]))
                killed = True
    if killed:
        _wait(host, network)
    return epochs


def free_entry(host: Host, network: NetworkShape, router: int, entry: int) -> None:
    """Free an entry of a router, and its nodes' registers, whatever a fault has left there.

    Its epoch is 0 then. A group that has the entry is to be ended at its other routers, too.

    Raises
    ------
    BoardError
        The board does not answer.
    """
    for write in free_writes(network, router, entry):
        _try(host, *write)


_ABORT = COMMAND.pack({"operation": Operation.ABORT})


def _try(host: Host, target: int, address: int, word: int) -> None:
    """Write a word; refused or not, its answer is there."""
    with suppress(RefusedError):
        host.configure(target, address, word)


def _wait(host: Host, network: NetworkShape) -> None:
    """Wait until all messages of the groups that were killed have been served."""
    router = network.router
    services = (router.layout.entries + 1) * (router.links + 2)
    end = host.cycle() + services * interval_of(router.stages, shared=router.shared)
    while host.cycle() < end:
        pass
