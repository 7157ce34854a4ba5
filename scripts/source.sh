#!/usr/bin/env bash
# Brings the source of a real project into .deps/source/, for the tests that refactor it:
#
#	scripts/source.sh lua5.4    .deps/source/lua5.4, as its authors published it
#
# It is the original archive of Debian's source package, without Debian's changes. Nothing is
# fetched twice.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

SUITE=bookworm

name=${1-}
case $name in
lua5.4) ;;
*) die "usage: scripts/source.sh lua5.4" ;;
esac
dir=$DEPS/source/$name
alone
is_done "$dir" "$SUITE" || {
	source_of "$SUITE" "$dir" "$name"
	mark_done "$dir" "$SUITE"
}
echo "$dir"
