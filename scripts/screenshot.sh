#!/usr/bin/env bash
# Draws the pictures of the README as a terminal shows them:
#
#	scripts/screenshot.sh [review] [chat]      doc/review.png, of a rename; doc/chat.png
#
# The screens are real: Neovim runs in tmux on the example project, with clangd; what the model of the
# conversation says is written in screenshot_model.lua. Not part of the tests; run it when what is
# shown has changed, after `make`.
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
model=
trap 'tmux -S "$socket" kill-server 2>/dev/null || true; [ -z "$model" ] || kill "$model"
	rm -rf "$scratch"' EXIT

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

keys()
{
	tmux -S "$socket" send-keys "$@"
}

# begin HEIGHT FILE WORD [OPTION...]: Neovim on a new copy of the project, at the first WORD of the file.
begin()
{
	local height=$1 file=$2 word=$3
	shift 3
	rm -rf "$scratch/stations"
	"$ROOT/tests/projects/copy.sh" c "$scratch/stations"
	tmux -S "$socket" -f /dev/null new-session -d -x 96 -y "$height" -c "$scratch/stations" \
		"$nvim" -u "$ROOT/scripts/demo/init.lua" -i NONE -n \
		--cmd 'set termguicolors background=dark shortmess+=I' "$@" \
		-c "call search('$word')" "$file"
	tmux -S "$socket" set -g default-terminal tmux-256color
	wait_for "$word"
}

# draw NAME: what the screen shows, as doc/NAME.png.
draw()
{
	tmux -S "$socket" capture-pane -e -p >"$scratch/screen"
	tmux -S "$socket" kill-server
	python3 "$ROOT/scripts/screen2svg.py" <"$scratch/screen" >"$scratch/screen.svg"
	rsvg-convert "$scratch/screen.svg" | pngquant --speed 1 64 - >"$ROOT/doc/$1.png"
	step "doc/$1.png is drawn, $(wc -c <"$ROOT/doc/$1.png") bytes"
}

review()
{
	begin 51 src/main.c process_data
	keys ':Oxide rename handle_data' Enter
	wait_for 'places in 5 files'
	keys ']f='
	wait_for '[ ] src/main.c'
	keys 'gg]f]f'
	wait_for '1 left out'
	draw review
}

chat()
{
	local url=
	coproc "$nvim" -u NONE -i NONE -n -l "$ROOT/scripts/screenshot_model.lua"
	model=$COPROC_PID
	read -r url <&"${COPROC[0]}"
	begin 55 src/series.c process_data -c "lua vim.g.oxide = vim.tbl_extend('force', vim.g.oxide, {
		models = { fast = { url = '$url', model = 'qwen3' } } })"
	keys ':3,10Oxide ask can i overflow?' Enter
	wait_for '1 place in 1 file'
	keys ':w' Enter
	wait_for 'Changes accepted'
	keys C-w j 38 C-w _ '?edit_file' Enter zogg
	wait_for '+    for (size_t'
	keys ':nohlsearch | echo' Enter G
	wait_for 'Changes accepted'
	draw chat
}

export LC_ALL=C.UTF-8 OXIDE_DEMO_ROOT=$ROOT
export XDG_CONFIG_HOME=$scratch/config XDG_DATA_HOME=$scratch/data XDG_STATE_HOME=$scratch/state \
	XDG_CACHE_HOME=$scratch/cache
[ $# -gt 0 ] || set -- review chat
for picture; do
	case $picture in
	review | chat) "$picture" ;;
	*) die "usage: scripts/screenshot.sh [review] [chat]" ;;
	esac
done
