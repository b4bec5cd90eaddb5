"""Faults of form: placeholders, markup, characters, punctuation, spaces and case."""

from __future__ import annotations

import re

from tests.benchmarks.labelled.kinds import EMAIL, TAG, URL, Case, letters, note, warning

SPACELESS = {"ja", "zh", "th"}
NAMED = r"%\((\w+)\)[sdif]|\{(\w+)\}(?!\})"
UNNAMED = r"%[sd](?!\w)|\{\}"
ICU_ARM = r"(zero|two|few|many|=0) \{[^{}]*\} ?"


@warning
def placeholder_dropped(case: Case) -> str | None:
    found = case.one(rf" ?(?:{NAMED}|{UNNAMED})")
    return case.put(found, "") if found else None


@warning
def placeholder_doubled(case: Case) -> str | None:
    found = case.one(rf"{NAMED}|{UNNAMED}")
    return case.put(found, f"{found[0]} {found[0]}") if found else None


@warning
def placeholder_renamed(case: Case) -> str | None:
    found = case.one(NAMED)
    name = found and (found[1] or found[2])
    if not found or not name or name.isdigit():
        return None
    changed = case.random.choice([name + "s", name[:-1] or "x", name.capitalize()])
    return case.put(found, found[0].replace(name, changed, 1))


@warning
def placeholder_translated(case: Case) -> str | None:
    found, word = case.one(NAMED), case.one(r"[^\W\d_]{4,}", free=True)
    name = found and (found[1] or found[2])
    if not found or not name or not word or name.isdigit() or word[0].lower() == name:
        return None
    return case.put(found, found[0].replace(name, word[0].lower(), 1))


@warning
def placeholder_type_changed(case: Case) -> str | None:
    found = case.one(r"(%\(\w+\)|%\d\$|%)([sd])(?!\w)")
    return case.put(found, found[1] + {"s": "d", "d": "s"}[found[2]]) if found else None


@warning
def positional_used_twice(case: Case) -> str | None:
    found = case.one(r"%2\$[sd]|\{1\}")
    first = re.search(r"%1\$[sd]|\{0\}", case.target)
    return case.put(found, first[0]) if found and first else None


@warning
def unnamed_order_changed(case: Case) -> str | None:
    found = re.findall(r"%[sd](?!\w)", case.target)
    if len(set(found)) < 2 or found != re.findall(r"%[sd](?!\w)", case.source):
        return None
    turned = iter(found[::-1])
    changed = re.sub(r"%[sd](?!\w)", lambda _: next(turned), case.target)
    return changed if found != found[::-1] else None


@warning
def placeholder_unclosed(case: Case) -> str | None:
    found = case.one(r"\{\w+\}(?!\})|%\(\w+\)[sd]")
    if not found:
        return None
    broken = found[0][:-1] if found[0][0] == "{" else case.random.choice([found[0][:-1], found[0][1:], found[0][:-2]])
    return case.put(found, broken)


@warning
def sigil_placeholder_changed(case: Case) -> str | None:
    found = case.one(r"(?<!\w)[:@!%]([a-z]{3,})\b", shared=True)
    if not found or not re.search(r"(?<![\w/])[:@][a-z]{3,}", case.source):
        return None
    return case.put(found, case.random.choice([found[0] + "s", found[0][0] + " " + found[1], found[1]]))


@warning
def icu_arm_lost(case: Case) -> str | None:
    found = case.one(ICU_ARM) or case.one(r" other \{[^{}]*\}") if ", plural," in case.source else None
    return case.put(found, "") if found else None


@warning
def icu_categories_of_english(case: Case) -> str | None:
    if ", plural," not in case.source or not re.search(r"\b(two|few|many) \{", case.target):
        return None
    return re.sub(r"\b(two|few|many) \{[^{}]*\} ?", "", case.target)


@warning
def mask_left(case: Case) -> str | None:
    found = case.one(rf"{NAMED}|{UNNAMED}")
    return case.put(found, case.random.choice(["[[0]]", "[[1]]", "{{0}}", "__0__"])) if found else None


@warning
def tag_dropped(case: Case) -> str | None:
    found = case.one(r"<([a-z]+)\b[^<>]*>([^<>]*)</\1>")
    return case.put(found, found[2]) if found and f"</{found[1]}>" in case.source else None


@warning
def tag_unclosed(case: Case) -> str | None:
    found = case.one(r"</[a-z]+>", shared=True)
    return case.put(found, "") if found else None


@warning
def tag_renamed(case: Case) -> str | None:
    found = case.one(r"<([a-z]+)(\b[^<>]*>[^<>]*</)\1>")
    if not found or f"</{found[1]}>" not in case.source:
        return None
    changed = {"em": "i", "i": "em", "strong": "b", "b": "strong", "a": "link", "code": "tt"}.get(found[1], "span")
    return case.put(found, f"<{changed}{found[2]}{changed}>")


@warning
def attribute_changed(case: Case) -> str | None:
    found = case.one(r"(?<=href=)([\"'])([^\"']+)\1", shared=True)
    return case.put(found, f"{found[1]}{found[2]}{case.random.choice(['s', '/de', '#'])}{found[1]}") if found else None


@warning
def tag_with_spaces(case: Case) -> str | None:
    found = case.one(TAG, shared=True)
    return case.put(found, f"< {found[1]} {found[2]}{found[3]} >") if found else None


@warning
def entity_broken(case: Case) -> str | None:
    found = case.one(r"&(#?\w+);", shared=True)
    return (
        case.put(found, case.random.choice([f"&{found[1]}", f"& {found[1]};", f"&amp;{found[1]};"])) if found else None
    )


@warning
def entity_added(case: Case) -> str | None:
    found = case.one(r"[&'\"](?!#?\w+;)|(?<=\w)[’](?=\w)", free=True)
    if not found or re.search(r"&#?\w+;", case.source):
        return None
    return case.put(found, {"&": "&amp;", "'": "&#39;", '"': "&quot;", "’": "&rsquo;"}[found[0]])


@warning
def url_changed(case: Case) -> str | None:
    found = case.one(URL, shared=True)
    if not found:
        return None
    address = found[0]
    changes = [address[:-2], address + "s", address.replace("://", "://www.", 1), address.replace(".", "-", 1)]
    return case.put(found, case.random.choice(changes))


@warning
def url_lower_cased(case: Case) -> str | None:
    found = case.one(URL, shared=True)
    return case.put(found, found[0].lower()) if found and found[0].lower() != found[0] else None


@warning
def url_dropped(case: Case) -> str | None:
    found = case.one(URL, shared=True)
    return case.put(found, "") if found else None


@warning
def email_changed(case: Case) -> str | None:
    found = case.one(EMAIL, shared=True)
    if not found:
        return None
    return case.put(found, case.random.choice([found[0].replace("@", " at "), found[0][1:], found[0][:-1]]))


@warning
def letters_lost_to_question_marks(case: Case) -> str | None:
    if case.lang in SPACELESS or "?" in case.source:
        return None
    changed = re.sub(r"[^\W\d_]", lambda one: one[0] if one[0].isascii() else "?", case.target)
    return changed if changed.count("?") > 1 else None


@warning
def mojibake(case: Case) -> str | None:
    changed = case.target.encode().decode("cp1252" if case.random.random() < 0.5 else "latin-1", "replace")
    return changed if sum(not one.isascii() and one.isalpha() for one in case.target) > 1 else None


@warning
def replacement_character(case: Case) -> str | None:
    found = case.one(r"(?<=[^\W\d_])[^\W\d_]", free=True)
    return case.put(found, "\ufffd") if found else None


@warning
def control_character(case: Case) -> str | None:
    found = case.one(r"(?<=[^\W\d_])(?=[^\W\d_])", free=True)
    return case.put(found, case.random.choice("\x00\x08\x0b\x1b\x7f\x85")) if found else None


@warning
def zero_width_character(case: Case) -> str | None:
    found = case.one(r"(?<=[^\W\d_])(?=[^\W\d_])", free=True)
    return case.put(found, case.random.choice("\u200b\ufeff\u2060")) if found and case.lang != "th" else None


@warning
def bidi_override(case: Case) -> str | None:
    found = case.one(r"[^\W\d_]{3,}", free=True)
    return case.put(found, case.random.choice("\u202e\u202d\u2067") + found[0]) if found else None


@warning
def bracket_lost(case: Case) -> str | None:
    found = case.one(r"[()\[\]（）]", free=True)
    return case.put(found, "") if found and re.search(r"[(\[]", re.sub(r"%\(", "", case.source)) else None


@warning
def quote_lost(case: Case) -> str | None:
    found = case.one(r"[\"“”«»„「」]", free=True)
    return case.put(found, "") if found and re.search(r"[\"“”]", case.source) else None


@warning
def quote_added(case: Case) -> str | None:
    word = case.one(r"[^\W\d_]{4,}", free=True)
    if not word or re.search(r"[\"“”«»„「」']", case.source + case.target):
        return None
    return case.put(word, case.random.choice(['"{}', '{}"', "“{}"]).format(word[0]))


@warning
def end_mark_lost(case: Case) -> str | None:
    if letters(case.source) < 12 or case.source[-1:] not in ".?!:" or case.target[-1:] not in ".?!:。？！：؟।":
        return None
    return case.target[:-1].rstrip()


@warning
def end_mark_changed(case: Case) -> str | None:
    if letters(case.source) < 12 or case.source[-1:] not in ".?!" or case.target[-1:] not in ".?!。？！؟।":
        return None
    wide = case.target[-1] in "。？！"
    other = {".": "?!", "?": ".!", "!": ".?"}[case.source[-1]]
    mark = case.random.choice(other)
    return case.target[:-1].rstrip() + (mark.translate(str.maketrans(".?!", "。？！")) if wide else mark)


@warning
def newline_lost(case: Case) -> str | None:
    found = case.one(r"(?<=\S) *\n\s*\n\s*(?=\S)|(?<=[.:!?>}\]。]) *\n\s*(?=\S)")  # not where a line is wrapped
    same = case.source.strip().count("\n") == case.target.strip().count("\n")
    return case.put(found, " ") if found and same else None


@warning
def edge_space_lost(case: Case) -> str | None:
    ends = [
        text != text.strip() and (text[0] in " \n") + 2 * (text[-1] in " \n") for text in (case.source, case.target)
    ]
    return case.target.strip() if ends[0] and ends[0] == ends[1] else None


@note
def edge_space_added(case: Case) -> str | None:
    if case.source != case.source.strip() or case.target != case.target.strip():
        return None
    return case.random.choice([" {}", "{} ", "{}\n"]).replace("{}", case.target)


@note
def double_space(case: Case) -> str | None:
    found = case.one(r"(?<=\w) (?=\w)", free=True)
    return case.put(found, "  ") if found and "  " not in case.source else None


@note
def space_before_comma(case: Case) -> str | None:
    found = case.one(r"(?<=\w)[,.](?= |$)", free=True)
    return case.put(found, " " + found[0]) if found and found[0] in case.source else None


@note
def punctuation_of_the_language(case: Case) -> str | None:
    marks = {"fr": r"(?<=\w)[ \u00a0\u202f][?!:;]", "es": "[¿¡]", "ja": "[。、]", "zh": "[。，]", "el": ";$", "hi": "।"}
    found = case.one(marks.get(case.lang, r"(?!)"), free=True)
    wide = str.maketrans("。、，¿¡;।", ".,,\0\0?.")
    return case.put(found, found[0].strip().translate(wide if case.lang != "fr" else {}).strip("\0")) if found else None


@warning
def doubled_word(case: Case) -> str | None:
    word = case.one(r"(?<![^\W_])[^\W\d_]{3,}(?![^\W_])", free=True)
    return case.put(word, f"{word[0]} {word[0]}") if word and case.lang not in SPACELESS else None


@warning
def word_repeated_in_a_loop(case: Case) -> str | None:
    word = case.one(r"(?<![^\W_])[^\W\d_]{3,}(?![^\W_])", free=True)
    glue = "" if case.lang in SPACELESS else " "
    return case.put(word, glue.join([word[0][:6] if not glue else word[0]] * 6)) if word else None


@warning
def phrase_repeated_in_a_loop(case: Case) -> str | None:
    words = case.target.split(" ")
    if len(words) < 6 or "\n" in case.target:
        return None
    return " ".join(words[:-3] + words[-3:] * 5)


@warning
def repeated_character(case: Case) -> str | None:
    letter = case.one(r"(?<=[^\W\d_])[^\W\d_](?=[^\W\d_])", free=True)
    return case.put(letter, letter[0] * case.random.randint(6, 12)) if letter else None


@note
def first_letter_case(case: Case) -> str | None:
    first = case.target[:1]
    if case.source[:1].isupper() != first.isupper() or first.swapcase() == first or not case.source[:1].isalpha():
        return None
    return first.swapcase() + case.target[1:] if letters(case.target) > 8 and not case.target[1:2].isupper() else None


@warning
def capitals_lost(case: Case) -> str | None:
    loud = case.source.isupper() and case.target.isupper() and letters(case.source) > 12
    return case.target.capitalize() if loud else None


@warning
def capitals_added(case: Case) -> str | None:
    cased = sum(one.lower() != one.upper() for one in case.target)
    if letters(case.source) < 15 or case.one(r"[%<{&]") or cased < 0.9 * letters(case.target) or case.target.isupper():
        return None
    return case.target.upper()


@warning
def accelerator_lost(case: Case) -> str | None:
    found = case.one(r"(?<!&)&(?=[^\W_])(?!\w+;)|(?<!\w)_(?=[^\W_])|(?<=Έ)_")
    known = re.match(r"(Save && )?&[A-Z]|_[A-Z]", case.source)
    return case.put(found, "") if found and known else None


@warning
def accelerator_doubled(case: Case) -> str | None:
    known = re.match(r"(Save && )?(&)[A-Z]|(_)[A-Z]", case.source)
    letter = case.one(r"(?<=[^\W_]{2})[^\W_](?=[^\W_])") if known else None
    return case.put(letter, (known[2] or known[3]) + letter[0]) if known and letter else None
