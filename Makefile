# Table referee. `make demo` opens the virtual table, `make test` runs the quick suite; both set up what they need.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEVELOP := $(VENV)/.develop
# What develops can play, too.
RUN := $(or $(wildcard $(DEVELOP)),$(VENV)/.run)
ARGS ?=
# The tests of the core, of the tools and of the extensions.
TESTS ?= tests tools extensions
SEED ?= $(shell od -An -N3 -tu4 /dev/urandom | tr -d ' ')
MATCHES ?= 50
ACTIONS ?= 30000
CASES ?= 10000
GAME ?=
INDEX ?=
KEY ?=
CUTS ?= 3000
KILLS ?= 150
NIGHTS ?= 30
TABLES ?= 8
LASTS ?= 120
DAMAGES ?= 600
# The games that this distribution brings.
GAMES := $(basename $(notdir $(wildcard config/games/*.toml)))

.PHONY: help demo play club test thorough browser soak bench clauses catalogues lint format types contracts units check docs site fuzz figures bound eyes rounding regressions presses cuts kills hall nights damage mutate package release install rollback uninstall lock clean

.DEFAULT_GOAL := demo

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-14s%s\n", $$1, $$2 }' Makefile

demo: $(RUN)  ## the virtual table: it plays by itself until you press Play; make demo ARGS="--cheat-rate 0.1"
	$(BIN)/referee simulate $(ARGS)

play: $(RUN)  ## a real table with this computer: its camera watches, phones are the seats; ARGS="--camera none"
	$(BIN)/referee play $(ARGS)

club: $(RUN)  ## a club's host, for many tables (extensions/club/README.md); needs Mosquitto
	$(BIN)/referee club $(ARGS)

# What is compiled is kept, whatever the shell says: every process that a test starts would compile the program again.
test thorough browser soak: export PYTHONDONTWRITEBYTECODE :=
# One worker more than the machine has cores that it is timed on: some tests wait for a process or a camera. In the order
# of their folders the last files are short ones, so that all workers end together.
PARALLEL := -n 3 --dist loadscope --no-loadscope-reorder --ignore-glob '*/tests/browser' --ignore tests/package
SHORT := not soak and not browser and not machine and not package
test: $(DEVELOP)  ## the quick suite: each rule, and one case of all else
	$(BIN)/python -m pytest $(PARALLEL) -m "$(SHORT) and not thorough" $(TESTS) $(ARGS)

thorough: $(DEVELOP)  ## what the quick suite leaves out: whole matches, processes, kills, many pictures, seeds and languages
	$(BIN)/python -m pytest $(PARALLEL) -m "$(SHORT) and thorough" $(TESTS) $(ARGS)

# One file more at a time than cores: most tests wait for a hand, a camera or a page.
browser: $(DEVELOP)  ## the virtual table in headless Chromium
	$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder -m browser extensions/*/tests/browser tests/browser $(ARGS)

soak: $(DEVELOP)  ## the long runs: kill test, non-interference, random playouts
	$(BIN)/python -m pytest -n 2 -m "soak and not machine and not package" --timeout 3600 $(ARGS)

.PHONY: machine-test machine-soak machine-bench
machine-test: $(DEVELOP)  ## a Debian machine under QEMU, with the referee installed from its package; made as root (docs/developers/machine.md)
	$(BIN)/python -m pytest -m "machine and not soak" tools/machine $(ARGS)

machine-soak: $(DEVELOP)  ## the same on every release and processor, with faults, power cuts and broken upgrades; hours; goes on
	$(BIN)/python -m tools.machine.soak $(ARGS)

machine-bench: $(DEVELOP)  ## what parts of the program cost on a Cortex-A53, in millions of instructions
	$(BIN)/python -m tools.machine.bench $(ARGS)

bench: $(DEVELOP)  ## figures against OpenCV and python-chess in the same run
	$(BIN)/python -m tools.bench $(ARGS)

figures: $(RUN)  ## MATCHES simulated matches and their verdicts, as JSON
	@$(BIN)/referee simulate --headless $(if $(GAME),--game $(GAME)) --matches $(MATCHES) --seed $(SEED) --cheat-rate 0.1 --json $(ARGS)

bound: $(DEVELOP)  ## ACTIONS in pictures, of all games by turns, with cheats: none may be judged wrongly; ARGS="--folder DIR" goes on
	@$(BIN)/python -m tools.bound --actions $(ACTIONS) $(ARGS)

eyes: $(DEVELOP)  ## how well the camera sees, in one table; ARGS="--photographs DIR --actions 400"
	@$(BIN)/python -m tools.eyes $(ARGS)

rounding: $(DEVELOP)  ## MATCHES in pictures with other processors' arithmetic, and noise of one gray level: nothing may change
	@$(BIN)/python -m tools.rounding --matches $(MATCHES) --seed $(SEED) --json $(ARGS)

regressions: $(DEVELOP)  ## matches in pictures that were told wrongly once: none may be now; ARGS="--folder DIR --jobs 2"
	@$(BIN)/python -m tools.regressions $(ARGS)

presses: $(RUN)  ## MATCHES matches of GAME (or the usual one) at the buttons alone, as JSON
	@$(BIN)/referee simulate --headless --no-camera $(if $(GAME),--game $(GAME)) --matches $(MATCHES) --seed $(SEED) --json $(ARGS)

cuts: $(DEVELOP)  ## CUTS power cuts while matches are played: nothing shown may be lost
	@$(BIN)/python -m tools.cuts --cuts $(CUTS) --seed $(SEED) $(ARGS)

kills: $(DEVELOP)  ## KILLS kills at any call of a file or pipe: nothing shown may be lost
	@$(BIN)/python -m tools.kills --kills $(KILLS) --seed $(SEED) $(ARGS)

hall: $(DEVELOP)  ## TABLES virtual tables of a club for LASTS seconds, with kills and a broker upset: nothing said may be lost or doubled
	@$(BIN)/python -m tools.hall --tables $(TABLES) --seconds $(LASTS) --seed $(SEED) $(ARGS)

nights: $(RUN)  ## NIGHTS matches full of faults, drawn from SEED: nothing lost, doubled, leaked or stuck
	@$(BIN)/referee simulate --headless --faults $(SEED) --matches $(NIGHTS) --json $(ARGS)

damage: $(DEVELOP)  ## DAMAGES bits, sectors and files of journals go bad: no loss goes untold
	@$(BIN)/python -m tools.damage --trials $(DAMAGES) --seed $(SEED) $(ARGS)

clauses: $(DEVELOP)  ## rule clauses without a test; ARGS=--homes: where the engine names them
	$(BIN)/python tools/clauses.py $(ARGS)

catalogues: $(DEVELOP)  ## collect the sentences and compile the translations; ARGS=--check only checks
	$(BIN)/python -m tools.catalogues $(ARGS)

lint: $(DEVELOP)  ## style and errors, by ruff; spelling, by codespell
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	git ls-files -z '*.py' '*.md' '*.toml' '*.js' '*.html' '*.sh' Makefile | xargs -0 $(BIN)/codespell

format: $(DEVELOP)  ## put the style right
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(DEVELOP)  ## mypy, strict
	$(BIN)/mypy

contracts: $(DEVELOP)  ## who may import whom
	$(BIN)/lint-imports

units: $(DEVELOP)  ## the systemd units are sound, and shut in (at most 1.0 of 10; an update 4.2)
	$(BIN)/python -m pytest tests/device/systemd/test_units.py

check: lint types contracts  ## all that reads the source without running it
	$(BIN)/python -m tools.catalogues --check
	$(BIN)/python tools/clauses.py $(GAMES)
	$(BIN)/python tools/clauses.py --homes --brief
	$(BIN)/python tools/modules.py --check
	$(BIN)/python -m tools.words

site: $(DEVELOP)  ## the table in a browser's tab, as a static site in var/tab/site (extensions/tab)
	$(BIN)/python -m tools.tab var/tab/site

docs: $(DEVELOP)  ## the docs site into var/site; dead links are errors
	@$(BIN)/python -m tools.site.build

fuzz: $(DEVELOP)  ## CASES mutated files, messages and requests: each ends well or with a sentence
	@OPENCV_LOG_LEVEL=SILENT $(BIN)/python -m tools.fuzz --cases $(CASES) --seed $(SEED) $(ARGS)

mutate: $(DEVELOP)  ## a mutation run over engine/: ARGS="--sample 300 --seed 7 --folder DIR" goes on where it was broken off
	$(BIN)/python -m tools.lab.mutation $(ARGS)

package: $(DEVELOP)  ## the Debian package: ARGS="--release bookworm --arch arm64 --out dist"
	$(BIN)/python -m tools.package $(ARGS)

release: $(DEVELOP)  ## all files of a release into var/release, signed: KEY=~/.ssh/table-referee (docs/developers/release.md)
	$(BIN)/python -m tools.release $(if $(KEY),--key "$(KEY)") $(ARGS)

.PHONY: package-test package-soak
package-test: $(DEVELOP)  ## builds packages for amd64, wheels, and a game from elsewhere, and checks them
	$(BIN)/python -m pytest -m "package and not soak" tests/package $(ARGS)

package-soak: $(DEVELOP)  ## all four packages, each built twice and checked
	$(BIN)/python -m pytest -m package --timeout 1800 tests/package $(ARGS)

install:  ## for developers, on a Raspberry Pi: builds its package and installs it: sudo make install
	tools/install.sh install

rollback:  ## back to the version before the last install: sudo make rollback
	tools/install.sh rollback

uninstall:  ## removes the referee; with PURGE=yes also matches, pictures and the table file
	tools/install.sh uninstall

lock:  ## pin the newest versions; needs uv, INDEX="--default-index URL" if not PyPI
	tools/lock.sh --upgrade $(INDEX)

clean:  ## removes what builds and tests leave behind
	rm -rf build dist mutants var .pytest_cache .hypothesis .ruff_cache .mypy_cache .import_linter_cache
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +

# What only plays installs no more than it needs.
$(VENV)/.run $(DEVELOP): $(VENV)/.%: requirements/%.txt requirements/build.txt pyproject.toml $(wildcard extensions/*/pyproject.toml)
	@tools/venv.sh $(PYTHON) $(VENV) $< >&2
	@touch $@
