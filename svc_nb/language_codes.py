"""The languages of the service, and which one a person means by a code, a locale or a name: nothing is asked here.

The normal form of a code is in capitals with hyphens: `DE`, `EN-US`, `ZH-HANS`. As a target a locale becomes the
variant that the service has (`zh_CN` is ZH-HANS, `es_MX` is ES-419) or, where it has none, the language (`de_AT` is
DE). As a source it becomes the language, for the service has no variants there.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache, lru_cache

# For each language its English name, its codes of three letters (ISO 639-3, 639-2/B), its own name and others. The
# languages of glossaries, which stand at the head of many a column, are here by their German and French names too.
NAMES: Mapping[str, tuple[str, ...]] = {
    "ace": ("Acehnese", "Achinese", "Basa Acèh"),
    "af": ("Afrikaans", "afr"),
    "an": ("Aragonese", "arg", "aragonés"),
    "ar": ("Arabic", "ara", "arb", "العربية", "Arabisch", "arabe"),
    "as": ("Assamese", "asm", "অসমীয়া"),
    "ay": ("Aymara", "aym", "ayr", "Aymar aru"),
    "az": ("Azerbaijani", "aze", "azj", "azərbaycan", "azərbaycanca", "Azeri"),
    "ba": ("Bashkir", "bak", "башҡорт теле", "башҡортса"),
    "be": ("Belarusian", "bel", "беларуская", "Belorussian"),
    "bg": ("Bulgarian", "bul", "български", "Bulgarisch", "bulgare"),
    "bho": ("Bhojpuri", "भोजपुरी"),
    "bn": ("Bengali", "ben", "বাংলা", "Bangla"),
    "br": ("Breton", "bre", "brezhoneg"),
    "bs": ("Bosnian", "bos", "bosanski"),
    "ca": ("Catalan", "cat", "català", "Valencian"),
    "ceb": ("Cebuano", "Binisaya"),
    "ckb": ("Kurdish (Sorani)", "Central Kurdish", "Sorani", "کوردیی ناوەندی"),
    "cs": ("Czech", "ces", "cze", "čeština", "Tschechisch", "tchèque"),
    "cy": ("Welsh", "cym", "wel", "Cymraeg"),
    "da": ("Danish", "dan", "dansk", "Dänisch", "danois"),
    "de": ("German", "deu", "ger", "Deutsch", "allemand"),
    "el": ("Greek", "ell", "gre", "ελληνικά", "Griechisch", "grec", "Modern Greek"),
    "en": ("English", "eng", "Englisch", "anglais"),
    "eo": ("Esperanto", "epo"),
    "es": ("Spanish", "spa", "español", "castellano", "Spanisch", "espagnol", "Castilian"),
    "et": ("Estonian", "est", "ekk", "eesti", "Estnisch", "estonien"),
    "eu": ("Basque", "eus", "baq", "euskara"),
    "fa": ("Persian", "fas", "per", "pes", "فارسی", "Farsi"),
    "fi": ("Finnish", "fin", "suomi", "Finnisch", "finnois"),
    "fr": ("French", "fra", "fre", "français", "Französisch"),
    "ga": ("Irish", "gle", "Gaeilge", "Irish Gaelic"),
    "gl": ("Galician", "glg", "galego"),
    "gn": ("Guarani", "grn", "gug", "avañe'ẽ"),
    "gom": ("Konkani", "Goan Konkani", "kok", "कोंकणी"),
    "gu": ("Gujarati", "guj", "ગુજરાતી"),
    "ha": ("Hausa", "hau"),
    "he": ("Hebrew", "heb", "עברית", "Hebräisch", "hébreu"),
    "hi": ("Hindi", "hin", "हिन्दी", "हिंदी"),
    "hr": ("Croatian", "hrv", "hrvatski"),
    "ht": ("Haitian Creole", "hat", "Kreyòl Ayisyen", "Haitian"),
    "hu": ("Hungarian", "hun", "magyar", "Ungarisch", "hongrois"),
    "hy": ("Armenian", "hye", "arm", "հայերեն"),
    "id": ("Indonesian", "ind", "bahasa Indonesia", "Indonesisch", "indonésien"),
    "ig": ("Igbo", "ibo"),
    "is": ("Icelandic", "isl", "ice", "íslenska"),
    "it": ("Italian", "ita", "italiano", "Italienisch", "italien"),
    "ja": ("Japanese", "jpn", "日本語", "Japanisch", "japonais"),
    "jv": ("Javanese", "jav", "Basa Jawa"),
    "ka": ("Georgian", "kat", "geo", "ქართული"),
    "kk": ("Kazakh", "kaz", "қазақ тілі", "қазақша"),
    "kmr": ("Kurdish (Kurmanji)", "Northern Kurdish", "Kurmanji", "Kurdish", "kur", "kurmancî"),
    "ko": ("Korean", "kor", "한국어", "Koreanisch", "coréen"),
    "ky": ("Kyrgyz", "kir", "кыргызча", "Kirghiz"),
    "la": ("Latin", "lat", "Lingua latina"),
    "lb": ("Luxembourgish", "ltz", "Lëtzebuergesch"),
    "lmo": ("Lombard", "lombard"),
    "ln": ("Lingala", "lin", "lingála"),
    "lt": ("Lithuanian", "lit", "lietuvių", "Litauisch", "lituanien"),
    "lv": ("Latvian", "lav", "lvs", "latviešu", "Lettisch", "letton"),
    "mai": ("Maithili", "मैथिली"),
    "mg": ("Malagasy", "mlg", "plt"),
    "mi": ("Maori", "mri", "mao", "te reo Māori"),
    "mk": ("Macedonian", "mkd", "mac", "македонски"),
    "ml": ("Malayalam", "mal", "മലയാളം"),
    "mn": ("Mongolian", "mon", "khk", "монгол"),
    "mr": ("Marathi", "mar", "मराठी"),
    "ms": ("Malay", "msa", "may", "zsm", "bahasa Melayu", "bahasa Malaysia"),
    "mt": ("Maltese", "mlt", "Malti"),
    "my": ("Burmese", "mya", "bur", "မြန်မာ", "Myanmar"),
    "nb": (
        "Norwegian", "nob", "nor", "norsk", "bokmål", "Norwegian Bokmål", "norsk bokmål", "Norwegisch", "norvégien",
    ),
    "ne": ("Nepali", "nep", "npi", "नेपाली"),
    "nl": ("Dutch", "nld", "dut", "Nederlands", "Niederländisch", "néerlandais", "Flemish", "Vlaams"),
    "oc": ("Occitan", "oci", "occitan"),
    "om": ("Oromo", "orm", "gaz", "Afaan Oromoo"),
    "pa": ("Punjabi", "pan", "ਪੰਜਾਬੀ", "Panjabi"),
    "pag": ("Pangasinan",),
    "pam": ("Kapampangan", "Pampanga"),
    "pl": ("Polish", "pol", "polski", "Polnisch", "polonais"),
    "prs": ("Dari", "دری", "Afghan Persian"),
    "ps": ("Pashto", "pus", "pbu", "پښتو", "Pushto"),
    "pt": ("Portuguese", "por", "português", "Portugiesisch", "portugais"),
    "qu": ("Quechua", "que", "quy", "Runasimi"),
    "ro": ("Romanian", "ron", "rum", "română", "Rumänisch", "roumain", "Moldovan"),
    "ru": ("Russian", "rus", "русский", "Russisch", "russe"),
    "sa": ("Sanskrit", "san", "संस्कृतम्"),
    "scn": ("Sicilian", "sicilianu"),
    "sk": ("Slovak", "slk", "slo", "slovenčina", "Slowakisch", "slovaque"),
    "sl": ("Slovenian", "slv", "Slovene", "slovenščina", "Slowenisch", "slovène"),
    "sq": ("Albanian", "sqi", "alb", "als", "shqip"),
    "sr": ("Serbian", "srp", "српски", "srpski"),
    "st": ("Sesotho", "sot", "Southern Sotho"),
    "su": ("Sundanese", "sun", "Basa Sunda"),
    "sv": ("Swedish", "swe", "svenska", "Schwedisch", "suédois"),
    "sw": ("Swahili", "swa", "swh", "Kiswahili"),
    "ta": ("Tamil", "tam", "தமிழ்"),
    "te": ("Telugu", "tel", "తెలుగు"),
    "tg": ("Tajik", "tgk", "тоҷикӣ"),
    "th": ("Thai", "tha", "ไทย", "Thailändisch", "thaï"),
    "tk": ("Turkmen", "tuk", "türkmen dili", "türkmençe"),
    "tl": ("Tagalog", "tgl", "fil", "Filipino"),
    "tn": ("Tswana", "tsn", "Setswana"),
    "tr": ("Turkish", "tur", "Türkçe", "Türkisch", "turc"),
    "ts": ("Tsonga", "tso", "Xitsonga"),
    "tt": ("Tatar", "tat", "татар", "татарча"),
    "uk": ("Ukrainian", "ukr", "українська", "Ukrainisch", "ukrainien"),
    "ur": ("Urdu", "urd", "اردو"),
    "uz": ("Uzbek", "uzb", "uzn", "o'zbek", "oʻzbekcha"),
    "vi": ("Vietnamese", "vie", "Tiếng Việt", "Vietnamesisch", "vietnamien"),
    "wo": ("Wolof", "wol"),
    "xh": ("Xhosa", "xho", "isiXhosa"),
    "yi": ("Yiddish", "yid", "ydd", "ייִדיש"),
    "yue": ("Cantonese", "粵語", "廣東話"),
    "zh": ("Chinese", "zho", "chi", "cmn", "中文", "Chinesisch", "chinois", "Mandarin", "汉语", "漢語"),
    "zu": ("Zulu", "zul", "isiZulu"),
}  # fmt: skip
VARIANT_NAMES = {
    "en-gb": "English (British)", "en-us": "English (American)", "es-419": "Spanish (Latin American)",
    "pt-br": "Portuguese (Brazilian)", "pt-pt": "Portuguese (European)", "zh-hans": "Chinese (simplified)",
    "zh-hant": "Chinese (traditional)", "de-ch": "German (Swiss)", "fr-ca": "French (Canadian)",
}  # fmt: skip
# The languages that every service of this kind has; the others are in beta, and an account may not have them.
# Everything that can be translated from, in beta too; variants such as en-us are targets only.
SOURCES = frozenset(map(str.upper, NAMES))
STABLE = frozenset(
    "ar bg cs da de el en es et fi fr he hu id it ja ko lt lv nb nl pl pt ro ru sk sl sv th tr uk vi zh".split()  # noqa: SIM905
)
STABLE_VARIANTS = frozenset(VARIANT_NAMES) - {"de-ch", "fr-ca"}
# Codes that were retired, or are for a group of languages, and the one of the service.
SAME = {"no": "nb", "iw": "he", "in": "id", "ji": "yi", "jw": "jv", "mo": "ro", "ku": "kmr"}
# Regions whose spelling a variant has, as CLDR, the common locale data of Unicode, derives locales from each other.
REGIONS = {
    "en": {
        "en-us": "us as gu mh mp ph pr um vi",
        "en-gb": "gb uk 001 150 ag au bb bs bw bz ca cy dm fj gd gh gi gy hk ie il in jm ke kn lc lk mt mu mw my na ng "
        "nz pg pk rw sc sg sl tt tz ug vc za zm zw",
    },
    "es": {
        "es": "es 150 ea gq ic ph",
        "es-419": "419 ar bo br bz cl co cr cu do ec gt hn mx ni pa pe pr py sv us uy ve",
    },
    "pt": {"pt-br": "br", "pt-pt": "pt 150 ao ch cv fr gq gw lu mo mz st tl"},
    "zh": {"zh-hans": "cn sg my", "zh-hant": "tw hk mo"},
    "de": {"de-ch": "ch"},
    "fr": {"fr-ca": "ca"},
}  # fmt: skip
# Languages written in several scripts, and the one in which the service writes them.
SCRIPTS = {
    "az": "latn", "bs": "latn", "ha": "latn", "kk": "cyrl", "kmr": "latn", "ky": "cyrl", "mn": "cyrl", "ms": "latn",
    "pa": "guru", "sr": "cyrl", "tg": "cyrl", "tk": "latn", "tt": "cyrl", "uz": "latn", "yue": "hant",
}  # fmt: skip
# What stands with a name to say which variant of the language it is.
VARIANTS = {
    "american": "US", "us": "US", "usa": "US", "united states": "US", "british": "GB", "uk": "GB", "gb": "GB",
    "united kingdom": "GB", "canadian": "CA", "canada": "CA", "australian": "AU", "australia": "AU",
    "brazilian": "BR", "brazil": "BR", "brasil": "BR", "portugal": "PT", "european": "150", "mexican": "MX",
    "mexico": "MX", "latin american": "419", "latin america": "419", "spain": "ES", "france": "FR", "germany": "DE",
    "austrian": "AT", "austria": "AT", "swiss": "CH", "switzerland": "CH", "belgian": "BE", "belgium": "BE",
    "simplified": "Hans", "traditional": "Hant", "china": "CN", "taiwan": "TW", "hong kong": "HK",
}  # fmt: skip
# Codes of countries that people take for those of languages, and what they may mean. They are suggested, not taken.
COUNTRIES = {
    "al": "sq", "am": "hy", "at": "de", "by": "be", "cn": "zh-hans", "cz": "cs", "dk": "da", "ee": "et", "gb": "en-gb",
    "ge": "ka", "gr": "el", "hk": "zh-hant", "il": "he", "ir": "fa", "jp": "ja", "kr": "ko", "kz": "kk", "mx": "es-419",
    "ng": "ig", "pk": "ur", "rs": "sr", "se": "sv", "si": "sl", "tw": "zh-hant", "ua": "uk", "us": "en-us",
    "usa": "en-us", "vn": "vi",
}  # fmt: skip
# No name of a language is longer.
LONGEST = 60
# What has the form of a code, whether anybody knows it or not.
CODE = re.compile("[a-z]{2,3}([-_][a-z0-9]{1,8})*", re.ASCII | re.IGNORECASE)
MOST_SUGGESTED = 3
# A language, its script, region and spelling: not everything behind a hyphen, so that "id_number" is none.
# What may be a language tag at all, as XML has it.
WELL_FORMED = re.compile("[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")
TAG = re.compile(
    "(?P<base>[a-z]{2,3})(-(?P<script>hans|hant|latn|cyrl|arab|deva|guru))?(-(?P<region>[a-z]{2}|[0-9]{3}))?(-[0-9][a-z0-9]{3})?"
)
# What a locale may have behind it: "de_DE.UTF-8@euro"; two of these are scripts.
LOCALE_ENDS = re.compile(r"(\.[\w-]+)?(@\w+)?$")
SCRIPT_ENDS = {"@latin": "_Latn", "@cyrillic": "_Cyrl"}
# "French (fr-FR)", "Portuguese, Brazil", "English [US]"
WITH_MORE = re.compile(r"([^(\[,]+?)\s*[(\[,]\s*(.+?)\s*[)\]]?")


def _folded(name: str) -> str:
    """A name as it is compared: case and accents do not count.

    >>> _folded(" Français "), _folded("tiếng  Việt")
    ('francais', 'tieng viet')
    """
    plain = unicodedata.normalize("NFKD", name.replace("’", "'").replace("ʻ", "'")).casefold()
    return " ".join(re.sub("[\u0300-\u036f]", "", plain).split())


BY_NAME: Mapping[str, str] = {
    **SAME,
    **{_folded(name): code for code, names in NAMES.items() for name in (code, *names)},
    **{_folded(name): code for code, name in VARIANT_NAMES.items()},
    **{_folded(name): "zh-hans" for name in ("简体中文",)},
    **{_folded(name): "zh-hant" for name in ("繁體中文", "繁体中文")},
}


def listed(written: str) -> list[str]:
    """The languages in a text with commas between them; a comma may as well stand before a variant.

    >>> listed("DE,fr"), listed("Portuguese, Brazil"), listed("German, x")
    (['DE', 'fr'], ['Portuguese, Brazil'], ['German', ' x'])
    """
    parts = [part for part in written.split(",") if part.strip()]
    return [written] if tag_of(written) and not all(map(tag_of, parts)) else parts


@cache
def tag_of(written: str) -> str | None:
    """The language that is meant, with the script and region that are said with it, in small letters; or None.

    >>> tag_of("Brazilian Portuguese"), tag_of("French (fr-FR)"), tag_of("jpn"), tag_of("de_DE.UTF-8"), tag_of("tlh")
    ('pt-br', 'fr-fr', 'ja', 'de-de', None)
    """
    said = written.strip()
    if not said or len(said) > LONGEST:
        return None
    for end, script in SCRIPT_ENDS.items():
        said = said.replace(end, script)
    tag = LOCALE_ENDS.sub("", said).replace("_", "-").lower()
    if found := TAG.fullmatch(tag):
        base = BY_NAME.get(found["base"])
        return base and base + tag[len(found["base"]) :]
    named = BY_NAME.get(_folded(said))
    if named or not (more := WITH_MORE.fullmatch(said)):
        return named or _qualified(_folded(said).split())
    return _detailed(*more.groups())


def _detailed(name: str, detail: str) -> str | None:
    """A *name* with its code or its variant in brackets."""
    code, said = BY_NAME.get(_folded(name)), tag_of(detail)
    if code is None:
        return None
    if said and said.partition("-")[0] == code:
        return said
    country = detail if re.fullmatch("[A-Z]{2}", detail) and len(name) > 2 else ""
    variant = VARIANTS.get(_folded(detail), country).lower()
    return f"{code}-{variant}" if variant else None


def _qualified(words: list[str]) -> str | None:
    """A name of a language with its variant before it or behind it."""
    for place in range(1, len(words)):
        before, behind = " ".join(words[:place]), " ".join(words[place:])
        for name, variant in ((behind, before), (before, behind)):
            if len(name) > 3 and variant in VARIANTS and name in BY_NAME:
                return f"{BY_NAME[name]}-{VARIANTS[variant].lower()}"
    return None


def base_code(written: str) -> str | None:
    """The code of the language alone, in its normal form: what can be translated from; None where there is none.

    >>> base_code("pt-br"), base_code("deu"), base_code("English"), base_code("Klingon")
    ('PT', 'DE', 'EN', None)
    """
    tag = tag_of(written)
    return tag.partition("-")[0].upper() if tag else None


def target_code(written: str) -> str | None:
    """The code of the language or of the variant that is meant, in its normal form; None where there is none.

    >>> target_code("zh_CN"), target_code("es_ES"), target_code("de_AT"), target_code("ger"), target_code("en-au")
    ('ZH-HANS', 'ES', 'DE', 'DE', 'EN-GB')
    >>> target_code("English"), target_code("EN-ZZ"), target_code("sr_Latn")
    ('EN', None, None)
    """
    tag = tag_of(written)
    found = TAG.fullmatch(tag) if tag else None
    if found is None:
        return None
    base, script, region = found["base"], found["script"], found["region"]
    if script and base == "zh":
        return f"ZH-{script.upper()}" if script in ("hans", "hant") else None
    if script and SCRIPTS.get(base, "latn") != script:
        return None
    variants = REGIONS.get(base, {})
    fitting = (variant for variant, regions in variants.items() if region in regions.split())
    other = base if region is None or base in ("de", "fr") or not variants else None
    code = next(fitting, other)
    return code and code.upper()


@lru_cache(1024)
def normal(written: str) -> str:
    """A code as it is compared, in capitals; it need not be one that the service knows.

    >>> normal(" en_US ")
    'EN-US'
    """
    return written.strip().replace("_", "-").upper()


def meant_by(written: str) -> str:
    """The code of a language that is meant by a code with a region or by a name; "" where that is unclear."""
    base = normal(written).partition("-")[0]
    return base if base in SOURCES else base_code(written) or ""


def as_normal(written: str) -> str:
    """A code in its normal form, in which tables have it, known or not; what cannot be a code stays as it is.

    >>> as_normal("en_gb"), as_normal(" zh-Hans "), as_normal("tlh"), as_normal("Deutsch")
    ('EN-GB', 'ZH-HANS', 'TLH', 'Deutsch')
    """
    code = written.strip()
    return code.replace("_", "-").upper() if CODE.fullmatch(code) else written


@lru_cache(1024)
def as_bcp47(written: str) -> str:
    """A code in the letters in which files, HTML and the service have it; what cannot be a code stays as it is.

    >>> as_bcp47("PT-BR"), as_bcp47("zh_hans"), as_bcp47("ES-419"), as_bcp47("ca-valencia"), as_bcp47("Deutsch")
    ('pt-BR', 'zh-Hans', 'es-419', 'ca-valencia', 'Deutsch')
    """
    code = written.strip()
    if not CODE.fullmatch(code):
        return written
    language, *rest = code.replace("_", "-").lower().split("-")
    letters = {2: str.upper, 4: str.title}  # regions and scripts
    return "-".join([language, *(letters.get(len(part), str)(part) for part in rest)])


def name_of(code: str) -> str:
    """What a language or a variant is called in English; where nobody knows, its code.

    >>> name_of("DE"), name_of("pt_br"), name_of("fr-BE"), name_of("tlh")
    ('German', 'Portuguese (Brazilian)', 'French (BE)', 'tlh')
    """
    tag = code.strip().replace("_", "-").lower()
    base, _, region = tag.partition("-")
    if tag in VARIANT_NAMES or base not in NAMES:
        return VARIANT_NAMES.get(tag, code)
    return f"{NAMES[base][0]} ({region.upper()})" if region else NAMES[base][0]


def is_common(code: str) -> bool:
    """Whether every service has the language *code*, in its normal form: it need not be asked."""
    return code.lower() in STABLE | STABLE_VARIANTS


def nearest(written: str, listed: Mapping[str, str] | None = None, *, variants: bool = True) -> list[str]:
    """The codes that may be meant by *written*, best first; of *listed*, codes with names, where a service lists some.

    >>> nearest("jp"), nearest("Germna"), nearest("EN-ZZ"), nearest("???")
    (['JA'], ['DE'], ['EN', 'EN-GB', 'EN-US'], [])
    """
    said = _folded(written[:LONGEST]).replace("_", "-")
    base = BY_NAME.get(said.partition("-")[0])
    names = dict(BY_NAME)
    for code, name in (listed or {}).items():
        names |= {_folded(code): code.lower(), _folded(name): code.lower()}
    if said in COUNTRIES:
        found = [COUNTRIES[said]]
    elif base and TAG.fullmatch(said):
        found = [base, *(code for code in sorted(STABLE_VARIANTS) if code.startswith(f"{base}-"))]
    else:
        long = [name for name in names if len(name) > 3]  # codes that differ in one letter have nothing in common
        found = [names[name] for name in get_close_matches(said, long, n=2 * MOST_SUGGESTED, cutoff=0.75)]
    known = {code.lower() for code in listed or (*NAMES, *VARIANT_NAMES)}
    bases = [code if variants and code in known else code.partition("-")[0] for code in found]
    return [code.upper() for code in dict.fromkeys(bases) if code in known][:MOST_SUGGESTED]
