"""The files to translate (a folder, a file, a list, or a table), and the kinds of documents the service accepts."""

import os
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

import pandas as pd

from svc_nb.advice import did_you_mean, nearest
from svc_nb.errors import UnknownLanguage
from svc_nb.sync.resources import GLOSSARY, STYLE
from svc_nb.tabular.report import plural
from svc_nb.wire import languages
from svc_nb.wire.client import Client
from svc_nb.wire.models import DocumentOptions
from svc_nb.wire.models.text import DOCUMENT_OPTIONS, FORMALITIES, MOST_PER_REQUEST

MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Kind:
    """The largest file in bytes on the Free and on the Pro plan, the output format, and alternative formats."""

    free: int
    pro: int
    comes_back: str
    outputs: tuple[str, ...] = ()

    def largest(self, *, free: bool) -> int:
        """The largest file in bytes on the plan."""
        return self.free if free else self.pro


_FORMATS = resources.files(__package__).joinpath("formats.tsv").read_text("utf-8").splitlines()
KINDS = {
    extension: Kind(int(free), int(pro), comes_back, tuple(outputs.split()))
    for extension, free, pro, comes_back, outputs in (line.split("\t") for line in _FORMATS[1:])
}
IMAGES = ("jpeg", "jpg", "png")
PACKAGES = ("docx", "pptx", "xlsx")  # zip files
# Kinds with a minimum number of billed characters, however few they have.
LEAST_BILLED = 50_000
LEAST_KINDS = frozenset(("docx", "doc", "pptx", "xlsx", "pdf"))
_MARKUP = ("xml", "xlf", "xliff", "html", "htm", "dita")
_COUNTED = (*_MARKUP, "mif", "txt", "json", "srt")
_MOST_READ = 4 * MB  # for a larger file the size says enough
_TAG = re.compile(r"<[^<>]*>")
_TIMING = re.compile(r"^(\d+|.*-->.*)$", re.MULTILINE)  # the number and the time of a subtitle


def formats() -> pd.DataFrame:
    """The kinds of documents: extension, the largest file in bytes on Free and on Pro, the possible output formats."""
    rows = [(name, kind.free, kind.pro, ", ".join((kind.comes_back, *kind.outputs))) for name, kind in KINDS.items()]
    return pd.DataFrame(rows, columns=["extension", "largest_free", "largest_pro", "outputs"])


def readable(size: int) -> str:
    """A size for people.

    >>> readable(38), readable(38_400), readable(10_000_000), readable(10_000_001)
    ('38 bytes', '38.4 kB', '10 MB', '10.000001 MB')
    """
    if size < 1000:
        return plural(size, "byte")
    return f"{size / 1000:.10g} kB" if size < MB else f"{size / MB:.10g} MB"


def billed(path: Path) -> int | None:
    """The approximate characters billed for a file, or the minimum for `LEAST_KINDS`; None if unknown."""
    ending = path.suffix[1:].lower()
    if ending in LEAST_KINDS:
        return LEAST_BILLED
    if ending not in _COUNTED:
        return None
    try:
        if (size := path.stat().st_size) > _MOST_READ:
            return size
        data = path.read_bytes()
    except OSError:
        return None
    text = data.decode("utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8", errors="replace")
    text = _TAG.sub(" ", text) if ending in _MARKUP else _TIMING.sub(" ", text) if ending == "srt" else text
    return len(" ".join(text.split()))


FOLDER_HINT = "the path of a file or folder, a list of them, or a table with a column 'path'"
# Lock files that Office and LibreOffice put beside an open file.
LOCKS = ("~$", ".~lock.")
NEARLY = 0.85


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file to translate; *walked*: found in a folder, whose *root* says which subfolders are kept.

    *left_out* is why a file of a folder is not translated, whatever its content.
    """

    path: Path
    target_lang: str
    options: DocumentOptions
    root: Path | None = None
    walked: bool = False
    label: Hashable = None
    left_out: str | None = None

    @property
    def ending(self) -> str:
        """The ending in lower case, without the dot, which says what kind of document it is."""
        return self.path.suffix[1:].lower()


def source_files(
    files: Any, *, target_lang: str | None, options: Mapping[str, Any], client: Client | None = None
) -> list[SourceFile]:
    """The files to translate, in order, those of a folder by name; a named file even if it does not exist."""
    if hasattr(files, "columns") and hasattr(files, "iloc"):
        return _of_table(files, target_lang, options, client)
    if isinstance(files, str | os.PathLike):
        files = [files]
    if isinstance(files, Mapping | bytes) or not isinstance(files, Iterable):
        raise TypeError(f"files: expected {FOLDER_HINT}, found {type(files).__name__}")
    paths = list(files)
    for each in paths:
        if not isinstance(each, str | os.PathLike):
            raise TypeError(f"files: expected {FOLDER_HINT}, found {type(each).__name__} in the list")
    first = SourceFile(Path(), target_code(target_lang, client), checked_options(options, client))
    check_pair(first.options, first.target_lang)
    found = [
        replace(first, path=path, root=root, walked=root is not None, left_out=left_out)
        for named in paths
        for path, root, left_out in walked(Path(named).expanduser())
    ]
    return [replace(each, label=number) for number, each in enumerate(found)]


def walked(named: Path) -> Iterator[tuple[Path, Path | None, str | None]]:
    """The files below a folder, with the folder, and why a file is left out; or the file itself."""
    if not named.is_dir():
        yield named.absolute(), None, None
        return
    root = named.absolute()
    unreadable: list[OSError] = []
    for folder, below, names in os.walk(root, onerror=unreadable.append):
        below[:] = sorted(name for name in below if not name.startswith("."))
        links = [name for name in below if os.path.islink(os.path.join(folder, name))]
        for name in sorted([*names, *links]):
            path = Path(folder) / name
            if not name.startswith((".", *LOCKS)) and (path.is_file() or path.is_symlink()):
                yield path, root, _left_out(path, root) if path.is_symlink() else None
    yield from ((Path(each.filename), None, None) for each in unreadable)


def _left_out(link: Path, root: Path) -> str | None:
    """Why a link in a folder is not followed; None if it leads to a file in that folder."""
    target = Path(os.path.realpath(link))
    if not target.is_relative_to(os.path.realpath(root)):
        return "is a link that leads out of the folder. Name its target to translate it"
    if target.is_dir():
        return "is a link to a folder, whose files are translated in their own place"
    return None if target.is_file() else "is a broken link"


# ---- tables


def _of_table(
    table: pd.DataFrame, target_lang: str | None, options: Mapping[str, Any], client: Client | None
) -> list[SourceFile]:
    if "path" not in table.columns:
        raise ValueError(f"files: expected a column 'path', found {', '.join(map(str, table.columns)) or 'none'}")
    # A duplicate column, or an unknown one that looks like an option, is refused.
    known = ("path", "target_lang", "root", *DOCUMENT_OPTIONS)
    for name in map(str, table.columns):
        if name in known and list(table.columns).count(name) > 1:
            raise ValueError(f"files: there are several columns called {name!r}")
        near = nearest(name, known, cutoff=NEARLY)
        if near and name not in known and near not in table.columns:
            raise ValueError(f"files: the column {name!r} is not an option. Did you mean {near!r}?")
    checked_options(options, client)
    names = [name for name in ("target_lang", *DOCUMENT_OPTIONS) if name in table.columns]
    names += ["root"] if "root" in table.columns else []
    columns = {name: table[name].tolist() for name in ["path", *names]}
    rows = []
    for place, label in enumerate(table.index.tolist()):
        row = {name: cell for name in names if (cell := _cell(name, columns[name][place])) is not None}
        given = {"target_lang": target_lang, "root": None, **options, **row}
        try:
            rows.append(replace(_of_row(columns["path"][place], given, client), label=label))
        except UnknownLanguage as problem:
            problem.message = f"row {label!r}: {problem.message}"
            raise
        except (TypeError, ValueError) as problem:
            raise type(problem)(f"row {label!r}: {problem}") from None
    return rows


def _of_row(path: Any, given: dict[str, Any], client: Client | None) -> SourceFile:
    """A row as a file to translate."""
    target = target_code(given.pop("target_lang"), client)
    root = given.pop("root")
    for name, value in {"path": path, "root": path if root is None else root}.items():
        if not isinstance(value, str | os.PathLike):
            raise TypeError(f"{name}: expected a path, found {type(value).__name__}")
    options = checked_options(given, client)
    check_pair(options, target)
    place = Path(path).expanduser().absolute()
    folder = None if root is None else Path(root).expanduser().absolute()
    if folder is not None and not place.is_relative_to(folder):
        raise ValueError(f"root: {place} is not below {folder}")
    left_out = _left_out(place, folder) if folder is not None and place.is_symlink() else None
    return SourceFile(place, target, options, folder, left_out=left_out)


def _cell(name: str, value: Any) -> Any:
    """A cell as an option; None if it is empty."""
    if name == "glossary_ids" and isinstance(value, str):
        return [each.strip() for each in value.split(",") if each.strip()] or None
    if isinstance(value, list | tuple):
        return list(value)
    if pd.isna(value) or value == "":
        return None
    if name == "translation_memory_threshold" and isinstance(value, float) and value.is_integer():
        return int(value)
    if name == "enable_watermark" and value in (0.0, 1.0) and not isinstance(value, str):
        return bool(value)
    return value


# ---- options, checked before anything is sent: the contract's ranges and exclusions

# Options that can be given by name.
NAMED = {"glossary": GLOSSARY, "style": STYLE}
# Options that are not strings.
TYPES: Mapping[str, tuple[type, str]] = {
    "glossary_ids": (tuple, "a list of ids"),
    "translation_memory_threshold": (int, "a whole number from 0 to 100"),
    "enable_watermark": (bool, "True or False"),
}


def checked_options(given: Mapping[str, Any], client: Client | None = None) -> DocumentOptions:
    """The checked options in *given*; None leaves an option to the service. Raises TypeError or ValueError."""
    for name in given:
        if name not in DOCUMENT_OPTIONS:
            raise TypeError(f"{name}: documents have no such option. {did_you_mean(name, (*DOCUMENT_OPTIONS, *NAMED))}")
    options = DocumentOptions(**given)
    for name in DOCUMENT_OPTIONS:
        value = getattr(options, name)
        kind, expected = TYPES.get(name, (str, "a string"))
        wrong_bool = isinstance(value, bool) and kind is not bool
        if value is not None and (not isinstance(value, kind) or wrong_bool):
            raise TypeError(f"{name}: expected {expected}, found {type(value).__name__}")
    if not all(isinstance(each, str) for each in options.glossary_ids or ()):
        raise TypeError("glossary_ids: expected a list of ids, each a string")
    _check_values(options)
    if options.source_lang is None:
        return options
    spoken = languages.source(options.source_lang, client)
    return replace(options, source_lang=languages.sent_source(spoken))


def with_ids(given: Mapping[str, Any], client: Client) -> dict[str, Any]:
    """*given* with ids for names in `glossary` and `style`; a table is refused, because this process may end first."""
    options = dict(given)
    for name, kind in NAMED.items():
        wanted = options.pop(name, None)
        if wanted is None:
            continue
        if options.get(f"{name}_id") is not None or options.get(f"{name}_ids") is not None:
            raise ValueError(f"{name} and {name}_id exclude each other. Give one of them")
        if isinstance(wanted, list | tuple) and kind is GLOSSARY:
            known = list(kind.listed(client))
            ids = [kind.find(each, known) for each in wanted]
            options |= {"glossary_id": ids[0]} if len(ids) == 1 else {"glossary_ids": ids}
        elif isinstance(wanted, str):
            options[f"{name}_id"] = kind.id_of(wanted, client)
        else:
            advice = ". Push the table first: svc_nb.glossaries.push(table, name)" if kind is GLOSSARY else ""
            raise TypeError(
                f"{name}: documents take the name or id of a {kind.one}, found {type(wanted).__name__}{advice}"
            )
    return options


def target_code(code: object, client: Client | None = None) -> str:
    """The code of the language to translate into, which is also safe in a file name."""
    if code is None:
        raise TypeError("target_lang: the language to translate into is missing. Pass it, such as target_lang='DE'")
    if not isinstance(code, str):
        raise TypeError(f"target_lang: expected a language such as 'DE', found {type(code).__name__}")
    return languages.target(code, client)


def check_pair(options: DocumentOptions, target_lang: str) -> None:
    """Raise ValueError if there is nothing to translate."""
    if options.source_lang and options.source_lang.lower() == target_lang.lower():
        raise ValueError(f"source_lang and target_lang are both {target_lang}: there is nothing to translate")


def _check_values(options: DocumentOptions) -> None:
    if options.glossary_id is not None and options.glossary_ids is not None:
        raise ValueError("glossary_id and glossary_ids exclude each other. Name all of them in glossary_ids")
    ids = options.glossary_ids
    if ids is not None and not 1 <= len(ids) <= MOST_PER_REQUEST:
        raise ValueError(f"glossary_ids: expected 1 to {MOST_PER_REQUEST} glossaries, found {len(ids)}")
    if any("," in each or not each for each in ids or ()):
        raise ValueError("glossary_ids: expected ids, found an empty one or one with a comma in it")
    if (options.glossary_id or options.glossary_ids) and not options.source_lang:
        raise ValueError("A glossary needs source_lang: it cannot be combined with language detection")
    if options.formality is not None and options.formality not in FORMALITIES:
        raise ValueError(f"formality: expected one of {', '.join(FORMALITIES)}, found {options.formality[:40]!r}")
    threshold = options.translation_memory_threshold
    if threshold is not None and not 0 <= threshold <= 100:
        raise ValueError(f"translation_memory_threshold: expected 0 to 100, found {threshold}")
