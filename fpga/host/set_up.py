"""A plan's groups set up on a board, after whatever an earlier program has left there.

Source: docs/microarchitecture-engine.md, E7; docs/microarchitecture-networks.md, N5 and N6.
"""

from contextlib import suppress

from syncfabric.fpga.host.host import Host
from syncfabric.fpga.host.link import RefusedError
from syncfabric.models.errors import BoardError, SpecError, about
from syncfabric.models.layout.engine import Code, interval_of
from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.layout.setup import COMMAND, MANAGER_STATUS, Answer, ManagerState, Operation
from syncfabric.models.layout.words import ManagerWord, config_address
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.set_up import Epochs, commit_write, free_writes
from syncfabric.models.planning.set_up_writes import SetUpWrite, Until, set_up_writes
from syncfabric.sim.assemble.host import host_shape

_STATE = 3
"""Bits of a manager's state in its status word."""
_POLLS = 1000
"""Looks at a manager before it counts as stuck; each takes longer than a request and its reply."""


seats = BarrierPlan.endpoints
"""Name that 0.1.0 has for it."""


def check_plan(plan: BarrierPlan) -> None:
    """Refuse a plan whose groups a host cannot measure.

    Raises
    ------
    SpecError
        There are no groups.
    """
    with about(plan.spec.source):
        if not plan.groups:
            raise SpecError(f"{plan.spec.name} has no groups; add a [[group]]")


def check_shape(host: Host, plan: BarrierPlan) -> None:
    """Refuse a board that holds another network, or cannot measure.

    Raises
    ------
    BoardError
        Nodes, registers, data bits or ports are not those of the plan's network; no meters.
    """
    board = host.identity
    shape = host_shape(plan.spec.network, board.meters)
    for name, words in (
        ("nodes", "nodes"),
        ("registers", "registers a node"),
        ("data_bits", "data bits"),
        ("last", "ports last"),
        ("broken", "ports broken"),
    ):
        has, wanted = int(getattr(board, name)), int(getattr(shape, name))
        if has != wanted:
            raise BoardError(
                f"port {host.link.port}: the board has {has} {words}, and {plan.spec.name} has "
                f"{wanted}: load the bitstream of {plan.spec.name}, or name the board's network"
            )
    if not board.meters:
        raise BoardError(f"port {host.link.port}: the board has no meters; build it with some")


def set_up(host: Host, plan: BarrierPlan) -> None:
    """Write all that sets the plan's groups up; what was there before goes.

    Raises
    ------
    BoardError
        A word is refused or never reads as it must, or a manager fails.
    """
    network, epochs = plan.spec.network, None
    if not isinstance(network, StaticSpec):
        epochs = end_groups(host, network.shape)
    for write in set_up_writes(plan, epochs):
        host.configure(write.target, write.address, write.value)
        if write.until is not None:
            _await(host, write, write.until)


def _await(host: Host, write: SetUpWrite, until: Until) -> None:
    """Read what a write has to bring about; a manager may fail."""
    for _ in range(_POLLS):
        word = host.configured(write.target, until.address)
        if word & until.mask == until.value:
            return
        if write.group is not None and word & _STATE != ManagerState.RUNNING:
            break
    if write.group is None:
        raise BoardError(
            f"port {host.link.port}: word {until.address} of target {write.target} reads "
            f"0x{word:x} after the set-up; is the network on the board the one of the file?"
        )
    raise BoardError(
        f"port {host.link.port}: the manager did not set group {write.group} up: "
        f"{_refusal(word)}; reset the board"
    )


def _refusal(word: int) -> str:
    """Return what a manager's status says."""
    status = MANAGER_STATUS.unpack(word)
    state, answer = ManagerState(status["state"]).name, Answer(status["code"]).name
    return f"{state}, {answer} to request {status['request']}"


def end_groups(host: Host, network: NetworkShape) -> Epochs:
    """End whatever managers and engines do, and return the epoch of every entry.

    Raises
    ------
    BoardError
        The board does not answer.
    """
    for manager in network.managers:
        _try(host, manager, config_address(ManagerWord.COMMAND), _ABORT)
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
