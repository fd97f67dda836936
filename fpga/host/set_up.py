"""Setting a plan's groups up on a board."""

from syncfabric.fpga.host.engines import end_groups
from syncfabric.fpga.host.host import Host
from syncfabric.models.errors import BoardError, SpecError, about
from syncfabric.models.layout.setup import MANAGER_STATUS, Answer, ManagerState
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.set_up_writes import SetUpWrite, Until, set_up_writes
from syncfabric.sim.assemble.host import host_shape

__all__ = ["check_plan", "check_shape", "seats", "set_up"]

_STATE = 3
"""Bits of a manager's state in its status word."""
_POLLS = 1000
"""Looks at a manager before it counts as stuck; each takes longer than a request and its reply."""


def seats(plan: BarrierPlan, group: GroupPlan) -> list[tuple[int, int]]:
    """Return (node, register) of each member, in their order."""
    index = plan.spec.network.topology.index
    return [(index(node), register) for node, register in group.places.items()]


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
