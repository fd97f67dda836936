"""What every command does with a mistake: one line on standard error, and exit code 2."""

import os
import sys
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from syncfabric.models.errors import SyncfabricError
from syncfabric.models.ranks import rank_started

__all__ = ["INTERRUPTED", "REFUSED", "OneLineErrors"]

REFUSED = 2
INTERRUPTED = 130

# The parser's own exceptions: their base has no public name in every version of typer.
_UsageError: type[Any] = typer.BadParameter.__bases__[0]


class OneLineErrors(TyperGroup):
    """The commands, with errors told as this project tells them."""

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
        try:
            code = super().main(
                args=args,
                prog_name=prog_name,
                complete_var=complete_var,
                standalone_mode=False,
                windows_expand_args=windows_expand_args,
                **extra,
            )
            sys.stdout.flush()
        except SyncfabricError as error:
            code = _refuse(str(error))
        except _UsageError as error:
            code = _refuse(_words(error.format_message()))
        except KeyboardInterrupt:
            code = INTERRUPTED
        except BrokenPipeError:  # the reader, such as `head`, has enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            code = 0
        if code == INTERRUPTED:
            typer.echo("interrupted", err=True)
        sys.exit(code if isinstance(code, int) else 0)


def _refuse(message: str) -> int:
    # Under mpiexec every rank refuses what one does.
    if rank_started() == 0:
        typer.echo(f"error: {message}", err=True)
    return REFUSED


def _words(message: str) -> str:
    """Say a parser's message as ours: one line, small first letter, no full stop."""
    message = " ".join(message.split()).removesuffix(".")
    return message[:1].lower() + message[1:]
