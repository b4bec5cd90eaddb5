"""What `svc-nb doctor` finds out from JupyterLab's own packages."""

from __future__ import annotations

import json

from svc_nb.cli.doctor import disabled_extensions, installed_extensions


def test_an_extension_that_is_switched_off_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "data"))
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(tmp_path / "config"))
    for name in ("svc-nb", "@jupyter-widgets/jupyterlab-manager"):
        folder = tmp_path / "data" / "labextensions" / name
        folder.mkdir(parents=True)
        (folder / "package.json").write_text("{}")
    assert {"svc-nb", "@jupyter-widgets/jupyterlab-manager"} <= installed_extensions()
    assert "svc-nb" not in disabled_extensions()
    (tmp_path / "config" / "labconfig").mkdir(parents=True)
    config = {"disabledExtensions": {"svc-nb": True, "other": False}}
    (tmp_path / "config" / "labconfig" / "page_config.json").write_text(json.dumps(config))
    assert "svc-nb" in disabled_extensions()
    assert "other" not in disabled_extensions()
