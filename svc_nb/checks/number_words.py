"""Words for small numbers, months and magnitudes in the languages that matter most here."""

from __future__ import annotations

import re


def _patterns(words: str, *, spaced: bool = True) -> list[str]:
    """A pattern for each of the words for 0, 1, 2 ...; "|" separates forms, a final "*" takes endings."""
    edge = r"\b" if spaced else ""
    return [
        "|".join(
            edge + re.escape(form.rstrip("*")) + (r"\w*" if form.endswith("*") else edge)
            for form in word.split("|")
        )
        for word in words.split()
    ]


WORDS: dict[str | None, list[str]] = {
    "cs": _patterns("""
        nul* jed* dva|dvě|dvou|dvěma tři|tří|třem* čtyři|čtyř* pět* šest* sedm* osm* devět|devíti deset*
        jedenáct* dvanáct*"""),
    "da": _patterns("nul en|et|én|ét to tre fire fem seks syv otte ni ti elleve tolv"),
    "de": _patterns("null|kein* ein* zwei* drei* vier* fünf* sechs* sieb* acht* neun* zehn* elf* zwölf*"),
    "en": _patterns("""
        zero one|single|once|first two|twice|second|both three|third four* five|fifth six* seven*
        eight* nine|ninth ten|tenth eleven* twelve|twelfth|dozen"""),
    "es": _patterns("""
        cero un|uno|una|primer* dos|segund* tres|tercer* cuatro|cuart* cinco|quint* seis|sext* siete ocho
        nueve diez once doce"""),
    "fi": _patterns("""
        nolla* yksi|yhde*|yhtä kaksi|kahde*|kahta kolme* neljä* viisi|viide*|viittä kuusi|kuude*|kuutta
        seitsemän* kahdeksan* yhdeksän* kymmene* yksitoista kaksitoista"""),
    "fr": _patterns("""
        zéro un|une|premi* deux|second* trois* quatr* cinq* six* sept* huit* neuf|neuv* dix* onz* douz*"""),
    "hu": _patterns("""
        nulla egy* két|kettő* három* négy* öt* hat* hét* nyolc* kilenc* tíz* tizenegy* tizenkettő*|tizenkét"""),
    "it": _patterns("""
        zero un|uno|una|prim* due|second* tre|terz* quattro|quart* cinque|quint* sei|sest* sette|settim*
        otto nove dieci undici dodici"""),
    "ja": _patterns("零|ゼロ 一|ひと|壱 二|ふた|両 三 四 五 六 七 八 九 十 十一 十二", spaced=False),
    "ko": _patterns("""
        영|공 한|하나|일 두|둘|이 세|셋|삼 네|넷|사 다섯|오 여섯|육 일곱|칠 여덟|팔 아홉|구 열|십 열한|십일
        열두|십이""", spaced=False),
    "nb": _patterns("null en|ett|én|et to tre fire fem seks sju|syv åtte ni ti elleve tolv"),
    "nl": _patterns("""
        nul|geen een|één|eerste twee* drie|derde vier* vijf* zes* zeven* acht* negen* tien* elf* twaalf*"""),
    "pl": _patterns("""
        zero jed* dwa|dwie|dwóch|dwoma|dwu* trzy|trzech|trze* czter* pięć|pięci* sześć|sześci*
        siedem|siedmi* osiem|ośmi* dziewię* dziesię* jedena* dwana*"""),
    "pt": _patterns("""
        zero um|uma|primeir* dois|duas|segund* três|terceir* quatro|quart* cinco|quint* seis|sext* sete oito
        nove dez onze doze"""),
    "ro": _patterns("""
        zero un|una|unu|o|prim* doi|două|doua trei|treia patru* cinci* șase* șapte* opt* nouă zece*
        unsprezece doisprezece"""),
    "ru": _patterns("""
        нол* од* два|две|дву*|втор* три|трех|трёх|трет* четыр*|четверт* пят* шест* сем*|седьм* вос* девят*
        десят* одиннадцат* двенадцат*"""),
    "sv": _patterns("noll en|ett två tre fyra fem sex sju åtta nio tio elva tolv"),
    "tr": _patterns("sıfır* bir* iki* üç* dört* beş* altı* yedi* sekiz* dokuz* on* onbir* oniki*"),
    "uk": _patterns("""
        нул* од* два|дві|дво*|друг* три|трьох|трет* чотир*|четверт* п'ят*|п’ят* шіст*|шест* сім|сем*|сьом*
        вісім|вось* дев'ят*|дев’ят* десят* одинадцят* дванадцят*"""),
    "zh": _patterns("零 一|首|单 二|两|双 三 四 五 六 七 八 九 十 十一 十二", spaced=False),
}  # fmt: skip

# The beginnings of the names of months, in one pattern for all languages.
_MONTHS = (
    "jan|ene|gen|янв|січ|sty|led|tammi|ocak|ιαν|يناير", "feb|fev|fév|фев|лют|lut|úno|helmi|şub|φεβ|فبراير",
    "mar|mär|maa|mrt|мар|бер|bře|mart|μαρ|مارس", "apr|avr|abr|апр|kwi|dub|квіт|huhti|nisan|απρ|أبريل",
    "may|mai|maj|mag|mei|май|мая|трав|kvě|touko|mayıs|μαΐ|مايو", "jun|juin|giu|июн|черв|cze|čer|kesä|haz|ιουν|يونيو",
    "jul|juil|lug|июл|лип|lip|heinä|tem|ιουλ|يوليو", "aug|aoû|ago|aoû|авг|серп|sie|srp|elo|ağu|αυγ|أغسطس",
    "sep|set|сент|верес|wrz|zář|syys|eyl|σεπ|سبتمبر", "oct|okt|out|ott|окт|жовт|paź|říj|loka|eki|οκτ|أكتوبر",
    "nov|ноя|листоп|lis|marras|kas|νοε|نوفمبر", "dec|déc|dez|dic|des|дек|груд|gru|pro|joulu|ara|δεκ|ديسمبر",
)  # fmt: skip
MONTHS: dict[int, re.Pattern[str]] = {
    number: re.compile(rf"\b(?:{names})", re.IGNORECASE) for number, names in enumerate(_MONTHS, 1)
}

MAGNITUDES: dict[str, int] = {
    **dict.fromkeys(["hundred", "hundert", "百", "백"], 10**2),
    **dict.fromkeys(
        [
            "k", "thousand", "tausend", "tsd.", "mille", "mil", "mila", "tys.", "тыс.", "тысяч", "тысячи", "千",
            "천", "bin", "tisíc", "duizend", "tusen", "tusind"
        ],
        10**3,
    ),
    **dict.fromkeys(["万", "萬", "만"], 10**4),
    **dict.fromkeys(
        [
            "m", "mio", "mio.", "mln", "million", "millionen", "millions", "millones", "millón", "milhões",
            "milhão", "milioni", "milione", "milionów", "miliony", "miljoen", "miljoner", "миллионов",
            "миллиона", "млн", "milyon", "百万", "백만", "milionů", "millió", "مليون", "ملايين"
        ],
        10**6,
    ),
    **dict.fromkeys(["千万", "천만"], 10**7),
    **dict.fromkeys(["亿", "億", "억"], 10**8),
    **dict.fromkeys(
        [
            "billion", "mrd", "mrd.", "milliarde", "milliarden", "milliard", "milliards", "bn", "mld",
            "miliardi", "miliard", "miljard", "млрд", "миллиардов", "миллиарда", "milyar", "bilhões", "十亿",
            "십억", "مليار"
        ],
        10**9,
    ),
    **dict.fromkeys(["trillion", "billionen", "兆", "조", "万亿"], 10**12),
}  # fmt: skip
