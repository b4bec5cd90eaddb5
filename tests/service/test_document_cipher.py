"""A sealed file opens with its key, for its purpose, as it was sealed; or it does not open."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.service.documents import cipher

KEY = cipher.new_key()
FULL = cipher.PIECE + 16


def sealed(content, key=KEY, purpose="source 1"):
    return cipher.encrypt_bytes(content, key=key, purpose=purpose)


def opened(content, key=KEY, purpose="source 1"):
    return cipher.decrypt_bytes(content, key=key, purpose=purpose)


@pytest.mark.parametrize("around", [0, 1, 2, 3])
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_what_was_sealed_comes_out_whatever_its_length(around, more):
    content = bytes(max(0, around * cipher.PIECE + more))
    assert opened(sealed(content)) == content
    assert cipher.decrypted_size(len(sealed(content))) == len(content)


@given(st.binary(max_size=200), st.data())
def test_no_byte_can_be_changed_added_or_taken_away(content, data):
    right = sealed(content)
    place = data.draw(st.integers(0, len(right) - 1))
    changed = right[:place] + bytes([right[place] ^ data.draw(st.integers(1, 255))]) + right[place + 1 :]
    for wrong in (changed, right[:place], right + b"x"):
        with pytest.raises(cipher.Damaged):
            opened(wrong)


def test_pieces_keep_their_places():
    right = sealed(bytes(3 * cipher.PIECE))
    head, first, second, third = (
        right[:24],
        right[24 : 24 + FULL],
        right[24 + FULL : 24 + 2 * FULL],
        right[-FULL:],
    )
    for wrong in (head + first + second, head + second + first + third, head + third, head):
        with pytest.raises(cipher.Damaged):
            opened(wrong)


def test_another_key_or_purpose_opens_nothing():
    with pytest.raises(cipher.Damaged):
        opened(sealed(b"x"), key=cipher.new_key())
    with pytest.raises(cipher.Damaged):
        opened(sealed(b"x"), purpose="result 1")


def test_the_same_content_never_looks_the_same():
    assert sealed(b"x" * 100) != sealed(b"x" * 100)


def test_a_piece_is_out_before_the_next_is_read():
    source = io.BytesIO(sealed(bytes(4 * cipher.PIECE)))
    pieces = cipher.decrypt(source, key=KEY, purpose="source 1")
    assert next(pieces) == bytes(cipher.PIECE)
    assert source.tell() <= 24 + 2 * FULL
