"""Plans and results as tables: what the command line prints, and ``print`` in Python."""

from collections.abc import Callable, Iterator
from io import StringIO
from typing import TYPE_CHECKING, Literal, NamedTuple

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from syncfabric.models.networks.mesh import Node, Port
from syncfabric.models.planning.plan import GroupPlan, StaticGroupPlan
from syncfabric.models.planning.static_images import role_of
from syncfabric.sim.rows import Rows, notes, plan_rows, result_rows, summary
from syncfabric.sim.words import network_words, node_words

if TYPE_CHECKING:
    from syncfabric.models.planning.plan import BarrierPlan
    from syncfabric.sim.results import RunResult

__all__ = ["Titled", "as_text", "print_table", "show_plan", "show_result"]

SHOWN = 16
"""Entries of a group, or switches of its ring or tree, that are printed unasked."""
WIDEST = 84
"""Letters of a line of words; what is longer goes on in the next."""


class Titled(NamedTuple):
    """A table, and the lines above and below it; heads in ``words`` have columns of words."""

    title: str
    content: Rows
    below: str = ""
    words: tuple[str, ...] = ()


def show_plan(screen: Console, plan: "BarrierPlan", *, whole: bool = False) -> None:
    """Print a plan: its groups, notes, and the registers or routes of each group.

    Parameters
    ----------
    screen : Console
    plan : BarrierPlan
    whole : bool
        All registers, however many; else the first few of each group.
    """
    title = f"{plan.spec.name}: {network_words(plan.spec.network)}"
    print_table(screen, Titled(title, plan_rows(plan)))
    if lines := "".join(f"note: {note}\n" for note in notes(plan)):
        screen.print(lines, markup=False, soft_wrap=True)
    for table in _register_tables(plan, whole=whole):
        print_table(screen, table)


def show_result(screen: Console, result: "RunResult") -> None:
    """Print a run: its groups, latencies being least, median and greatest; and its summary."""
    title = f"{result.network} under {result.simulator}"
    print_table(screen, Titled(title, result_rows(result)))
    for line in summary(result):
        screen.print(line, markup=False, soft_wrap=True)


def as_text(show: Callable[[Console], None]) -> str:
    """Return what is shown, as plain text."""
    text = StringIO()
    # Not a terminal's colours, nor a notebook's display.
    show(Console(file=text, highlight=False, width=80, force_terminal=False, force_jupyter=False))
    return text.getvalue().rstrip("\n")


def _register_tables(plan: "BarrierPlan", *, whole: bool) -> Iterator[Titled]:
    """Yield the tables of the entries of each group; on a static network of its routes."""
    most = None if whole else SHOWN
    for group in plan.groups:
        if isinstance(group, GroupPlan):
            yield _entries(group, most)
        else:
            yield _routes(group, most)


def print_table(screen: Console, titled: Titled) -> None:
    """Print a table and an empty line; on a narrow terminal whole all the same."""
    heads, rows = titled.content
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    for head in heads:
        side: Literal["left", "right"] = "left" if head in titled.words else "right"
        most = WIDEST if side == "left" else None
        table.add_column(head, justify=side, vertical="bottom", no_wrap=not most, max_width=most)
    for row in rows:
        table.add_row(*map(Text, row))
    whole = screen.measure(table, options=screen.options.update(width=10_000)).maximum
    screen.width = max(screen.width, whole)
    # Not the table's own title and caption, which its width would wrap.
    screen.print(titled.title, style="bold", markup=False, soft_wrap=True)
    screen.print(table)
    if titled.below:
        screen.print(titled.below, style="dim italic", markup=False, soft_wrap=True)
    screen.print()


def _first(title: str, heads: list[str], rows: list[list[str]], most: int | None) -> Titled:
    """Return a table of the first rows, and below it how many more there are."""
    rest = len(rows[most:]) if most else 0
    below = f"and {rest:,} more: --registers prints all" if rest else ""
    return Titled(title, (heads, rows[:most]), below)


def _entries(group: GroupPlan, most: int | None) -> Titled:
    """Return the entries of a group in the routers of its tree, the root's first."""
    shape, mesh = group.shape, group.graph.columns > 0

    def port(number: int) -> str:
        if mesh:
            return "process" if number == Port.LOCAL else Port(number).name.lower()
        return str(number)

    rows = []
    for i, router in enumerate(shape.routers.tolist()):
        up = int(shape.parent_port[i])
        children = ", ".join(port(child) for child in shape.children(i))
        name = group.graph.shown(router)
        parent = "root" if up < 0 else port(up)
        rows.append([node_words(name), str(group.placement[router]), parent, children])
    heads = ["router", "entry", "parent\nport", "children\nports"]
    return _first(f"entries of group {group.id} ({group.op})", heads, rows, most)


def _routes(group: StaticGroupPlan, most: int | None) -> Titled:
    """Return the input of each output of a group's switches, the root's first."""
    ports = {port: "core" if port is Port.LOCAL else port.name.lower() for port in Port}
    heads = ["node", "role", *(f"{port}\ninput\nfrom" for port in ports.values())]
    heard: dict[Node, dict[Port, Port]] = {}
    for (x, y, port), source in group.routes().items():
        heard.setdefault((x, y), {})[port] = source
    order = group.ring or [group.root, *(switch for switch, _ in group.edges or ())]
    switches = list(dict.fromkeys(order)) or [group.root]
    members = set(group.members)
    rows = []
    for node in switches:
        role = role_of(group, node).name.lower().replace("_", " ") if node in members else ""
        heard_here = heard.get(node, {})
        sources = (heard_here.get(port) for port in ports)
        inputs = ["" if source is None else ports[source] for source in sources]
        rows.append([node_words(node), role, *inputs])
    title = f"routes of group {group.id} ({group.planner})"
    if group.flits is not None:
        title += f": {group.flits} flits an episode"
    return _first(title, heads, rows, most)
