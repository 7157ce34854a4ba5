# Oxide: `make` builds build/oxide; `make demo` shows it at work; `make test` proves it.
# `make help` lists the targets. SAN=1 builds with AddressSanitizer and UBSan into build/san,
# FUZZ=1 with libFuzzer as well into build/fuzz.

CC     ?= cc
CFLAGS ?= $(if $(SAN),-O1,-O2) -g
PREFIX ?= /usr/local
B      ?= build$(if $(FUZZ),/fuzz,$(if $(SAN),/san))

WARN = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes $(if $(WERROR),-Werror)
SANFLAGS = $(if $(SAN)$(FUZZ),-fsanitize=address -fsanitize=undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
SANFLAGS += $(if $(FUZZ),-fsanitize=fuzzer-no-link)
# The tests start thousands of such programs. With gcc's sanitizers inside, and no relocations, one
# starts and ends in two thirds of the time; clang's are always inside.
ifneq ($(SAN),)
ifneq ($(and $(shell $(CC) --version | grep 'Free Software'),$(filter /%,$(shell $(CC) -print-file-name=libasan.a))),)
SANFLAGS += -no-pie -static-libasan -static-libubsan
endif
endif

# What is missing, and which package of which system has it, says scripts/system.sh.
MSGPACK := $(shell pkg-config --exists msgpack-c 2>/dev/null && echo msgpack-c || echo msgpack)
PKGS := libuv $(MSGPACK) libcjson luajit libxxhash editorconfig libcurl

DEPFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
DEPLIBS  := $(shell pkg-config --libs $(PKGS) 2>/dev/null)
VERSION  := $(shell sed -n 's/^## \([0-9][^ ]*\).*/\1/p' CHANGELOG.md 2>/dev/null | head -1)

ALL_CFLAGS = -std=c11 -D_GNU_SOURCE $(CFLAGS) $(WARN) $(SANFLAGS) -MMD -MP $(DEPFLAGS) -DOXIDE_VERSION='"$(VERSION)"' \
	-DOXIDE_DATA='"$(PREFIX)/share/oxide/lua/oxide"'
ALL_LIBS = $(DEPLIBS) -lm -lpthread

# One line for each file, none with -s; V=1 shows the commands.
ifeq ($(V),)
Q = @
say = $(if $(findstring s,$(firstword -$(MAKEFLAGS))),,@printf '  %-4s %s\n' $(1) $(2))
endif

SRC  := $(sort $(wildcard native/*/*.c))
MAIN := native/front/main.c
OBJ  := $(SRC:native/%.c=$(B)/obj/%.o)
PURE := $(filter $(addprefix $(B)/obj/,base/% text/% code/% wire/% edit/% lsp/% llm/% mcp/%),$(OBJ))
UNIT := $(sort $(wildcard tests/unit/test_*.c))
FUZZERS := $(patsubst tests/fuzz/%.c,$(B)/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))

.PHONY: all libs demo test unit fuzzers fuzz check fmt bench doc install clean help
.DEFAULT_GOAL := all

all: $(B)/oxide ## build the core

$(B)/oxide: $(OBJ) | libs
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $(LDFLAGS) -o $@.tmp $^ $(ALL_LIBS)
	@mv $@.tmp $@

$(B)/obj/%.o: native/%.c | libs
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

libs:
	@scripts/system.sh check build

# The engines alone, so that their tests prove that they need no loop, no clock and no disk.
$(B)/libpure.a: $(PURE)
	@rm -f $@
	$(call say,AR,$@)
	$(Q)$(AR) rcs $@ $^

# Everything but main(), for the tests of the upper floors.
$(B)/libfull.a: $(filter-out $(MAIN:native/%.c=$(B)/obj/%.o),$(OBJ))
	@rm -f $@
	$(call say,AR,$@)
	$(Q)$(AR) rcs $@ $^

# A unit test says in its first lines `// links: full` when it needs the upper floors.
$(B)/unit/%: tests/unit/%.c $(B)/libpure.a $(B)/libfull.a
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -Inative -o $@ $< \
		$(if $(findstring links: full,$(shell head -3 $<)),$(B)/libfull.a,$(B)/libpure.a) \
		$(if $(findstring links: full,$(shell head -3 $<)),$(ALL_LIBS),$(shell pkg-config --libs $(MSGPACK) libcjson libxxhash) -lm) \
		$(shell pkg-config --libs cmocka)

# What the conformance suite of MCP asks for by name, on the same code.
$(B)/mcp_fixture: tests/mcp/fixture.c $(B)/libfull.a
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -Inative -o $@ $< $(B)/libfull.a $(ALL_LIBS)

unit: $(UNIT:tests/unit/%.c=$(B)/unit/%) ## build the unit tests

# A fuzz target runs by libFuzzer, or else replays files.
RUNNER = $(if $(FUZZ),-fsanitize=fuzzer,tests/fuzz/replay.c)

$(B)/fuzz_%: tests/fuzz/fuzz_%.c tests/fuzz/replay.c $(wildcard tests/fuzz/*.h) $(B)/libpure.a
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -Inative -o $@ $< $(RUNNER) $(B)/libpure.a \
		$(shell pkg-config --libs $(MSGPACK) libcjson libxxhash) -lm

fuzzers: $(FUZZERS)

fuzz: ## run each fuzz target for FUZZ_SECONDS (60)
	@scripts/system.sh check fuzz
	@$(MAKE) --no-print-directory -s CC=clang FUZZ=1 fuzzers
	@tests/fuzz/run.sh

demo: ## run the main job on the example project, with a real clangd
	@scripts/system.sh demo
	@[ -x $(B)/oxide ] || echo 'oxide: building the core' >&2
	@$(MAKE) --no-print-directory -s -j$$(getconf _NPROCESSORS_ONLN) all
	@scripts/demo.sh

test: ## everything: unit, cases, real servers, both Neovims, check, sanitizers
	@scripts/system.sh test
	@tests/run.sh

check: ## floors, headers that compile alone, format, lint, documents in step
	@tests/check.sh

fmt: ## format all code
	clang-format -i $(wildcard native/*/*.[ch] $(addsuffix /*.[ch],tests/unit tests/fuzz tests/bench tests/fake tests/mcp))
	PATH=.deps/bin:$$PATH stylua lua plugin tests

bench: all ## measure against the named peers, in one run
	@tests/bench/run.sh

doc: all ## print the generated parts of doc/oxide.txt anew, and its tags
	@scripts/doc.sh

install: all ## into PREFIX
	install -D $(B)/oxide $(DESTDIR)$(PREFIX)/bin/oxide
	mkdir -p $(DESTDIR)$(PREFIX)/share/oxide
	cp -R lua plugin doc $(DESTDIR)$(PREFIX)/share/oxide/

clean: ## remove what was built
	rm -rf build

help:
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

-include $(OBJ:.o=.d) $(wildcard $(B)/unit/*.d)
