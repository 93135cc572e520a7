# The verbs of this project; `make` alone lists them. Set-up is part of every verb and does nothing when nothing changed.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules --no-print-directory

BIN := node_modules/.bin
# Named with the Node that they run under: by themselves they take the machine's, which may be older.
VITEST := $(BIN)/node $(BIN)/vitest
TSC := $(BIN)/node $(BIN)/tsc
# npm writes this file last; when it is older than the lock file, packages have to be installed.
INSTALLED := node_modules/.package-lock.json
# Node 24 is a package, fetched by its install script: without scripts npm succeeds, and the machine's own Node would run.
INSTALL := npm ci --include=dev --ignore-scripts=false --no-audit --no-fund --loglevel=error
APT := DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends

.PHONY: help setup tools promtool prometheus libfaketimeMT.so.1 ffmpeg app start migrate test ci check chart alerts kubernetes soak fuzz bench peers docs pictures release network clean

help: ## List the verbs
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(INSTALLED) ## Install what package-lock.json names, Node 24 among it (every other verb does this by itself)
	@[[ "$$($(BIN)/node -v 2>/dev/null || true)" == v24.* ]] || { rm -f $(INSTALLED); echo 'Node 24 is missing from node_modules: its install script has to run. Type: $(INSTALL)' >&2; exit 1; }

$(INSTALLED): package-lock.json
	@command -v npm >/dev/null || { echo 'npm is missing: install Node 20 or later with npm, then type make again' >&2; exit 1; }
	@echo '$(INSTALL)'; $(INSTALL) </dev/null
	@touch $@

# Programs that single tests need beside Node: strace shows that data is on disk before it is acknowledged; curl runs the lines that start prints;
# ffmpeg makes videos and prepares them; chromium opens the app; the others run the examples in their languages.
TOOLS := strace curl ffmpeg python3 go chromium
# From a tool's name to that of its package.
PACKAGE := sed 's/^go$$/golang-go/'
tools: setup promtool libfaketimeMT.so.1
	@missing=$$(for tool in $(TOOLS); do command -v $$tool >/dev/null || echo $$tool | $(PACKAGE); done); \
	if [[ -n $$missing && $$(id -u) == 0 ]] && command -v apt-get >/dev/null; then \
	  echo '$(APT)' $$missing; { apt-get update -qq && $(APT) $$missing; } </dev/null >/dev/null || true; \
	fi
	@for tool in $(TOOLS); do command -v $$tool >/dev/null || echo "$$tool is missing, and a test needs it. Type: sudo apt-get install $$(echo $$tool | $(PACKAGE))" >&2; done

# The linter of metrics; the server of Prometheus that `make alerts` watches faults by; and what lets tests steer the clock of one process. Debian packs
# them, and a machine that tests should run no server by itself: packages are unpacked, not installed. Without them `make test` leaves out some tests.
UNPACKED := .cache/tools
promtool prometheus: PACKED_IN = prometheus
libfaketimeMT.so.1: PACKED_IN = libfaketime
promtool prometheus libfaketimeMT.so.1:
	@if ! command -v $@ >/dev/null && [[ ! -f $(UNPACKED)/$@ ]] && command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null; then \
	  unpacked=$$(mktemp -d); mkdir -p $(UNPACKED); echo 'unpacking $@'; \
	  { cd "$$unpacked" && { apt-get download -qq $(PACKED_IN) || { apt-get update -qq && apt-get download -qq $(PACKED_IN); }; } \
	    && dpkg-deb --fsys-tarfile $(PACKED_IN)_*.deb | tar -x --wildcards './usr/*/$@' && mv "$$(find usr/bin usr/lib -type f -name $@)" '$(CURDIR)/$(UNPACKED)/$@'; } \
	    </dev/null >/dev/null 2>&1 || true; \
	  rm -rf "$$unpacked"; \
	fi

# Only videos need ffmpeg. It is looked for once for each installation, as looking for packages takes long where there is no network.
FFMPEG_SOUGHT := node_modules/.ffmpeg-sought
ffmpeg: $(FFMPEG_SOUGHT)
	@{ command -v ffmpeg && command -v ffprobe; } >/dev/null || echo 'ffmpeg is missing: videos are refused until it is installed, everything else works. Type: sudo apt-get install ffmpeg' >&2

$(FFMPEG_SOUGHT): $(INSTALLED)
	@if ! command -v ffmpeg >/dev/null && [[ $$(id -u) == 0 ]] && command -v apt-get >/dev/null; then \
	  echo '$(APT) ffmpeg'; { apt-get update -qq && $(APT) ffmpeg; } </dev/null >/dev/null || true; \
	fi
	@touch $@

app: setup ## Build the browser app into .cache/app when its sources changed (make start does this by itself)
	@$(BIN)/node clients/app/build.ts $(ARGS)

start: setup ffmpeg ## Run everything in one process; prints addresses, an API key and the next commands (Ctrl-C drains)
	@$(BIN)/node clients/app/build.ts
	@exec bin/crier start $(ARGS)

migrate: setup ## Make keyspace, tables, topics and schemas of the cluster that the CRIER_ variables name
	@bin/crier migrate $(ARGS)

test: tools ## Run what fits twelve minutes: types, unit, 300 simulated worlds, kills of one process, faults of a real cluster
	@$(BIN)/node test/run/main.ts

ci: tools ## Run every check and suite, as the continuous integration does: half an hour
	@$(BIN)/node test/run/main.ts --ci

check: setup ## Run what needs no engine: types, house rules, unit tests
	@$(TSC) --noEmit
	@$(TSC) --noEmit -p clients/app
	@$(VITEST) run --project unit

# Helm compiles for minutes and is kept. Without it the other verbs leave out the suite that renders the chart.
HELM := .cache/tools/helm
$(HELM):
	@command -v go >/dev/null || { echo 'go is missing, which builds helm. Type: sudo apt-get install golang-go' >&2; exit 1; }
	@echo 'building helm, once'; GOBIN='$(CURDIR)/$(dir $@)' go install -ldflags '-s -w' helm.sh/helm/v4/cmd/helm@v4.3.0 </dev/null

# What holds manifests to schemas with the code of Kubernetes' own server.
KUBECTL_VALIDATE := .cache/tools/kubectl-validate
$(KUBECTL_VALIDATE): | $(HELM)
	@echo 'building kubectl-validate, once'; GOBIN='$(CURDIR)/$(dir $@)' go install -ldflags '-s -w' sigs.k8s.io/kubectl-validate@v0.0.4 </dev/null

# The schemas of three versions of Kubernetes, and of the operators' kinds: a few files out of modules of 100 MB each.
KUBERNETES := .cache/tools/kubernetes
$(KUBERNETES): helm/kubernetes/versions.ts helm/kubernetes/write-schemas.ts | $(INSTALLED)
	@$(BIN)/node helm/kubernetes/write-schemas.ts

chart: setup $(HELM) $(KUBECTL_VALIDATE) $(KUBERNETES) ## Lint the Helm chart, render it with every example and every value flipped, and hold all that to Kubernetes' schemas; builds helm at first
	@CRIER_TEST_CHART=1 $(VITEST) run --project unit helm

# A real API server with its controllers compiles for long and is kept, as is etcd, which Debian packs.
SERVERS := kube-apiserver kube-controller-manager
SERVERS_VERSION := v1.36.3
SERVERS_NAMES := k8s.io/component-base/version
$(SERVERS:%=.cache/tools/%) &: test/kubernetes/servers/go.mod
	@command -v go >/dev/null || { echo 'go is missing, which builds Kubernetes. Type: sudo apt-get install golang-go' >&2; exit 1; }
	@echo 'building kube-apiserver and kube-controller-manager, once'; mkdir -p .cache/tools
	@cd test/kubernetes/servers && CGO_ENABLED=0 go build -trimpath -o '$(CURDIR)/.cache/tools/' \
	  -ldflags '-s -w -X $(SERVERS_NAMES).gitVersion=$(SERVERS_VERSION) -X $(SERVERS_NAMES).gitMajor=1 -X $(SERVERS_NAMES).gitMinor=36' \
	  $(SERVERS:%=k8s.io/kubernetes/cmd/%) </dev/null

ETCD := .cache/tools/etcd
$(ETCD):
	@unpacked=$$(mktemp -d); mkdir -p $(dir $@); echo 'unpacking etcd'; \
	{ cd "$$unpacked" && { apt-get download -qq etcd-server || { apt-get update -qq && apt-get download -qq etcd-server; }; } \
	  && dpkg-deb --fsys-tarfile etcd-server_*.deb | tar -x ./usr/bin/etcd && mv usr/bin/etcd '$(CURDIR)/$@'; } </dev/null >/dev/null; \
	rm -rf "$$unpacked"

kubernetes: tools app $(HELM) $(ETCD) $(SERVERS:%=.cache/tools/%) ## Install, upgrade and remove the chart on a real API server, both modes (ARGS=single: one process alone); needs root, builds Kubernetes at first
	@[[ $$(id -u) == 0 ]] || { echo 'make kubernetes makes networks and mounts of its own, so it needs root: sudo make kubernetes' >&2; exit 1; }
	@unshare --net --mount bash -c 'mount -t tmpfs tmpfs /run && exec $(VITEST) run --project kubernetes $(ARGS)'

alerts: tools prometheus ## Cause faults in installations that a Prometheus watches by the chart's rules; ARGS="-t 'Kafka stopped'" causes one, all take half an hour
	@$(BIN)/node libs/testing/bundle/build.ts
	@$(VITEST) run --project alerts $(ARGS)

soak: tools ## Run the long forms of everything in `make ci`, 20,000 simulated worlds among them; plan some hours
	@$(BIN)/node test/run/main.ts --soak

# What holds the API to its OpenAPI document: packages of Python, pinned with their digests. Without it the other fuzzers run.
SCHEMATHESIS := .cache/schemathesis/bin/schemathesis
$(SCHEMATHESIS): test/fuzz/openapi/requirements.txt
	@command -v python3 >/dev/null || { echo 'python3 is missing, which runs schemathesis. Type: sudo apt-get install python3-venv' >&2; exit 1; }
	@echo 'installing schemathesis, once'; rm -rf .cache/schemathesis; python3 -m venv .cache/schemathesis
	@.cache/schemathesis/bin/pip install --quiet --disable-pip-version-check --require-hashes --requirement $< </dev/null
	@touch $@

fuzz: setup ## Send broken forms of everything that others send to its readers; ARGS="--seconds=3600 --target=NAME --seed=N", a minute when left out
	@$(MAKE) $(SCHEMATHESIS) || true
	@$(BIN)/node test/fuzz/main.ts $(ARGS)

# What `make bench ARGS=--peers` measures beside Crier: packages of npm that are no dependencies of the product, and servers that Debian packs, unpacked with
# the libraries that this machine lacks.
PEERS := .cache/peers
PEERS_INSTALLED := $(PEERS)/node_modules/.package-lock.json
$(PEERS_INSTALLED): test/bench/peers/packages/package-lock.json | $(INSTALLED)
	@echo 'installing the packages of test/bench/peers, once'; mkdir -p $(PEERS); cp test/bench/peers/packages/package*.json .npmrc $(PEERS)
	@cd $(PEERS) && PATH="$(CURDIR)/$(BIN):$$PATH" npm ci --ignore-scripts --no-audit --no-fund --loglevel=error </dev/null
	@touch $@

peers: setup $(PEERS_INSTALLED) ## Install what make bench ARGS=--peers measures beside Crier: PostgreSQL and Redis unpacked, packages of npm
	@missing=; [[ -n "$$(ls -d {,$(PEERS)/debian}/usr/lib/postgresql/*/bin/initdb 2>/dev/null)" ]] || missing+=' postgresql'; \
	command -v redis-server >/dev/null || [[ -e $(PEERS)/debian/usr/bin/redis-server ]] || missing+=' redis-server'; \
	if [[ -n $$missing ]] && command -v apt-get >/dev/null; then \
	  packed=$$(mktemp -d); mkdir -p "$$packed/partial" $(PEERS)/debian; echo 'unpacking' $$missing; \
	  get="$(APT) --download-only -o Dir::Cache::archives=$$packed"; \
	  { env $$get $$missing || { apt-get update -qq && env $$get $$missing; }; } </dev/null >/dev/null 2>&1 || true; \
	  for package in "$$packed"/*.deb; do [[ ! -e $$package ]] || dpkg-deb --extract "$$package" $(PEERS)/debian; done; \
	  rm -rf "$$packed"; \
	fi
	@[[ -n "$$(ls -d {,$(PEERS)/debian}/usr/lib/postgresql/*/bin/initdb 2>/dev/null)" ]] || echo 'PostgreSQL is missing. Type: sudo apt-get install postgresql' >&2
	@command -v redis-server >/dev/null || [[ -e $(PEERS)/debian/usr/bin/redis-server ]] || echo 'Redis is missing. Type: sudo apt-get install redis-server' >&2

bench: setup ffmpeg $(if $(findstring --peers,$(ARGS)),peers) ## Measure, on both engines; a table here and JSON in bench-results/
	@$(BIN)/node test/bench/main.ts $(ARGS)

docs: setup ## Write the pages that are made from code: docs/settings.md, docs/data.md, docs/metrics.md, schemas/http/openapi.json
	@npm run --silent docs

pictures: tools prometheus ## Take the pictures in docs/app and docs/dashboards anew; ARGS="post usage dashboards" takes these alone
	@$(BIN)/node test/pictures/main.ts $(ARGS)

release: setup ## Make all artifacts of a release from a clean checkout, into dist; ARGS=--images=registry.example.com/crier names your registry
	@$(BIN)/node deploy/release/main.ts $(ARGS)

network: setup ## Begin a Network: make network NAME=mastodon writes its files, and its line in every list
	@files=$$($(BIN)/node libs/networks/scaffold/write-network.ts '$(NAME)'); $(BIN)/prettier --log-level=warn --ignore-unknown --write $$files
	@$(BIN)/node libs/codec/lock.ts
	@npm run --silent docs

clean: ## Remove what was installed, built and cached; data in .crier stays
	rm -rf node_modules .cache bench-results dist
