# Two commands matter: `make book` and `make test`. Everything they need goes into .venv and node_modules here.
PYTHON ?= python3
BIN := .venv/bin
PY := $(BIN)/python
RUN := $(PY) book/_ext/build.py
ON_ALL_CORES := -n auto --maxprocesses=4
PYTHON_READY := .venv/.ready
NODE_READY := node_modules/.ready
GRADERS := _build/graders

.PHONY: book pdf slides serve lab notebooks image student instructor student-pdf instructor-pdf test test-fast lint unit chapters pages record bench experiments links lock clean

book: $(PYTHON_READY) $(NODE_READY)
	@$(RUN) build

pdf: book
	@$(RUN) pdf

serve: book
	@(sleep 1; $(PY) -m webbrowser http://localhost:8000/) & $(PY) -m http.server 8000 --bind 127.0.0.1 -d _build/html

# A deck for each chapter, in _build/html/slides.
slides: book
	@$(RUN) slides

# Chapters open as notebooks on a click.
lab: $(PYTHON_READY)
	@JUPYTER_CONFIG_PATH=$(CURDIR)/book/_lab $(RUN) jupyter lab book

notebooks: $(PYTHON_READY)
	@$(RUN) notebooks

# In which `clearformer grade --isolate docker` runs code of students.
image: $(PYTHON_READY)
	tar -c requirements.lock -C examples/course Dockerfile | docker build -t clearformer-worker \
	  --build-arg PYTHON=$$($(PY) -c "import sys; print('%d.%d' % sys.version_info[:2])") -

student instructor: $(PYTHON_READY) $(NODE_READY)
	@$(RUN) build $@

# A PDF of the edition lies beside its pages, if there is a Chromium to print it.
student-pdf instructor-pdf: %-pdf: %
	@$(RUN) pdf $*

student: notebooks

test: lint unit chapters book pages

test-fast: lint
	@$(RUN) pytest tests --ignore=tests/browser -q -x -m 'not slow' --hypothesis-profile=fast

lint: $(PYTHON_READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/mypy
	$(BIN)/lint-imports

# A process that is done takes from the end of what another has left: so the tests of a file, which share what they
# compute, stay in one process nearly always.
unit: $(GRADERS)/.ready $(NODE_READY)
	@$(RUN) pytest tests src --ignore=tests/browser -q $(ON_ALL_CORES) --dist worksteal
	@$(RUN) python -m tests.lowest_kernels src -q

# Run every chapter and compare each cell with the recorded outputs.
chapters: $(PYTHON_READY)
	@$(RUN) compare

# Open every built page in a browser. Tests of a file stay together, since they share a page or a server, until a process
# has none left.
pages: slides
	-@$(RUN) pdf
	@$(RUN) pytest tests/browser -q -rs $(ON_ALL_CORES) --dist worksteal

record: $(PYTHON_READY)
	@$(RUN) record

# Time the package against its peers and write this processor's folder in benchmarks/results, which the book shows
# beside those of other processors (then: make record).
bench: $(PYTHON_READY)
	@$(PY) -m benchmarks.generation
	@$(PY) -m benchmarks.training
	@OPENBLAS_NUM_THREADS=1 $(PY) -m benchmarks.attention
	@$(PY) -m benchmarks.tokenizers
	@$(PY) -m benchmarks.checkpoints
	@$(PY) -m benchmarks.live_model

# Make the training runs that several chapters draw, in about two hours; an interrupted run continues.
experiments: $(PYTHON_READY)
	@$(PY) -m linebyline.experiments

links: $(PYTHON_READY) $(NODE_READY)
	@$(RUN) links

lock:
	$(PYTHON) -m venv _build/lock && _build/lock/bin/pip install -q uv
	_build/lock/bin/uv pip compile --upgrade --universal --fork-strategy fewest --python-version 3.11 \
	  --extra book --extra test --no-annotate --no-header -q pyproject.toml \
	  | grep -vE '^(nvidia-|cuda-|triton)' > requirements.lock.new && mv requirements.lock.new requirements.lock
	_build/lock/bin/uv pip compile --universal --fork-strategy fewest --python-version 3.11 -c requirements.lock \
	  --extra book --extra test --extra graders --no-annotate --no-header -q pyproject.toml \
	  | grep -vE '^(nvidia-|cuda-|triton)' | grep -vxFf requirements.lock > tests/graders.lock

clean:
	rm -rf _build

$(PYTHON_READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if v >= (3, 11) else f"Python 3.11 or newer is needed, this is {v[0]}.{v[1]}: try make PYTHON=python3.12")'
	@echo "Installing Python packages into .venv (once; some minutes)"
	@$(PYTHON) -m venv .venv
	@$(PY) -m pip install -q --disable-pip-version-check 'pip>=26' # older ones take half as long again
	@$(PY) -m pip install -q --disable-pip-version-check -r requirements.lock
	@$(PY) -m pip install -q --disable-pip-version-check --no-deps -e .
	@touch $@

# Other tools that grade, for the tests of what is written for them: in a folder of their own, as JupyterLab would load them.
$(GRADERS)/.ready: tests/graders.lock $(PYTHON_READY)
	@rm -rf $(GRADERS)
	@$(PY) -m pip install -q --disable-pip-version-check --no-deps -t $(GRADERS) -r tests/graders.lock
	@touch $@

# No package's own script runs: such a script would need a `node` that a fresh machine does not have.
$(NODE_READY): package-lock.json $(PYTHON_READY)
	@echo "Installing web libraries into node_modules (once)"
	@$(BIN)/npm ci --ignore-scripts --no-progress --loglevel=error
	@touch $@
