"""Whether texts and keys stay out of what a notebook may keep: the state of widgets, and what is left of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ipywidgets.widgets.widget import _instances

STATE = "application/vnd.jupyter.widget-state+json"


def assert_kept_out(panel: Any, *secrets: str) -> None:
    """None of *secrets* is in the state of any widget that lives, in what displays *panel*, or in what stays of it.

    A secret counts wherever it is a part of a longer text; what nobody could tell from other texts is no good one.
    """
    assert all(len(secret) > 2 for secret in secrets), "a secret this short may stand anywhere"
    assert panel.widget in _alive()
    places = {f"the state of {type(widget).__name__}": widget.get_state() for widget in _alive()}
    places |= {
        "the repr": repr(panel),
        "the display": panel._repr_mimebundle_(),
        "what stays": panel._stays(),
    }
    _check(places, secrets)


def saved(*cells: str, timeout: int = 120) -> Any:
    """The notebook of *cells* as it is saved after a run in a kernel of its own, with the state of its widgets."""
    import nbclient
    import nbformat

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = nbclient.NotebookClient(
        notebook, timeout=timeout, store_widget_state=True, resources={"metadata": {"path": "."}}
    )
    return client.execute()


def assert_not_saved(notebook: Any, *secrets: str) -> None:
    """None of *secrets* is in an output or in the state of a widget of *notebook*, which has some of both."""
    states = notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {})
    outputs = [cell.outputs for cell in notebook.cells]
    assert states, "no widget left its state: there is nothing to look at"
    assert any(outputs), "there is no output to look at"
    places = {f"the state of {state['model_name']} {name}": state for name, state in states.items()}
    _check(places | {"the outputs": outputs}, secrets)


def _alive() -> list[Any]:
    return list(_instances.values())


def _check(places: dict[str, Any], secrets: tuple[str, ...]) -> None:
    seen = [
        f"{secret!r} is in {place}"
        for place, value in places.items()
        for text in _texts(value)
        for secret in secrets
        if secret in text
    ]
    assert not seen, "; ".join(seen)


def _texts(value: Any) -> Iterator[str]:
    """All texts within *value*, however deep, names included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, bytes | bytearray | memoryview):
        yield bytes(value).decode("utf-8", "replace")
    elif isinstance(value, dict):
        for name, part in value.items():
            yield str(name)
            yield from _texts(part)
    elif isinstance(value, list | tuple | set):
        for part in value:
            yield from _texts(part)
    elif value is not None:
        yield str(value)
