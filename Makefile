# Oxide: `make` builds build/oxide; `make demo` shows it at work; `make test` proves it.
# `make help` lists the targets. SAN=1 builds with AddressSanitizer and UBSan into build/san,
# FUZZ=1 with libFuzzer as well into build/fuzz.

CC     ?= cc
# The report of a sanitizer needs lines, not variables, which take a quarter of the compiler's time.
CFLAGS ?= $(if $(SAN),-O1 -g1,-O2 -g)
PREFIX ?= /usr/local
B      ?= build$(if $(FUZZ),/fuzz,$(if $(SAN),/san))

GCC := $(shell $(CC) --version 2>/dev/null | grep 'Free Software')

WARN = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes $(if $(WERROR),-Werror)
SANFLAGS = $(if $(SAN)$(FUZZ),-fsanitize=address -fsanitize=undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
SANFLAGS += $(if $(FUZZ),-fsanitize=fuzzer-no-link)
# The tests start thousands of such programs. With gcc's sanitizers inside, and no relocations, one
# starts and ends in two thirds of the time; clang's are always inside.
ifneq ($(SAN),)
ifneq ($(and $(GCC),$(filter /%,$(shell $(CC) -print-file-name=libasan.a))),)
SANFLAGS += -no-pie -static-libasan -static-libubsan
endif
endif

# What is missing, and which package of which system has it, says scripts/system.sh.
MSGPACK := $(shell pkg-config --exists msgpack-c 2>/dev/null && echo msgpack-c || echo msgpack)
PKGS := libuv $(MSGPACK) libcjson luajit libxxhash editorconfig libcurl

# Debian's package of wslay has no file for pkg-config.
WSLAY := $(if $(shell pkg-config --exists libwslay 2>/dev/null && echo 1),libwslay)

DEPFLAGS := $(shell pkg-config --cflags $(PKGS) $(WSLAY) 2>/dev/null)
# libcurl is loaded when it is needed (native/io/curl.h).
CURL_DIR := $(shell pkg-config --variable=libdir libcurl 2>/dev/null)
# A library of which there is an archive becomes part of the program: that starts in three quarters
# of the time then, and the next version of the library, which a system gets by itself, does not
# break it. SHARED=1 links none so.
archive   = $(if $(SHARED),,$(filter /%,$(shell $(CC) -print-file-name=lib$(strip $(1)).a)))
part      = $(or $(call archive,$(1)),$(call archive,$(1)_a),-l$(1))
PCRE     := $(if $(call archive,editorconfig),$(call archive,pcre2-8)) # which that one needs
PARTS    := uv msgpack-c msgpackc cjson xxhash luajit-5.1 $(if $(PCRE),editorconfig)
linked    = $(foreach l,$(1),$(if $(filter $(l),$(PARTS:%=-l%)),$(call part,$(l:-l%=%)),$(l)))
DEPLIBS  := $(call linked,$(shell pkg-config --libs $(filter-out libcurl,$(PKGS)) 2>/dev/null)) $(PCRE) \
	$(if $(WSLAY),$(shell pkg-config --libs $(WSLAY)),-lwslay)
# What the pure floors need of it.
PURELIBS := $(shell pkg-config --libs $(MSGPACK) libcjson libxxhash $(WSLAY) 2>/dev/null) $(if $(WSLAY),,-lwslay) -lm
VERSION  := $(shell sed -n 's/^## \([0-9][^ ]*\).*/\1/p' CHANGELOG.md 2>/dev/null | head -1)

ALL_CFLAGS = -std=c11 -D_GNU_SOURCE $(CFLAGS) $(WARN) $(SANFLAGS) -MMD -MP $(DEPFLAGS) -DOXIDE_VERSION='"$(VERSION)"' \
	-DOXIDE_DATA='"$(PREFIX)/share/oxide/lua/oxide"' \
	-DOXIDE_CURL_DIR='"$(CURL_DIR)"'
ALL_LIBS = $(DEPLIBS) -lm -lpthread $(if $(GCC),$(if $(SHARED),,-static-libgcc))
# Tests are linked by the fastest linker that there is: they are many, and nobody installs them.
TEST_LD := $(firstword $(foreach ld,lld gold,$(if $(shell command -v ld.$(ld)),-fuse-ld=$(ld))))

# One line for each file, none with -s; V=1 shows the commands.
ifeq ($(V),)
Q = @
say = $(if $(findstring s,$(firstword -$(MAKEFLAGS))),,@printf '  %-4s %s\n' $(1) $(2))
endif

SRC  := $(sort $(wildcard native/*/*.c))
MAIN := native/shell/main.c
OBJ  := $(SRC:native/%.c=$(B)/obj/%.o)
PURE := $(filter $(addprefix $(B)/obj/,base/% text/% code/% wire/% edit/% hook/% lsp/% llm/% mcp/% acp/%),$(OBJ))
UNIT := $(sort $(wildcard tests/unit/test_*.c))
FUZZERS := $(patsubst tests/fuzz/%.c,$(B)/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))

.PHONY: all libs demo test unit fuzzers fuzz check fmt bench doc install dist rock clean help
.DEFAULT_GOAL := all

# Plugin managers call `make` alone. What runs a make of its own says there how wide that is.
ifeq ($(filter-out all unit fuzzers install rock $(B)/%,$(MAKECMDGOALS))$(filter -j%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
endif

all: $(B)/oxide doc/tags ## build the core

$(B)/oxide: $(OBJ) | libs
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $(LDFLAGS) -o $@.tmp $^ $(ALL_LIBS)
	@mv $@.tmp $@

$(B)/obj/%.o: native/%.c | libs
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

# As :helptags, which not everybody runs who installs Oxide.
doc/tags: doc/oxide.txt scripts/tags.awk
	$(call say,TAGS,$@)
	$(Q)awk -f scripts/tags.awk $< | LC_ALL=C sort >$@.tmp && mv $@.tmp $@

$(B)/obj/base/hash_wide.o: ALL_CFLAGS += $(if $(filter x86_64%,$(shell $(CC) -dumpmachine)),-mavx2)

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

# A unit test says in its first lines `// links: full` when it needs the upper floors. To optimize a
# test takes longer than it takes to run it, but gcc warns of what is not initialized from -Og on.
$(B)/unit/%: tests/unit/%.c $(B)/libpure.a $(B)/libfull.a
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) $(if $(GCC),-Og,-O0) $(TEST_LD) -Inative -o $@ $< \
		$(if $(findstring links: full,$(shell head -3 $<)),$(B)/libfull.a,$(B)/libpure.a) \
		$(if $(findstring links: full,$(shell head -3 $<)),$(ALL_LIBS),$(PURELIBS)) \
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
	$(Q)$(CC) $(ALL_CFLAGS) $(TEST_LD) -Inative -o $@ $< $(RUNNER) $(B)/libpure.a $(PURELIBS)

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

bench: ## measure against the named peers, in one run; PARTS="events typing": some
	@scripts/system.sh bench
	@tests/bench/run.sh $(PARTS)

doc: all ## print the generated parts of doc/oxide.txt anew, and its tags
	@scripts/doc.sh

install: all ## into PREFIX
	install -D $(B)/oxide $(DESTDIR)$(PREFIX)/bin/oxide
	mkdir -p $(DESTDIR)$(PREFIX)/share/oxide
	cp -R lua plugin doc $(DESTDIR)$(PREFIX)/share/oxide/

DIST = oxide.nvim-$(VERSION)

dist: doc/tags ## the last commit as build/oxide.nvim-VERSION.tar.gz, which needs no git to be built
	@mkdir -p build
	$(Q)git archive --format=tar.gz --prefix=$(DIST)/doc/ --add-file=doc/tags --prefix=$(DIST)/ -o build/$(DIST).tar.gz HEAD
	@echo build/$(DIST).tar.gz

# What luarocks installs besides: modules that Neovim looks for in 'runtimepath' alone.
rock: all
	@mkdir -p build/rock/lua/oxide
	@cp lua/oxide/health.lua build/rock/lua/oxide/

clean: ## remove what was built
	rm -rf build

help:
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

-include $(OBJ:.o=.d) $(wildcard $(B)/unit/*.d)
