"""In Colab, custom widgets have to be enabled before they show: anywidget does it, of all versions that are allowed."""

from __future__ import annotations

import sys

import pytest

from tests import forked

MAKE = """
import sys
sys.path.insert(0, {folder!r})
{start}
from svc_nb.panels.parts.controls import Label, PanelWidget
for text in ("one", "two"):
    PanelWidget(Label(text))
print("made")
"""


@pytest.mark.long
@pytest.mark.parametrize(("start", "said"), [("import google.colab", "enabled\nmade\n"), ("", "made\n")])
def test_where_the_kernel_is_one_of_colab_panels_enable_custom_widgets_once(tmp_path, start, said):
    package = tmp_path / "google" / "colab"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from google.colab import output\n")  # as in Colab
    (package / "output.py").write_text("def enable_custom_widget_manager():\n    print('enabled')\n")
    code = MAKE.format(folder=str(tmp_path), start=start)
    ended = forked.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert ended.stdout.decode() == said
