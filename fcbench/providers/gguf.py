"""The header of a GGUF file: what a model file says about itself, read without an engine.

Source: the GGUF specification of the ggml project (magic, version, counts, then key-value pairs, little-endian).
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO, NoReturn

from fcbench.core.canonical import clean_text
from fcbench.core.records import Record
from fcbench.errors import BadInputError, NotFoundError

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MAX_PAIRS = 10_000
MAX_STRING = 16 * 1024 * 1024
MAX_ITEMS = 4_000_000

# Value types of the specification that are one number: struct's letter for each.
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9

FILE_TYPES = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S", 12: "Q3_K_M",
    13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K", 19: "IQ2_XXS", 20: "IQ2_XS",
    21: "Q2_K_S", 22: "IQ3_XS", 23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL", 26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S",
    29: "IQ2_M", 30: "IQ4_XS", 31: "IQ1_M", 32: "BF16", 36: "TQ1_0", 37: "TQ2_0", 38: "MXFP4",
}  # fmt: skip
"""`general.file_type` -> name of the quantisation (the enumeration `llama_ftype` of llama.cpp)."""


class GgufHeader(Record, frozen=True, kw_only=True):
    """What the header says. Every text is cleaned; arrays are skipped."""

    version: int
    values: dict[str, str | int | float | bool]

    def text(self, key: str) -> str | None:
        """A value that is a text; None where it is missing or something else."""
        value = self.values.get(key)
        return value if isinstance(value, str) else None

    @property
    def architecture(self) -> str:
        """`general.architecture`, or an empty text."""
        return self.text("general.architecture") or ""

    @property
    def name(self) -> str:
        """`general.name`, or an empty text."""
        return self.text("general.name") or ""

    @property
    def chat_template(self) -> str | None:
        """The chat template that the file ships."""
        return self.text("tokenizer.chat_template")

    @property
    def quantisation(self) -> str | None:
        """Name of the quantisation; `type N` where the number is not known, None where none is given."""
        number = self.values.get("general.file_type")
        if not isinstance(number, int) or isinstance(number, bool):
            return None
        return FILE_TYPES.get(number, f"type {number}")


def read_gguf(path: Path) -> GgufHeader:
    """Read the header of a GGUF file.

    Raises:
        NotFoundError: there is no such file.
        BadInputError: it is not a GGUF file, its version is not supported, or its header is cut or absurd.
    """
    try:
        with path.open("rb") as file:
            return _Reader(file, path).header()
    except FileNotFoundError as error:
        raise NotFoundError("the model file does not exist", wanted="a GGUF file", found=str(path)) from error
    except OSError as error:
        raise BadInputError(
            "the model file cannot be read", wanted="a GGUF file", found=error.strerror or str(error), where=str(path)
        ) from error


class _Reader:
    """Reads one header from the front, with every count bounded: the file is hostile input."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file = file
        self._path = path

    def header(self) -> GgufHeader:
        magic = self._file.read(4)
        if magic != MAGIC:
            self._refuse(f"it begins with {magic!r}", "a file that begins with GGUF")
        version = int(self._number("I"))
        if version not in VERSIONS:
            self._refuse(f"version {version}", f"GGUF version {' or '.join(map(str, VERSIONS))}")
        self._number("Q")  # count of tensors
        pairs = int(self._number("Q"))
        if pairs > MAX_PAIRS:
            self._refuse(f"{pairs:,} key-value pairs", f"at most {MAX_PAIRS:,}")
        values: dict[str, str | int | float | bool] = {}
        for _ in range(pairs):
            key = self._string()
            value = self._value(int(self._number("I")))
            if value is not None:
                values[key] = value
        return GgufHeader(version=version, values=values)

    def _value(self, kind: int) -> str | int | float | bool | None:
        if kind == _STRING:
            return self._string()
        if kind == _ARRAY:
            self._skip_array()
            return None
        return self._number(self._letter(kind))

    def _skip_array(self) -> None:
        kind, count = int(self._number("I")), int(self._number("Q"))
        if count > MAX_ITEMS:
            self._refuse(f"an array of {count:,} items", f"at most {MAX_ITEMS:,}")
        if kind == _STRING:
            for _ in range(count):
                self._bytes(self._length())
        else:
            self._bytes(count * struct.calcsize(self._letter(kind)))

    def _letter(self, kind: int) -> str:
        if kind not in _NUMBERS:
            self._refuse(f"a value of type {kind}", "a value type of the specification (no nested arrays)")
        return _NUMBERS[kind]

    def _string(self) -> str:
        return clean_text(self._bytes(self._length()).decode("utf-8", "replace"))

    def _length(self) -> int:
        length = int(self._number("Q"))
        if length > MAX_STRING:
            self._refuse(f"a text of {length:,} bytes", f"at most {MAX_STRING:,}")
        return length

    def _number(self, letter: str) -> int | float | bool:
        number: int | float | bool = struct.unpack("<" + letter, self._bytes(struct.calcsize("<" + letter)))[0]
        return number

    def _bytes(self, count: int) -> bytes:
        raw = self._file.read(count)
        if len(raw) != count:
            self._refuse("it ends inside its header", "a complete file")
        return raw

    def _refuse(self, found: str, wanted: str) -> NoReturn:
        raise BadInputError(
            "this is not a GGUF model file that can be read",
            wanted=wanted,
            found=found,
            where=str(self._path),
            next_step="check the download, and its SHA-256 where the source gives one",
        )
