import pytest

from svc_nb import errors


def test_source_and_target_languages_are_listed(client):
    sources = {each.language.lower(): each for each in client.languages.source()}
    targets = {each.language.lower(): each for each in client.languages.target()}
    assert {"de", "en", "ja"} <= set(sources)
    assert {"de", "en-us", "pt-br"} <= set(targets)
    assert sources["de"].supports_formality is None
    assert targets["de"].supports_formality is False, "nothing in the embedded service does it"
    assert sources["de"].name == "German"


def test_the_languages_of_a_resource_come_with_their_features(client):
    found = {each.lang.lower(): each for each in client.languages.support("translate_text")}
    assert found["de"].usable_as_source
    assert found["de"].usable_as_target
    assert not found["en-us"].usable_as_source
    assert {"glossary", "style_rules"} <= set(found["de"].features)
    assert "formality" not in found["de"].features
    assert len(client.languages.support("translate_text", include=["beta", "external"])) >= len(found)
    assert {each.lang for each in client.languages.support("glossary")} >= {"de", "th"}


def test_resources_name_their_features(client):
    found = {each.name: {feature.name: feature for feature in each.features} for each in client.languages.resources()}
    assert {"translate_text", "glossary", "write", "style_rules"} <= set(found)
    assert found["translate_text"]["formality"].needs_target_support
    assert not found["translate_text"]["formality"].needs_source_support


def test_an_unknown_resource_is_a_bad_request(client):
    with pytest.raises(errors.BadRequest):
        client.languages.support("poetry")
