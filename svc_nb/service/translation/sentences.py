"""Where sentences end: borders as offsets, so that the sentences joined are always the text itself.

One linear pass over the possible ends. When in doubt there is no border: a translator copes better with two
sentences at once than with half of one.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Literal

Split = Literal["0", "1", "nonewlines"]

LONGEST = 1000
"""No sentence is longer, in characters: a neural translator loses its thread long before."""

# Words that end in a full stop without ending a sentence though a capital follows. Whatever a lower-case letter
# follows never ends a sentence, so only titles, names of streets and the like stand here.
ABBREVIATIONS: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "bg": "бул вж г гр д-р доц им инж проф с св стр ул",
        "cs": "bc doc dr ing jr judr kpt mgr mudr např nám p paní phdr plk prof pí r rndr sl str sv tj "
        "tzv tř ul č čp",
        "da": "adr bl cand dr f.eks fr frk hr ing jf kgl kl mag mr mrs nr pkt prof sct skt st stud tlf",
        "de": "abb abs art aufl bd bzw ca co dipl dipl-ing dr evtl fa fam fr frl geb gebr gegr gem ggf "
        "hl hr hrn hrsg ing inkl jr kap lt mag max min mio mr mrd mrs nr pfr prof rd s sen sog st "
        "str tab tel univ verf vgl vs zzgl",
        "el": "αγ αρ βλ γιατρός δηλ δρ κ κα καθ κος λεωφ οδ π.χ πλ πρβλ σελ σημ τηλ",
        "en": "adm apr art aug ave bldg blvd brig capt cmdr col corp dec dept dr ed eds eq feb fig figs gen "
        "gov hon jan jul jun mar nov oct sep sept "
        "insp jr lt ltd maj messrs mlle mme mr mrs ms mt mx nos op pres prof rep reps rev sec "
        "secs sen sens sgt sr st ste supt univ viz vol vols vs",
        "es": "admón av avda cap cía d dir dn dna doc dpto dr dra dras dres dña edif ee exc excmo fig "
        "fr gral hno hnos ing lda ldo lic mons núm p pdte prof profa pág págs sr sra sras sres "
        "srta srtas sta sto tel tte ud uds vd vds vol",
        "et": "hr jms jr lk nn nr pr prof st sün tel tn",
        "fi": "esim evp ins joht kapt kenr ks maist nk nro os prof puh rva s tri ts vrt yht",
        "fr": "adj art av bd bibl boul cf ch chap cie col comm dir dr dre env fig gén hab ing lt m me "
        "mgr mlle mlles mm mme mmes p.ex pp prof réf st ste sts tél vol éd",
        "hu": "dr id ifj ill kb lásd mgr ner pl prof st szt tel vö özv ún",
        "id": "bpk dr drs gg hj ir jend jl kab kapt kec kel kol no ny prof rp sdr sdri tel tn yth",
        "it": "arch art avv cap cav cfr col comm dir dott dott.ssa dr ecc fig gen geom ing int lic mons "
        "on pag pagg prof prof.ssa rag rev s sen sig sig.na sig.ra sigg spett ss tel v vol",
        "lt": "akad apyg b dab doc dr gen gyd inž k kun mjr mons pan pl plk pr prof pvz r t.y tel vad "
        "vyr vysk šv",
        "lv": "b doc dr gen inž kap kt lpp māc piem plkv prof pulkv sal sk sv tr tālr ģen",
        "nb": "adr bl cand dr f.eks fr frk hr ing jf kap kgl kl mag mr mrs nr pkt prof st stud tlf",
        "nl": "afb bijv blz bv dhr dr drs fam fig gebr hr ing ir jhr jl jr kol ma mej mevr mgr mr mw nl "
        "nr prof resp sen st str tel vgl vnl vs zgn",
        "pl": "al bp bł dr dyr gen godz hab inż jw kard ks lek lic mec mgr mjr np nr o os pl por prof "
        "płk red rtm sz tel tj tzn tzw ul ur ww zob św",
        "pt": "art av cap cel cia d dir doc dr dra dras drs ed eng enga exa exma exmo fig gal gen ilma "
        "ilmo lda ldo mons núm p pe prof profa pág págs r sr sra sras sres srs srta sta sto tel v "
        "vol",
        "ro": "art bd bl cap conf d d-l d-na d-ra d-rul dl dna dr etj fam fig gen ing jr lect lt nr p "
        "pag pr prof sf str tel vol şos șos",
        "ru": "акад бул в вв г гг гл гр д доц им инж кв корп мкр млн млрд н наб напр о обл оз п пер пл "
        "пос пр просп проф р рис с св см ст стр т тел тыс ул унив ф ч чел",
        "sk": "bc doc dr ing judr kpt mgr mudr napr nám p pani phdr plk prof r rndr sl str sv tj tr tzv "
        "ul č čl",
        "sl": "asist d.o.o doc dr g ga gdč gl gos inž itn mag npr oz prof roj sl st str sv tel ul univ št",
        "sv": "adr bl.a civ dir dr ev f fr frk hr ing jfr kap kl mag nr osv prof resp s:t st tel tr",
        "tr": "alb apt arş av bkz blv bul bşk cad doç dr ecz gen gn hz kd mah md müh no org prof psk sk "
        "sn sok st tel uz vb yrd ör örn şti",
        "uk": "акад бул в вул г гл гр д див доц кв м млн млрд напр о обл п пл пр просп проф р рис с св "
        "см ст стор т тел тис ф ч чол ім інж",
        "vi": "gs ks pgs q st th.s ths tp ts tt tx",
    }.items()
}

# Here a number with a full stop is an ordinal ("3. Auflage"), not the end of a sentence.
ORDINALS = frozenset({"cs", "da", "de", "et", "fi", "hu", "lv", "nb", "sk", "sl", "tr", "pl"})

_CLOSERS = "\"'”’»›)\\]}」』）】〕》〉"
_STOP = re.compile(rf"(?P<mark>[.!?…؟۔。！？｡;\u037e]++)(?P<quote>[{_CLOSERS}]*+(?:“(?=\s|$))?)")
_FULL_WIDTH = frozenset("。！？｡")
_NEWLINE = re.compile(r"[\n\r\u2028\u2029]\s*+")
_BLANKS = re.compile(r"\s*+")
_OPENERS = re.compile(r"[\s\"'“„”«»‹›‘‚’(\[{¿¡「『（*_–—•-]*+")
_WORD_BREAK = re.compile(r"[\s\"'’“„«(‘‚\[]")
_DOTTED = re.compile(r"\w{1,3}(?:\.\w{1,3})+(?<!\d)")
_NUMBER = re.compile(r"\d(?!\d{0,2}[.)]\s)")  # but not a list's
_WEAK = (re.compile(r"[.!?…;:؛](?:\s+)|[；：]"), re.compile(r"[,،)](?:\s+)|[，、）]"), re.compile(r"\s+"))
_GREEK_QUESTION = ";\u037e"
_ATTACHED = re.compile(
    r"[\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u200d\ufe00-\ufe0f\u3099\u309a\U0001f3fb-\U0001f3ff]"
)


def split(text: str, mode: Split = "1", language: str = "en") -> list[str]:
    """Cut *text* into sentences, each with the white space that follows it; joined they are *text*.

    >>> split("Dr. No came. He left.")
    ['Dr. No came. ', 'He left.']
    """
    ends = borders(text, mode, language)
    return [text[start:end] for start, end in pairwise([0, *ends])]


def borders(text: str, mode: Split = "1", language: str = "en") -> list[int]:
    """Return the offsets at which the sentences of *text* end, rising, the last one its length; none for ``""``."""
    if not text:
        return []
    base, ends = language.partition("-")[0], list[int]()
    for stop in _STOP.finditer(text) if mode != "0" else ():
        start, end = ends[-1] if ends else 0, _after(_BLANKS, text, stop.end())
        if end < len(text) and _ends_sentence(text, start, stop, end, base):
            ends.append(end)
    if mode == "1" and (newlines := [line.end() for line in _NEWLINE.finditer(text) if line.start()]):
        ends = sorted({*ends, *newlines})
    if not ends or ends[-1] < len(text):
        ends.append(len(text))
    return ends if len(text) <= LONGEST else list(_shortened(text, ends))


def _ends_sentence(text: str, start: int, stop: re.Match[str], end: int, language: str) -> bool:
    """Tell whether the sentence that began at *start* ends with the mark *stop*; what follows begins at *end*."""
    mark = stop["mark"]
    if mark[-1] in _FULL_WIDTH:  # a quotation that goes on without a space belongs to its frame
        return not stop["quote"] or end > stop.end()
    if end == stop.end() or (mark in _GREEK_QUESTION and language != "el"):
        return False
    first = _after(_OPENERS, text, end)
    if text[first : first + 1].islower() and mark not in _GREEK_QUESTION:
        return False
    if mark != ".":
        return True
    # Tell a full stop from the point of an abbreviation, an initial, an ordinal or a list number.
    at = stop.start()
    word = _WORD_BREAK.split(text[max(start, at - 24) : at])[-1]
    if word.isdecimal():
        ordinal = language in ORDINALS and len(word) < 4
        return not ordinal and at - start > len(word)
    if len(word) == 1 and word.isalpha():
        return language == "en" and word == "I"
    if _DOTTED.fullmatch(word) or (len(word) <= 6 and _NUMBER.match(text, first)):
        return False
    return word.lower() not in ABBREVIATIONS.get(language, ())


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _shortened(text: str, ends: list[int]) -> Iterator[int]:
    """Yield *ends*, and in longer sentences than allowed the best place to cut in the second half of the longest."""
    start = 0
    for end in ends:
        while end - start > LONGEST:
            low, high = start + LONGEST // 2, start + LONGEST
            places = ([match.end() for match in weak.finditer(text, low, high)] for weak in _WEAK)
            if best := next(filter(None, places), None):
                high = best[-1]
            else:
                while high > low and _ATTACHED.match(text, high):
                    high -= 1
            yield high
            start = high
        yield end
        start = end
