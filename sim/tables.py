"""Plans and results as tables: what the command line prints, and ``print`` in Python."""

from collections.abc import Callable, Iterator
from io import StringIO
from typing import TYPE_CHECKING, NamedTuple

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from syncfabric.models.networks.mesh import Node, Port
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning.plan import (
    GroupPlan,
    IrregularGroupPlan,
    StaticGroupPlan,
    WireGroupPlan,
)
from syncfabric.models.planning.static_images import role_of
from syncfabric.sim.rows import Rows, notes, plan_rows, result_rows, summary
from syncfabric.sim.words import network_words, node_words

if TYPE_CHECKING:
    from syncfabric.models.planning.plan import BarrierPlan
    from syncfabric.sim.results import RunResult

__all__ = ["Titled", "as_text", "print_table", "show_plan", "show_result", "table_of"]

SHOWN = 16
"""Registers of a group, or switches of its ring or tree, that are printed unasked."""


class Titled(NamedTuple):
    """A table, and the lines above and below it."""

    title: str
    table: Table
    below: str = ""


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
    print_table(screen, table_of(title, plan_rows(plan)))
    if told := notes(plan):
        lines = "".join(f"note: {note}\n" for note in told)
        screen.print(lines, markup=False, soft_wrap=True)
    for table in _register_tables(plan, whole=whole):
        print_table(screen, table)


def show_result(screen: Console, result: "RunResult") -> None:
    """Print a run: its groups, latencies being least, median and greatest; and its summary."""
    title = f"{result.network} under {result.simulator}"
    print_table(screen, table_of(title, result_rows(result)))
    for line in summary(result):
        screen.print(line, markup=False, soft_wrap=True)


def as_text(show: Callable[[Console], None]) -> str:
    """Return what is shown, as plain text."""
    text = StringIO()
    # Not a terminal's colours, nor a notebook's display.
    show(Console(file=text, highlight=False, width=80, force_terminal=False, force_jupyter=False))
    return text.getvalue().rstrip("\n")


def _register_tables(plan: "BarrierPlan", *, whole: bool) -> Iterator[Titled]:
    """Yield the tables of the register images of each group; on a static network of its routes."""
    irregular, most = isinstance(plan.spec.network, IrregularSpec), None if whole else SHOWN
    for group in plan.groups:
        title = f"registers of group {group.id} ({group.op})"
        if isinstance(group, WireGroupPlan):
            title = f"slot {group.slot} of group {group.id} ({group.op})"
        if isinstance(group, WireGroupPlan) and not irregular:
            yield _slots(group, title, most)
        elif isinstance(group, (IrregularGroupPlan, WireGroupPlan)):
            yield from _port_registers(group, title, most)
        elif isinstance(group, StaticGroupPlan):
            yield _routes(group, most)
        elif isinstance(group, GroupPlan):
            yield _registers(group, title, most)


def print_table(screen: Console, titled: Titled) -> None:
    """Print a table and an empty line; on a narrow terminal whole all the same."""
    whole = screen.measure(titled.table, options=screen.options.update(width=10_000)).maximum
    screen.width = max(screen.width, whole)
    # Not the table's own title and caption, which its width would wrap.
    screen.print(titled.title, style="bold", markup=False, soft_wrap=True)
    screen.print(titled.table)
    if titled.below:
        screen.print(titled.below, style="dim italic", markup=False, soft_wrap=True)
    screen.print()


def _registers(group: GroupPlan, title: str, most: int | None) -> Titled:
    """Return the registers of a group on a mesh."""
    heads = ["node", "register", "parent", "turn", "+X child", "+Y child", "-X child", "-Y child"]
    rows = []
    for node in group.tree.nodes[:most]:
        image = group.register(node)
        children = ["" if child is None else node_words(child) for child in image.children]
        turn = "" if image.parent is None else image.turn.name.lower().replace("_", " ")
        parent = "root" if image.parent is None else node_words(image.parent)
        name = node_words(node) + " relay" * image.relay
        rows.append([name, _place(group.node_places[node]), parent, turn, *children])
    return table_of(title, (heads, rows), rest=len(group.tree) - len(rows))


def _slots(group: WireGroupPlan, title: str, most: int | None) -> Titled:
    """Return the images of a group's slot in the routers of a mesh, its members' first."""
    names = {port: "process" if port is Port.LOCAL else port.name.lower() for port in Port}
    rows = []
    for image in group.registers():
        assert not isinstance(image.seat, int)
        parent = "root" if image.parent is None else names[Port(image.parent)]
        children = ", ".join(names[Port(port)] for port in image.children)
        rows.append([node_words(image.seat), str(group.number), parent, children])
    heads, shown = ["node", "register", "parent", "children"], rows[:most]
    return table_of(title, (heads, shown), rest=len(rows) - len(shown))


def _port_registers(
    group: IrregularGroupPlan | WireGroupPlan, title: str, most: int | None
) -> Iterator[Titled]:
    """Yield the registers of a group on an irregular network: its switches', then its nodes'."""
    switches, nodes = [], []
    for image in group.registers():
        children = ", ".join(map(str, image.children))
        if isinstance(image.seat, int):
            parent = "root" if image.parent is None else str(image.parent)
            place = _place(group.switch_places[image.seat])
            switches.append([str(image.seat), place, parent, children])
        else:
            parent = "root" if image.parent is None else "switch"
            nodes.append([node_words(image.seat), _place(group.places[image.seat]), parent])
    if switches:
        heads = ["switch", "register", "parent\nport", "children\nports"]
        shown = switches[:most]
        yield table_of(f"{title}: switches", (heads, shown), rest=len(switches) - len(shown))
    shown = nodes[:most]
    heads = ["node", "register", "parent"]
    yield table_of(f"{title}: node interfaces", (heads, shown), rest=len(nodes) - len(shown))


def _routes(group: StaticGroupPlan, most: int | None) -> Titled:
    """Return what each output of the switches on a group's way listens to, the root's first."""
    ports = {port: "core" if port is Port.LOCAL else port.name.lower() for port in Port}
    heads = ["node", "role", *(f"{port}\nhears" for port in ports.values())]
    heard: dict[Node, dict[Port, Port]] = {}
    for (x, y, port), source in group.routes().items():
        heard.setdefault((x, y), {})[port] = source
    order = group.ring or [group.root, *(switch for switch, _ in group.edges or ())]
    switches = list(dict.fromkeys(order)) or [group.root]
    members = set(group.members)
    rows = []
    for node in switches[:most]:
        role = role_of(group, node).name.lower().replace("_", " ") if node in members else ""
        heard_here = heard.get(node, {})
        sources = (heard_here.get(port) for port in ports)
        inputs = ["" if source is None else ports[source] for source in sources]
        rows.append([node_words(node), role, *inputs])
    title = f"routes of group {group.id} ({group.planner})"
    if group.flits is not None:
        title += f": {group.flits} flits an episode"
    return table_of(title, (heads, rows), rest=len(switches) - len(rows))


def _place(number: int | None) -> str:
    return "memory" if number is None else str(number)


def table_of(title: str, content: Rows, *, rest: int = 0) -> Titled:
    """Return rows as a table; below it, that ``rest`` rows more are left out."""
    heads, rows = content
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    for head in heads:
        table.add_column(head, justify="right", vertical="bottom", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return Titled(title, table, f"and {rest:,} more: --registers prints all" if rest else "")
