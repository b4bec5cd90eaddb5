"""What keys are called where their ids are known and their masks are not."""

from __future__ import annotations

import pandas as pd

from svc_nb.usage.display_names import called_by_id, masks_of


def test_an_id_stands_only_where_a_label_does_not_say_which_key_is_meant():
    names = called_by_id(["11111111:a", "22222222:b", "33333333:c", "44444444:d"], ["Test", "Shop", "Test", ""])
    assert names == ["Test (id 11111111)", "Shop", "Test (id 33333333)", "(no label) (id 44444444)"]


def test_ids_that_begin_alike_are_told_apart_by_their_ends():
    assert called_by_id(["account0:key-0001", "account0:key-0002"], ["Test", "Test"]) == [
        "Test (id …key-0001)",
        "Test (id …key-0002)",
    ]
    assert called_by_id(["account0-1-key-0001", "account0-2-key-0001"], ["Test", "Test"]) == [
        "Test (id account0-1-key-0001)",
        "Test (id account0-2-key-0001)",
    ]


def test_a_mask_is_taken_where_one_key_alone_can_be_meant():
    used = pd.DataFrame({"api_key": ["m1", "m2", "m3", "m1"], "api_key_label": ["", "Test", "Test", ""]})
    masks = masks_of(used)
    assert masks == {"": "m1"}
    ids = ["11111111:a", "22222222:b"]
    assert called_by_id(ids, ["", "Test"], masks=masks) == ["(no label) (m1)", "Test"]
    assert called_by_id(ids, ["", ""], masks=masks) == [
        "(no label) (id 11111111)",
        "(no label) (id 22222222)",
    ]
