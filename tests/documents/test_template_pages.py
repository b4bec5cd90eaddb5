"""Template pages sent as documents: their tags come back as they were, whatever the service's translator does."""

from __future__ import annotations

import pytest

import svc_nb
from tests.template_pages import EVERY, page, tags


@pytest.mark.usefixtures("connected", "unwarned")
def test_no_tag_of_a_template_is_changed_by_the_service(tmp_path):
    sources = {tmp_path / "in" / f"{language}-{layout}.html": (language, layout) for language, layout in EVERY[::8]}
    (tmp_path / "in").mkdir()
    for path, which in sources.items():
        path.write_text(page(*which))
    table = svc_nb.documents.translate(tmp_path / "in", "DE", out=tmp_path / "out", source_lang="EN", progress=False)
    assert len(table) == len(sources)
    for path, (language, layout) in sources.items():
        after = (tmp_path / "out" / path.name).read_text()
        assert tags(language, after) == tags(language, page(language, layout))
        assert "[DE] " in after or layout == "script"
