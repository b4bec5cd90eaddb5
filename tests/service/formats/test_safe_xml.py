"""XML from strangers: read within bounds, or refused with a clear line."""

import socket

import pytest
from lxml import etree

from svc_nb.service.formats import Unreadable, safe_xml

LAUGHS = (
    b'<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">'
    + b"".join(b'<!ENTITY a%d "%s">' % (at, (b"&a%d;" % (at - 1) if at else b"&a;") * 10) for at in range(12))
    + b']><a t="&a11;">&a11;</a>'
)


def test_a_document_comes_back_as_it_was():
    data = b"<?xml version='1.0' encoding='UTF-8' standalone='yes'?>\n<a x='1'><!--c--><![CDATA[<b>]]>t<?p i?></a>"
    root = safe_xml.parse(data)
    assert safe_xml.serialised(root) == data.replace(b"x='1'", b'x="1"')
    assert root.text == "<b>t" or root.text is None


def test_a_document_type_is_not_for_packages():
    with pytest.raises(Unreadable, match="document type"):
        safe_xml.parse(b"<!DOCTYPE a><a/>")


def test_where_a_document_type_ends_is_told():
    head = '<?xml version="1.0"?>\n<!-- <!DOCTYPE no> --><!DOCTYPE a SYSTEM "x" [<!ENTITY n "]>"> <!-- ]> -->] >'
    for text in (f"{head}\n<a t='&n;'>&n; &unknown;</a>", f"{head}<a/>"):
        assert safe_xml.check(text.encode()) == len(head)
    assert safe_xml.check(b"<a/>") == 0
    assert safe_xml.check("<?xml version='1.0'?><!DOCTYPE a [<!ENTITY n ']>'>]><a>&n;</a>".encode("utf-16"))


def test_entities_are_never_expanded():
    assert safe_xml.check(LAUGHS) > 0
    with pytest.raises(Unreadable, match="document type"):
        safe_xml.parse(LAUGHS)
    with pytest.raises(Unreadable, match="parameter entities"):
        safe_xml.check(b"""<!DOCTYPE a [<!ENTITY % p "<!ENTITY x 'y'>"> %p;]><a/>""")
    with pytest.raises(Unreadable, match="undefined entity"):
        safe_xml.check(b"<a>&unknown;</a>")


def test_nothing_is_fetched():
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        url = f"http://127.0.0.1:{server.getsockname()[1]}/x.dtd"
        text = f'<!DOCTYPE a SYSTEM "{url}" [<!ENTITY % p SYSTEM "{url}"> %p; <!ENTITY f SYSTEM "file:///etc/passwd">]><a>&f;</a>'
        assert safe_xml.check(text.encode()) > 0
        with pytest.raises(TimeoutError):
            server.accept()


def test_depth_is_bounded_before_a_tree_is_built():
    deep = b"<a>" * 10_000 + b"</a>" * 10_000
    for read in (safe_xml.check, safe_xml.parse):
        with pytest.raises(Unreadable, match="nested more than 500 deep"):
            read(deep)
    allowed = b"<a>" * 500 + b"</a>" * 500
    assert etree.tostring(safe_xml.parse(allowed)).count(b"<a") == 500


def test_size_and_number_of_elements_are_bounded():
    with pytest.raises(Unreadable, match="more than 1 MB"):
        safe_xml.parse(b"<a>" + b"x" * 1_000_000 + b"</a>", largest=1_000_000)
    assert len(safe_xml.parse(b"<a>" + b"x" * 20_000_000 + b"</a>").text) == 20_000_000


@pytest.mark.parametrize(
    "data", [b"", b"<a>", b"<a></b>", b"<a>\0</a>", b"\xff\xfe<", b"text", b"<a/><b/>", b"<a b=c/>"]
)
def test_what_is_not_well_formed_is_refused(data):
    with pytest.raises(Unreadable, match="not well-formed"):
        safe_xml.parse(data)


def test_an_encoding_that_is_not_known_is_refused():
    with pytest.raises(Unreadable, match="encoding"):
        safe_xml.parse(b'<?xml version="1.0" encoding="shift_jis"?><a/>')
    with pytest.raises(Unreadable, match="encoding"):
        safe_xml.parse(b'<?xml version="1.0" encoding="nonsense"?><a/>')
