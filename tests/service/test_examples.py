"""Small functions of the service, each by an example or two."""

from datetime import UTC, datetime

from svc_nb.service import detector, glossaries, improvement, keys
from svc_nb.service.catalogue import languages
from svc_nb.service.database import stamp
from svc_nb.service.documents import cipher, worker
from svc_nb.service.faults import Fault
from svc_nb.service.formats import Wish
from svc_nb.service.memories import jobs, tmx
from svc_nb.service.operations import Operation
from svc_nb.service.resources import spoken_terms
from svc_nb.service.translation import style, terms


def test_codes_are_written_as_the_service_and_as_documents_write_them():
    assert languages.normalise(" EN_us ") == "en-us"
    tags = [Wish(code).language_tag for code in ("PT-BR", "zh-hant", "ES-419", "en_us")]
    assert tags == ["pt-BR", "zh-Hant", "es-419", "en-US"]
    assert (jobs.source_of("en-US"), jobs.source_of("pt")) == ("en", None)


def test_moments_keys_and_operations_are_told_in_a_form_of_their_own():
    assert stamp(datetime(2026, 11, 15, 0, 12, 20, 483000, UTC)) == "2026-11-15T00:12:20.483Z"
    assert keys.mask("0123456789abcdef") == "0123********cdef"
    assert Operation("POST", "/v2/translate", do=print, scope=None).name == "POST /v2/translate"
    fault = Fault.parse("capacity limit=4 status=529 operation='POST /v2/translate'")
    assert fault == Fault("capacity", limit=4, status=529, operation="POST /v2/translate")


def test_sizes_are_counted_before_the_work():
    assert (cipher.decrypted_size(24 + 16), cipher.decrypted_size(24 + 3 + 16)) == (0, 3)
    assert list(worker.batches([3000, 900, 900, 9000, 10])) == [(0, 3), (3, 4), (4, 5)]
    rows, numbers = detector.features([["ab"], []])
    assert (len(rows), set(numbers.tolist())) == (9, {0})


def test_terms_are_read_in_their_order():
    pair = {"source_lang": "de", "target_lang": "en"}
    assert glossaries.parse("Haus\thouse\n", entries_format="tsv", **pair) == {"Haus": "house"}
    assert spoken_terms.parse("Kubernetes\nBrötchen\n") == ("Kubernetes", "Brötchen")
    assert terms.upper("istanbul", "tr") == "İSTANBUL"


def test_a_unit_of_a_memory_is_written_as_tmx():
    text = tmx.Text("de", "Ja & Nein", times=("2026-11-15T00:12:20.483Z", None, None))
    variant = '<tuv xml:lang="de" creationdate="20261115T001220Z"><seg>Ja &amp; Nein</seg></tuv>'
    assert tmx.written(tmx.Unit("de", [text])) == f"<tu>\n{variant}\n</tu>\n"


def test_what_is_wrong_beyond_doubt_is_put_right():
    tidied = improvement.tidy("the the shoes  are nice , really. it is true.", "en")
    assert tidied == "The shoes are nice, really. It is true."
    spelled = improvement.spelled("I recieve teh parcel from Recieve Ltd.", "en")
    assert spelled == "I receive the parcel from Recieve Ltd."


def test_a_style_rule_that_is_not_applied_is_told():
    rules = {"punctuation": {"ellipsis": "use_ellipsis_character"}, "style_and_tone": {"tone": "x"}}
    assert style.unapplied(rules, "en") == [("style_and_tone", "tone")]
