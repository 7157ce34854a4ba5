#!/usr/bin/env bash
# Measures Oxide against the named peers, everything with its baseline in one run, and prints the
# ratios with their goals:
#
#     tests/bench/run.sh [--write] [--rounds N] [PART...]
#     make bench PARTS="events typing"
#
# PARTs are rename, edits, diagnostics, empty, startup, own, gate, latency, warm, commit, apply, number,
# watch, run, mcp, ide, seed, events, chat; without any, all. --write puts the figures into doc/benchmarks.md.
# NVIM and CLANGD name other programs than those that are fetched into .deps/, or where that fails
# are on the PATH. All that it makes is in build/bench/, and what servers leave in TMPDIR is removed.
# When the machine has other things to do, what is printed says so (idle.lua).
# BENCH_CHAT_SECONDS=60: for how long the chat's words stream in, instead of 10.
set -euo pipefail
cd "$(dirname "$0")/../.."

B=${B:-build}
CC=${CC:-cc}
[ -n "${NVIM-}" ] || scripts/neovim.sh 0.12 >/dev/null || true
[ -n "${CLANGD-}" ] || scripts/servers.sh clangd-new || true
NVIM=${NVIM:-$([ -x .deps/nvim-0.12/nvim ] && echo "$PWD/.deps/nvim-0.12/nvim" || command -v nvim || true)}
CLANGD=${CLANGD:-$([ -x .deps/bin/clangd-new ] && echo "$PWD/.deps/bin/clangd-new" || command -v clangd || true)}
need()
{
	command -v "$2" >/dev/null && return
	echo "run.sh: $1 is missing${2:+ ($2)}: install it, or set $3 to its path" >&2
	exit 1
}
need Neovim "$NVIM" NVIM
need clangd "$CLANGD" CLANGD
for server in typescript pyright; do
	scripts/servers.sh "$server" || true # a part without its server says so
done
PATH=$PWD/.deps/bin:$PATH
out=build/bench

make -s B="$B" -j"$(getconf _NPROCESSORS_ONLN)" "$B/oxide" "$B/libpure.a" >&2
mkdir -p "$out/bin"
msgpack=$(pkg-config --exists msgpack-c && echo msgpack-c || echo msgpack)
for tool in bare ping relay feed floor timed apply_floor apply_least number plain_number events pty; do
	if [ "tests/bench/$tool.c" -nt "$out/bin/$tool" ] || [ "$B/libpure.a" -nt "$out/bin/$tool" ]; then
		# shellcheck disable=SC2046
		"$CC" -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Inative -o "$out/bin/$tool" \
			"tests/bench/$tool.c" "$B/libpure.a" \
			$(pkg-config --libs "$msgpack" libcjson libxxhash) -lm -lutil
	fi
done

export OXIDE_BENCH_CORE=$PWD/$B/oxide OXIDE_BENCH_CLANGD=$CLANGD
scratch=$(mktemp -d "${TMPDIR:-/tmp}/oxide-bench-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
TMPDIR=$scratch "$NVIM" -u NONE -i NONE -n -l tests/bench/main.lua "$@"
