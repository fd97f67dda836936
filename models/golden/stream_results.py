"""What must come of streams of whole operands, by arrays."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from syncfabric.models.layout.stream_traffic import LANE_STEP, WORD_STEP
from syncfabric.models.layout.streams import LANE_BITS, Function, StreamLayout, Type

Words: TypeAlias = NDArray[np.uint32]
"""Lanes of the words of an operand, a row a word."""

Order: TypeAlias = "int | tuple[Order, Order]"
"""In which order operands are combined: the number of one, or two that are."""

MASK = (1 << 32) - 1
FIXED: dict[int, tuple[int, int]] = {
    Type.FP32: (0x7C000000, 0x3C000000),
    Type.BF16: (0x7C007C00, 0x3C003C00),
}
"""Bits of a lane that are fixed, by type, and what they are."""


def turned(word: int, by: int) -> int:
    """Return a word of 32 bits, rotated left by fewer than 32 places."""
    return (word << by | word >> 32 - by) & MASK


def operand(seed: int, words: int, layout: StreamLayout, kind: int) -> Words:
    """Return the operand that a source makes."""
    places = np.arange(words, dtype=np.uint32)[:, None] * np.uint32(WORD_STEP)
    lanes = np.arange(layout.bits // LANE_BITS, dtype=np.uint32)[None] * np.uint32(LANE_STEP)
    state = np.uint32(seed) + places + lanes
    state ^= state << np.uint32(13)
    state ^= state >> np.uint32(17)
    state ^= state << np.uint32(5)
    fixed, ones = FIXED.get(kind, (0, 0))
    return state & np.uint32(MASK ^ fixed) | np.uint32(ones)


_INTEGERS = {Type.INT8: 8, Type.INT16: 16, Type.INT32: 32}
_FLOATS: dict[int, Any] = {Type.BF16: ml_dtypes.bfloat16, Type.FP32: np.float32}
_FUNCTIONS: dict[int, Callable[[Any, Any], Any]] = {
    Function.ADD: np.add,
    Function.MIN: np.minimum,
    Function.MAX: np.maximum,
    Function.MIN_UNSIGNED: np.minimum,
    Function.MAX_UNSIGNED: np.maximum,
    Function.AND: np.bitwise_and,
    Function.OR: np.bitwise_or,
    Function.XOR: np.bitwise_xor,
}
_SIGNED = (Function.MIN, Function.MAX)


def reduced(
    layout: StreamLayout,
    function: int,
    kind: int,
    operands: Mapping[int, Words],
    order: Order,
    size: int,
) -> Words:
    """Return what must come of whole operands.

    Parameters
    ----------
    layout : StreamLayout
    function, kind : int
        Operation and type.
    operands : mapping of int to Words
        By number, bytes of the last words that do not count included.
    order : Order
    size : int
        Bytes of the last word that count; 0: all.
    """
    number: Any = _FLOATS.get(kind)
    combine: Callable[[Any, Any], Any] = _FUNCTIONS[function]
    if kind in _INTEGERS:
        bits = _INTEGERS[Type(kind)]
        number = np.dtype(f"{'i' if function in _SIGNED else 'u'}{bits // 8}")
    elif layout.offload and kind == Type.OFFLOAD:
        number, combine = np.uint32, _by_words(layout.offload.of(function, layout.bits))

    def result(order: Order) -> Any:
        if isinstance(order, int):
            return _cut(operands[order], size).view(number)
        return combine(result(order[0]), result(order[1]))

    return _cut(np.ascontiguousarray(result(order)).view(np.uint32), size)


def _by_words(combine: Callable[[int, int], int]) -> Callable[[Words, Words], Words]:
    """Return what an operation on words does to whole operands."""

    def of_all(a: Words, b: Words) -> Words:
        size, rows = 4 * a.shape[1], zip(a, b, strict=True)
        pairs = ([int.from_bytes(row.tobytes(), "little") for row in pair] for pair in rows)
        data = b"".join(combine(*pair).to_bytes(size, "little") for pair in pairs)
        return np.frombuffer(data, np.uint32).reshape(a.shape)

    return of_all


def _cut(words: Words, size: int) -> Words:
    """Return words whose last one has 0 in bytes that do not count."""
    cut = np.ascontiguousarray(words).copy()
    if size:
        cut[-1].view(np.uint8)[size:] = 0
    return cut


def checksum(words: Words, size: int, before: int = 0) -> int:
    """Return a sink's checksum behind a packet with a result, or with none of no words.

    Parameters
    ----------
    words : Words
    size : int
        Bytes of the last word that count; 0: all.
    before : int
        The checksum before the packet.
    """
    if not len(words):
        return turned(before, 1) ^ 1 << 31
    width = words.shape[1] * 4
    check = np.zeros(len(words), np.uint32)
    for lane in range(words.shape[1]):
        check ^= _rows_turned(_cut(words, size)[:, lane], lane)
    keeps = [(1 << width) - 1] * (len(words) - 1) + [(1 << (size or width)) - 1]
    for low in range(0, width, 32):
        check ^= np.array([keep >> low & MASK for keep in keeps], np.uint32)
    check[-1] ^= np.uint32(1 << 31)
    left = np.arange(len(words) - 1, -1, -1, dtype=np.uint32) % 32
    whole = int(np.bitwise_xor.reduce(_rows_turned(check, left)))
    return whole ^ turned(before, len(words) % 32)


def _rows_turned(words: NDArray[np.uint32], by: Any) -> NDArray[np.uint32]:
    by = np.asarray(by, np.uint32)
    return np.asarray(words << by | np.where(by, words >> (32 - by) % 32, 0), np.uint32)
