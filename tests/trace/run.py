"""Record and check the trace corpus.

Usage: scripts/trace check [verilog] [--simulators] [WORD ...]
       scripts/trace record [verilog] [WORD ...]
       scripts/trace show ENTRY FILE [SOURCE]
       scripts/trace diff ENTRY FILE [COMMIT | SOURCE]

Words choose entries. `check` compares plans, images, headers and the traces of the golden model
with their digests; with `verilog` the Verilog, with `--simulators` the Verilog and the traces of
the hardware. `diff` compares a text with that of a commit, by default of the last that changed the
digests, or the golden model's trace with that of a SOURCE: verilator or icarus.
"""

import difflib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.trace.corpus import FOLDER, Entry, corpus
from tests.trace.digest import Digest
from tests.trace.play import SOURCES, WRONG, texts

ROOT = FOLDER.parents[1]
SHOWN = 40
"""Lines of a difference that are printed."""
SIZES = {"verilog.json": 256, "digests.json": 8}
"""Lines of a chunk, by the file that has the digests."""


def _path(source: str) -> Path:
    """Return the file that has the digests of a source."""
    return FOLDER / ("verilog.json" if source == "verilog" else "digests.json")


def _stored(path: Path) -> dict[str, dict[str, str]]:
    return json.loads(path.read_text()) if path.exists() else {}


def recorded(entry: Entry, source: str) -> dict[str, Digest]:
    """Return the stored digests of an entry, by file."""
    lines = _stored(_path(source)).get(entry.name, {})
    return {name: Digest.read(line) for name, line in lines.items()}


def differences(entry: Entry, source: str, old: dict[str, Digest]) -> list[str]:
    """Return a line for each text of an entry whose digest is not the stored one."""
    found = []
    for name, text in texts(entry, source).items():
        if name not in old:
            found.append(f"{entry.name}: {name}: not recorded; scripts/trace record {entry.name}")
        elif (line := old[name].differs(text)) is not None:
            command = f"scripts/trace diff {entry.name} {name}"
            command += f" {source}" if source in ("verilator", "icarus") else ""
            where = f"from line {line} on{_cycle(name, text, line)}"
            found.append(f"{entry.name}: {name} ({source}): differs {where}; see both: {command}")
            found += [f"  {last}" for last in text.splitlines()[-1:] if last.startswith(WRONG)]
    return found


def _cycle(name: str, text: str, line: int) -> str:
    """Return the cycle of a line of a trace, in words."""
    if not name.endswith(".trace"):
        return ""
    before = [each for each in text.splitlines()[:line] if each[:1] not in ("o", WRONG[0])]
    return f", cycle {int(before[-1].split()[0], 16) if before else 0}"


def _check(task: tuple[Entry, str]) -> list[str]:
    entry, source = task
    return differences(entry, source, recorded(entry, source))


def _record(task: tuple[Entry, str]) -> dict[str, str]:
    entry, source = task
    made = texts(entry, source)
    for name, text in made.items():
        if (last := text.splitlines()[-1:]) and last[0].startswith(WRONG):
            raise SystemExit(f"{entry.name}: {name} is wrong, and not recorded: {last[0]}")
    return {name: str(Digest.of(text, SIZES[_path(source).name])) for name, text in made.items()}


def check(entries: Sequence[Entry], sources: Sequence[str]) -> int:
    """Compare; return 1 if something differs."""
    begin, found = time.perf_counter(), 0
    tasks = [(entry, source) for source in sources for entry in entries]
    with ProcessPoolExecutor() as pool:
        for lines in pool.map(_check, tasks):
            found += bool(lines)
            for line in lines:
                print(line, flush=True)
    verdict = f"{found} differ" if found else "all agree"
    seconds = time.perf_counter() - begin
    print(f"{verdict}: {len(entries)} networks; {', '.join(sources)} ({seconds:.0f} s)")
    return int(found > 0)


def record(entries: Sequence[Entry], sources: Sequence[str]) -> int:
    """Store digests, of these entries anew; those of networks that are gone go too."""
    names = [entry.name for entry in corpus()]
    for path in dict.fromkeys(map(_path, sources)):
        tasks = [(e, s) for e in entries for s in sources if _path(s) == path]
        stored = _stored(path) | {entry.name: {} for entry in entries}
        with ProcessPoolExecutor() as pool:
            for (entry, _), made in zip(tasks, pool.map(_record, tasks), strict=True):
                stored[entry.name] |= made
        kept = {name: stored[name] for name in names if name in stored}
        path.write_text(json.dumps(kept, indent=0) + "\n")
        print(f"recorded: {path.relative_to(ROOT)}, {len(entries)} networks")
    return 0


def show(name: str, file: str, source: str = "") -> str:
    """Return a text."""
    (entry,) = (entry for entry in corpus() if entry.name == name)
    usual = "model" if file.endswith(".trace") else "verilog" if file.endswith(".v") else "files"
    return texts(entry, source or usual)[file]


def diff(name: str, file: str, other: str = "") -> str:
    """Return what differs between two forms of a text; see above."""
    new = show(name, file)
    if other in SOURCES:
        old, new, where = new, show(name, file, other), ("model", other)
    else:
        log = ["git", "log", "-1", "--format=%H", "--", str(FOLDER / "*.json")]
        commit = other or subprocess.check_output(log, cwd=ROOT, text=True).strip()
        old, where = _show_at(commit, name, file), (commit[:12], "now")
    found = difflib.unified_diff(old.splitlines(), new.splitlines(), *where, n=2, lineterm="")
    lines = list(found)
    more = [f"... and {len(lines) - SHOWN} lines more"] if len(lines) > SHOWN else []
    return "\n".join([*lines[:SHOWN], *more])


def _show_at(commit: str, name: str, file: str) -> str:
    """Return a text as the code of a commit makes it."""
    with tempfile.TemporaryDirectory() as folder:
        with subprocess.Popen(["git", "archive", commit], cwd=ROOT, stdout=subprocess.PIPE) as tar:
            subprocess.run(["tar", "-x", "-C", folder], stdin=tar.stdout, check=True)
        command = [sys.executable, "-m", "tests.trace.run", "show", name, file]
        environment = {**os.environ, "PYTHONPATH": folder}
        return subprocess.check_output(command, cwd=folder, env=environment, text=True)


def main(words: Sequence[str]) -> int:
    """Run the command line; see above."""
    command, *rest = words or ("",)
    if command == "show" and len(rest) in (2, 3):
        print(show(*rest))
        return 0
    if command == "diff" and len(rest) in (2, 3):
        print(diff(*rest) or "no difference")
        return 0
    chosen = [word for word in rest if word not in ("verilog", "--simulators")]
    entries = [e for e in corpus() if not chosen or any(word in e.name for word in chosen)]
    if command not in ("check", "record") or not entries:
        print(__doc__ if entries else f"no entry has one of {chosen} in its name", file=sys.stderr)
        return 2
    if "verilog" in rest:
        sources: tuple[str, ...] = ("verilog",)
    elif "--simulators" in rest:
        sources = ("verilog", "verilator", "icarus")
    else:
        sources = ("files", "model") if command == "check" else ("files", "model", "verilog")
    return check(entries, sources) if command == "check" else record(entries, sources)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
