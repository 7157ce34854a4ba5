#!/usr/bin/env bash
# Brings llama-server of llama.cpp, a current one, into .deps/llama, without touching the system,
# and prints the path of its launcher. It comes without a model; the tests write theirs.
#
# Nothing is fetched twice.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

SUITE=forky

# It looks in the system for the libraries that compute, one for each kind of processor, or takes
# the one that it is told: the plainest, which runs everywhere.
launcher()
{
	local name backend
	for name in cpu-x64 cpu-armv8.0_1 cpu; do
		backend=$(find "$1/usr/lib" -name "libggml-$name.so")
		[ -z "$backend" ] || break
	done
	[ -n "$backend" ] || die "no library that computes among the packages in $1"
	cat <<-END
		#!/bin/sh
		# Written by scripts/llama.sh: llama-server with its own libraries.
		GGML_BACKEND_PATH="$backend" exec "$1/usr/bin/llama-server" "\$@"
	END
}

bring()
{
	local dir=$1
	portable "$SUITE" "$dir" llama.cpp-tools
	use_own_libraries "$dir" "$dir/usr/bin/llama-server"
	ln -s -t "$dir"/usr/lib/*-linux-* llama/libllama-server-impl.so # not in the loader's directory
	launcher "$dir" >"$dir/llama-server"
	chmod +x "$dir/llama-server"
	quietly start-llama "$dir/llama-server" --version
	mark_done "$dir" "$SUITE"
}

alone
is_done "$DEPS/llama" "$SUITE" || bring "$DEPS/llama"
echo "$DEPS/llama/llama-server"
