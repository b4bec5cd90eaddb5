# make demo   connect with no account and see the main jobs done
# make lab    open JupyterLab in this environment
# make test   everything that must hold before a change lands
# make test-oldest  the tests on the lowest versions that pyproject.toml allows
# make docs   the guides, the notebooks and the API reference as pages, in build/docs
# make labextension  build the JupyterLab extension anew, after a change of its sources
# make notebooks  run the worked notebooks anew and save what they show
# make bench  speed, as ratios against what a person would use instead

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo lab test test-oldest lint docs notebooks bench translators chromium office java labextension clean

demo: $(VENV)/demo.done translators
	$(BIN)/python -m svc_nb.demo

lab: $(VENV)/lab.done
	$(BIN)/jupyter lab

test: lint translators chromium office java
	$(BIN)/python -m pytest -n 2 --dist loadfile

test-oldest: translators office java
	$(MAKE) VENV=.venv-oldest .venv-oldest/bin/pip
	$(PYTHON) tests/oldest.py >.venv-oldest/constraints.txt
	.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check \
	  --constraint .venv-oldest/constraints.txt --editable '.[unit]'
	.venv-oldest/bin/python -m pytest -m 'not browser and not packaging' -n 2 --dist loadfile -p no:cacheprovider

lint: $(VENV)/test.done
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/docs.done
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -c docs -d build/doctrees . build/docs
	@echo "The pages begin with build/docs/index.html"

notebooks: $(VENV)/test.done translators
	$(BIN)/python -m tests.worked_notebooks

bench: $(VENV)/bench.done translators
	$(BIN)/python -m pytest tests/benchmarks -q -s -p no:cacheprovider

# Apertium, a real translator, comes with apt-get where we may use it; elsewhere the line says how to get one.
translators: $(VENV)/demo.done
	@packages="$$($(BIN)/python -m svc_nb.service.translators.apertium)"; \
	if dpkg -s $$packages >/dev/null 2>&1; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "Installing Apertium and its language pairs"; \
	  { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $$packages; } \
	    >$(VENV)/apertium.log 2>&1 || echo "Apertium could not be installed; see $(VENV)/apertium.log"; \
	else \
	  echo "For real translations install Apertium; on Debian or Ubuntu:  sudo apt-get install $$packages"; \
	fi

# The browser tests need a Chromium; in CI they fail without one, elsewhere they are skipped.
chromium: $(VENV)/test.done
	@if how="$$($(BIN)/python -m tests.browser.chromium)"; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "Installing Chromium"; \
	  { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends chromium; } \
	    >$(VENV)/chromium.log 2>&1 || echo "Chromium could not be installed; see $(VENV)/chromium.log"; \
	else \
	  echo "The browser tests are skipped: $$how"; \
	fi

# What is built is kept in git, so that an install needs no Node; the environment has a copy of it.
labextension: $(VENV)/test.done
	cd svc_nb/labextension && PATH="$(abspath $(BIN)):$$PATH" && npm ci --ignore-scripts --no-audit --no-fund && npm run build
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .

# LibreOffice opens the documents that were translated; in CI the tests fail without one, elsewhere those are skipped.
office: $(VENV)/demo.done
	@if command -v soffice >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "Installing LibreOffice"; \
	  { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends \
	    libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui; } \
	    >$(VENV)/office.log 2>&1 || echo "LibreOffice could not be installed; see $(VENV)/office.log"; \
	else \
	  echo "Some tests of documents are skipped: install LibreOffice so that soffice is found"; \
	fi

# Spark runs on Java; in CI its tests fail without one, elsewhere they are skipped.
java: $(VENV)/demo.done
	@if how="$$($(BIN)/python -m tests.java)"; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "Installing Java"; \
	  { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends \
	    default-jre-headless; } >$(VENV)/java.log 2>&1 || echo "Java could not be installed; see $(VENV)/java.log"; \
	else \
	  echo "The tests on Spark are skipped: $$how"; \
	fi

$(VENV)/demo.done: pyproject.toml | $(VENV)/bin/pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/%.done: pyproject.toml | $(VENV)/bin/pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$*]'
	@touch $@

# Debian's Python comes without ensurepip: there the system's pip puts one into the environment.
$(VENV)/bin/pip:
	$(PYTHON) -m venv $(VENV) || { $(PYTHON) -m venv --without-pip $(VENV) \
	  && $(PYTHON) -m pip --python $(BIN)/python install --quiet pip; }

clean:
	rm -rf $(VENV) .venv-oldest build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .screenshots
	rm -rf svc_nb/labextension/lib svc_nb/labextension/node_modules
	find . -name __pycache__ -prune -exec rm -rf {} +
