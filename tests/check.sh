#!/usr/bin/env bash
# What holds for the tree without running it: floors, headers, warnings, format, lint, documents in
# step. Prints TAP, one line a check.
#
#	tests/check.sh            all of them
#	tests/check.sh NAME...    some: floors headers gcc clang clang_format stylua luacheck
#	                          shell doc helptags places walks tools
#
# tests/check_faults.sh shows that each of them can fail.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
ROOT=$(pwd -P)
export PATH=$ROOT/.deps/bin:$PATH LC_ALL=C.UTF-8
OUT=$(mktemp -d)
trap 'rm -rf "$OUT"' EXIT

WARN=(-std=c11 -D_GNU_SOURCE -Inative -Wall -Wextra -Wshadow -Wstrict-prototypes
	-Wmissing-prototypes -Werror '-DOXIDE_VERSION="0"' '-DOXIDE_DATA="."' '-DOXIDE_CURL_DIR="."')
msgpack=$(pkg-config --exists msgpack-c && echo msgpack-c || echo msgpack)
read -ra FLAGS < <(pkg-config --cflags libuv "$msgpack" libcjson luajit libxxhash editorconfig libcurl cmocka)
mapfile -t C < <(find native tests/unit tests/fuzz tests/bench tests/fake tests/mcp -name '*.c' | sort)
mapfile -t H < <(find native tests/unit tests/fuzz tests/bench -name '*.h' | sort)
mapfile -t LUA < <(find lua plugin tests scripts -name '*.lua' | sort)
mapfile -t SCRIPTS < <(find scripts tests -name '*.sh' | sort; echo .ci/run)
mapfile -t FILES < <(git ls-files -co --exclude-standard 2>/dev/null ||
	find . -type f -not -path './.deps/*' -not -path './build/*' -not -path './.git/*')

# Each check prints what is wrong and fails, or ends with 77 and the reason why it was not made.
SKIP=77

check_floors()
{
	awk -f tests/floors.awk native/FLOORS "${C[@]}" "${H[@]}" "${LUA[@]}" "${SCRIPTS[@]}"
}

# Whether the first thing that the source of its name includes is the header: then to compile the one
# shows that the other needs nothing before it.
comes_first()
{
	[ -e "${1%.h}.c" ] && [ "$(grep -m 1 '#include' "${1%.h}.c")" = "#include \"${1##*/}\"" ]
}

# What a header lacks is the same for each compiler, and both see all of them in the sources.
check_headers()
{
	local h alone=()
	for h in "${H[@]}"; do
		[[ $h != native/* ]] || comes_first "$h" || alone+=("$h")
	done
	printf '%s\0' "${alone[@]}" | xargs -0 -n 1 -P 2 gcc "${WARN[@]}" "${FLAGS[@]}" -fsyntax-only -x c
}

compile()
{
	printf '%s\0' "${C[@]}" | xargs -0 -n 1 -P 2 "$@" "${WARN[@]}" "${FLAGS[@]}"
}

# but COMPILER FOLDER...: leaves the sources in these folders out when OXIDE_BUILT names the compiler,
# because a build of it with WERROR=1 has just given these warnings.
but()
{
	[[ ,${OXIDE_BUILT-}, == *,$1,* ]] || return 0
	mapfile -t C < <(printf '%s\n' "${C[@]}" | grep -v "${@:2}")
}

# Some of gcc's warnings come from its optimizer alone: `make WERROR=1 all` gives the same, at -O2. Of
# the unit tests, `make WERROR=1 SAN=1 unit` tells at -Og what is not initialized.
check_gcc()
{
	local -a C=("${C[@]}")
	but gcc -e ^native/ -e ^tests/unit/
	compile gcc -O2 -c -o /dev/null
}

# `make CC=clang WERROR=1 all unit` gives the same.
check_clang()
{
	local -a C=("${C[@]}")
	but clang -e ^native/ -e ^tests/unit/
	compile clang -fsyntax-only
}

check_clang_format()
{
	clang-format --dry-run -Werror "${C[@]}" "${H[@]}"
}

check_stylua()
{
	stylua --check lua plugin tests
}

check_luacheck()
{
	luacheck -q --no-color "${LUA[@]}"
}

check_shell()
{
	local f bad=0
	for f in "${SCRIPTS[@]}"; do
		bash -n "$f" || bad=1
		[ -x "$f" ] || [ "$f" = scripts/lib.sh ] || { echo "$f is not executable" && bad=1; }
	done
	if command -v shellcheck >/dev/null; then
		shellcheck -x -S warning "${SCRIPTS[@]}" || bad=1
	fi
	return $bad
}

check_doc()
{
	[ -x scripts/doc.sh ] || { echo "there is no scripts/doc.sh" && return $SKIP; }
	[ -x "${OXIDE:-build/oxide}" ] || { echo "the core is not built" && return $SKIP; }
	scripts/doc.sh --check
}

# :helptags stops at a tag that is there twice; each |link| has to lead somewhere.
check_helptags()
{
	local nvim
	nvim=$(compgen -G '.deps/nvim-*/nvim' | sort -V | tail -n 1)
	[ -d doc ] || { echo "there is no doc/" && return $SKIP; }
	[ -n "$nvim" ] || { echo "no Neovim in .deps/; scripts/neovim.sh 0.12 brings it" && return $SKIP; }
	mkdir -p "$OUT/help" && cp doc/*.txt "$OUT/help" || return
	"$nvim" -u NONE -i NONE -n --headless -l tests/helptags.lua "$OUT/help" || return
	# those that `make` writes are the same
	LC_ALL=C awk -f scripts/tags.awk "$OUT"/help/*.txt | LC_ALL=C sort | diff "$OUT/help/tags" -
}

# Neither this machine's folders nor the hosts that it fetches packages from stand in the tree.
check_places()
{
	local home words=("$ROOT") url host
	home=$(getent passwd "$(id -u)" | cut -d : -f 6)
	[ "${#home}" -le 1 ] || words+=("$home/")
	for url in $(npm config get registry 2>/dev/null) "${PIP_INDEX_URL-}" "${GOPROXY-}" \
		$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | sort -u); do
		host=$(sed -n 's|^[a-z+]*://\([^/@]*@\)\{0,1\}\([^/:]*\).*|\2|p' <<<"$url")
		[ -z "$host" ] || words+=("$host")
	done
	! grep -IHnF "${words[@]/#/-e}" -- "${FILES[@]}"
}

# The files that CONTRIBUTING names are there.
check_walks()
{
	local path bad=0
	for path in $(grep -oE '`(native|lua|plugin|tests|scripts)/[a-z0-9_/.]+\.(c|h|lua|sh|md)`' CONTRIBUTING.md | tr -d '`'); do
		[ -e "$path" ] || { echo "CONTRIBUTING.md names $path, which is not there" && bad=1; }
	done
	return $bad
}

# To add a tool touches its file and one line of the table: in native/, no other file names it, but for
# those that tool.h declares. Codex has a tool of its own of the same name as one of ours.
check_tools()
{
	local name file bad=0
	for name in $(sed -n 's/^\tX(\([a-z_]*\)).*/\1/p' native/tool/tool_table.c); do
		grep -qE "tool_$name\b" native/tool/tool.h && continue
		for file in $(grep -rlE --exclude={codex_hook,app_server_items}.c "\"$name\"|\btool_$name\b" native); do
			grep -q "^const struct tool tool_$name = " "$file" ||
				{ echo "$file names the tool $name; see tool.h" && bad=1; }
		done
	done
	return $bad
}

ALL=(floors headers gcc clang clang_format stylua luacheck shell doc helptags places walks tools)
[ $# -gt 0 ] || set -- "${ALL[@]}"
echo "1..$#"
n=0 failed=0
for name; do
	n=$((n + 1))
	if ! declare -F "check_$name" >/dev/null; then
		echo "not ok $n - there is no check called $name"
		failed=1
		continue
	fi
	"check_$name" >"$OUT/said" 2>&1 </dev/null
	case $? in
	0) echo "ok $n - $name" ;;
	"$SKIP") echo "ok $n - $name # SKIP $(tail -n 1 "$OUT/said")" ;;
	*)
		echo "not ok $n - $name"
		sed 's/^/# /' "$OUT/said"
		failed=1
		;;
	esac
done
exit $failed
