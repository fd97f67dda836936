"""What ``schedule --in-network`` does: trees of switches that combine, and their network files."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from syncfabric.cli.options import print_json
from syncfabric.models.errors import SpecError

if TYPE_CHECKING:
    from syncfabric.sim.replay.in_network import InNetwork


def schedule_in_network(
    name: str, collective: str, size: float, output: Path | None, *, as_json: bool
) -> None:
    """Pack trees for an all-reduce, print them, and write their networks."""
    from syncfabric.models.collectives.chunks.schedule import is_allreduce
    from syncfabric.models.collectives.files import load_topology
    from syncfabric.sim.replay.in_network import plan_in_network

    if not is_allreduce(collective):
        raise SpecError(f"--in-network: it is of allreduce, not {collective}; leave it out")
    if size != int(size) or size < 1:
        raise SpecError(f"--bytes: in the network it must be whole and above 0, not {size:g}")
    if output is not None and output.suffix != ".toml":
        raise SpecError(f"--output: in the network it is a network file, .toml, not {output}")
    made = plan_in_network(load_topology(name), int(size))
    files = _write(made, output)
    if as_json:
        print_json({**made.to_json(), "bytes": int(size), "files": [str(file) for file in files]})
    else:
        _print(made, int(size), files)


def _write(made: "InNetwork", output: Path | None) -> list[Path]:
    from syncfabric.sim.output import write_file

    if output is None:
        return []
    files = [output]
    if len(made.texts) > 1:
        count = range(1, len(made.texts) + 1)
        files = [output.with_name(f"{output.stem}-{nth}{output.suffix}") for nth in count]
    for file, text in zip(files, made.texts, strict=True):
        write_file(file, text)
    return files


def _print(made: "InNetwork", size: int, files: list[Path]) -> None:
    from syncfabric.models.layout.stream_traffic import MOST_WORDS

    packing, topology = made.packing, made.packing.topology
    members = f"{topology.nodes} members, {size:,} bytes each"
    typer.echo(f"allreduce in the network on {topology.name}, {members}")
    for nth, (tree, words, cycles) in enumerate(
        zip(packing.trees, made.words, made.bounds, strict=True)
    ):
        head = f"tree {nth + 1}"
        typer.echo(
            f"{head:10} root {tree.root}, {len(tree.parent)} links, depth {tree.depth};"
            f" {words:,} words, {cycles:,} cycles at most"
        )
    rate = len(packing.trees)
    typer.echo(f"rate       {rate} word{'s' * (rate > 1)} a cycle; no link is in two trees")
    parts, most = packing.cut.parts, int(packing.bound)
    why = (
        f"what passes into {len(parts[0])} {'vertex' if len(parts[0]) == 1 else 'vertices'}"
        if len(parts) == 1
        else f"what passes between {len(parts)} parts"
    )
    whole = "" if rate == packing.bound else f"; whole trees carry {most} at most"
    plural = "" if packing.bound == 1 else "s"
    typer.echo(f"bound      {float(packing.bound):.4g} word{plural} a cycle, by {why}{whole}")
    if most > rate:
        typer.echo("           fewer trees are faster for so few bytes, or no more were found")
    for file, words in zip(files, made.words, strict=bool(files)):
        played = min(words, MOST_WORDS)
        limit = "" if played == words else f"  (a run has {MOST_WORDS:,} words at most)"
        typer.echo(f"run        syncfabric run {file} --stream allreduce --words {played}{limit}")
    typer.echo(f"in all     {made.cycles:,} cycles at most")
