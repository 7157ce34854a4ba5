#!/usr/bin/env bash
# Brings the source of a real project in C into .deps/source/, for the tests that refactor it:
#
#	scripts/source.sh lua5.4    .deps/source/lua5.4, as its authors published it
#
# The others are jansson, libyaml and tmux, which needs the headers of libevent and ncurses.
# It is the original archive of Debian's source package, without Debian's changes. Nothing is
# fetched twice.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

SUITE=bookworm

name=${1-}
case $name in
lua5.4 | jansson | libyaml | tmux) ;;
*) die "usage: scripts/source.sh lua5.4|jansson|libyaml|tmux" ;;
esac
dir=$DEPS/source/$name
alone
is_done "$dir" "$SUITE" || {
	source_of "$SUITE" "$dir" "$name"
	mark_done "$dir" "$SUITE"
}
echo "$dir"
