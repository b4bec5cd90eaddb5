from svc_nb.wire.models import Usage


def test_usage_counts_every_character_by_product(client):
    before = client.account.usage()
    assert isinstance(before, Usage)
    assert before.character_count == 0
    assert before.start_time < before.end_time
    client.text.correct(["Guten Tag."])
    after = client.account.usage()
    assert after.character_count == after.api_key_character_count == 10
    by_product = {each.product_type: each.account_unit_count for each in after.products}
    assert by_product["write"] == 10
    assert by_product["translate"] == 0
