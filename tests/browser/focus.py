"""Where the keyboard is: which control has the focus, and where the Tab key goes."""

from __future__ import annotations

from itertools import groupby

from tests.browser.pages import Screen

NAME = """() => {
    const node = document.activeElement;
    if (!node || !node.closest('.svc-panel')) return '';
    const by = document.getElementById(node.getAttribute('aria-labelledby'))?.textContent;
    const field = node.closest('.svc-field')?.querySelector('label');
    const label = by || node.labels?.[0]?.textContent || field?.textContent;
    const grid = node.closest('[role=grid]')?.getAttribute('aria-label');
    const text = ['BUTTON', 'SUMMARY'].includes(node.tagName) ? node.innerText.split('\\n')[0] : '';
    return (grid && `in ${grid}`) || node.ariaLabel || text || label || node.tagName;
}"""
FIRST = """() => {
    const panel = [...document.querySelectorAll('.svc-panel')].at(-1);
    const found = [...panel.querySelectorAll('button, input, select, textarea, [tabindex="0"]')];
    found.find(node => !node.disabled && node.getClientRects().length).focus();
}"""


def focused(screen: Screen) -> str:
    """The name of the control of a panel that has the focus once all is quiet; "" where none has it."""
    screen.page.wait_for_timeout(300)
    return screen.page.evaluate(NAME).strip()


def tab_stops(screen: Screen, most: int = 80) -> list[str]:
    """The names of the controls of a panel that the Tab key comes by, from the first one on; a date counts once."""
    screen.page.evaluate(FIRST)
    stops: list[str] = []
    for _ in range(most):
        name = screen.page.evaluate(NAME).strip()
        if not name:
            break
        stops.append(name)
        if name.startswith("in "):
            screen.page.keyboard.press("Escape")  # leaves the table
        screen.page.keyboard.press("Tab")
    return [name for name, _ in groupby(stops)]
