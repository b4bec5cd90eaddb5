"""`svc-nb models`: the models by which the embedded service translates."""

from __future__ import annotations

import os
import re
from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from svc_nb.advice import install
from svc_nb.cli.failure import FAILED, Failure, Misuse, tell
from svc_nb.cli.options import Parser, agree, check_askable
from svc_nb.cli.output import show_table
from svc_nb.locks import end_lock, make_private, take_lock
from svc_nb.progress import new_bar
from svc_nb.tabular.report import plural

if TYPE_CHECKING:
    from svc_nb.service.models.library import Installed
    from svc_nb.service.models.mirror import Mirror, Offer

PAIR = re.compile(r"([A-Za-z]{2,3}(?:_[A-Za-z]{4})?)-([A-Za-z]{2,3}(?:_[A-Za-z]{4})?)")
NEXT_START = "a service that is already running uses it from its next start on"


def add(commands: Parser) -> None:
    """Add the commands."""
    about = "list, add and remove the models by which the embedded service translates"
    group = commands.command("models", None, about)
    about = "list the models, with what is wrong with them; exits with 1 when something is"
    group.command("list", run_list, about, "svc-nb models list", table=True)

    about = "add a model: download that of a pair of languages, or take it from a folder or an archive"
    example = "svc-nb models add de-en\n  svc-nb models add Downloads/translate-en_de-1_0.argosmodel"
    parser = group.command("add", run_add, about, example)
    what = "a pair such as de-en, or a folder, zip, tar or .argosmodel with a Firefox, Argos or OPUS-MT model"
    parser.add_argument("what", metavar="WHAT", help=what)
    address = "the address of a list of Firefox models; Mozilla's if not given, or SVC_MODEL_MIRROR"
    parser.add_argument("--mirror", metavar="URL", help=address)
    parser.flag("--yes", "do not ask before a download")

    about = "delete a model"
    parser = group.command("remove", run_remove, about, "svc-nb models remove firefox-de-en --yes")
    parser.add_argument("name", metavar="NAME", help="its name, or its pair of languages")
    parser.flag("--yes", "do not ask")

    group.command("where", run_where, "print the folder of the models", "svc-nb models where")


def run_where(options: Namespace) -> int:
    """Print the folder; it may not be there yet."""
    from svc_nb.service.models import default_folder

    print(default_folder())
    return 0


def run_list(options: Namespace) -> int:
    """List the models; 1 where one of them cannot be used."""
    import pandas as pd

    from svc_nb.service.models import default_folder, folders, library
    from svc_nb.service.models.library import PASSED, UNTESTED

    found = list(library.listed(folders()))
    lines = [
        {
            "name": model.name,
            "pair": _pairs(model),
            "engine": model.engine,
            "megabytes": round(model.size / 1e6, 1),
            "self_test": model.test,
            "source": model.source,
            "licence": model.licence,
            "folder": str(model.place.parent),
        }
        for model in found
    ]
    columns = ("name", "pair", "engine", "megabytes", "self_test", "source", "licence", "folder")
    show_table(pd.DataFrame(lines, columns=pd.Index(columns)), options.form)
    if not found:
        tell(f"no models in {default_folder()}; get one with `svc-nb models add de-en`, for any pair of languages")
    for engine in {model.engine for model in found} & library.EXTRAS.keys():
        if library.missing(engine):
            tell(f"the models of {engine} are not used: {install(library.EXTRAS[engine])}")
    return FAILED if any(model.test not in (PASSED, UNTESTED) for model in found) else 0


def run_add(options: Namespace) -> int:
    """Add a model from this machine or, when it is named by its pair, from a mirror."""
    from svc_nb.service.models import BrokenModel, library
    from svc_nb.service.models.mirror import MirrorError
    from svc_nb.service.translators.firefox import code

    place, pair = Path(options.what).expanduser(), PAIR.fullmatch(options.what)
    try:
        if place.exists():
            return _add_local(place)
        if pair is None:
            raise Failure(f"there is no file or folder {options.what}; a pair of languages is written as de-en")
        if library.missing("firefox"):
            raise Failure(f"Firefox models need fxtranslate: {install('neural')}")
        return _add_pair(options, *map(code, pair.groups()))
    except (MirrorError, BrokenModel) as problem:
        raise Failure(str(problem)) from None


def _add_local(place: Path) -> int:
    from svc_nb.service.models import BrokenModel, library
    from svc_nb.service.models.library import AlreadyThere

    try:
        with _own_library() as folder:
            model = library.add(place, folder, source=place.resolve().name)
    except AlreadyThere as name:
        raise Failure(f"there is a model {name} already; remove it first: `svc-nb models remove {name}`") from None
    except BrokenModel as problem:
        raise Failure(f"{place} cannot be added: {problem}") from None
    _told(model)
    return 0


def _add_pair(options: Namespace, source: str, target: str) -> int:
    from svc_nb.service.models import folders, library, mirror

    address = options.mirror or os.environ.get("SVC_MODEL_MIRROR") or mirror.MOZILLA
    known = {pair for model in library.listed(folders()) for pair in model.pairs if model.engine == "firefox"}
    if (source, target) in known:
        print(f"There is a Firefox model {source}-{target} already.")
        return 0
    online = mirror.Mirror(address)
    try:
        check_askable(options, f"Download a model {source}-{target} from {online.host}?")
        offers = online.offers()
        way = mirror.route(offers, source, target)
        if not way:
            raise mirror.MirrorError(_none(offers, source, target, online.host))
        wanted = [offer for offer in way if (offer.source, offer.target) not in known]
        if len(way) > 1:
            print(f"There is no model {source}-{target}; {way[0].pair} and {way[1].pair} together translate it.")
        for offer in wanted:
            print(f"{offer.pair}: version {offer.version}, {_megabytes(offer.size)} to download")
        print(f"From {online.address}; licence: {online.licence or 'not stated by this mirror'}")
        total = sum(offer.size for offer in wanted)
        if wanted:
            agree(options, f"Download {_megabytes(total)}?", "nothing was downloaded")
        for offer in wanted:
            _told(_download(online, offer))
    finally:
        online.close()
    return 0


def _download(online: Mirror, offer: Offer) -> Installed:
    from svc_nb.service.models import BrokenModel, library
    from svc_nb.service.models.library import AlreadyThere

    with _own_library() as folder, library.workspace(folder) as space:
        made = space / "-".join(each.replace("-", "_") for each in (offer.source, offer.target))
        made.mkdir()
        with new_bar(total=offer.size, desc=offer.pair, unit="B", unit_scale=True) as bar:
            for file in offer.files:
                for count in online.fetch(file, made, folder / ".partial"):
                    bar.update(count)
        try:
            return library.add_prepared(made, folder, space, source=online.host, licence=online.licence)
        except BrokenModel as problem:
            raise Failure(f"the model {offer.pair} of {online.host} cannot be added: {problem}") from None
        except AlreadyThere as name:
            raise Failure(f"there is a model {name} already") from None


def _none(offers: Mapping[tuple[str, str], Offer], source: str, target: str, host: str) -> str:
    into = sorted(first for first, second in offers if second == target)
    out_of = sorted(second for first, second in offers if first == source)
    has = f"from {source} it has models into {', '.join(out_of) or 'nothing'}"
    return f"{host} has no way from {source} to {target}: {has}, into {target} from {', '.join(into) or 'nothing'}"


def run_remove(options: Namespace) -> int:
    """Delete a model that was added."""
    from svc_nb.service.models import library

    with _own_library() as folder:
        found = list(library.listed([folder]))
        named = [model for model in found if options.name in (model.name, _pairs(model))]
        if not named:
            names = ", ".join(model.name for model in found) or "none"
            raise Failure(f"there is no model {options.name!r} in {folder}; there are: {names}")
        if len(named) > 1:
            raise Misuse(f"there are several models {options.name}: {', '.join(model.name for model in named)}")
        (model,) = named
        size = _megabytes(model.size)
        agree(options, f"Delete the model {model.name}, {size}?", "nothing was deleted")
        library.remove(model)
    print(f"Deleted {model.name}: {size} freed.")
    return 0


@contextmanager
def _own_library() -> Iterator[Path]:
    """The folder of the models, which no other command changes in the meantime."""
    from svc_nb.service.models import default_folder

    folder = default_folder()
    make_private(folder)
    lock = take_lock(folder / ".lock", wait=True)
    try:
        yield folder
    finally:
        end_lock(lock)


def _told(model: Installed) -> None:
    print(f"Added {model.name}: {_pairs(model)}, {_megabytes(model.size)}, passed its self-test; {NEXT_START}.")


def _pairs(model: Installed) -> str:
    if len(model.pairs) > 3:
        return plural(len(model.pairs), "pair")
    return ", ".join(f"{source}-{target}" for source, target in model.pairs)


def _megabytes(size: int) -> str:
    return f"{max(size / 1e6, 0.1):.1f} MB"
