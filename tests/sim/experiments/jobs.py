"""Jobs that other processes can find."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from syncfabric.models.errors import PlanError
from syncfabric.sim.experiments.frame import Work


def square(number: int) -> int:
    return number * number


def pair(number: int) -> tuple[int, int]:
    return number, os.getpid()


def slower_first(number: int, jobs: int) -> int:
    time.sleep(0.01 * (jobs - number))
    return number


def noted(number: int, folder: str) -> int:
    """Leave a mark each time that the job is done."""
    mark = Path(folder, f"{number}-{time.monotonic_ns()}")
    mark.touch()
    return number


def done(folder: Path) -> list[int]:
    """What ``noted`` has left."""
    return sorted(int(mark.name.partition("-")[0]) for mark in folder.iterdir())


def unsaid(number: int) -> set[int]:
    """Return what JSON cannot hold."""
    return {number}


def lonely(
    number: int, progress: Callable[[str], None], stop: Callable[[], bool]
) -> tuple[int, bool]:
    progress(f"number {number}")
    return number, stop()


def endless(number: int) -> int:
    if number:
        time.sleep(10_000)
    return number


def starts(number: int, folder: str) -> int:
    """Start a program that does not end, and leave its number."""
    if number:
        with subprocess.Popen(["sleep", "10000"]) as program:
            Path(folder, str(program.pid)).touch()
    return number


def wrong(number: int) -> float:
    return 1 / number


def refused(number: int) -> float:
    raise PlanError(f"job {number} cannot be planned")


def dies(number: int) -> int:
    os._exit(3)


def pressed(number: int) -> int:
    """Press Ctrl-C in the fourth job; go on as if nothing happened."""
    if number == 3:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(10)
    return number


def toy(work: Work) -> None:
    """An experiment of squares."""
    most = int(work.values["most"])
    for number, found in enumerate(work.map(square, [(n,) for n in range(most)])):
        work.point("squares", number, found * work.values["scale"])
    work.claim("squares", 3, most)


def interrupted(work: Work) -> None:
    """An experiment that is interrupted in a job."""
    for number in work.map(pressed, [(n,) for n in range(6)]):
        work.claim(f"job {number}", 1, number)


def ranks(work: Work) -> None:
    """An experiment of where its jobs are done."""
    pids = {pid for _, pid in work.map(pair, [(n,) for n in range(40)])}
    work.claim("processes", None, len(pids))
    work.claim("this one among them", "no", "yes" if os.getpid() in pids else "no")


def failing(work: Work) -> None:
    """An experiment one of whose jobs fails."""
    work.claim("sum", None, sum(work.map(wrong, [(n,) for n in (2, 1, 0, 4)])))


def stuck(work: Work) -> None:
    """An experiment whose jobs but the first two do not end."""
    for number in work.map(endless, [(0,), (0,), (1,), (2,), (3,), (4,)]):
        work.claim("job", 0, number)
