"""Letters of scripts with and without spaces between words, as the insides of patterns."""

from __future__ import annotations

from svc_nb.engine.skip_rules import UNSPACED

# Scripts whose words may stand against a name, an address or a placeholder without a space.
WIDE = UNSPACED
WORD = rf"[^\W{WIDE}]"
LETTER = rf"[^\W\d_{WIDE}]"

_WIDE_MARKS = (
    r"\u0e2f\u0e4f\u0e5a\u0e5b\u0f00-\u0fff\u104a-\u104f\u17d4-\u17da\u2ff0-\u3004\u3008-\u3020\u3030\u303d-\u303f"
    r"\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\uffe0-\uffef"
)
# What words are made of in scripts without spaces; not their punctuation, which ends what stands before it.
WIDE_LETTER = rf"(?:(?![{_WIDE_MARKS}])[{WIDE}])"
# Chinese and Japanese only. Korean has spaces, and its particles stand against the word before them.
HAN_OR_KANA = r"[\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
