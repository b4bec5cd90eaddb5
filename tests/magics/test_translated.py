"""What is shown of a translated text looks like it, and cannot act."""

from __future__ import annotations

import pytest

from svc_nb.magics.cell import as_html, rendered, safe


@pytest.mark.parametrize(
    "attack",
    [
        "<script>f()</script>",
        "<svg/onload=f()>",
        "<math><mtext><table><mglyph><style><img src=x onerror=f()>",
        '<a href="jav&#x09;ascript:f()">x</a>',
        '<a href=" javascript:f()">x</a>',
        '<iframe srcdoc="<script>f()</script>"></iframe>',
        "<style>* { display: none }</style>",
        '<form action="https://x.example"><input name=key></form>',
        '<p style="position: fixed; inset: 0">x</p>',
        '<img src="data:image/svg+xml,<svg onload=f()>">',
        "<noscript><p title='</noscript><img src=x onerror=f()>'>",
        "<div id=site class=jp-Toolbar>x</div>",
        "<base href=https://x.example><meta http-equiv=refresh content=0>",
        "<button formaction=javascript:f()>x</button>",
    ],
)
def test_nothing_that_acts_gets_through(attack):
    for html in (safe(attack), safe(rendered(attack)), safe(rendered(f"text {attack}"))):
        parts = html.replace("&lt;", "").lower()
        for danger in (
            "<script",
            "<svg",
            "<style",
            "<iframe",
            "<form",
            "<input",
            "<meta",
            "<base",
            "<button",
        ):
            assert danger not in parts
        for danger in (" on", "javascript:", "style=", "class=", "data:"):
            assert all(danger not in tag.partition(">")[0] for tag in parts.split("<")[1:])


def test_what_people_write_is_kept():
    html = '<h2>A</h2><p lang="ar" dir="rtl">b <a href="https://example.com" title="t">c</a></p><details>d</details>'
    assert safe(html).replace(' rel="noopener noreferrer"', "") == html


def test_markdown_is_rendered_with_tables_and_formulas():
    made = safe(rendered("| a | b |\n|---|--:|\n| ~~x~~ | $a_1 < b_1$ |\n\n$$\nx < 2\n$$\n"))
    assert '<th align="right">b</th>' in made
    assert "<s>x</s>" in made
    assert "$a_1 &lt; b_1$" in made
    assert "$$x &lt; 2$$" in made.replace("\n", "")


def test_plain_text_is_shown_letter_by_letter():
    assert "&lt;script&gt; $5  &amp;\n *x*" in as_html("<script> $5  &\n *x*", "text", "DE")


def test_a_text_goes_the_way_of_its_language_and_a_program_from_the_left():
    arabic = as_html("Acme: مرحبا\n\n```\nx = 1\n```\n", "markdown", "AR")
    assert arabic.startswith("<div dir='rtl' lang='AR'>")
    assert "<pre dir='ltr'>" in arabic
    assert as_html("Hallo", "markdown", "DE").startswith("<div dir='auto' lang='DE'>")
    assert "<script>" not in as_html("x", "text", "<script>")
