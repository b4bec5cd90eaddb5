"""The controls of the documents panel: what there is to choose, of which only what fits is shown."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import ipywidgets as widgets

from svc_nb.panels.documents.plan import DocumentOffer, DocumentOrder
from svc_nb.panels.documents.table import CAN_HAVE_WATERMARK
from svc_nb.panels.parts.choices import FORMALITIES, GIVEN, Picks, names_by_id, offer_choices, show
from svc_nb.panels.parts.panel import field, row

MATCHES = (100, 95, 90, 85, 80, 75, 70, 60, 50)
OUTPUTS = {"": "pdf", "docx": "docx"}
CHOSEN = (
    *("source_lang", "formality", "style_id", "translation_memory_id", "translation_memory_threshold"),
    "output_format",
)


class Controls:
    """The widgets by the names of their options, and `all` of them; `order` reads them, `show` sets them."""

    def __init__(self) -> None:
        self.target_lang = field(widgets.Dropdown(description="Into"), "200px")
        self.source_lang = field(widgets.Dropdown(description="From"), "200px")
        self.formality = field(widgets.Dropdown(description="Formality"), "140px")
        self.style_id = field(widgets.Dropdown(description="Style list"), "180px")
        self.translation_memory_id = field(widgets.Dropdown(description="Translation memory"), "180px")
        self.translation_memory_threshold = field(widgets.Dropdown(description="Least match"), "110px")
        self.output_format = field(widgets.Dropdown(description="A pdf comes back as"), "140px")
        self.enable_watermark = widgets.Checkbox(description="Watermark", indent=False, layout={"width": "auto"})
        self.glossary_ids = Picks("Glossaries, up to 5", adds="Add a glossary …")
        names = ("target_lang", *CHOSEN)
        self.all = (*(getattr(self, name) for name in names), self.enable_watermark, self.glossary_ids)
        self.box = row(*self.all)
        self.box.add_class("svc-documents-options")

    def order(self, before: DocumentOrder) -> DocumentOrder:
        """What is chosen now; what was given in code and cannot be seen here stays as it is *before*."""
        target = before.target if self.target_lang.value is GIVEN else self.target_lang.value
        found: dict[str, Any] = {}
        for name in CHOSEN:
            value = getattr(self, name).value
            if value is not GIVEN:
                found[name] = None if value == "" else value
        if _is_shown(self.enable_watermark):
            found["enable_watermark"] = self.enable_watermark.value or None
        if _is_shown(self.glossary_ids):
            found["glossary_ids"] = list(self.glossary_ids.value) or None
        return before.with_target(target).with_options(**found)

    def show(self, order: DocumentOrder, offer: DocumentOffer, kinds: Collection[str]) -> None:
        """Offer what fits, with *order* chosen."""
        options, target = order.options, order.target
        nothing = "Choose a language" if offer.targets else "…"
        offer_choices(self.target_lang, {"": nothing, **_languages(offer.targets)}, target)
        offer_choices(self.source_lang, {"": "Any language", **_languages(offer.sources)}, options.get("source_lang"))
        formal = bool(target) and offer.supports(target, "formality")
        self._choice("formality", {"": "As usual", **FORMALITIES}, options, shown=formal)
        self._show_lists(order, offer)
        self._choice("output_format", OUTPUTS, options, shown="pdf" in kinds)
        show(self.enable_watermark, bool(CAN_HAVE_WATERMARK & set(kinds)))
        self.enable_watermark.value = bool(options.get("enable_watermark"))

    def _show_lists(self, order: DocumentOrder, offer: DocumentOffer) -> None:
        options, target = order.options, order.target
        source = options.get("source_lang")
        styles, memories = offer.styles_for(target), offer.memories_for(source, target)
        self._choice("style_id", {"": "None", **names_by_id(styles)}, options, shown=bool(styles))
        self._choice("translation_memory_id", {"": "None", **names_by_id(memories)}, options, shown=bool(memories))
        matches: dict[Any, str] = {"": "As usual", **{match: f"{match} %" for match in MATCHES}}
        self._choice("translation_memory_threshold", matches, options, shown=bool(options.get("translation_memory_id")))
        glossaries = offer.glossaries_for(source, target)
        picked = options.get("glossary_ids") or ()
        titles = names_by_id(glossaries)
        strange = [each for each in picked if each not in {known.id for known in offer.glossaries}]
        titles |= {each: f"{each[:8]} (as given in code)" for each in strange}
        show(self.glossary_ids, bool(titles))
        self.glossary_ids.offer([(key, title, "") for key, title in titles.items()], picked)

    def _choice(self, name: str, titles: dict[Any, str], options: Any, *, shown: bool) -> None:
        control, chosen = getattr(self, name), options.get(name)
        show(control, shown or (chosen is not None and chosen in titles))
        offer_choices(control, titles, chosen)


def _languages(names: Any) -> dict[str, str]:
    return {code: f"{name} ({code})" for code, name in names.items()}


def _is_shown(control: widgets.Widget) -> bool:
    return str(control.layout.display) != "none"
