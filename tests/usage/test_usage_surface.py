"""svc_nb.usage, as a person uses it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

import svc_nb
from svc_nb import errors
from svc_nb.secret import Secret
from svc_nb.session import Session
from svc_nb.settings import Settings
from svc_nb.usage import report
from tests import served
from tests.sessions import current

running = served.fresh


@pytest.fixture
def used(running, connected):
    """Use of today and of the two days before, and of long ago."""
    now = datetime.now(UTC)
    shop = running.create_key("shop")
    for days, units in ((0, 5), (1, 7), (2, 11), (500, 13)):
        running.record_usage(shop, "text_translation", units, moment=now - timedelta(days=days), tag="spring")
    return now.date()


def test_the_last_thirty_days_are_asked_for_by_default(used):
    found = svc_nb.usage()
    assert (found.start, found.end) == (used - timedelta(days=29), used)
    assert found.group_by == "key_and_day"
    assert found["total_characters"].tolist() == [11, 7, 5]
    assert found["incomplete"].tolist() == [False, False, True]
    assert 'Next: .svc.plot("by_day")' in repr(found)
    assert "1 key used 23 characters" in found._repr_html_()


def test_presets_and_long_ranges_are_ranges_too(used):
    assert svc_nb.usage("7 days", group_by="key")["total_characters"].tolist() == [23]
    years = svc_nb.usage(used - timedelta(days=900), group_by=None)
    assert years["total_characters"].tolist() == [36]
    assert svc_nb.usage(used - timedelta(days=900), group_by="key")["total_characters"].tolist() == [36]
    assert svc_nb.usage(used - timedelta(days=900), group_by="tag")["custom_tag"].tolist() == ["spring"]
    assert len(svc_nb.usage("7 days", fill=True)) == 7
    assert len(svc_nb.usage("14 days", fill=True)) == 14
    assert len(svc_nb.ledger("14 days")) == len(svc_nb.ledger())


def test_the_function_keeps_its_name_when_the_files_of_its_room_are_loaded():
    assert report.usage is not svc_nb.usage
    for function in (svc_nb.ledger, svc_nb.reconcile, svc_nb.usage):
        assert function.__module__ == "svc_nb.usage"
        assert function.__doc__


def test_a_key_that_is_no_administrator_gets_one_clear_line(running, used):
    own = Secret(running.api_key)
    for admin_key, kind in ((None, errors.SettingsError), (own, errors.Forbidden)):
        settings = Settings(base_url=running.base_url, api_key=own, admin_key=admin_key)
        with (
            current(Session(settings)),
            pytest.raises(kind, match="set admin_key= or SVC_ADMIN_KEY") as found,
        ):
            svc_nb.usage()
        assert "\n" not in str(found.value)
