import pytest

RULES = {"dates_and_times": {"calendar_era": "use_bc_and_ad"}}


def create(raw, name="house style", language="en", **rest):
    answer = raw("POST", "/v3/style_rules", json={"name": name, "language": language, **rest})
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_a_list_is_made_shown_and_deleted(raw):
    made = create(raw, configured_rules=RULES, custom_instructions=[{"label": "Tone", "prompt": "Be kind."}])
    assert made["version"] == 1
    assert made["configured_rules"] == RULES
    assert made["custom_instructions"][0]["source_language"] == "en"
    path = f"/v3/style_rules/{made['style_id']}"
    assert raw("GET", path).json() == made
    answer = raw("DELETE", path)
    assert (answer.status_code, answer.content) == (204, b"")
    assert raw("GET", path).status_code == 404


def test_a_listing_has_details_only_when_asked(raw):
    made = create(raw, configured_rules=RULES)
    assert "configured_rules" not in raw("GET", "/v3/style_rules").json()["style_rules"][0]
    detailed = raw("GET", "/v3/style_rules?detailed=true").json()["style_rules"]
    assert detailed == [made]


def test_pages_hold_ten_and_end_with_an_empty_one(raw):
    names = [create(raw, name=f"list {number}")["name"] for number in range(23)]
    pages = [raw("GET", f"/v3/style_rules?page={page}").json()["style_rules"] for page in range(4)]
    assert [len(page) for page in pages] == [10, 10, 3, 0]
    assert [each["name"] for page in pages for each in page] == names


def test_every_change_raises_the_version_by_one(raw):
    made = create(raw)
    path = f"/v3/style_rules/{made['style_id']}"
    assert raw("PATCH", path, json={"name": "renamed"}).json()["version"] == 2
    assert raw("PUT", path + "/configured_rules", json=RULES).json()["version"] == 3
    instruction = raw("POST", path + "/custom_instructions", json={"label": "a", "prompt": "b"}).json()
    one = f"{path}/custom_instructions/{instruction['id']}"
    assert raw("GET", one).json() == instruction
    changed = raw("PUT", one, json={"label": "a", "prompt": "c", "source_language": "DE"}).json()
    assert (changed["prompt"], changed["source_language"]) == ("c", "de")
    assert raw("DELETE", one).status_code == 204
    assert raw("GET", one).status_code == 404
    shown = raw("GET", path).json()
    assert (shown["version"], shown["name"], shown["configured_rules"]) == (6, "renamed", RULES)


def test_renaming_keeps_rules_and_instructions(raw):
    made = create(raw, configured_rules=RULES, custom_instructions=[{"label": "a", "prompt": "b"}])
    changed = raw("PATCH", f"/v3/style_rules/{made['style_id']}", json={"name": "new"}).json()
    assert changed["configured_rules"] == RULES
    assert changed["custom_instructions"] == made["custom_instructions"]


@pytest.mark.parametrize(
    "body",
    [
        {"language": "en"},
        {"name": "n"},
        {"name": "", "language": "en"},
        {"name": "n", "language": "pl"},
        {"name": "n", "language": "en", "configured_rules": {"dates_and_times": {"nothing": "use"}}},
        {"name": "n", "language": "en", "configured_rules": {"nothing": {"a": "b"}}},
        {"name": "n", "language": "en", "configured_rules": {"dates_and_times": {"calendar_era": "use_x"}}},
        {"name": "n", "language": "en", "custom_instructions": [{"label": "a"}]},
        {"name": "n", "language": "en", "custom_instructions": [{"label": "", "prompt": "b"}]},
    ],
)
def test_a_list_that_breaks_a_rule_is_refused_and_not_kept(raw, body):
    assert raw("POST", "/v3/style_rules", json=body).status_code == 400
    assert raw("GET", "/v3/style_rules").json() == {"style_rules": []}


def test_bare_rules_with_an_unknown_category_are_refused(raw):
    path = f"/v3/style_rules/{create(raw)['style_id']}"
    assert raw("PUT", path + "/configured_rules", json={"configured_rules": RULES}).status_code == 400
    assert raw("GET", path).json()["version"] == 1


def test_a_style_serves_its_own_language_only(raw):
    style_id = create(raw)["style_id"]
    body = {"text": ["Guten Morgen"], "source_lang": "DE", "style_id": style_id}
    assert raw("POST", "/v2/translate", json={**body, "target_lang": "EN-GB"}).status_code == 200
    answer = raw("POST", "/v2/translate", json={**body, "target_lang": "FR"})
    assert answer.status_code == 400
    assert "does not match" in answer.json()["message"]
    unknown = {**body, "target_lang": "EN", "style_id": "none"}
    assert raw("POST", "/v2/translate", json=unknown).status_code == 404
