"""Small documents for LibreOffice to make others of: flat OpenDocument files with one bold style, B."""

from __future__ import annotations

_URN = "urn:oasis:names:tc:opendocument:xmlns:"
_SPACES = {
    "office": f"{_URN}office:1.0",
    "text": f"{_URN}text:1.0",
    "style": f"{_URN}style:1.0",
    "table": f"{_URN}table:1.0",
    "draw": f"{_URN}drawing:1.0",
    "fo": f"{_URN}xsl-fo-compatible:1.0",
    "svg": f"{_URN}svg-compatible:1.0",
    "xlink": "http://www.w3.org/1999/xlink",
}
_BOLD = '<style:style style:name="B" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>'


def flat(kind: str, body: str) -> str:
    """Return a document of *kind* (text or spreadsheet)."""
    spaces = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in _SPACES.items())
    media = f"application/vnd.oasis.opendocument.{kind}"
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<office:document {spaces} office:version="1.2" office:mimetype="{media}">'
        f"<office:automatic-styles>{_BOLD}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document>"
    )


def bold(text: str) -> str:
    return f'<text:span text:style-name="B">{text}</text:span>'


def cell(text: str) -> str:
    return f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'


def row(*cells: str) -> str:
    return f"<table:table-row>{''.join(cells)}</table:table-row>"
