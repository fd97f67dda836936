"""``syncfabric schedule``."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from syncfabric.cli.options import (
    WRONG,
    Bytes,
    Json,
    Seed,
    StartUp,
    TimeOfByte,
    node_list,
    print_json,
)
from syncfabric.cli.progress import interrupts, standing_display
from syncfabric.cli.schedules import print_bounds, print_times, task_words

if TYPE_CHECKING:
    from syncfabric.models.collectives.record import Result
    from syncfabric.models.collectives.task import Ports, Rules, Task
    from syncfabric.models.collectives.verdict import Costs


def schedule(
    topology: Annotated[
        str,
        typer.Argument(
            metavar="TOPOLOGY",
            help="A name with its size (syncfabric topologies), or a graph file.",
        ),
    ],
    collective: Annotated[
        str,
        typer.Argument(
            metavar="COLLECTIVE",
            help="broadcast, scatter, gather, reduce, allgather, alltoall, reduce-scatter, "
            "multicast, permutation, MNB, MNS; with "
            "--chunks also allreduce.",
        ),
    ],
    ports: Annotated[
        str,
        typer.Option(metavar="K|all", help="Messages that a node injects, and ejects, in a step."),
    ] = "all",
    switching: Annotated[
        str, typer.Option(metavar="KIND", help="wormhole or store-and-forward.")
    ] = "wormhole",
    one_port: Annotated[
        str,
        typer.Option(metavar="RULE", help="Copies of a broadcast: single-use or strict."),
    ] = "single-use",
    nonminimal: Annotated[
        int, typer.Option(min=0, metavar="HOPS", help="Extra hops of paths.")
    ] = 0,
    permutation: Annotated[
        str | None,
        typer.Option(metavar="NAME|FILE", help="transpose, bit-reverse, shuffle, or a file."),
    ] = None,
    senders: Annotated[
        str | None,
        typer.Option(metavar="NODES", help="Senders, as 0,3,8-11; by default all, or node 0."),
    ] = None,
    receivers: Annotated[
        str | None, typer.Option(metavar="NODES", help="Receivers; by default all.")
    ] = None,
    ts: StartUp = 1000,
    t1: TimeOfByte = 1,
    length: Bytes = 1024,
    chunks: Annotated[
        str | None,
        typer.Option(metavar="N|A:B", help="Schedule by time, a rank's share in N parts, as 1:16."),
    ] = None,
    in_network: Annotated[
        bool,
        typer.Option(
            "--in-network", help="Let switches combine (allreduce); -o writes their networks."
        ),
    ] = False,
    method: Annotated[
        str,
        typer.Option(
            metavar="M",
            help="hgsa, mboa, exact, auto; in chunks shortest, trees, spanning, ring, greedy,"
            " paths, steps, exact.",
        ),
    ] = "auto",
    steps: Annotated[
        int | None,
        typer.Option(min=0, metavar="S", help="Most steps; by default few."),
    ] = None,
    seed: Seed = 1,
    time_limit: Annotated[float, typer.Option(metavar="T", help="Limit in seconds.")] = 60,
    islands: Annotated[
        int | None,
        typer.Option(min=1, max=1024, metavar="N", help="Processes of hgsa."),
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="With hgsa and --steps: save to and resume from FILE."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write JSON; with --chunks also .xml (MSCCL), .et, .et.json (Chakra), .h (C).",
        ),
    ] = None,
    draw: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw it as .svg or .png.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Find a schedule of a collective.

    Minimizes steps; with --chunks, and for allreduce, time, by --ts and --t1 or the topology's own
    links. Ctrl-C returns the best so far. Exit code 1: none is found.
    """
    from syncfabric.cli.chunked import Asked, schedule_chunks, wants_chunks
    from syncfabric.models.collectives.annealing.team import led
    from syncfabric.models.collectives.schedule import collector_off
    from syncfabric.models.collectives.verdict import Costs
    from syncfabric.models.errors import SpecError

    if in_network or wants_chunks(collective, chunks):
        for option, given in (
            ("--chunks", in_network and chunks),
            ("--method", in_network and method != "auto"),
            ("--ports", ports != "all"),
            ("--switching", switching != "wormhole"),
            ("--one-port", one_port != "single-use"),
            ("--nonminimal", nonminimal != 0),
            ("--permutation", permutation),
            ("--steps", steps),
            ("--islands", islands),
            ("--checkpoint", checkpoint),
            ("--draw", in_network and draw),
            ("--senders", in_network and senders),
            ("--receivers", in_network and receivers),
            ("--ts", in_network and ts != 1000),
            ("--t1", in_network and t1 != 1),
            ("--seed", in_network and seed != 1),
            ("--time-limit", in_network and time_limit != 60),
        ):
            _refuse(option, given=bool(given), in_network=in_network)
        for file in (output, draw):
            _check_folder(file)
        if in_network:
            from syncfabric.cli.in_network import schedule_in_network

            schedule_in_network(topology, collective, length, output, as_json=as_json)
            return
        costs = Costs(ts, t1, length)
        by_time = (method, seed, time_limit, senders, receivers, output, draw, as_json)
        schedule_chunks(topology, collective, Asked(chunks or "1:16", costs, *by_time))
        return
    # Under mpiexec one rank does all that follows; the others are islands for it.
    with led() as leads:
        if not leads:
            return
        rules = _rules(ports, one_port, switching)
        task = _task(topology, collective, rules, nonminimal, permutation, senders, receivers)
        for file in (output, draw, checkpoint):
            _check_folder(file)
        for ending in (".xml", ".et", ".et.json", ".h"):
            if output is not None and output.name.endswith(ending):
                raise SpecError(f"--output: {ending} is of schedules in chunks; give --chunks")
        if output is not None and output.suffix != ".json":
            raise SpecError(f"--output: its name must end with .json, not {output.name}")
        if draw is not None:
            from syncfabric.sim.draw.schedule import check_schedule_picture

            check_schedule_picture(draw, task.topology)
        options: dict[str, Any] = {"method": method, "steps": steps, "seed": seed}
        options |= {"time_limit": time_limit, "islands": islands, "checkpoint": checkpoint}
        with collector_off(task.collective.demand):
            result = _search(task, options)
            _write(result, output, draw)
            if as_json:
                print_json(_to_json(task, result, Costs(ts, t1, length), seed, output))
            else:
                _print(task, result, Costs(ts, t1, length))
        if result.schedule is None:
            raise typer.Exit(WRONG)


def _refuse(option: str, *, given: bool, in_network: bool) -> None:
    from syncfabric.models.errors import SpecError

    if given and in_network:
        raise SpecError(f"{option}: it does not go with --in-network; leave it out")
    if given:
        raise SpecError(f"{option}: it is of schedules in steps; leave it out, or --chunks")


def _search(task: "Task", options: dict[str, Any]) -> "Result":
    """Search, with progress, until Ctrl-C."""
    from syncfabric.models.collectives.search import search

    with standing_display() as show, interrupts() as stop:
        return search(task, progress=show, stop=stop, **options)


def _write(result: "Result", output: Path | None, draw: Path | None) -> None:
    """Write the schedule and its picture, if there is one."""
    if result.schedule is None:
        return
    if output is not None:
        from syncfabric.models.collectives.files import save_schedule

        save_schedule(result.schedule, output)
    if draw is not None:
        from syncfabric.sim.draw.schedule import save_schedule_picture

        save_schedule_picture(result.schedule, draw)


def _rules(ports: str, one_port: str, switching: str) -> "Rules":
    """Return the rules that the options name."""
    from typing import get_args

    from syncfabric.models.collectives.task import OnePort, Rules, Switching
    from syncfabric.models.errors import SpecError
    from syncfabric.models.networks.explain import did_you_mean

    for option, word, known in (
        ("one-port", one_port, get_args(OnePort)),
        ("switching", switching, get_args(Switching)),
    ):
        if word not in known:
            raise SpecError(f'--{option}: unknown "{word}"; {did_you_mean(word, known)}')
    number: Ports = "all"
    if ports != "all":
        if not (ports.isascii() and ports.isdigit() and len(ports) < 10):
            raise SpecError(f'--ports: it must be a number from 1, or all, not "{ports}"')
        number = int(ports)
    words: Any = (one_port, switching)
    return Rules(number, *words)


def _task(
    topology_name: str,
    kind: str,
    rules: "Rules",
    extra: int,
    permutation_name: str | None,
    senders: str | None,
    receivers: str | None,
) -> "Task":
    """Return the task that the arguments name."""
    from syncfabric.models.collectives.collective import collective
    from syncfabric.models.collectives.files import load_topology, permutation
    from syncfabric.models.collectives.task import Task

    topology = load_topology(topology_name)
    targets = None
    if permutation_name is not None:
        targets = permutation(permutation_name, topology.nodes)
    sending = node_list(senders, "--senders")
    made = collective(kind, topology, sending, node_list(receivers, "--receivers"), targets)
    return Task(topology, made, rules, extra)


def _check_folder(file: Path | None) -> None:
    """Refuse a file that cannot be written, before any work is done."""
    from syncfabric.models.errors import OutputError
    from syncfabric.sim.output import check_file

    if file is not None:
        check_file(file)
        if not file.absolute().parent.is_dir():
            raise OutputError(f"{file}: its folder is not there; make it, or choose another place")


def _print(task: "Task", result: "Result", costs: "Costs") -> None:
    typer.echo(task_words(task))
    work = f"{result.seconds:.1f} s, {result.evaluations:,} evaluations"
    schedule = result.schedule
    if schedule is None:
        count = result.conflicts
        typer.echo(f"steps      none found with {result.steps}; {count:,} conflicts left; {work}")
    else:
        typer.echo(
            f"steps      {result.steps}; {schedule.messages:,} messages; by {result.method}, {work}"
        )
        print_times(schedule, costs)
    print_bounds(result.bounds)
    if result.cut_off:
        kinds = ", ".join(result.cut_off)
        typer.echo(f"{'':10} no time for other arguments ({kinds}): a greater bound may hold")
    if result.certificate is not None:
        typer.echo(f"verdict    optimal: {result.certificate.argument.words()}")
    elif schedule is not None:
        typer.echo(f"verdict    not proved optimal; no schedule has fewer than {_proved(result)}")
    else:
        typer.echo(f"verdict    no schedule found; none has fewer than {_proved(result)} steps")


def _proved(result: "Result") -> int:
    """Return the greatest bound, which comes first."""
    return result.bounds[0].value


def _to_json(
    task: "Task", result: "Result", costs: "Costs", seed: int, output: Path | None
) -> dict[str, Any]:
    """Return what ``--json`` prints."""
    schedule = result.schedule
    return {
        "topology": task.topology.name,
        "collective": task.collective.name,
        **asdict(task.rules),
        "nonminimal": task.extra,
        "found": schedule is not None,
        "steps": result.steps,
        "messages": None if schedule is None else schedule.messages,
        "time": None if schedule is None else costs.to_json(schedule),
        "bound": _proved(result),
        "optimal": result.optimal,
        "bounds_cut_off": list(result.cut_off),
        "bounds": [{**b.to_json(), "text": b.argument.words()} for b in result.bounds],
        "certificate": None if result.certificate is None else result.certificate.to_json(),
        "conflicts": result.conflicts,
        "method": result.method,
        "evaluations": result.evaluations,
        "seconds": round(result.seconds, 3),
        "seed": seed,
        "file": None if output is None or schedule is None else str(output),
        "schedule": None if output is not None or schedule is None else schedule.to_json(),
    }
