"""The process that a PDF is worked on in: the file and the translations come in by its input, texts and result go out.

Input: a line of JSON ({"size", "target_lang", "watermark", "flow"}), the file, later a line with the translations.
Output: a line with the texts ({"texts", "looks"}), later {"size", "small"} and the new file; for a docx the first line
has {"flow", "figures"} too, and if it has figures a line with their pictures comes later; or {"refused": why}.
A text is a list of [letters, number of a look]. The flow is what a docx is made of, see `_Wired`.
"""

import base64
import json
import os
import sys
from collections.abc import Sequence
from typing import IO, Any

from .blocks import Block
from .figures import Figure, rendered
from .flow import Break, Flow, Paragraph, Table, flow, joined_runs
from .glyphs import Look, Picture
from .work import Refused, Runs, leafed, translated

_TOO_LARGE = "The PDF needs more memory or time than a document is given."
_DAMAGED = "The PDF is damaged, or made in a way that cannot be translated."
_ROOM = 1_000_000_000
_SECONDS = 60
_SHOWN = ("family", "bold", "italic", "size", "colour", "underline", "rise", "link")


def main() -> None:
    """Do one document and end."""
    source, sink = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is not part of the answer
    order = json.loads(source.readline())
    _limit(order["size"])
    data = source.read(order["size"])
    try:
        _work(data, order, source, sink)
    except Refused as problem:
        _say(sink, {"refused": str(problem)})
    except (MemoryError, RecursionError):
        _say(sink, {"refused": _TOO_LARGE})
    except BrokenPipeError:
        return
    except Exception:
        _say(sink, {"refused": _DAMAGED})


def _work(data: bytes, order: dict[str, Any], source: IO[bytes], sink: IO[bytes]) -> None:
    if order["flow"]:
        _flow(data, order["target_lang"], source, sink)
        return
    exchange = _Exchange(source, sink)
    new, small = translated(data, exchange, target_lang=order["target_lang"], watermark=order["watermark"])
    _say(sink, {"size": len(new), "small": small})
    sink.write(new)
    sink.flush()


def _flow(data: bytes, target_lang: str, source: IO[bytes], sink: IO[bytes]) -> None:
    """Say what the document holds: texts to translate and figures by number, others as they are; then the figures."""
    wired, leaves = _Wired(), leafed(data, images=True)
    found = wired.flow(flow(leaves))
    _say(sink, {"texts": wired.texts, "looks": wired.looks.all(), "flow": found, "figures": len(wired.figures)})
    if wired.figures:
        answers = wired.looks.answers(source)
        new = {block: answers[number] for block, number in wired.labels.items()}
        made = rendered(data, leaves, wired.figures, new, target_lang)
        _say(sink, {"figures": [(_wired(file), wide, high) for file, wide, high in made]})


class _Wired:
    """A flow as JSON; *texts* are those to translate, *labels* the numbers of those in *figures*, by ids of blocks."""

    def __init__(self) -> None:
        self.looks = _Looks()
        self.texts: list[Any] = []
        self.figures: list[Figure] = []
        self.labels: dict[int, int] = {}

    def flow(self, found: Flow) -> dict[str, Any]:
        return {
            "items": [self._item(each) for each in found.items],
            "running": [
                {
                    "zone": each.zone,
                    "pages": list(each.pages),
                    "at": [each.block.u0, each.block.u1, each.block.first],
                    "text": self._text([each.block]),
                    "number": each.number,
                    "total": each.total,
                    "offset": each.offset,
                }
                for each in found.running
            ],
            "images": [self._item(each) for each in found.header_images],
            "page": found.page,
            "margins": found.margins,
            "right_to_left": found.right_to_left,
            "addresses": found.addresses,
        }

    def _item(self, item: Any) -> dict[str, Any]:
        match item:
            case Paragraph():
                first = item.first
                return {
                    "texts": [self._text(blocks) for blocks in item.texts],
                    "level": item.level,
                    "marker": item.marker,
                    "indent": item.indent,
                    "gap": item.gap,
                    "led": item.led,
                    "align": "justify" if first.justified else first.align,
                    "leading": first.leading if first.lines > 1 else 0.0,
                    "first_indent": first.indent,
                    "shade": first.behind.fill if first.behind else None,
                }
            case Table():
                rows = [[[[self._item(each) for each in held], span] for held, span in row] for row in item.rows]
                place = {"left": item.left, "gap": item.gap, "padding": item.padding, "heights": item.heights}
                return {"widths": item.widths, "rows": rows, "ruled": item.ruled, **place}
            case Picture():
                u0, bottom, u1, top = item.box
                place = {"left": u0, "bottom": bottom, "width": u1 - u0, "height": top - bottom, "gap": item.gap}
                return {"image": self._figure(item) if isinstance(item, Figure) else _wired(item.data), **place}
            case Break():
                return {"break": True}
        raise TypeError(type(item).__name__)

    def _figure(self, figure: Figure) -> int:
        self.labels |= {id(block): self._text([block]) for block in figure.labels if block.worded}
        self.figures.append(figure)
        return len(self.figures) - 1

    def _text(self, blocks: Sequence[Block]) -> Any:
        runs = self.looks.numbered(joined_runs(blocks))
        if not any(block.worded for block in blocks):
            return runs
        self.texts.append(runs)
        return len(self.texts) - 1


class _Exchange:
    """Hands texts out and takes their translations in."""

    def __init__(self, source: IO[bytes], sink: IO[bytes]) -> None:
        self._source, self._sink = source, sink

    def __call__(self, texts: Sequence[Runs]) -> list[Runs]:
        looks = _Looks()
        _say(self._sink, {"texts": [looks.numbered(runs) for runs in texts], "looks": looks.all()})
        return looks.answers(self._source)


class _Looks:
    """Looks by number, each once."""

    def __init__(self) -> None:
        self.looks: dict[Look, int] = {}

    def numbered(self, runs: Runs) -> list[tuple[str, int]]:
        return [(text, self.looks.setdefault(look, len(self.looks))) for text, look in runs]

    def answers(self, source: IO[bytes]) -> list[Runs]:
        """Take the translations in."""
        answer = source.readline()
        if not answer:
            raise BrokenPipeError
        known = list(self.looks)
        return [[(text, known[number]) for text, number in runs] for runs in json.loads(answer)["texts"]]

    def all(self) -> list[Any]:
        return [{name: getattr(look, name) for name in _SHOWN} for look in self.looks]


def _wired(file: bytes) -> str:
    return base64.b64encode(file).decode()


def _say(sink: IO[bytes], message: dict[str, Any]) -> None:
    sink.write(json.dumps(message).encode() + b"\n")
    sink.flush()


def _limit(size: int) -> None:
    """Bound this process's memory and time, where the system can: a small file may unfold to anything."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (_ROOM + 12 * size,) * 2)
    seconds = _SECONDS + size // 100_000
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
