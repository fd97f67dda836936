"""The bins that a regression must meet, of all that `sim.drive.coverage` counts."""

from collections import Counter as Tally
from collections.abc import Iterable, Iterator, Mapping

from syncfabric.models.faults.fault import FaultKind
from syncfabric.models.layout.setup import ManagerState
from syncfabric.models.messages.registers import Counter
from syncfabric.models.messages.static import Role
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.coverage import BUFFERS, LONE
from syncfabric.sim.drive.scenario import Outcome

THRESHOLD = 97.0
"""Percent of the bins that a regression must hit, whatever the seed."""
MOST_TOGETHER = 4


def universe(spec: MessageSpec) -> Iterator[str]:
    """Yield every bin that a network of several routers can reach, given all kinds of groups."""
    links = links_of(spec)
    for of_class in range(links.classes):
        yield from (f"{kind} of class {of_class}" for kind in ("up", "down", "GO"))
    shared = spec.shape.router.shared
    if links.channels:
        yield f"message {'inside a packet' if shared else 'beside a flit'}"
        yield "packets' lane without a credit"
        yield "node's link without a credit"
    if links.slots:
        yield from ("slot: message", "slots: two of a link in one cycle")
        # An engine notifies its process of one event a cycle; a slot is separate.
        yield "two registers of a node released in one cycle"
    yield from (f"{count} messages to a router in one cycle" for count in range(2, MOST_TOGETHER))
    yield "arrival in the cycle of the release"
    for what in ("SETUP", "GO"):
        if not spec.managed:
            yield f"config: write {what} ok"
        yield f"config: write {what} refused"
    yield from (f"config: {what} ok" for what in ("write READ", "read"))
    yield from ("config: read refused", "config: write refused")
    yield from (f"counted: {name}" for name in ("REFUSED_ARRIVE", "REFUSED_WRITE"))


def lifecycle_universe(spec: MessageSpec) -> Iterator[str]:
    """Yield what groups that end and links that fail add, on a network with managers and guards."""
    yield from (f"request: {what}" for what in ("SETUP", "START", "KILL"))
    yield from (f"reply: {what}" for what in ("OK", "BUSY", "EPOCH", "DENIED", "FREED"))
    yield from (f"manager: {state.name}" for state in ManagerState)
    for answer in ("ok", "refused"):
        commands = ("SETUP", "KILL", "ABORT")
        yield from (f"config: write {what} to a manager {answer}" for what in commands)
    yield "KILL: a member waits"
    yield from (f"BROKEN of class {c}" for c in range(links_of(spec).classes))
    yield from ("released broken", "config: write KILL ok", "config: write KILL refused")
    yield from (f"fault: {kind.name}" for kind in FaultKind if kind < FaultKind.INJECTED)
    yield from (f"guard: {what}" for what in ("probe", "answer to a probe", "cut packet"))
    yield from (f"guard: fence {how}" for how in ("closed", "opened"))
    yield from (f"counted: {word}" for word in ("CORRUPT", "LOST"))


def static_universe() -> Iterator[str]:
    """Yield every bin of a static network of at least 3x3 nodes, with rings and trees."""
    yield LONE
    yield from (f"an input feeds {count} outputs" for count in (2, 3, 4))
    yield "one of several outputs without a credit"
    yield from (f"full: {buffer} buffer" for buffer in BUFFERS)
    yield "two groups in a switch in one cycle"
    yield "both ways between two switches in one cycle"
    yield from (f"passing a nonmember: {kind}" for kind in ("ring", "tree"))
    yield from (f"released: {role.name}" for role in Role if role is not Role.NONE)
    yield "arrival in the cycle of the release"
    for what in (
        *(f"write {word} {answer}" for word in ("ROLE", "COMMAND") for answer in ("ok", "refused")),
        *(f"{how} ok" for how in ("read ROLE", "read STATUS", "read counter", "write SHIFT")),
        *(f"{how} ok" for how in ("write STROBE", "read LENGTH")),
        *(f"{how} refused" for how in ("read COMMAND", "write STATUS", "write counter")),
        *(f"{how} refused" for how in ("read nowhere", "write nowhere", "read SHIFT")),
        *(f"read {word} refused" for word in ("STROBE", "TIMEOUT")),
    ):
        yield f"config: {what}"
    yield from (f"counted: {c.name}" for c in Counter if c is not Counter.OVERFLOW)


def covered(
    name: str,
    outcomes: Iterable[Outcome],
    bins: set[str],
    *,
    more: Mapping[str, int] | None = None,
    alone: bool = False,
) -> str:
    """Check that a regression, and ``more`` hits, cover the bins; return a line of the report.

    With ``alone`` there must be no other hits.
    """
    hits = sum((Tally(outcome.coverage) for outcome in outcomes), Tally(more))
    holes = sorted(bin_ for bin_ in bins if not hits[bin_])
    percent = 100 * (1 - len(holes) / len(bins))
    assert percent >= THRESHOLD, holes
    assert not alone or set(hits) <= bins, set(hits) - bins
    missed = "".join(f"\n    never: {hole}" for hole in holes)
    return f"{name}: {percent:.1f}% of {len(bins)} bins{missed}"
