#!/usr/bin/env bash
# The main job on a copy of the example project, with the real clangd: on a terminal in Neovim,
# with the tour of the help beside the code; without one step by step, printed. `make demo` runs it
# after scripts/system.sh demo and the build.
#
# Everything that Neovim, the core and clangd write goes into one new directory, which is kept.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

core=$ROOT/build/oxide
[ -x "$core" ] || die "the core is not built; run make demo"
have clangd || die "clangd is not on the PATH; scripts/system.sh check demo names its package"
nvim=$("$ROOT/scripts/neovim.sh" demo)

scratch=$(mktemp -d "${TMPDIR:-/tmp}/oxide-demo-XXXXXX")
scratch=$(cd "$scratch" && pwd -P)
project=$scratch/stations
"$ROOT/tests/projects/copy.sh" c "$project"
mkdir -p "$scratch"/own/{config,data,state,cache,run,tmp}

export XDG_CONFIG_HOME=$scratch/own/config XDG_DATA_HOME=$scratch/own/data \
	XDG_STATE_HOME=$scratch/own/state XDG_CACHE_HOME=$scratch/own/cache \
	XDG_RUNTIME_DIR=$scratch/own/run TMPDIR=$scratch/own/tmp OXIDE_DEMO_ROOT=$ROOT
unset NVIM_APPNAME NVIM NVIM_LOG_FILE VIMINIT
# A fresh system speaks ASCII only, and the project does not.
case $(locale charmap 2>/dev/null) in
UTF-8) ;;
*) export LC_ALL=C.UTF-8 ;;
esac

cd "$project"
start=("$nvim" -u "$ROOT/scripts/demo/init.lua" -i NONE -n)
if [ -t 0 ] && [ -t 1 ]; then
	"${start[@]}" -S "$ROOT/scripts/demo/tour.lua"
	step "what you did is in $project; remove $scratch when you like"
else
	"${start[@]}" --headless -S "$ROOT/scripts/demo/steps.lua" </dev/null
fi
