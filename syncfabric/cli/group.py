"""What all commands share: help as it is written; a mistake is one line and exit code 2."""

import errno
import io
import os
import re
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from syncfabric.cli.names_of_010 import todays_options, todays_values
from syncfabric.models.errors import DeadlockError, ProgramError, SyncfabricError
from syncfabric.models.ranks import rank_started

REFUSED = 2
INTERRUPTED = 130
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""What the system says of an output that takes no more."""
LONGEST = 1000
"""Letters of an error's line."""
TAG = re.compile(r"\[(?=[a-z#/@])")
"""What rich takes for the beginning of markup, as in ``[network]``."""

# The parser's own exceptions: their base has no public name in every version of typer.
_UsageError: type[Any] = typer.BadParameter.__bases__[0]


class AsWritten(TyperCommand):
    """A command whose help shows its brackets, and that takes names of 0.1.0."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        parts: list[Any] = [self, *self.params]
        for part in parts:
            part.help = part.help and TAG.sub(r"\[", part.help)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read a command's words; those of 0.1.0 count as today's."""
        rest = super().parse_args(ctx, todays_options(self.name or "", args))
        todays_values(self.name or "", ctx.params)
        return rest


PANELS = {
    "Design": ("networks", "advise", "plan", "schemes", "build", "schema"),
    "Simulate": ("run", "load", "cores", "report", "cache"),
    "Verify": ("soak", "campaign", "recover"),
    "Schedule collectives": ("topologies", "schedule", "check", "replay", "perform", "bcast"),
    "Reproduce the papers": ("reproduce",),
    "FPGA and board": ("synth", "bitstream", "board"),
}
"""The commands by the heads that help shows them under."""
_LISTS = ("networks", "schema", "topologies")


def function_of(name: str) -> Callable[..., None]:
    """Return the function of a command, from its file."""
    file = "lists" if name in _LISTS else name
    function: Callable[..., None] = getattr(import_module(f"syncfabric.cli.{file}"), name)
    return function


class OneLineErrors(TyperGroup):
    """The commands, each imported when it is asked for; an error is one line on standard error."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the commands by name, in the order of help."""
        return [name for names in PANELS.values() for name in names]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; None if there is none, when all are at hand to suggest another."""
        there = self.list_commands(ctx)
        for head, names in PANELS.items():
            for name in names:
                if name not in self.commands and (name == cmd_name or cmd_name not in there):
                    one = typer.Typer(add_completion=False)
                    one.command(cls=AsWritten, rich_help_panel=head)(function_of(name))
                    self.commands[name] = get_command(one)
        return self.commands.get(cmd_name)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command line; exit with its code."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # not every encoding has all letters
                stream.reconfigure(errors="replace")
        try:
            code = super().main(
                args=args,
                prog_name=prog_name,
                complete_var=complete_var,
                standalone_mode=False,
                windows_expand_args=windows_expand_args,
                **extra,
            )
            if sys.stdout is not None:  # closed from the beginning
                sys.stdout.flush()
        except SyncfabricError as error:
            # A deadlock has a line a channel, a program that does not compile the compiler's.
            several = isinstance(error, (DeadlockError, ProgramError))
            lines = str(error).split("\n") if several else [str(error)]
            code = _refuse(*lines)
        except _UsageError as error:
            code = _refuse(_words(error.format_message()))
        except KeyboardInterrupt:
            code = INTERRUPTED
        except BrokenPipeError:  # the reader, such as `head`, has enough
            _let_go()
            code = 0
        except OSError as error:
            if error.filename is not None or error.errno not in FULL:
                raise
            _let_go()
            code = _refuse(f"standard output cannot be written: {error.strerror}")
        if code == INTERRUPTED:
            typer.echo("interrupted", err=True)
        sys.exit(code if isinstance(code, int) else 0)


def _let_go() -> None:
    """Drop what still waits for standard output, which takes no more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refuse(*lines: str) -> int:
    # Under mpiexec every rank refuses what one does.
    if rank_started() == 0:
        typer.echo("error: " + "\n".join(map(_shown, lines)), err=True)
    return REFUSED


def _shown(message: str) -> str:
    """Let what is quoted neither break the line, nor command a terminal, nor fill the screen."""
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in message)
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2  # the reason, and what to do, come last
    return f"{text[:half]} … {text[-half:]}"


def _words(message: str) -> str:
    """Say a parser's message as ours: one line, small first letter, no full stop."""
    message = " ".join(message.split()).removesuffix(".")
    return message[:1].lower() + message[1:]
