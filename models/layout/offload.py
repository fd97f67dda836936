"""A designer's own operator of streams: a Verilog module, and a function that computes the same."""

import re
from collections.abc import Callable
from functools import cached_property
from importlib.resources.abc import Traversable
from operator import index
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, PrivateAttr

from syncfabric.models.errors import SpecError
from syncfabric.models.files import text_beside
from syncfabric.models.networks.table import Table, Text, Whole

_FREE = ("WIDTH", "CASEINCOMPLETE")
"""Verilator's warnings, errors in our own Verilog, that are none in a designer's."""


class Offload(Table):
    """The table ``[network.offload]``; names of files are paths from the network file's folder.

    Rules: docs/microarchitecture-streams.md, V7.6.
    """

    module: Annotated[str, Field(pattern=r"^[A-Za-z_]\w*$")] = Field(
        description="The unit's Verilog module."
    )
    files: tuple[Text, ...] = Field(min_length=1, description="Verilog files of the unit.")
    model: Annotated[str, Field(pattern=r"^.+\.py:[A-Za-z_]\w*$")] = Field(
        description="Python file and function that compute the same, as unit.py:combine."
    )
    latency: Whole = Field(
        default=1, ge=1, le=8, description="Cycles from the operands to the result."
    )
    _folder: Traversable = PrivateAttr(default_factory=Path)

    @classmethod
    def _subject(cls, data: dict[str, Any]) -> str:
        return "network: offload: "

    def found_in(self, folder: Traversable) -> Self:
        """Return the unit with its files in a folder.

        Raises
        ------
        SpecError
            A file cannot be read, or has not what is looked for. Nothing of the model is run.
        """
        found = self.model_copy()
        found._folder = folder
        found.verilog, found.source  # noqa: B018
        return found

    @cached_property
    def verilog(self) -> str:
        """The text of the Verilog files; what width numbers take in it is the designer's choice."""
        text = "\n".join(self._text(name) for name in self.files)
        self._require(rf"\bmodule\s+{self.module}\b", text, f"module {self.module}", self.files)
        off, on = (
            "\n".join(f"// verilator lint_{key} {rule}" for rule in _FREE) for key in ("off", "on")
        )
        return f"{off}\n\n{text}\n{on}\n\n`default_nettype wire\n"

    @cached_property
    def source(self) -> str:
        """The text of the Python file."""
        file, _, name = self.model.rpartition(":")
        text = self._text(file)
        self._require(rf"^def {name}\b", text, f"function {name}", (file,))
        return text

    def _text(self, name: str) -> str:
        return text_beside(self._folder, name, "offload:")

    @staticmethod
    def _require(pattern: str, text: str, what: str, files: tuple[str, ...]) -> None:
        if not re.search(pattern, text, re.MULTILINE):
            raise SpecError(f"network: offload: there is no {what} in {', '.join(files)}; add it")

    @cached_property
    def function(self) -> Callable[[int, int, int], Any]:
        """The model's function; the first use runs the Python file."""
        file, _, name = self.model.rpartition(":")
        names: dict[str, Any] = {"__name__": Path(file).stem}
        try:
            exec(compile(self.source, file, "exec"), names)
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise SpecError(f"network: offload: {file} cannot be run: {what}") from None
        return names[name]  # type: ignore[no-any-return]

    def of(self, op: int, bits: int) -> Callable[[int, int], int]:
        """Return what the model makes of two words.

        Parameters
        ----------
        op : int, 0 to 7
            The function.
        bits : int
            W, of a word.

        Raises
        ------
        SpecError
            The Python file cannot be run; or, in a call, the model raises, or returns no word.
        """
        model = self.function

        def combine(a: int, b: int) -> int:
            try:
                word = index(model(a, b, op))
            except Exception as error:
                what = f"raises {type(error).__name__}: {error}"
            else:
                if not word >> bits:
                    return word
                what = f"returns {word}, which is no word of {bits} bits"
            raise SpecError(f"network: offload: {self.model}({a:#x}, {b:#x}, {op}) {what}")

        return combine
