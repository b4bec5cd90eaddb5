"""Ways to translate the texts of a document, and a document from bytes to bytes."""

import re
import tempfile
from pathlib import Path

from svc_nb.service import formats
from svc_nb.service.translation.pipeline import Rendering, translate
from svc_nb.service.translation.tags import Markup

_TAG = re.compile(r"(</?[gx]\d+/?>|&\w+;)")


def rendered(extension, source, words, target_lang="DE", **wish):
    """The bytes of the document *source*, translated with *words*."""
    data = source.encode() if isinstance(source, str) else source
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder, "before"), Path(folder, "after")
        before.write_bytes(data)
        formats.translate(extension, before, after, words=words, wish=formats.Wish(target_lang=target_lang, **wish))
        return after.read_bytes()


def echo(texts, *, tagged=False):
    return list(texts)


def upper(texts, *, tagged=False):
    return ["".join(part if _TAG.match(part) else part.upper() for part in _TAG.split(text)) for text in texts]


class Listening:
    """Translates as *words* does and remembers the calls."""

    def __init__(self, words=echo):
        self.words = words
        self.calls = []

    def __call__(self, texts, *, tagged=False):
        self.calls.append(list(texts))
        return self.words(texts, tagged=tagged)

    @property
    def texts(self):
        return [text for call in self.calls for text in call]


def texts_of(extension, source):
    listening = Listening()
    rendered(extension, source, listening)
    return listening.texts


def pipeline(translators, source="en", target="es"):
    """The real pipeline around the best of *translators*."""
    translator = translators.choose(source, target)

    def words(texts, *, tagged=False):
        markup = Markup("xml", strict=True, outline=False) if tagged else None
        return translate(texts, Rendering(source, target, markup=markup), translator)

    return words
