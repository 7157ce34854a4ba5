#!/usr/bin/env bash
# Brings the language servers and tools of the tests into .deps/; their launchers are in
# .deps/bin, which the tests put first on the PATH.
#
#	scripts/servers.sh             all but clangd-new
#	scripts/servers.sh NAME...     some of them
#
# clangd       the system's (14 on Debian 12, which does not know positionEncodings)
# clangd-new   a current one (21 and later know them), 300 MB in .deps/clangd-new; as clangd-new
# pyright      pyright-langserver
# typescript   typescript-language-server and tsc; version 4, which still runs on Node 18
# stylua       the formatter of the Lua files: a library, whose command line is stylua.js
#
# Nothing is fetched twice.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

BIN=$DEPS/bin

# link NAME TARGET: .deps/bin/NAME starts TARGET.
link()
{
	[ -x "$2" ] || die "$1 was to be $2, and that is not there"
	mkdir -p "$BIN"
	ln -sfn "$2" "$BIN/$1"
}

# npm_package NAME "PACKAGE@VERSION..." LAUNCHER...
npm_package()
{
	local dir=$DEPS/servers/$1 packages=$2 launcher
	shift 2
	if ! is_done "$dir" "$packages"; then
		have npm || die "npm is missing; scripts/system.sh test installs it"
		step "fetching $packages"
		rm -rf "$dir"
		mkdir -p "$dir"
		# shellcheck disable=SC2086 # a list of packages
		quietly "npm-${dir##*/}" npm install --prefix "$dir" \
			--no-audit --no-fund --no-update-notifier --ignore-scripts $packages
		mark_done "$dir" "$packages"
	fi
	for launcher; do
		link "$launcher" "$dir/node_modules/.bin/$launcher"
	done
}

system_clangd()
{
	local found
	found=$(PATH=${PATH//"$BIN:"/} command -v clangd) ||
		die "clangd is missing; scripts/system.sh test installs it"
	link clangd "$found"
}

new_clangd()
{
	local dir=$DEPS/clangd-new program
	if ! is_done "$dir" forky; then
		portable forky clangd "$dir"
		program=$(readlink -f "$(find "$dir"/usr/lib/llvm-*/bin -name clangd)")
		use_own_libraries "$dir" "$program"
		ln -s "$program" "$dir/clangd"
		"$dir/clangd" --version >/dev/null || die "clangd of Debian forky does not run here"
		mark_done "$dir" forky
	fi
	link clangd-new "$dir/clangd"
}

[ $# -gt 0 ] || set -- clangd pyright typescript stylua
alone
for name; do
	case $name in
	clangd) system_clangd ;;
	clangd-new) new_clangd ;;
	pyright) npm_package pyright pyright@1.1.414 pyright-langserver ;;
	typescript)
		npm_package typescript "typescript-language-server@4.4.1 typescript@5.9.3" \
			typescript-language-server tsc
		;;
	stylua)
		npm_package stylua @johnnymorganz/stylua@2.5.2
		link stylua "$ROOT/scripts/stylua.js"
		;;
	*) die "no language server is called $name; known: clangd clangd-new pyright typescript stylua" ;;
	esac
done
