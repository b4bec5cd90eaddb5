"""`make demo`: the main jobs on the embedded service, each shown as a table. No account, nothing leaves the machine."""

import sys
import tempfile
import warnings
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from svc_nb import documents, errors, glossaries, keys, samples, service
from svc_nb.marked import MarkedOnly
from svc_nb.session import Session, make_current
from svc_nb.settings import Settings
from svc_nb.supported import pairs_of
from svc_nb.usage import ledger, usage
from svc_nb.usage.forecast import forecast
from svc_nb.wire.client import Client
from svc_nb.wire.client.ignored_options import OptionsIgnored
from svc_nb.wire.models import CustomInstruction, Dictionary, TranslateOptions
from svc_nb.wire.transport import Transport

ROWS_SHOWN = 15
WIDEST = 50
NEXT = '.venv/bin/python -i -c \'import svc_nb; print(svc_nb.samples.reviews()["review"].svc.translate("EN-US"))\''


def main() -> None:
    """Do every job in turn, on a service and an account that end with the show; no settings are read."""
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # for terminals of few letters
    with service.start(memory=True) as running, tempfile.TemporaryDirectory() as folder:
        session = Session.embedded(running, Settings(store=f"{folder}/answers.sqlite"))
        before = make_current(session)
        print(f"Connected with {session.base_url}: the embedded service. No account, no network.")
        with warnings.catch_warnings():  # without a translator the tables say what was not translated
            warnings.simplefilter("ignore", MarkedOnly)
            warnings.simplefilter("ignore", OptionsIgnored)
            show_all(session, Path(folder))
        make_current(before)
        session.close()
        session.store.close()
    print(f"\nNext, type:\n\n    {NEXT}\n")


def show_all(session: Session, folder: Path) -> None:
    """The jobs; files are written in *folder*."""
    translate(session, detect(session))
    curate_a_glossary()
    apply_a_glossary(session)
    apply_style_rules(session)
    correct_texts()
    translate_documents(folder)
    set_a_cap(session)
    show_usage()
    forecast_a_year(session.settings)


def detect(session: Session) -> pd.DataFrame:
    """Detect the language of every sample review and compare it with the truth."""
    reviews = samples.reviews()
    found = reviews["review"].svc.detect_table()
    reviews["detection_status"] = found["detection_status"]
    reviews["detected"] = found["language"].fillna("")
    supported = {each.lang.upper() for each in session.client.languages.support("glossary")}
    scored = reviews[reviews["language"].isin(supported)]
    wrong = scored[scored["language"] != scored["detected"]]
    heading("Languages", f"{len(reviews)} reviews of an invented shop, in {reviews['language'].nunique()} languages")
    print(f"{len(scored) - len(wrong)} of {len(scored)} right: accuracy {1 - len(wrong) / len(scored):.1%}\n")
    show(reviews["detection_status"].value_counts().rename("reviews").reset_index())
    print("\nThe ones that were not right:\n")
    show(wrong[["language", "detected", "detection_status", "review"]])
    return reviews


def translate(session: Session, reviews: pd.DataFrame) -> None:
    """Plan, then translate into English what a real translator covers, and show short ones side by side."""
    foreign = reviews[reviews["detected"].ne("") & reviews["detected"].ne("EN")]
    real = foreign[foreign["detected"].isin(covered(session))].sort_values("detected", kind="stable")
    heading("Translations", f"{len(foreign)} reviews are not in English; for {len(real)} there is a real translator")
    if real.empty:
        print("None is installed here. On Debian or Ubuntu:  sudo apt-get install apertium apertium-eng-spa")
        return
    print(real.svc.plan("review", "EN-US", source_lang="detected", price=20), end="\n\n")
    english = real.svc.translate("review", "EN-US", source_lang="detected")
    real = real.assign(english=english["review_EN-US"])
    show(real[real["review"].str.len() < WIDEST].groupby("detected").head(2)[["detected", "review", "english"]])


def covered(session: Session) -> set[str]:
    """The languages that a real translator puts into English."""
    pairs = pairs_of(session)
    return set(pairs.loc[pairs["target_lang"].str.startswith("EN"), "source_lang"])


def curate_a_glossary() -> None:
    """Bring a glossary from an Excel file, faults and all, to the service."""
    terms = glossaries.read(samples.terms_file())
    heading("Terms from Excel", terms.said)
    found = terms.svc.lint()
    show(found[found["severity"] == "error"][["row", "code", "suggestion"]])
    clean = terms.svc.fix()
    print(f"\n{clean.said}\n")
    pushed = glossaries.push(clean, "Demo: terms from Excel")
    show(pushed[["step", "source_lang", "target_lang", "added"]])
    used = clean.svc.coverage(samples.reviews()["review"], source_lang="en")
    print(f"\n{used.said}\n")
    glossaries.delete(pushed.glossary_id or "")


def apply_a_glossary(session: Session) -> None:
    """Make a glossary, and see a translation without and with it."""
    glossaries = session.client.glossaries
    made = glossaries.create("Demo: shop terms", [Dictionary("es", "en", "mochila\tdaypack\ntienda\tstore\n")])
    heading("A glossary", f"{made.name!r} says: mochila is daypack, tienda is store")
    compare(session, "La mochila es buena y la tienda es grande.", TranslateOptions(glossary_id=made.glossary_id))
    glossaries.delete(made.glossary_id)


def apply_style_rules(session: Session) -> None:
    """Make a style rule list, and see a translation without and with it."""
    style_rules = session.client.style_rules
    made = style_rules.create(
        "Demo: house style",
        "en",
        configured_rules={
            "numbers": {
                "percentage_format": "use_numerals_followed_by_space_then_spell_out_percent",
                "temperature_format": "use_numerals_followed_by_space_then_unit_symbol",
            }
        },
        custom_instructions=[CustomInstruction(label="Friendly", prompt="Write as to a friend.")],
    )
    heading("Style rules", f"{made.name!r} for {made.language}, version {made.version}")
    chosen = (made.configured_rules or {}).items()
    rows = [(category, *rule) for category, rules in chosen for rule in rules.items()]
    show(pd.DataFrame(rows, columns=["category", "rule", "option"]))
    print()
    compare(session, "Guarda el 90% del calor hasta 60°C.", TranslateOptions(style_id=made.style_id))
    style_rules.delete(made.style_id)


def compare(session: Session, text: str, options: TranslateOptions) -> None:
    """Show a Spanish text's translation without and with *options*."""
    translate = session.client.text.translate
    (plain,) = translate([text], "EN-GB", source_lang="ES")
    (bound,) = translate([text], "EN-GB", source_lang="ES", options=options)
    show(pd.DataFrame({"": ["source", "without", "with"], "text": [text, plain.text, bound.text]}))


def correct_texts() -> None:
    """Correct three sentences, and see the changes word by word."""
    texts: Any = pd.Series(
        ["I recieve the the tent tomorow.", "Der Rucksack ist sehr bequehm.", "Je suis tres content ,merci beaucoups."]
    )
    corrected = texts.svc.correct(progress=False)
    heading("Better texts", "what the service's speller is sure of, and nothing else")
    print(texts.svc.changes(corrected))


def translate_documents(folder: Path) -> None:
    """Translate a folder of documents, and see what became of each."""
    done = documents.translate(samples.documents(), target_lang="ES", out=folder / "spanish", progress=False)
    heading("Documents", done.said)
    done["output"] = [Path(path).name for path in done["output"]]
    show(done[["output", "status", "translator", "billed_characters"]])


def set_a_cap(session: Session) -> None:
    """Make a key with a cap of 35 characters a month, and run into it."""
    made = session.admin.create_key("Demo key")
    capped = session.admin.set_limits(made.key_id, characters=35)
    with Transport(replace(session.settings, api_key=made.api_key)) as transport:
        rows = [
            (text, answered(Client(transport), text)) for text in ("Good morning!", "And good evening.", "One more?")
        ]
    heading("A cap", f"key {made.label!r}: {capped.usage_limits.characters} characters a month")
    show(pd.DataFrame(rows, columns=["text", "answer"]))
    session.admin.deactivate_key(made.key_id)


def answered(client: Client, text: str) -> str:
    """What became of one text: the characters it cost, or the refusal."""
    try:
        (made,) = client.text.translate([text], "EN-GB", source_lang="EN")
    except errors.QuotaExceeded as refusal:
        return f"{refusal.status} {refusal.message}"
    return f"{made.billed_characters} characters"


def show_usage() -> None:
    """Today's usage by key and day, and what the runs of this demo were billed of it."""
    used = usage(datetime.now(UTC).date())
    heading("Usage by key and day", f"{used['total_characters'].sum():,} characters in all")
    show(used[["usage_date", "api_key", "api_key_label", "total_characters"]])
    print("\nOf these, by the runs over whole columns:\n")
    show(ledger()[["operation", "column", "target_lang", "requests", "billed_characters"]])


def forecast_a_year(settings: Settings) -> None:
    """A sample year of another account: who will use up a cap this month."""
    with service.start(memory=True, sample=True) as running:
        before = make_current(Session.embedded(running, settings))
        used = usage("90 days")
        likely = forecast(used, keys.list(), on=used.end)
        make_current(before)
    heading("Caps", f"a sample account, seen on {used.end}, and what is expected by the month's end")
    show(likely[likely["cap"].notna()][["name", "cap", "used", "expected", "exhausted_on"]])


def heading(title: str, said: str) -> None:
    """One part begins."""
    print(f"\n\033[1m{title}\033[0m: {said}\n" if sys.stdout.isatty() else f"\n## {title}: {said}\n")


def show(table: pd.DataFrame) -> None:
    """Print a table: texts to the left and cut where they are long, numbers to the right."""
    columns = {name: aligned(str(name), table[name].head(ROWS_SHOWN)) for name in table}
    for line in zip(*columns.values(), strict=True):
        print("  ".join(line).rstrip())
    if len(table) > ROWS_SHOWN:
        print(f"… and {len(table) - ROWS_SHOWN} more")


def aligned(name: str, cells: pd.Series) -> list[str]:
    """A column's heading and cells, all of one width."""
    numbers = pd.api.types.is_numeric_dtype(cells)
    if pd.api.types.is_datetime64_dtype(cells):
        cells = cells.dt.strftime("%Y-%m-%d")
    shown = ["" if pd.isna(cell) else f"{cell:,}" if numbers else shortened(str(cell)) for cell in cells]
    texts = [name, *shown]
    width = max(map(len, texts))
    return [text.rjust(width) if numbers else text.ljust(width) for text in texts]


def shortened(text: str) -> str:
    """The text, or its beginning."""
    return f"{text[: WIDEST - 1]}…" if len(text) > WIDEST else text


if __name__ == "__main__":
    main()
