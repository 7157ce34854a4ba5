#!/usr/bin/env bash
# Draws the pictures of the README as a terminal shows them:
#
#	scripts/screenshot.sh [rename] [chat] [agent]      doc/rename.svg, doc/chat.svg, doc/agent.svg
#
# The screens are real: Neovim runs in tmux on the example project, with clangd, and in doc/agent.svg
# with Claude Code; what the models say is written in screenshot_model.lua. Not part of the tests; run it
# when what is shown has changed, after `make`, and look at the pictures in a browser.
#
# Needs tmux, python3 and clangd, and for the agent what scripts/agents.sh claude brings.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

for tool in tmux python3 clangd; do
	have "$tool" || die "$tool is missing"
done
[ -x "$ROOT/build/oxide" ] || die "the core is not built; run make"
nvim=$("$ROOT/scripts/neovim.sh" 0.12)

scratch=$(mktemp -d "${TMPDIR:-/tmp}/oxide-screenshot-XXXXXX")
project=$scratch/home/stations
socket=$scratch/tmux
model=
trap 'tmux -S "$socket" kill-server 2>/dev/null || true; [ -z "$model" ] || kill "$model" 2>/dev/null
	rm -rf "$scratch"' EXIT

# wait_for TEXT: until the screen shows it.
wait_for()
{
	local tries=0
	until tmux -S "$socket" capture-pane -p | grep -qF -- "$1"; do
		tries=$((tries + 1))
		[ "$tries" -lt 600 ] || {
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

# begin HEIGHT FILE WORD [OPTION...]: Neovim on a new copy of the project, at the first WORD of the file,
# in the environment env. The tab line is there from the start, so that no terminal changes its size.
env=()
begin()
{
	local height=$1 file=$2 word=$3
	shift 3
	rm -rf "$project" "$scratch/frames"
	mkdir -p "$scratch/frames" "$scratch/home"
	"$ROOT/tests/projects/copy.sh" c "$project"
	tmux -S "$socket" -f /dev/null new-session -d -x 88 -y "$height" -c "$project" \
		env "${env[@]}" "$nvim" -u "$ROOT/scripts/demo/init.lua" -i NONE -n \
		--cmd 'set termguicolors background=dark shortmess+=I showtabline=2' \
		--cmd 'let c_syntax_for_h = 1 | autocmd FileType c lua vim.treesitter.start()' "$@" \
		-c "call search('$word') | redraw" "$file"
	tmux -S "$socket" set -g default-terminal tmux-256color
	tmux -S "$socket" set -g focus-events on # or Claude Code advises it
	wait_for "$word"
}

# warm_up: until clangd has read the project, and written its index.
warm_up()
{
	keys ':Oxide diagnostics project' Enter
	wait_for '3 warnings in 3 files'
	keys ':cclose | echo' Enter
	until [ "$(find "$project/.cache/clangd" -name '*.idx' | wc -l)" -ge 5 ]; do
		sleep 0.1
	done
}

# frame SECONDS PRESSED DOES: what the screen shows stays so long, with that below it.
frame()
{
	local number
	number=$(printf '%02d' "$(find "$scratch/frames" -type f | wc -l)")
	{
		printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" \
			"$(tmux -S "$socket" display-message -p '#{cursor_x},#{cursor_y}')"
		tmux -S "$socket" capture-pane -eNp
	} >"$scratch/frames/$number"
}

# types PRESSED DOES PART...: types the parts, each of them seen.
types()
{
	local pressed=$1 does=$2 typed=
	shift 2
	for part; do
		keys -l -- "$part"
		typed+=$part
		wait_for "$typed"
		frame 0.5 "$pressed" "$does"
	done
}

# draw NAME POSTER: all frames, as doc/NAME.svg; without animation it is the POSTERth.
draw()
{
	tmux -S "$socket" kill-server
	python3 "$ROOT/scripts/screens2svg.py" "$scratch/frames" "$2" >"$ROOT/doc/$1.svg"
	step "doc/$1.svg is drawn, $(wc -c <"$ROOT/doc/$1.svg") bytes"
}

rename()
{
	local name='' part
	begin 35 src/report.c process_data
	warm_up
	frame 2.5 '' 'The cursor is on process_data, which five files use.'
	keys ':Oxide rename '
	for part in h andl e_d ata; do
		keys "$part"
		name+=$part
		wait_for "(double)$name("
		frame 0.5 ':Oxide rename handle_data' 'Shown while you type.'
	done
	frame 2 ':Oxide rename handle_data' 'Shown while you type.'
	keys Enter
	wait_for 'places in 5 files'
	frame 6 'Enter' 'The review: nothing is changed yet.'
	keys G
	wait_for 'Unlike'
	frame 4 'G' 'Its end: where the old name is only text.'
	keys Space
	wait_for '1 added'
	frame 3 'Space' 'This one as well.'
	keys ':w' Enter
	wait_for 'Renamed 10 places'
	frame 4 ':w' 'All files are written, or none.'
	keys ':Oxide undo' Enter
	wait_for 'Undid'
	frame 7 ':Oxide undo' 'All of them are as they were.'
	draw rename 7
}

# serve [ARGUMENT...]: the model of that name; its address is url.
serve()
{
	[ -z "$model" ] || { kill "$model" && wait "$model" || true; }
	coproc MODEL { exec "$nvim" -u NONE -i NONE -n -l "$ROOT/scripts/screenshot_model.lua" "$@" 2>"$scratch/said"; }
	model=$MODEL_PID
	read -r url <&"${MODEL[0]}"
}

chat()
{
	serve chat
	begin 38 src/series.c process_data -c "lua vim.g.oxide = vim.tbl_extend('force', vim.g.oxide, {
		models = { fast = { url = '$url', model = 'qwen3' } } })"
	warm_up
	frame 2 '' 'Any model: of a provider, or on your own machine.'
	types ':3,10Oxide ask can i overflow?' 'about lines 3 to 10' ':3,10Oxide ask' ' can i' ' overflow?'
	keys Enter
	wait_for '1 place in 1 file'
	frame 5 'Enter' 'The answer ends with a change, which comes up for review.'
	keys ':w' Enter
	wait_for 'Changes accepted'
	frame 5 ':w' 'The change is made, and the model knows it.'
	keys ':Oxide turn undo' Enter
	wait_for 'Undid'
	frame 6 ':Oxide turn undo' 'All that it changed in this turn is undone.'
	draw chat 6
}

agent()
{
	local claude=$ROOT/.deps/agents/bin/claude
	[ -x "$claude" ] || die "there is no Claude Code; scripts/agents.sh claude brings it"
	serve agent "$project" "$scratch/home" "$scratch/env"
	mapfile -t env <"$scratch/env"
	begin 40 src/report.c digits -c "lua vim.g.oxide = vim.tbl_extend('force', vim.g.oxide, {
		agents = { claude = { executable = '$claude' } } })"
	warm_up
	frame 2 '' 'Claude Code, in a terminal below the code.'
	keys ':botright Oxide agent claude' Enter
	wait_for 'for shortcuts'
	frame 2 ':botright Oxide agent claude' ''
	types 'mean() has an unused variable' '' 'mean() has an' ' unused variable'
	keys Enter
	wait_for 'a review is waiting'
	frame 3 'Enter' 'It wants to edit a file, and waits for you.'
	keys 'C-\' C-n ':Oxide review' Enter
	wait_for '1 place in 1 file'
	frame 5 ':Oxide review' 'Its edit, before it happens.'
	keys ':w' Enter
	wait_for 'no longer has'
	wait_for 'has changed'
	frame 5 ':w' 'The edit is made, and Claude Code goes on.'
	keys 'C-\' C-n ':Oxide turn undo' Enter
	wait_for 'Undid'
	frame 6 ':Oxide turn undo' 'All that it changed in this turn is undone.'
	draw agent 6
}

export LC_ALL=C.UTF-8 OXIDE_DEMO_ROOT=$ROOT
export XDG_CONFIG_HOME=$scratch/config XDG_DATA_HOME=$scratch/data XDG_STATE_HOME=$scratch/state \
	XDG_CACHE_HOME=$scratch/cache
[ $# -gt 0 ] || set -- rename chat agent
for picture; do
	case $picture in
	rename | chat | agent) "$picture" ;;
	*) die "usage: scripts/screenshot.sh [rename] [chat] [agent]" ;;
	esac
done
