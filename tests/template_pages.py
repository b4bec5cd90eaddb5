"""Pages of many template languages, made of tags that are known, so that a test can count them afterwards."""

from __future__ import annotations

import re
from typing import NamedTuple


class Language(NamedTuple):
    """A tag for a text, one that opens a block and one that closes it, and a comment."""

    value: str
    open: str
    close: str
    comment: str


LANGUAGES = {
    "jinja": Language("{{ user.name|default('a > b') }}", '{%- if a > b and c == "d" -%}', "{%- endif -%}", "{# no #}"),
    "django": Language(
        '{% url "home" pk=1 %}', "{% for x in y %}", "{% endfor %}", "{% comment %}<p>no</p>{% endcomment %}"
    ),
    "twig": Language("{{ 'now'|date(\"d.m\") }}", "{% if users|length > 0 %}", "{% endif %}", "{# it's <b> no #}"),
    "liquid": Language(
        '{{ page.title | escape | append: "x" }}',
        "{%- unless a contains 'b' -%}",
        "{%- endunless -%}",
        "{% assign a = 1 %}",
    ),
    "handlebars": Language("{{{ user.name }}}", '{{#if (eq a "b")}}', "{{/if}}", "{{!-- no }} <b> --}}"),
    "mustache": Language("{{name}}", "{{#people}}", "{{/people}}", "{{! no }}"),
    "go": Language('{{ .Name | printf "%q" }}', "{{- range $i, $e := .Items -}}", "{{- end -}}", "{{/* no */}}"),
    "vue": Language("{{ count > 1 ? 'many' : 'one' }}", "{{ open }}", "{{ close }}", "{{ /* no */ }}"),
    "erb": Language('<%= link_to "Home", root > 1 %>', "<% if @a > 1 %>", "<% end %>", "<%# no %>"),
    "ejs": Language("<%- include('a', {b: '>'}) %>", "<% for (var i=0; i<n; i++) { %>", "<% } %>", "<%# no %>"),
    "php": Language(
        "<?= htmlspecialchars($a->b) ?>", "<?php if ($a > 1 && $b->c): ?>", "<?php endif; ?>", "<?php /* <b> */ ?>"
    ),
    "jsp": Language("${fn:escapeXml(a.b > 1)}", "<% if (a < b) { %>", "<% } %>", "<%-- no <b> --%>"),
    "blade": Language("{!! $user->name !!}", "{{ $open }}", "{{ $close }}", "{{-- no <b> --}}"),
}

LAYOUTS = {
    "joined": '<p>Some words</p>\n<a{open} href="{value}"{close}>Other words</a> <div{value}>Last words</div>\n',
    "sentence": "<p>Dear {value}, some words.</p>\n<p>{open}Some words{close} and some more {value}</p>\n",
    "attribute": '<img alt="Picture of {value}" src="/a/{value}.png"><a href="{value}?a={value}&b=1">Some words</a>\n',
    "quotes": "<a class='x {value}' title='Words of {value}'>Some words</a>\n",
    "between": '<div {open}class="a"{close} id=x {value}>Some words</div>\n<input {open}checked{close}>\n',
    "script": "<style>a {{ b: {value} }}</style>\n<script>\nvar a = {value};{open}if (a<b) go();{close}\n</script>\n",
    "rows": "<table>\n{open}\n<tr>{comment}<td>Some words {value}</td></tr>\n{close}\n</table>\n",
    "head": '{comment}\n{open}\n<!DOCTYPE html>\n{close}<html lang="{value}"><title>{value} words</title></html>\n',
    "unbalanced": '{open}<a href="a">{close}{open}<a href="b">{close}Some words</a>\n{open}<ul>{close}<li>One word\n',
    "name": "<{value} class='x'>Some words</{value}>\n<select>{open}<option {value}>Word</option>{close}</select>\n",
}

EVERY = [(language, layout) for language in LANGUAGES for layout in LAYOUTS]


def page(language: str, layout: str) -> str:
    """A page of one layout in one language."""
    done = LAYOUTS[layout].replace("{{", "\0").replace("}}", "\1")
    for name, tag in LANGUAGES[language]._asdict().items():
        done = done.replace(f"{{{name}}}", tag)
    return done.replace("\0", "{").replace("\1", "}")


def tags(language: str, text: str) -> list[str]:
    """The tags of a language in a text, in their order."""
    return re.findall("|".join(map(re.escape, LANGUAGES[language])), text)
