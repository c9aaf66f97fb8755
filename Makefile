# Every target is one or a few plain commands; `make` alone builds bin/wf.

GO ?= go
FUZZTIME ?= 30s
# Folders that an example may write into; never the checkout.
EXAMPLE = bin/example

build: ## build bin/wf, static, no cgo
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/wf ./cmd/wf

example: build ## run an example workfile through the daemon
	mkdir -p $(EXAMPLE)
	cp -f README.md LICENSE bin/
	test -e $(EXAMPLE)/words.graphml || cp examples/*.graphml $(EXAMPLE)/
	bin/wf run $(EXAMPLE)/words.graphml --output grouped

test: ## all tests
	$(GO) test ./...

race: ## all tests with the race detector
	$(GO) test -race ./...

update: ## rewrite golden files; read the diff
	$(GO) test ./scheduler -update

fuzz: ## every fuzz target for FUZZTIME
	./.ci/fuzz $(FUZZTIME)

bench: build ## time wf against ninja and make on the same graphs
	$(GO) run ./bench

clean: ## remove what was built
	rm -rf bin

.PHONY: build example test race update fuzz bench clean
