#!/usr/bin/env bash
# Regenerates the generated parts of doc/oxide.txt from the tables that they describe, and the
# help tags beside it. The tools come from build/oxide, or what OXIDE names.
#
#	scripts/doc.sh            writes the file
#	scripts/doc.sh --check    changes nothing; fails when the file would change
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$ROOT"

nvim=${NVIM:-}
for found in .deps/nvim-0.12/nvim .deps/nvim-0.10/nvim nvim; do
	[ -n "$nvim" ] || ! command -v "$found" >/dev/null || nvim=$found
done
[ -n "$nvim" ] || die "no Neovim to print the help file with; run scripts/neovim.sh 0.12"
core=${OXIDE:-build/oxide}
[ -x "$core" ] || die "$core is not built; run make"

tools=$(mktemp)
trap 'rm -f "$tools"' EXIT
"$core" tools --json >"$tools"
OXIDE=$core "$nvim" -u NONE -i NONE -n --headless -l scripts/doc.lua "$tools" "${1:-}"
