#!/usr/bin/env bash
# Draws doc/review.png: the review of a rename, as a terminal shows it. The screen is real: Neovim
# runs in tmux on the example project, with clangd. Not part of the tests; run it when what a
# review looks like has changed, after `make`.
#
# Needs, besides what the tests need: librsvg2-bin pngquant fonts-dejavu-core
# fonts-droid-fallback fonts-symbola (their Debian names).
set -euo pipefail
. "$(dirname "$0")/lib.sh"

for tool in tmux python3 rsvg-convert pngquant clangd; do
	have "$tool" || die "$tool is missing; the head of $0 names the packages"
done
[ -x "$ROOT/build/oxide" ] || die "the core is not built; run make"
nvim=$("$ROOT/scripts/neovim.sh" 0.12)

scratch=$(mktemp -d "${TMPDIR:-/tmp}/oxide-screenshot-XXXXXX")
socket=$scratch/tmux
trap 'tmux -S "$socket" kill-server 2>/dev/null || true; rm -rf "$scratch"' EXIT
"$ROOT/tests/projects/copy.sh" c "$scratch/stations"

# wait_for TEXT: until the screen shows it.
wait_for()
{
	local tries=0
	until tmux -S "$socket" capture-pane -p | grep -qF -- "$1"; do
		tries=$((tries + 1))
		[ "$tries" -lt 300 ] || {
			tmux -S "$socket" capture-pane -p >&2
			die "the screen never showed: $1"
		}
		sleep 0.1
	done
}

export LC_ALL=C.UTF-8 OXIDE_DEMO_ROOT=$ROOT
export XDG_CONFIG_HOME=$scratch/config XDG_DATA_HOME=$scratch/data XDG_STATE_HOME=$scratch/state \
	XDG_CACHE_HOME=$scratch/cache
tmux -S "$socket" -f /dev/null new-session -d -x 96 -y 51 -c "$scratch/stations" \
	"$nvim" -u "$ROOT/scripts/demo/init.lua" -i NONE -n \
	--cmd 'set termguicolors background=dark shortmess+=I' \
	-c 'call search("process_data")' src/main.c
tmux -S "$socket" set -g default-terminal tmux-256color
wait_for process_data
tmux -S "$socket" send-keys ':Oxide rename handle_data' Enter
wait_for 'places in 5 files'
tmux -S "$socket" send-keys ']f='
wait_for '[ ] src/main.c'
tmux -S "$socket" send-keys 'gg]f]f'
wait_for '1 left out'
tmux -S "$socket" capture-pane -e -p >"$scratch/screen"
python3 "$ROOT/scripts/screen2svg.py" <"$scratch/screen" >"$scratch/screen.svg"
rsvg-convert "$scratch/screen.svg" | pngquant --speed 1 64 - >"$ROOT/doc/review.png"
step "doc/review.png is drawn, $(wc -c <"$ROOT/doc/review.png") bytes"
