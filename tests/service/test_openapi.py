"""What the service says of itself is all there is, and all that was promised."""

import re

CONTRACT = """
POST /v2/translate
POST /v2/write/rephrase
POST /v2/write/correct
POST /v2/document
POST /v2/document/{document_id}
POST /v2/document/{document_id}/result
POST /v3/detect/language
GET /v3/style_rules
POST /v3/style_rules
GET /v3/style_rules/{style_id}
PATCH /v3/style_rules/{style_id}
DELETE /v3/style_rules/{style_id}
PUT /v3/style_rules/{style_id}/configured_rules
POST /v3/style_rules/{style_id}/custom_instructions
GET /v3/style_rules/{style_id}/custom_instructions/{instruction_id}
PUT /v3/style_rules/{style_id}/custom_instructions/{instruction_id}
DELETE /v3/style_rules/{style_id}/custom_instructions/{instruction_id}
POST /v2/glossaries
GET /v2/glossaries
GET /v2/glossaries/{glossary_id}
DELETE /v2/glossaries/{glossary_id}
GET /v2/glossaries/{glossary_id}/entries
GET /v2/glossary-language-pairs
POST /v3/glossaries
GET /v3/glossaries
GET /v3/glossaries/{glossary_id}
PATCH /v3/glossaries/{glossary_id}
DELETE /v3/glossaries/{glossary_id}
PUT /v3/glossaries/{glossary_id}/dictionaries
DELETE /v3/glossaries/{glossary_id}/dictionaries
GET /v3/glossaries/{glossary_id}/entries
POST /v3/translation_memories/import
PUT /v3/translation_memories/jobs/{job_id}/file
GET /v3/translation_memories/jobs/{job_id}/file
GET /v3/translation_memories
GET /v3/translation_memories/{translation_memory_id}
DELETE /v3/translation_memories/{translation_memory_id}
GET /v3/translation_memories/{translation_memory_id}/segments
POST /v3/translation_memories/{translation_memory_id}/export
GET /v3/translation_memories/jobs/{job_id}
POST /v3/spoken-terms
GET /v3/spoken-terms
GET /v3/spoken-terms/{spoken_terms_id}
PATCH /v3/spoken-terms/{spoken_terms_id}
DELETE /v3/spoken-terms/{spoken_terms_id}
GET /v3/spoken-terms/{spoken_terms_id}/entries
PUT /v3/spoken-terms/{spoken_terms_id}/term-lists
DELETE /v3/spoken-terms/{spoken_terms_id}/term-lists
POST /v3/voice/realtime
GET /v3/voice/realtime
GET /v3/voice/realtime/connect
GET /v2/usage
GET /v2/languages
GET /v3/languages
GET /v3/languages/resources
GET /v2/admin/analytics
GET /v2/admin/analytics/custom-tags
GET /v2/admin/developer-keys
POST /v2/admin/developer-keys
PUT /v2/admin/developer-keys/limits
PUT /v2/admin/developer-keys/label
PUT /v2/admin/developer-keys/deactivate
"""


def test_the_description_has_every_operation_of_the_contract_and_no_other(raw):
    paths = raw("GET", "/openapi.json").json()["paths"]
    described = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    assert described == set(CONTRACT.split("\n")) - {""}


def test_every_operation_is_summed_up_and_names_its_parameters(raw):
    paths = raw("GET", "/openapi.json").json()["paths"]
    for path, methods in paths.items():
        for operation in methods.values():
            named = {each["name"] for each in operation["parameters"] if each["in"] == "path"}
            assert operation["summary"].endswith((".", ")."))
            assert named == set(re.findall(r"{(\w+)}", path))


def test_limits_are_part_of_the_description(raw):
    schemas = raw("GET", "/openapi.json").json()["components"]["schemas"]
    assert schemas["TranslateBody"]["properties"]["text"]["maxItems"] == 50
    assert schemas["TranslateBody"]["properties"]["glossary_ids"]["maxItems"] == 5
    assert schemas["ListBody"]["properties"]["custom_instructions"]["maxItems"] == 200
