"""``syncfabric report``."""

from pathlib import Path
from typing import Annotated

import typer

from syncfabric.cli.options import (
    WRONG,
    Episodes,
    Seed,
    StreamKind,
    StreamOp,
    StreamWords,
    Traffic,
    vectors,
)


def report(
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE.html", help="Output page.")
    ],
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NET | RESULT.json | SCHEDULE.json | FOLDER]...",
            help="Networks, --json of run or cores, schedules, folders of reproduce -o.",
            show_default="",
        ),
    ] = None,
    title: Annotated[str, typer.Option(metavar="WORDS", help="Page title.")] = "",
    sim: Annotated[str, typer.Option(metavar="SIM", help="model, verilator or icarus.")] = "model",
    episodes: Episodes = 100,
    seed: Seed = 1,
    background: Traffic = 0.0,
    stream: StreamKind = None,
    words: StreamWords = 256,
    op: StreamOp = "add.i32",
) -> None:
    """Write results into one HTML page.

    Runs networks; animates barriers and streams.
    """
    from syncfabric.cli.progress import progress_display
    from syncfabric.sim.report.write import write_report
    from syncfabric.sim.request import RunRequest

    asked = RunRequest(sim, episodes, seed, background, stream=vectors(stream, words, op))
    with progress_display() as progress:
        results = write_report(inputs or [], output, title=title, asked=asked, progress=progress)
    typer.echo(f"wrote {output} ({output.stat().st_size / 1e6:.1f} MB)")
    wrong = [result for result in results if not result.ok]
    for result in wrong:
        typer.echo(f"{result.network}: {result.verdict}: {result.reason}", err=True)
    if wrong:
        raise typer.Exit(WRONG)
