"""What each way in loads: nothing that only some of those who take it need."""

import subprocess
import sys

import pytest

WIDGETS = "ipywidgets anywidget matplotlib IPython"
SERVICE = "svc_nb.service starlette uvicorn py3langid"
FILES = "lxml openpyxl pyarrow.csv markdown_it nh3"
# The way in, and what it must not load; what begins with such a name counts too.
HEAVY = {
    "import svc_nb": f"{WIDGETS} {SERVICE} {FILES} requests tqdm msgspec sqlite3 keyring "
    "polars dask pyspark duckdb narwhals svc_nb.engine svc_nb.wire svc_nb.clusters svc_nb.errors svc_nb.columns.job "
    "svc_nb.glossaries svc_nb.notebooks svc_nb.panels svc_nb.session svc_nb.settings",
    "import pandas as pd, svc_nb; pd.Series(['a']).svc, pd.Index(['a']).svc, pd.DataFrame().svc": "svc_nb.columns.job",
    "from svc_nb import keys, usage": f"{WIDGETS} {SERVICE} svc_nb.usage.report",
    "from svc_nb import style_rules": f"{SERVICE} openpyxl",
    "from svc_nb import glossaries": f"{SERVICE} lxml openpyxl matplotlib",
    "from svc_nb import lab; lab.status()": f"{WIDGETS} {SERVICE} markdown_it",
    "from svc_nb.cli import main; main(['translate', '--help'])": f"{WIDGETS} {SERVICE} openpyxl lxml tqdm "
    "svc_nb.session svc_nb.columns.job svc_nb.glossaries",
}
FIRST, *OTHERS = HEAVY


@pytest.mark.parametrize("way", [FIRST, *(pytest.param(way, marks=pytest.mark.long) for way in OTHERS)])
def test_nothing_is_loaded_that_only_some_need(way):
    look = f"{way}\nimport sys\nprint()\nprint(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    modules = told.stdout.splitlines()[-1].split()
    assert "pandas" in modules or "cli" in way
    heavy = HEAVY[way].split()
    assert [name for name in modules if any(f"{name}.".startswith(f"{each}.") for each in heavy)] == []
