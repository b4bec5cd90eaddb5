"""Which stretches of a corpus are proposed as terms."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.glossaries.corpus import in_language, term_candidates
from svc_nb.tabular.report import Report
from svc_nb.tabular.terms import made

ENGLISH = """Please enter the delivery address on the order page.
The delivery address cannot be changed after shipping.
Your delivery note is in the parcel.
The delivery note has the order number.
A delivery note without order number is not valid.
We sent the order number by email.
Check the delivery address and the order number.
Terms of service apply to every order.
The Terms of Service have changed.
Read the terms of service first."""
GERMAN = """Die Lieferadresse steht auf der Bestellung.
Wir konnten die Lieferadresse nicht finden.
Ihre Lieferadresse und die Allgemeinen Geschäftsbedingungen sind wichtig.
Es gelten die Allgemeinen Geschäftsbedingungen.
Bitte lesen Sie die Allgemeinen Geschäftsbedingungen."""
CHINESE = """请在订单页面查看您的订单号。
订单号可以在确认邮件中找到。
如果需要退款，请提供订单号。
退款将在七个工作日内到账。
您的退款申请已经提交。
客服会尽快处理退款申请。
请联系客服修改收货地址。
收货地址填写错误怎么办？
发货以后不能修改收货地址。
我们的客服每天工作到晚上十点。
支付方式包括信用卡和微信支付。
请选择支付方式后提交。
信用卡支付失败，请更换支付方式。
使用微信支付可以享受优惠。
优惠券不能与其他优惠同时使用。
每个订单只能使用一张优惠券。
优惠券的有效期为三十天。
快递公司将在明天配送。
快递公司没有更新物流信息。
物流信息显示包裹已经签收。
包裹破损请拒绝签收。
您可以随时查看物流信息。"""
JAPANESE = """ご注文番号をお知らせください。
注文番号は確認メールに記載されています。
返品をご希望の場合は注文番号が必要です。
返品手続きはマイページから行えます。
配送先住所の変更はできません。
配送先住所を間違えた場合はカスタマーサポートにご連絡ください。
カスタマーサポートの営業時間は午前九時からです。
クレジットカードでのお支払いが可能です。
クレジットカードの有効期限を確認してください。
お支払い方法を選択してください。
お支払い方法は後から変更できません。
カスタマーサポートに返品をお申し込みください。
配送状況はマイページで確認できます。
配送状況が更新されていません。
配送先住所と配送状況を確認してください。
クレジットカードが使えない場合は別のお支払い方法をお試しください。"""
KOREAN = """주문 번호를 확인해 주세요.
주문 번호는 이메일에 있습니다.
주문 번호가 필요합니다.
신용카드로 결제할 수 있습니다.
신용카드가 만료되었습니다.
신용카드를 등록하세요."""


def proposed(corpus, **options) -> list[str]:
    return term_candidates(pd.Series(corpus.split("\n")), **options)["candidate"].tolist()


def test_terms_of_several_words_come_first_and_their_parts_do_not():
    found = proposed(ENGLISH)
    assert set(found[:4]) == {"terms of service", "order number", "delivery address", "delivery note"}
    assert not {"terms", "service", "the order number", "number", "the"} & set(found)


def test_stop_words_are_those_of_the_language_the_texts_are_in():
    assert set(proposed(GERMAN)) == {"Lieferadresse", "Allgemeinen Geschäftsbedingungen"}
    assert proposed(GERMAN, lang="DE") == proposed(GERMAN)


def test_chinese_terms_are_found_whole():
    found = proposed(CHINESE)
    assert {"物流信息", "收货地址", "支付方式", "订单号", "优惠券"} <= set(found[:6])
    assert not {"物流", "信息", "收货", "地址", "货地", "单号", "惠券", "支付方", "您的"} & set(found)


def test_japanese_terms_are_found_whole():
    found = proposed(JAPANESE)
    assert {"配送先住所", "注文番号", "配送状況", "カスタマーサポート", "クレジットカード", "返品"} <= set(found)
    assert not {"注文", "番号", "配送先", "住所", "文番", "カスタマー", "場合", "ください"} & set(found)


def test_korean_particles_are_no_part_of_a_term():
    assert set(proposed(KOREAN)) == {"주문 번호", "신용카드"}


def test_what_is_a_term_already_is_not_proposed():
    known = made("en", "de", ["Order Number", "delivery note"], ["Bestellnummer", "Lieferschein"])
    for terms in (known, ["order number", "Delivery note"], known["source"]):
        found = proposed(ENGLISH, terms=terms)
        assert not {"order number", "delivery note", "number", "note"} & set(found)
        assert "delivery address" in found


def test_a_row_says_how_often_where_and_with_an_example():
    report = term_candidates(pd.Series(["red box, red box", "Red box", None, "a red box"]), min_count=2)
    assert isinstance(report, Report)
    assert list(report.columns) == ["candidate", "count", "rows", "score", "example"]
    assert report.loc[0, ["candidate", "count", "rows", "example"]].tolist() == [
        "red box",
        4,
        3,
        "red box, red box",
    ]
    assert report["score"].is_monotonic_decreasing


def test_the_least_count_and_the_most_candidates_are_kept():
    assert len(proposed(ENGLISH, most=2)) == 2
    assert proposed(ENGLISH, min_count=50) == []
    assert term_candidates(pd.Series([], dtype=object)).said.startswith("Nothing without a term")
    with pytest.raises(ValueError, match="at least 1"):
        proposed(ENGLISH, most=0)


texts = st.text(st.one_of(st.characters(), st.sampled_from("ab cd-İßΣ字号カナひら한국어의\n\u0301ก")), max_size=40)


@given(st.lists(texts, max_size=6))
def test_every_candidate_of_any_texts_stands_in_them_that_often(listed):
    report = term_candidates(pd.Series(listed, dtype=object), min_count=2)
    for candidate, count, rows in report[["candidate", "count", "rows"]].itertuples(index=False):
        assert count >= max(2, rows)
        assert sum(candidate.lower() in text.lower() for text in listed) >= 1


MIXED = {
    "EN": ["The heat pump hums.", "Every heat pump is tested.", "The control unit of the heat pump.", "A heat pump."],
    "DE": ["Die Wärmepumpe brummt leise.", "Jede Wärmepumpe wird geprüft.", "Das Steuergerät der Wärmepumpe ist neu."],
    "RU": ["Тепловой насос гудит.", "Каждый тепловой насос проверен."],
}


@pytest.mark.parametrize("lang", ["EN", "DE"])
def test_only_texts_in_the_language_are_looked_through(lang):
    column = pd.Series([text for texts in MIXED.values() for text in texts] + [None], index=[7] * 10)
    assert in_language(column, lang).tolist() == MIXED[lang]


def test_a_column_of_one_language_is_looked_through_whole():
    column = pd.Series([*MIXED["EN"], "Pump 4711", None])
    assert in_language(column, "en-GB").equals(column)
    assert in_language(column.iloc[:0], "EN").empty
