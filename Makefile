# Every target is one or a few plain commands; `make` alone builds bin/wf.

GO ?= go
FUZZTIME ?= 30s
# Folders that an example may write into; never the checkout.
EXAMPLE = bin/example
# Of make torture; a seed repeats what was left to chance, as far as the machine lets it.
KILLS = 2000
LEAK_NODES = 20000
OPENINGS = 2000
STOPS = 10
WATCHED_NODES = 10000
FLOWS = 2000
SEED = 1

build: ## build bin/wf, static, no cgo
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/wf ./cmd/wf

example: build ## run an example workfile through the daemon
	mkdir -p $(EXAMPLE)
	cp -f README.md LICENSE bin/
	test -e $(EXAMPLE)/words.graphml || cp examples/*.graphml $(EXAMPLE)/
	bin/wf run $(EXAMPLE)/words.graphml --output grouped

test: ## all tests
	$(GO) test -timeout 20m ./...

race: ## all tests with the race detector
	$(GO) test -race -timeout 40m ./...

update: ## rewrite golden files; read the diff
	$(GO) test ./scheduler ./cmd/wf/convert ./tui/... ./bench/flame -update

docs: ## rewrite docs/cli.md, docs/tui.md, docs/schema/workfile.json and the functions of docs/control-flow.md from the code
	$(GO) test ./cmd/wf -run TestDocs -write-docs
	$(GO) test ./tui -run TestDocs -write-docs
	$(GO) test ./scheduler/expression -run TestDocs -write-docs
	$(GO) test ./graph/text -run TestDocs -write-docs

picture: ## draw docs/picture.svg anew, from a real screen of wf
	$(GO) test ./cmd/wf -run TestPicture -write-picture

gallery: build ## draw docs/gallery anew, from the workfiles in examples and those in RECORDED
	docs/gallery/draw.sh bin/wf $(RECORDED)

fuzz: ## every fuzz target for FUZZTIME
	./.ci/fuzz $(FUZZTIME)

bench: build ## time wf against ninja and make on the same graphs
	$(GO) run ./bench
	$(GO) run ./bench -cli -rounds 20

bench-table: build ## measure where wf stands, as a table; takes a quarter of an hour
	$(GO) run ./bench -table -files "$(BENCH_FILES)"

flame: ## draw where client, daemon, runner and commands spend their time
	$(GO) run ./bench/flame

bench-screen: build ## measure the terminal interface: processor, memory, time to the screen; takes 6 minutes
	$(GO) run ./bench/screen -wf bin/wf

# Recorded workflows beside the made ones, comma-separated; their commands are replaced by true.
BENCH_FILES =

bench-host: ## measure wf --host, on loopback and with a round trip of 200 ms and 1 % loss; as root, with sshd; takes 4 minutes
	$(GO) test ./cmd/wf -run '^Test(Near|Slow)Connection$$' -slow-connection -v -count 1

bench-slurm: ## measure the executor slurm with a private Slurm; as root, with its programs; takes 25 minutes
	$(GO) test ./cmd/wf -run '^TestSlurmFigures$$|^TestSlurm$$/many' -slurm-figures -torture -v -count 1 -timeout 2h

bench-all: build ## the same for all sizes and widths; takes an hour
	$(GO) run ./bench -n 1000,10000,100000 -j 2,8 -shells plain -rounds 5
	$(GO) run ./bench -n 1000,10000 -j 2,8 -shells bash -rounds 5
	test -z "$(BENCH_FILES)" || $(GO) run ./bench -shapes "" -files "$(BENCH_FILES)" -command true -j 2,8
	$(GO) run ./bench -n 100000 -shapes layered -shells plain -load
	$(GO) run ./bench -n 1 -shapes flat -shells plain -rounds 20

torture: ## attack the real binary, cut journals and records at every byte, have every operation fail; takes an hour
	$(GO) run ./bench/torture kill -n $(KILLS) -seed $(SEED)
	$(GO) run ./bench/torture control -n $(KILLS) -seed $(SEED)
	$(GO) run ./bench/torture leak -n $(LEAK_NODES) -seed $(SEED)
	$(GO) run ./bench/torture leak -n $(OPENINGS) -size 1 -workfiles 40 -seed $(SEED)
	$(GO) run ./bench/torture stop -n $(STOPS) -seed $(SEED)
	$(GO) run ./bench/torture slots -n 100 -files 50 -events 30 -seed $(SEED)
	$(GO) run ./bench/torture watch -n $(WATCHED_NODES) -seed $(SEED)
	$(GO) run ./bench/torture folders -seed $(SEED)
	$(GO) run ./bench/torture forecast -n $(FLOWS) -seed $(SEED)
	$(GO) test ./workspace -run 'Crash|Death|EveryOperation' -torture -count 1 -timeout 2h
	$(GO) test ./executor ./executor/runner -run 'RecordCut|EveryOperation' -torture -count 1 -timeout 2h

torture-short: ## the same in little
	$(GO) run ./bench/torture kill -n 50 -seed $(SEED)
	$(GO) run ./bench/torture control -n 16 -seed $(SEED)
	$(GO) run ./bench/torture leak -n 4000 -seed $(SEED)
	$(GO) run ./bench/torture leak -n 100 -size 1 -workfiles 20 -seed $(SEED)
	$(GO) run ./bench/torture stop -n 1 -seed $(SEED)
	$(GO) run ./bench/torture slots -n 6 -files 10 -seed $(SEED)
	$(GO) run ./bench/torture watch -n 1000 -rounds 1 -seed $(SEED)
	$(GO) run ./bench/torture folders -n 12 -seed $(SEED)
	$(GO) run ./bench/torture forecast -n 40 -seed $(SEED)

clean: ## remove what was built
	rm -rf bin

.PHONY: build example test race update docs picture fuzz bench bench-table flame bench-screen bench-host bench-slurm bench-all torture torture-short clean
