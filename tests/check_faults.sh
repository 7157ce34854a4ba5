#!/usr/bin/env bash
# Shows that each check of tests/check.sh can fail: plants one fault for each in a copy of the tree.
# Prints TAP.
#
#	tests/check_faults.sh             all of them, by hand: it compiles everything twice
#	tests/check_faults.sh CHECK...    those of these checks
set -uo pipefail
cd "$(dirname "$0")/.." || exit
ROOT=$(pwd -P)
COPY=$(mktemp -d)
trap 'rm -rf "$COPY"' EXIT

fresh()
{
	rm -rf "${COPY:?}/tree"
	mkdir -p "$COPY/tree"
	tar -cf - --exclude=./build --exclude=./.deps --exclude=./.git . | tar -C "$COPY/tree" -xf -
	ln -s "$ROOT/.deps" "$COPY/tree/.deps"
}

checks=" $* " n=0 failed=0

# faulty CHECK COMMAND: the check, which passes on the tree, fails once COMMAND was run in a copy.
faulty()
{
	local check=$1 said
	[ "$checks" = "  " ] || [[ $checks == *" $check "* ]] || return 0
	n=$((n + 1))
	fresh
	if (cd "$COPY/tree" && eval "$2" && ! OXIDE=$ROOT/build/oxide tests/check.sh "$check" >"$COPY/said"); then
		echo "ok $n - $check: $2"
	else
		said=$(tail -n 3 "$COPY/said")
		echo "not ok $n - $check did not see: $2"
		echo "# $said"
		failed=1
	fi
}

faulty floors 'echo "#include \"../core/oxide.h\"" >>native/text/pos.c'
faulty floors 'echo "#include <uv.h>" >>native/servers/pool.c'
faulty floors 'echo "#include <unistd.h>" >>native/lsp/diag.c'
faulty floors 'echo >native/text/loop.h'
faulty floors 'echo >native/core/thing.c'
faulty floors 'seq 501 | sed "s/^/-- /" >lua/oxide/long.lua'
faulty headers 'echo "void f(struct unknown_type x);" >>native/edit/plan_impl.h'
faulty gcc 'echo "int f(void); int f(void) { int x; return x; }" >>native/text/pos.c'
faulty clang 'echo "void f(void) { }" >>native/text/pos.c'
faulty clang_format 'echo "int  x ;" >>native/text/pos.c'
faulty stylua 'echo "local  x = 1" >>lua/oxide/ui.lua'
faulty luacheck 'echo "y = undefined_name" >>lua/oxide/ui.lua'
faulty shell 'echo "if then" >>scripts/lib.sh'
faulty shell 'chmod -x tests/run.sh'
faulty doc 'sed -i "0,/oxide/s//oxido/" doc/oxide.txt; sed -i "s/how long/for how long/I" lua/oxide/config/options.lua'
faulty helptags 'echo "*:Oxide*" >>doc/oxide.txt'
faulty helptags 'echo "|oxide-no-such-tag|" >>doc/oxide.txt'
faulty places 'echo "-- $PWD/lua" >>lua/oxide/ui.lua'
faulty places 'apt-get indextargets --format "\$(REPO_URI)" | head -n 1 >>CHANGELOG.md'
faulty walks 'mv native/tool/target.c native/tool/aim.c'
faulty tools 'echo "const char *last = \"undo\";" >>native/tool/tool.c'
echo "1..$n"
exit $failed
