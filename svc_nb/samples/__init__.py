"""Small tables and documents to try things out with.

>>> from svc_nb import samples
>>> samples.reviews().columns.tolist()
['review_id', 'product', 'language', 'review', 'rating']

`messages` are real texts by the translators of Django, under Django's licence (BSD-3-Clause, `messages.LICENSE`).
Everything else was written for this project and is under its licence, MIT.
"""

from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["documents", "messages", "reviews", "terms_file"]


def reviews() -> "pd.DataFrame":
    """Return about 300 reviews of Tannwick, an invented shop for camping and kitchen gear.

    One row is one review: `review_id` (unique), `product`, `language` (the true code of its language; missing if the
    text has none, such as three thumbs), `review` (as the customer wrote it) and `rating` (1 to 5 stars). A few are in
    languages that the service does not detect.
    """
    import pandas as pd

    with resources.files(__name__).joinpath("reviews.csv").open(encoding="utf-8") as file:
        table = pd.read_csv(file, keep_default_na=False, na_values={"language": [""]})
    return table.assign(language=table["language"].str.upper())


def messages() -> "pd.DataFrame":
    """Return the messages of Django, the web framework, as people have translated them into 32 languages.

    One row is one translation of one message: `message_id`, `language` (the code of its
    catalogue), `english` (the message) and `text` (its translation); rows are sorted by language. These are all
    single-line messages of at least four letters and without plurals that the catalogues of Django 5.2.19 (conf, auth,
    admin, flatpages, contenttypes, sites, redirects) have in every one of these languages, unchanged, mistakes
    included. Copyright Django Software Foundation and individual contributors, BSD-3-Clause; the licence is beside the
    file.
    """
    import pandas as pd

    with resources.files(__name__).joinpath("messages.csv").open(encoding="utf-8") as file:
        wide = pd.read_csv(file, keep_default_na=False).rename_axis("message_id").reset_index()
    tidy = wide.melt(["message_id", "en"], var_name="language", value_name="text").rename(columns={"en": "english"})
    tidy["language"] = tidy["language"].str.upper()
    return tidy[["message_id", "language", "english", "text"]]


def terms_file() -> Path:
    """Return the path of a typical glossary: an Excel file with a column for each of three languages.

    The words are Tannwick's. It has mistakes on purpose: two terms are duplicates, one of them with a trailing space,
    and the file begins with a byte order mark.
    """
    return Path(__file__).with_name("terms.xlsx")


def documents() -> Path:
    """Return the folder of four short documents in English: a manual, a web page, captions and the labels of a shop.

    They are Tannwick's, as .docx, .html, .srt and .json.
    """
    return Path(__file__).with_name("documents")
