#!/usr/bin/env bash
# Brings a Neovim of a known version into .deps/, without touching the system, and prints the
# path of its launcher.
#
#	scripts/neovim.sh 0.10.4    .deps/nvim-0.10/nvim, the oldest that Oxide supports
#	scripts/neovim.sh 0.12      .deps/nvim-0.12/nvim, a current one
#	scripts/neovim.sh demo      the system's own where it is new enough, else 0.12
#
# Nothing is fetched twice.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

OLDEST=0.10.4

launcher()
{
	cat <<-END
		#!/bin/sh
		# Written by scripts/neovim.sh: Neovim with its own libraries and runtime.
		VIMRUNTIME="$1/usr/share/nvim/runtime" exec "$1/usr/bin/nvim" "\$@"
	END
}

# Leaves the launcher of Neovim SERIES, found in Debian's SUITE, at DIR/nvim.
bring()
{
	local series=$1 suite=$2 dir=$3 found
	alone
	is_done "$dir" "$suite" && return
	portable "$suite" "$dir" neovim
	use_own_libraries "$dir" "$dir/usr/bin/nvim"
	launcher "$dir" >"$dir/nvim"
	chmod +x "$dir/nvim"
	found=$(nvim_version "$dir/nvim")
	case $found in
	"$series".*) ;;
	*) die "Debian $suite was to bring Neovim $series and brought ${found:-none that runs}" ;;
	esac
	mark_done "$dir" "$suite"
	step "Neovim $found is ready: ${dir#"$ROOT/"}/nvim"
}

wanted=${1-}
if [ "$wanted" = demo ]; then
	if have nvim && version_at_least "$(nvim_version nvim)" "$OLDEST"; then
		command -v nvim
		exit
	fi
	have apt-get || die "Oxide needs Neovim $OLDEST or newer on the PATH; install it first"
	wanted=0.12
fi

case $wanted in
0.10.4) series=0.10 suite=trixie ;;
0.12) series=0.12 suite=forky ;;
*) die "usage: scripts/neovim.sh 0.10.4|0.12|demo" ;;
esac
bring "$series" "$suite" "$DEPS/nvim-$series"
echo "$DEPS/nvim-$series/nvim"
