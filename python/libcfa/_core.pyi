from collections.abc import Callable
from typing import Any

from ._values import Raw

__version__: str

_Progress = Callable[[float], object] | None
_Settings = list[tuple[str, str]]
_Range = tuple[str, str | None, str | None]

class File:
    def __init__(self, path: str, settings: _Settings) -> None: ...
    @property
    def closed(self) -> bool: ...
    def close(self) -> None: ...
    def variables(self) -> list[str]: ...
    def variable(self, path: str) -> Variable: ...
    def groups(self) -> list[tuple[str, list[tuple[str, int, bool]], dict[str, Raw]]]: ...
    def warnings(self) -> list[str]: ...
    def take_warnings(self) -> list[str]: ...

class Variable:
    @property
    def path(self) -> str: ...
    def code(self) -> str: ...
    def dialect(self) -> str | None: ...
    def shape(self) -> tuple[int, ...]: ...
    def dimensions(self) -> tuple[str, ...]: ...
    def chunks(self) -> tuple[tuple[int, ...], ...]: ...
    def attributes(self) -> dict[str, Raw]: ...
    def missing_value(self) -> tuple[str, bytes] | None: ...
    def select(self, ranges: list[_Range]) -> tuple[list[int], list[int], list[bool]]: ...
    def fragments(
        self,
    ) -> list[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], list[tuple[str | None, str]], Raw | None]]: ...
    def read_into(
        self,
        start: list[int],
        count: list[int],
        step: list[int],
        code: str,
        buffer: Any,
        mask: Any,
        nan: bool,
        unpacked: bool,
        progress: _Progress,
    ) -> None: ...
    def read_strings(
        self, start: list[int], count: list[int], step: list[int], progress: _Progress
    ) -> list[str | None]: ...

def identify(path: str) -> str | None: ...
def settings() -> list[tuple[str, str, str]]: ...
def create(
    out: str, files: list[str], options: dict[str, Any], progress: _Progress
) -> tuple[list[tuple[str, list[Any], int, bool]], list[str], int]: ...
def check(
    path: str,
    settings: _Settings,
    fragments: bool,
    max_findings: int,
    reports: tuple[str | None, str | None],
    progress: _Progress,
) -> tuple[str, int]: ...
def convert(
    path: str,
    out: str,
    settings: _Settings,
    dialect: str | None,
    locations: str | None,
    format: str | None,
    overwrite: bool,
    progress: _Progress,
) -> list[str]: ...
def extract(
    path: str,
    out: str,
    settings: _Settings,
    variables: list[str],
    select: list[_Range],
    chunks: list[int] | None,
    deflate: int,
    shuffle: bool,
    overwrite: bool,
    progress: _Progress,
) -> list[str]: ...
