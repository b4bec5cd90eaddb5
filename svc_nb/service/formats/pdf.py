"""PDF with a text layer: its texts replaced in their places, or taken out into a docx.

The work on the file is done in a process of its own (the package `pages`): PDFium can serve one thread only, and what
a hostile file does to it must not happen here. The file goes through pipes, and only texts come back in between.
"""

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from . import Remarks, Unreadable, Wish, Words
from .pdf_docx import write_docx
from .scripts import Runs, Scripts
from .tagged_text import Lone, TaggedText, base, flat, joined

_TOO_MUCH = "The PDF could not be read within the time and memory that a document is given."
_START = """
import importlib.util, sys
folder = sys.argv[1]
spec = importlib.util.spec_from_file_location("pages", folder + "/__init__.py", submodule_search_locations=[folder])
sys.modules["pages"] = importlib.util.module_from_spec(spec)
from pages.child import main
main()
"""
# What an interpreter needs to find its modules, libraries and temporary folder, and none of this process's secrets.
_ENVIRONMENT = (
    *("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT"),
    *("PYTHONHOME", "PYTHONPATH", "PYTHONPLATLIBDIR", "PYTHONUTF8", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"),
    *("LANG", "LC_ALL", "LC_CTYPE"),
)
_SECONDS = 120
_LONGEST_LINE = 500_000_000


def translate(source: Path, target: Path, words: Words, wish: Wish) -> Remarks:
    """Translate a PDF into a PDF, or into a docx if the wish says so."""
    with source.open("rb") as opened, _child() as child:
        work = _Work(child, opened, wish)
        scripts = [Scripts(runs, work.is_risen) for runs in work.texts()]
        most = [base(each.pieces) for each in scripts]
        # The looks are numbers: what was bold is bold wherever it has gone.
        lines = [TaggedText(joined(each.pieces, style)) for each, style in zip(scripts, most, strict=True)]
        answers = words([line.text for line in lines], tagged=True)
        done = []
        for line, answer, style, each in zip(lines, answers, most, scripts, strict=True):
            found = flat(line.read(answer), style)
            runs = [
                part.thing if isinstance(part, Lone) else (part, around.thing if around else 0)
                for part, around in found
            ]
            done.append(list(each.restored(runs)))
        if wish.output_format == "docx":
            write_docx(target, work.said, done, work.figures(done), wish)
            return Remarks()
        return Remarks(small=work.finish(done, target))


@contextmanager
def _child() -> Iterator[subprocess.Popen[bytes]]:
    """Start the process; it is gone when this ends."""
    folder = Path(__file__).with_name("pages")
    needed = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    command = [sys.executable, "-P", "-c", _START, str(folder)]
    with subprocess.Popen(  # noqa: S603 -- our own interpreter, our own code
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=needed
    ) as child:
        try:
            yield child
        finally:
            child.kill()


class _Work:
    """A document in the hands of the process."""

    def __init__(self, child: subprocess.Popen[bytes], source: IO[bytes], wish: Wish) -> None:
        self._child = child
        self._in, self._out = cast("IO[bytes]", child.stdin), cast("IO[bytes]", child.stdout)
        self._source, self._wish = source, wish
        self._size = os.fstat(source.fileno()).st_size
        self.said: dict[str, Any] = {}

    def texts(self) -> list[Runs]:
        """Return the document's texts."""
        order = {
            "size": self._size,
            "target_lang": self._wish.target_lang,
            "watermark": self._wish.watermark,
            "flow": self._wish.output_format == "docx",
        }
        with self._bounded():
            self._in.write(json.dumps(order).encode() + b"\n")
            shutil.copyfileobj(self._source, self._in)
            self._in.flush()
            self.said = self._heard()
        return [[(text, look) for text, look in runs] for runs in self.said["texts"]]

    def is_risen(self, look: int) -> bool:
        """Whether letters that look so are above or below their line."""
        return bool(self.said["looks"][look]["rise"])

    def figures(self, answers: Sequence[Runs]) -> list[tuple[str, float, float]]:
        """Hand the translations in; return the drawings with them, as base64, and how wide and high each is."""
        if not self.said["figures"]:
            return []
        with self._bounded():
            return [(file, wide, high) for file, wide, high in self._answered(answers)["figures"]]

    def finish(self, answers: Sequence[Runs], target: Path) -> int:
        """Hand the translations in and write what comes back; return how many texts are too small to read."""
        with self._bounded():
            end = self._answered(answers)
            left = int(end["size"])
            with target.open("wb") as into:
                while left and (piece := self._out.read(min(left, 1 << 16))):
                    into.write(piece)
                    left -= len(piece)
        if left:
            raise Unreadable(_TOO_MUCH)
        return int(end["small"])

    def _answered(self, answers: Sequence[Runs]) -> dict[str, Any]:
        self._in.write(json.dumps({"texts": answers}).encode() + b"\n")
        self._in.flush()
        return self._heard()

    def _heard(self) -> dict[str, Any]:
        line = self._out.readline(_LONGEST_LINE)
        if not line.endswith(b"\n"):
            raise Unreadable(_TOO_MUCH)
        said: dict[str, Any] = json.loads(line)
        if "refused" in said:
            raise Unreadable(said["refused"])
        return said

    @contextmanager
    def _bounded(self) -> Iterator[None]:
        """End the process when it takes too long; what it then does not say is an Unreadable."""
        timer = threading.Timer(_SECONDS + self._size / 50_000, self._child.kill)
        timer.daemon = True
        timer.start()
        try:
            yield
        except (BrokenPipeError, ConnectionResetError):
            self._heard()  # it may have said why
            raise Unreadable(_TOO_MUCH) from None
        finally:
            timer.cancel()
