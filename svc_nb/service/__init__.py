"""The embedded service: the whole API on loopback, with no account, for trying, teaching and testing.

>>> from svc_nb import service
>>> with service.start(memory=True) as running:
...     running.base_url.startswith("http://127.0.0.1:")
True

It imports nothing of the rest of svc_nb and is reached by its address alone.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from .app import SCHEME
from .faults import Fault, Faults
from .server import Service, StartError
from .state import Account
from .translators import Translator

__all__ = ["Account", "Fault", "Faults", "Service", "StartError", "Translator", "start"]


def start(
    *,
    memory: bool = False,
    folder: Path | str | None = None,
    port: int = 0,
    schemes: Sequence[str] = (SCHEME,),
    account: Account | None = None,
    free: bool = False,
    translators: Sequence[str | Translator] | None = None,
    model_dir: Path | str | None = None,
    faults: Sequence[Fault] = (),
    sample: bool = False,
) -> Service:
    """Start a service in a thread of this process and return it; `stop` ends it, and so does a `with` block.

    Parameters
    ----------
    memory
        Keep nothing: a new account that ends with the service.
    folder
        Where the account is kept; by default the user's data folder. Several processes may use it at once.
    port
        The port on 127.0.0.1; 0 takes a free one.
    schemes
        The words that are taken before a key in the Authorization header.
    account
        The account's quota, whether it has the detection beta, how long a new glossary is not ready and a document
        takes at least, and whether it is a free one.
    free
        An account of the free plan: 500,000 characters a month unless *account* has a quota, keys that end in ":fx",
        smaller documents, no administration, text improvement, spoken terms or voice.
    translators
        Which to use, best first: "ctranslate", "firefox", "apertium", "pseudo", a service that you run
        ("libretranslate:http://localhost:5000", "openai:http://localhost:11434/v1#llama3"), or an engine of your own
        (a `Translator`). Without "pseudo", a language pair that no other translator has is an error.
    model_dir
        A folder of CTranslate2 and Firefox models; by default the one that SVC_MODEL_DIR names, and the user's own.
    faults
        How to misbehave from the start; `faults.add` changes it later.
    sample
        Begin with a year of invented use by twelve keys of a shop, up to today; see `Service.add_sample`. In a folder
        it stays, and is not added a second time.

    Raises
    ------
    StartError
        The port, the folder or an option cannot be used; the message says why.
    """
    account = account or Account()
    return Service(
        memory=memory,
        folder=folder,
        port=port,
        schemes=schemes,
        account=replace(account, free=True) if free else account,
        translators=translators,
        model_dir=model_dir,
        faults=faults,
        sample=sample,
    ).start()
