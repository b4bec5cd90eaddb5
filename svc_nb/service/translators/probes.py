"""Plain sentences a translator must be able to digest before its language pair is offered."""

from __future__ import annotations

_PROBES = {
    "ar": ("البيت كبير.",),
    "bg": ("Къщата е голяма.",),
    "cs": ("Dům je velký.",),
    "da": ("Jeg ved ikke, hvor pigen er.", "Vi købte en ny bog.", "Hvad gør du?"),
    "de": ("Das Haus ist groß.",),
    "el": ("Το σπίτι είναι μεγάλο.",),
    "en": ("The house is big.", "Where is my book?", "We do not have water, but I bought bread."),
    "es": ("La casa es grande.", "¿Dónde está mi libro?", "No tenemos agua, pero compré pan."),
    "et": ("Maja on suur.",),
    "fi": ("Talo on suuri.",),
    "fr": (
        "La maison est grande.",
        "Où est mon livre ?",
        "Nous n'avons pas d'eau, mais j'ai acheté du pain.",
    ),
    "he": ("הבית גדול.",),
    "hu": ("A ház nagy.",),
    "id": ("Rumah itu besar.",),
    "it": ("La casa è grande.", "Dov'è il mio libro?", "Non abbiamo acqua, ma ho comprato il pane."),
    "ja": ("家は大きいです。",),
    "ko": ("집이 큽니다.",),
    "lt": ("Namas yra didelis.",),
    "lv": ("Māja ir liela.",),
    "nb": ("Jeg vet ikke hvor jenta er.", "Vi kjøpte en ny bok.", "Hva gjør du?"),
    "nl": ("Het huis is groot.",),
    "pl": ("Dom jest duży.",),
    "pt": ("A casa é grande.", "Onde está o meu livro?", "Não temos água, mas comprei pão."),
    "ro": ("Casa este mare.", "Unde este cartea mea?", "Nu avem apă, dar am cumpărat pâine."),
    "ru": ("Дом большой.",),
    "sk": ("Dom je veľký.",),
    "sl": ("Hiša je velika.",),
    "sv": ("Jag vet inte var flickan är.", "Vi köpte en ny bok.", "Vad gör du?"),
    "th": ("บ้านหลังใหญ่",),
    "tr": ("Ev büyük.",),
    "uk": ("Будинок великий.",),
    "vi": ("Ngôi nhà lớn.",),
    "zh": ("房子很大。",),
}


def probes(language: str) -> tuple[str, ...]:
    """Return sentences of *language*; English ones where we have none."""
    return _PROBES.get(language.partition("-")[0], _PROBES["en"])
