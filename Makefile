# make demo   connect with no account and see the main jobs done
# make lab    open JupyterLab in this environment
# make test   the quick tests of the whole package: a few minutes, with nothing but Python
# make test-all   all tests; its parts are test-browser, test-clusters, test-documents, test-packaging, test-long and
#                 test-oldest (with the lowest versions that pyproject.toml allows); CONTRIBUTING.md says more
# make faults     put small faults into a copy of the package, and see which ones the tests notice
# make lock   write the versions of this environment to constraints.txt, from which all environments of the tests are made;
#             for newer ones: make clean, make LOCK= test-all lint docs, and when that passes make LOCK= lock
# make lint   ruff, mypy and the rules for imports
# make docs   the guides, the notebooks and the API reference as pages, in build/docs
# make labextension  rebuild the JupyterLab extension, after a change of its sources
# make notebooks  rerun the worked notebooks and save what they show
# make pictures  take the pictures of the README and the guides again, light and dark
# make bench  speed, as ratios against what a person would use instead

PYTHON ?= python3
LOCK ?= constraints.txt
LOCKED := $(if $(LOCK),--constraint $(LOCK))
VENV ?= .venv
BIN := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest
unexport PYTHONDONTWRITEBYTECODE  # processes that tests start reuse what was compiled

# One more than there are cores, because tests also wait.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
PARTS_AT_ONCE ?= 3
# The longest first.
PARTS := test-long test-oldest test-browser test-clusters test-packaging test-documents

# $(call tests,COMMAND) runs tests. In CI, whose machines are busy, those that fail run once more when the others are
# done, which the output shows; elsewhere nothing is run twice.
tests = $(1)$(if $(CI), -o cache_dir=.pytest_cache/$@ || { [ $$? = 1 ] && echo "Running what failed of $@ once more" \
	&& $(1) -o cache_dir=.pytest_cache/$@ --last-failed; })

# pip and apt-get must run one after another, whatever MAKEFLAGS says; only the parts of the tests run side by side.
ifndef SIDE_BY_SIDE
.NOTPARALLEL:
endif

.PHONY: demo lab test test-all test-rest $(PARTS) faults lock lint docs notebooks pictures bench translators chromium office java labextension clean

demo: $(VENV)/demo.done translators
	$(BIN)/python -m svc_nb.demo

lab: $(VENV)/lab.done
	$(BIN)/jupyter lab

test: $(VENV)/test.done
	$(call tests,$(PYTEST) -n $(WORKERS) --dist worksteal -m quick)

test-all: translators test test-rest

# Several parts run side by side; those with a browser or a cluster in one process, so that their tests share it.
test-rest: $(VENV)/test-all.done $(VENV)-oldest/test.done translators chromium office java
	@echo "Running $(PARTS:test-%=%), $(PARTS_AT_ONCE) at a time"
	$(MAKE) SIDE_BY_SIDE=yes --jobs=$(PARTS_AT_ONCE) --keep-going $(if $(filter output-sync,$(.FEATURES)),--output-sync=target) $(PARTS)

test-browser: $(VENV)/test-browser.done chromium translators
	$(call tests,$(PYTEST) tests/browser)

test-clusters: $(VENV)/test-clusters.done java
	$(call tests,$(PYTEST) tests/clusters/on_dask tests/clusters/on_spark)

test-documents: $(VENV)/test.done office translators
	$(call tests,$(PYTEST) tests/service/formats -m documents)

test-packaging: $(VENV)/test-packaging.done chromium
	$(call tests,$(PYTEST) tests/packaging)

test-long: $(VENV)/test-long.done translators
	$(call tests,HYPOTHESIS_PROFILE=$${HYPOTHESIS_PROFILE:-full} $(PYTEST) -n 2 --dist worksteal -m 'long or hypothesis')

# The service's own tests are left out: nearly every other test uses the service.
test-oldest: $(VENV)-oldest/test.done translators java
	$(call tests,$(VENV)-oldest/bin/python -m pytest -m 'quick and not hypothesis or clusters and not long' \
	  --ignore-glob='$(CURDIR)/tests/service/test_*.py' --ignore=tests/contract)

faults: $(VENV)/test-all.done translators
	$(BIN)/python tests/faults.py

# Of the lowest Python: others have wheels of the same versions, but not the other way round.
lock: PYTHON := $(or $(shell command -v python3.11),$(PYTHON))
lock: $(VENV)/test-all.done $(VENV)/lint.done $(VENV)/docs.done
	$(BIN)/python tests/lock.py >constraints.txt

lint: $(VENV)/lint.done
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tests/words.py

docs: $(VENV)/docs.done
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -c docs -d build/doctrees . build/docs
	@echo "The pages begin with build/docs/index.html"

notebooks: $(VENV)/test-long.done translators
	$(BIN)/python -m tests.worked_notebooks

pictures: $(VENV)/test-browser.done chromium translators
	$(BIN)/python -m tests.pictures

bench: $(VENV)/bench.done translators
	$(PYTEST) tests/benchmarks -q -s -p no:cacheprovider

# $(call apt,NAME,PACKAGES,WHAT FOR) installs the packages that this system offers, as root; otherwise it says how.
apt = if [ -n "$(SIDE_BY_SIDE)" ]; then exit 0; fi; \
	missing="$$(for each in $(2); do dpkg -s $$each >/dev/null 2>&1 || echo $$each; done)"; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if ! command -v apt-get >/dev/null; then echo "$(3), install $(1)"; exit 0; fi; \
	if [ "$$(id -u)" = 0 ]; then apt-get update -q >$(VENV)/apt.log 2>&1; fi; \
	known=; unknown=; \
	for each in $$missing; do \
	  if apt-cache show $$each >/dev/null 2>&1; then known="$$known $$each"; else unknown="$$unknown $$each"; fi; \
	done; \
	if [ -z "$$known" ]; then echo "$(1): apt-get knows no package of it; see apt-get update"; exit 0; fi; \
	if [ -n "$$unknown" ]; then echo "$(1): this system has no$$unknown"; fi; \
	if [ "$$(id -u)" != 0 ]; then echo "$(3), install $(1):  sudo apt-get install$$known"; exit 0; fi; \
	echo "Installing $(1)"; \
	DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $$known >>$(VENV)/apt.log 2>&1 \
	  || echo "$(1) could not be installed; see $(VENV)/apt.log"

translators: $(VENV)/demo.done
	@$(call apt,Apertium,$$($(BIN)/python -m svc_nb.service.translators.apertium),For real translations)

chromium: $(VENV)/test-browser.done
	@command -v chromium-headless-shell >/dev/null || { $(call apt,a small Chromium,chromium-headless-shell,For the browser tests); }
	@how="$$($(BIN)/python -m tests.browser.chromium)" || { echo "$$how"; $(call apt,Chromium,chromium,For the browser tests); }

office: | $(VENV)/bin/pip
	@command -v soffice >/dev/null || { $(call apt,LibreOffice,libreoffice-writer-nogui libreoffice-calc-nogui \
	  libreoffice-impress-nogui,For the tests that open documents); }

java: $(VENV)/demo.done
	@how="$$($(BIN)/python -m tests.clusters.on_spark.java)" || { echo "$$how"; $(call apt,Java,default-jre-headless,For the tests on Spark); }

# What is built is kept in git, so that an install needs no Node; the environment has a copy of it.
labextension: $(VENV)/test-packaging.done
	cd svc_nb/lab/extension && PATH="$(abspath $(BIN)):$$PATH" && npm ci --ignore-scripts --no-audit --no-fund && npm run build
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .

$(VENV)/demo.done: pyproject.toml | $(VENV)/bin/pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/%.done: pyproject.toml $(LOCK) | $(VENV)/bin/pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(LOCKED) --editable '.[$*]'
	@touch $@ $(VENV)/demo.done

$(VENV)/test-all.done: pyproject.toml $(LOCK) | $(VENV)/bin/pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(LOCKED) --editable '.[test-browser,test-clusters,test-long,test-packaging]'
	@touch $@ $(addprefix $(VENV)/,$(addsuffix .done,demo test test-browser test-clusters test-long test-packaging))

# The lowest versions have no wheels for newer Pythons.
$(VENV)-oldest/bin/pip $(VENV)-oldest/test.done: PYTHON := $(or $(shell command -v python3.11),$(PYTHON))
$(VENV)-oldest/test.done: pyproject.toml | $(VENV)-oldest/bin/pip
	$(PYTHON) tests/oldest.py >$(VENV)-oldest/constraints.txt
	$(VENV)-oldest/bin/python -m pip install --quiet --disable-pip-version-check \
	  --constraint $(VENV)-oldest/constraints.txt --editable '.[test-clusters]'
	@touch $@

# Debian's Python comes without ensurepip: there the system's pip puts one into the environment.
%/bin/pip:
	$(PYTHON) -m venv $* || { $(PYTHON) -m venv --without-pip $* && $(PYTHON) -m pip --python $*/bin/python install --quiet pip; }

clean:
	rm -rf $(VENV) $(VENV)-oldest build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .screenshots
	rm -rf svc_nb/lab/extension/lib svc_nb/lab/extension/node_modules
	find . -name __pycache__ -prune -exec rm -rf {} +
