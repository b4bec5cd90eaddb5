"""What each way in loads: nothing that only some of those who take it need."""

import os
import subprocess
import sys

import pytest

WIDGETS = "ipywidgets anywidget matplotlib IPython"
SERVICE = "svc_nb.service starlette uvicorn py3langid"
FILES = "lxml openpyxl pyarrow.csv markdown_it nh3"
# What tells of changes and of quality, cleans, and compiles patterns for what these texts do not have.
UNUSED = (
    "svc_nb.columns.changes svc_nb.columns.cleaning svc_nb.columns.hints svc_nb.columns.personal svc_nb.columns.terms "
    "svc_nb.columns.protected_code svc_nb.columns.protected_spans svc_nb.columns.rewording svc_nb.sync "
    "svc_nb.checks.mojibake svc_nb.checks.service_terms svc_nb.checks.term_search svc_nb.checks.text_array "
    "svc_nb.checks.check svc_nb.tabular.terms"
)
CONNECT = "import warnings; warnings.simplefilter('ignore'); import pandas as pd, svc_nb; svc_nb.connect(); "
# The way in, and what it must not load; what begins with such a name counts too.
HEAVY = {
    "import svc_nb": f"{WIDGETS} {SERVICE} {FILES} requests tqdm msgspec sqlite3 keyring "
    "polars dask pyspark duckdb narwhals svc_nb.engine svc_nb.wire svc_nb.clusters svc_nb.errors svc_nb.columns.job "
    "svc_nb.glossaries svc_nb.notebooks svc_nb.panels svc_nb.session svc_nb.settings",
    "import pandas as pd, svc_nb; pd.Series(['a']).svc, pd.Index(['a']).svc, pd.DataFrame().svc": "svc_nb.columns.job",
    CONNECT + "print(pd.Series(['Guten Tag']).svc.translate('EN-US'))": UNUSED,
    CONNECT + "print(svc_nb.translate(pd.DataFrame({'a': ['Guten Tag']}), 'a', 'EN-US'))": UNUSED,
    "from svc_nb import keys, usage": f"{WIDGETS} {SERVICE} svc_nb.usage.report",
    "from svc_nb import style_rules": f"{SERVICE} openpyxl",
    "from svc_nb import glossaries": f"{SERVICE} lxml openpyxl matplotlib",
    "from svc_nb import lab; lab.status()": f"{WIDGETS} {SERVICE} markdown_it",
    "from svc_nb.cli import main; main(['translate', '--help'])": f"{WIDGETS} {SERVICE} openpyxl lxml tqdm "
    "svc_nb.session svc_nb.columns.job svc_nb.glossaries",
}
FIRST, *OTHERS = HEAVY


@pytest.mark.parametrize("way", [FIRST, *(pytest.param(way, marks=pytest.mark.long) for way in OTHERS)])
def test_nothing_is_loaded_that_only_some_need(way, tmp_path):
    look = f"{way}\nimport sys\nprint()\nprint(*sys.modules)"
    environ = {**os.environ, "SVC_STORE": str(tmp_path / "answers.sqlite")}
    told = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True, env=environ)
    modules = told.stdout.splitlines()[-1].split()
    assert "pandas" in modules or "cli" in way
    heavy = HEAVY[way].split()
    assert [name for name in modules if any(f"{name}.".startswith(f"{each}.") for each in heavy)] == []
