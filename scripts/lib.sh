# What the set-up scripts share; sourced, never run.
#
#	step TEXT...              one line of progress, on the error output
#	die TEXT...               the message, then the end with status 1
#	have CMD                  true if the command is there
#	alone [NAME]              waits until no other set-up script works in .deps/, or in .deps/NAME
#	quietly NAME CMD...       runs CMD, its output kept in .deps/log/NAME; dies if it fails
#	failed LOG                shows the end of that file, and dies
#	is_done DIR WHAT          true if DIR was completed as WHAT, at this very place
#	mark_done DIR WHAT
#	version_at_least A B      true if dotted version A is B or later
#	nvim_version PROGRAM      prints 0.10.4; nothing if PROGRAM does not run
#	link NAME TARGET          makes $BIN/NAME start TARGET
#	npm_packages DIR "PACKAGE@VERSION..." [OPTION...]   into DIR; their own scripts are not run
#	portable SUITE DIR PACKAGE...      unpacks packages of a Debian suite, with their libraries; of
#	                                   PACKAGE- neither it nor what only it needs
#	source_of SUITE DIR PACKAGE        unpacks its source, as its authors published it
#	use_own_libraries DIR PROGRAM...   makes a PROGRAM below that DIR start with those
# shellcheck shell=bash

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
DEPS=$ROOT/.deps
# Several checkouts may share one through a link.
[ ! -L "$DEPS" ] || DEPS=$(cd "$DEPS" && pwd -P)

step()
{
	printf 'oxide: %s\n' "$*" >&2
}

die()
{
	printf 'oxide: error: %s\n' "$*" >&2
	exit 1
}

have()
{
	command -v "$1" >/dev/null 2>&1
}

alone()
{
	mkdir -p "$DEPS/log"
	have flock || return 0
	exec 9>"$DEPS/lock${1:+-$1}"
	flock 9
}

quietly()
{
	local log=$DEPS/log/$1
	shift
	"$@" >"$log" 2>&1 9>&- || failed "$log"
}

failed()
{
	tail -n 10 "$1" >&2
	die "that failed; all it printed is in ${1#"$ROOT/"}"
}

# The mark names the directory too, for what is made there has absolute paths inside.
is_done()
{
	[ -f "$1/.done" ] && [ "$(cat "$1/.done")" = "$2 in $1" ]
}

mark_done()
{
	echo "$2 in $1" >"$1/.done"
}

version_at_least()
{
	[ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]
}

nvim_version()
{
	{ NVIM_LOG_FILE=/dev/null "$1" --version 2>/dev/null || true; } | sed -n 's/^NVIM v\([0-9.]*\).*/\1/p'
}

link()
{
	[ -x "$2" ] || die "$1 was to be $2, and that is not there"
	mkdir -p "$BIN"
	ln -sfn "$2" "$BIN/$1"
}

npm_packages()
{
	local dir=$1 packages=$2
	shift 2
	! is_done "$dir" "$packages" || return 0
	have npm || die "npm is missing; scripts/system.sh test installs it"
	step "fetching $packages"
	rm -rf "$dir"
	mkdir -p "$dir"
	# shellcheck disable=SC2086 # a list of packages
	quietly "npm-${dir##*/}" npm install --prefix "$dir" \
		--no-audit --no-fund --no-update-notifier --ignore-scripts "$@" $packages
	mark_done "$dir" "$packages"
}

# The Debian archive as this machine itself reaches it. Other archives' addresses end in
# /debian/ too, so the label decides. Where the package lists are not there, as in many
# container images, no label is known, and what apt would fetch has to do.
debian_archive()
{
	local found
	# shellcheck disable=SC2016 # apt's own variables
	found=$(apt-get indextargets --format '$(REPO_URI)' \
		'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | sed -n 1p)
	[ -n "$found" ] || found=$(apt-get update --print-uris |
		sed -n "s|^'\\([^']*/debian/\\)dists/.*|\\1|p" | sed -n 1p)
	echo "$found"
}

# apt-get with a state of its own: the machine's package lists and its database of installed
# packages are neither read nor changed. The empty database is what makes a download complete,
# libc included.
private_apt()
{
	local state=$DEPS/apt/$1
	shift
	LC_ALL=C apt-get -q -o Dir::State="$state/state" -o Dir::State::status="$state/status" \
		-o Dir::Cache="$state/cache" -o Dir::Etc::sourcelist="$state/sources.list" \
		-o Dir::Etc::sourceparts=/dev/null -o APT::Install-Recommends=0 \
		-o APT::Sandbox::User=root -o Acquire::Languages=none \
		-o Acquire::Retries=3 -o APT::Update::Error-Mode=any "$@"
}

# read_suite SUITE [KIND]: KIND is deb-src for sources.
read_suite()
{
	local suite=$1 kind=${2:-deb} state=$DEPS/apt/$1 log=$DEPS/log/apt-$1 archive
	local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	archive=$(debian_archive)
	[ -n "$archive" ] || die "this machine's apt knows no Debian archive to fetch $suite from"
	[ -f "$keyring" ] || die "$keyring is missing; install debian-archive-keyring"
	mkdir -p "$state/state/lists/partial" "$state/cache/archives/partial"
	: >"$state/status"
	echo "$kind [signed-by=$keyring] $archive $suite main" >"$state/sources.list"
	step "reading the package list of Debian $suite"
	private_apt "$suite" update >"$log" 2>&1 && return
	grep -q 'is expired' "$log" || failed "$log"
	# A mirror that lags behind does no harm here: the signature is still checked.
	step "that list is past its date; taking it all the same"
	quietly "${log##*/}" private_apt "$suite" -o Acquire::Check-Valid-Until=false update
}

# What is not wanted counts as installed, in a version that is new enough for anybody.
leave_out()
{
	printf 'Package: %s\nStatus: install ok installed\nArchitecture: %s\nVersion: 999:0\n' \
		"$1" "$(dpkg --print-architecture)"
	printf 'Maintainer: none\nDescription: none\n\n'
}

portable()
{
	local suite=$1 dir=$2 state=$DEPS/apt/$1 wanted=() package deb
	shift 2
	have apt-get || die "$1 comes from the Debian archive, and this machine has no apt"
	rm -rf "$state"
	read_suite "$suite"
	for package; do
		case $package in
		*-) leave_out "${package%-}" >>"$state/status" ;;
		*) wanted+=("$package") ;;
		esac
	done
	step "fetching ${wanted[*]} of Debian $suite into ${dir#"$ROOT/"}/"
	quietly "apt-$suite-$1" \
		private_apt "$suite" install -y --download-only "${wanted[@]}"
	rm -rf "$dir"
	mkdir -p "$dir"
	for deb in "$state"/cache/archives/*.deb; do
		dpkg -x "$deb" "$dir"
	done
	rm -rf "$state"
}

source_of()
{
	local suite=$1 dir=$2 package=$3 state=$DEPS/apt/$1
	have apt-get || die "$package comes from the Debian archive, and this machine has no apt"
	rm -rf "$state"
	read_suite "$suite" deb-src
	step "fetching the source of $package of Debian $suite into ${dir#"$ROOT/"}/"
	mkdir -p "$state/source"
	(cd "$state/source" && quietly "apt-$suite-$package-source" \
		private_apt "$suite" source --download-only "$package")
	rm -rf "$dir"
	mkdir -p "$dir"
	tar -xf "$state/source/$package"_*.orig.tar.* -C "$dir" --strip-components=1
	rm -rf "$state"
}

# An rpath of the old kind holds for the libraries' libraries as well, except below a library
# that has a path of its own: those lose it. Starting through the loader would do too, but then
# /proc/self/exe is the loader, and a program that starts itself again starts that.
use_own_libraries()
{
	local dir=$1 loader library
	shift
	have patchelf || die "patchelf is missing; scripts/system.sh test installs it"
	loader=$(find "$dir/usr/lib" -type f -name 'ld-linux*.so.*')
	[ -n "$loader" ] || die "no program loader among the packages in $dir"
	patchelf --set-interpreter "$loader" --force-rpath --set-rpath "${loader%/*}" "$@"
	find "$dir/usr/lib" -type f -name '*.so*' | while read -r library; do
		[ -z "$(patchelf --print-rpath "$library" 2>/dev/null)" ] ||
			patchelf --remove-rpath "$library"
	done
}
