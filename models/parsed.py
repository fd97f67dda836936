"""JSON and TOML to values, with errors of one line that say at which line and column."""

import json
import re
import tomllib
from fractions import Fraction
from typing import Annotated, Any, TypeVar

from pydantic import PlainValidator, TypeAdapter, ValidationError

from syncfabric.models.errors import SpecError

T = TypeVar("T")
_RATIO = re.compile(r"[0-9]{1,40}(/[1-9][0-9]{0,39})?")
MOST = 10**12
"""Of a number that is no text."""


def _rational(value: Any) -> Fraction:
    if isinstance(value, str) and _RATIO.fullmatch(value):
        return Fraction(value)
    if type(value) in (int, float) and abs(value) <= MOST:
        return Fraction(repr(value))
    raise ValueError(f'it must be a number up to 1e12, or a text as "47/3", not {value!r}')


Rational = Annotated[Fraction, PlainValidator(_rational)]
"""A number as it is written, 0.1 as a tenth, or a fraction as text."""


def written(value: Fraction) -> int | float | str:
    """Return a fraction as JSON has it: as text where a number would be another."""
    if value.denominator == 1:
        return int(value)
    return float(value) if Fraction(repr(float(value))) == value else str(value)


def validated(shape: TypeAdapter[T], values: Any, subject: str) -> T:
    """Return values as what a shape makes of them.

    Parameters
    ----------
    shape : TypeAdapter
    values : Any
    subject : str
        What errors call it.

    Raises
    ------
    SpecError
        They have not this shape; the message names the first place.
    """
    try:
        return shape.validate_python(values)
    except ValidationError as error:
        first = error.errors()[0]
        place = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        message = message[:1].lower() + message[1:]
        at = f"{place.lstrip('.')}: {message}" if place else message
        raise SpecError(f"{subject}: {at}") from None


def parse_json(text: str) -> Any:
    """Return the value that a JSON text stands for.

    Raises
    ------
    SpecError
        It is not JSON, with line and column; or it is nested too deep, or has too long a number.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise SpecError(f"{place}: not JSON: {error.msg}") from None
    except RecursionError:
        raise SpecError("it is nested too deep") from None
    except ValueError:
        raise SpecError("a number in it has too many digits") from None


def parse_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text; the like of ``parse_json``."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecError(_place(str(error), text)) from None
    except RecursionError:
        raise SpecError("it is nested too deep") from None
    except ValueError:
        raise SpecError("a number or a date in it is out of range") from None


def _place(message: str, text: str) -> str:
    """Turn tomllib's words to ``line 3, column 7: ...``."""
    match = re.fullmatch(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", message, re.S)
    if match is None:
        return f"not TOML: {message}"
    what, line, column = match.groups()
    if line is None:
        lines = text.splitlines() or [""]
        line, column = str(len(lines)), str(len(lines[-1]) + 1)
    return f"line {line}, column {column}: not TOML: {what[0].lower()}{what[1:]}"
