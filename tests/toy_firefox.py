"""Firefox models for tests: a library in place of fxtranslate, and models of it that translate word by word."""

import json
import sys
from pathlib import Path

import pytest

# A model is a dictionary of words. Special words make the library misbehave as a native one can.
LIBRARY = """
import json, os, sys, threading, time

class Translator:
    def __init__(self, model, source, target, shortlist=None):
        self.words, self.thread = json.loads(model), threading.get_ident()
        assert source and target

    def translate_long(self, text):
        assert self.thread == threading.get_ident()
        for word in text.split():
            if word == "abort": os.abort()
            if word == "hang": time.sleep(600)
            if word == "panic": raise BaseException("panicked")
            if word == "print": os.write(1, b"x\\0")
            if word == "mumble": return "la " * 1000
            if word == "silent": return ""
        return " ".join(self.words.get(word, self.words.get("*", word)) for word in text.split())
"""


def install_library(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process and those that it starts find the library in *folder*, before any other."""
    package = folder / "fxtranslate"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(LIBRARY)
    monkeypatch.delitem(sys.modules, "fxtranslate", raising=False)
    monkeypatch.syspath_prepend(folder)


def build(folder: Path, words: dict[str, str], *, split: bool = False) -> Path:
    """Write a model that knows *words*; "*" is what it makes of all others."""
    folder.mkdir(parents=True)
    (folder / "model.xxyy.intgemm.alphas.bin").write_text(json.dumps(words))
    for name in ("srcvocab.xxyy.spm", "trgvocab.xxyy.spm") if split else ("vocab.xxyy.spm",):
        (folder / name).write_text("pieces")
    return folder
