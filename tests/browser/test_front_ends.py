"""Each front end shows widgets, and what is done to them reaches Python and comes back."""

from __future__ import annotations

from playwright.sync_api import expect

BUTTON = """
import ipywidgets
button = ipywidgets.Button(description="Count", tooltip="Count one more")
label = ipywidgets.Label("counted 0")
def count(_):
    label.value = f"counted {int(label.value.split()[1]) + 1}"
button.on_click(count)
ipywidgets.VBox([button, label])
"""

MODULE = """
import anywidget, traitlets

class Field(anywidget.AnyWidget):
    _esm = '''
    function render({ model, el }) {
        const field = document.createElement("input");
        field.setAttribute("aria-label", "Word");
        field.value = model.get("word");
        field.onchange = () => { model.set("word", field.value); model.save_changes(); };
        model.on("change:word", () => { field.value = model.get("word"); });
        el.append(field);
    }
    export default { render };
    '''
    word = traitlets.Unicode("").tag(sync=True)

field = Field(word="begin")
heard = ipywidgets.Label("heard nothing")
field.observe(lambda change: setattr(heard, "value", f"heard {change.new}"), "word")
ipywidgets.VBox([field, heard])
"""


def test_widgets_are_shown_and_their_changes_go_both_ways(show):
    screen = show(BUTTON, MODULE, "print('the end')")
    assert "the end" in screen.outputs()[-1]

    screen.expect_text("counted 0")
    screen.get("button", "Count").click()
    screen.expect_text("counted 1")

    word = screen.get("textbox", "Word")
    expect(word).to_have_value("begin")
    word.fill("grün & <b>")
    word.blur()  # the Enter key would do outside JupyterLab, which cancels it in fields it does not know
    screen.expect_text("heard grün & <b>")
    if screen.front != "voila":
        assert screen.python("print(field.word, label.value)") == "grün & <b> counted 1\n"
    screen.screenshot("widgets")
