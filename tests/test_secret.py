import copy
import json
import pickle

import pytest

from svc_nb.secret import Secret

KEY = "11111111-aaaa-2222:fx"


def test_a_secret_shows_stars_in_every_form():
    secret = Secret(KEY)
    forms = [
        str(secret),
        repr(secret),
        f"{secret}",
        f"{secret!r}",
        f"{secret:>8}",
        "{}".format(secret),  # noqa: UP032
        str([secret]),
    ]
    assert not any(KEY in form for form in forms)
    assert str(secret) == "****"


def test_only_reveal_gives_the_secret_away():
    secret = Secret(KEY)
    assert secret.reveal() == KEY
    assert not hasattr(secret, "__dict__")


def test_a_secret_is_never_pickled():
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps({"key": Secret(KEY)})


def test_a_secret_is_no_json():
    with pytest.raises(TypeError):
        json.dumps({"key": Secret(KEY)})
    assert KEY not in json.dumps({"key": Secret(KEY)}, default=str)


def test_a_copy_is_the_secret_itself():
    secret = Secret(KEY)
    assert copy.copy(secret) is secret
    assert copy.deepcopy({"key": secret})["key"] is secret


def test_secrets_are_equal_when_their_strings_are():
    assert Secret(KEY) == Secret(KEY)
    assert hash(Secret(KEY)) == hash(Secret(KEY))
    assert Secret(KEY) != Secret("other")
    assert Secret(KEY) != KEY
    assert Secret("ä\ud800") == Secret("ä\ud800")


def test_hide_takes_every_copy_out_of_a_text():
    text = f"Key {KEY}, {KEY.upper()} and 11111111-aaaa-2222%3Afx."
    assert Secret(KEY).hide(text) == "Key ****, **** and ****."
    assert Secret("").hide(text) == text
