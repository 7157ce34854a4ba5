#!/usr/bin/env bash
# Installs the system packages that Oxide needs and this machine lacks, after naming them.
# Where nothing is missing, nothing is run.
#
#	scripts/system.sh build           to compile the core
#	scripts/system.sh test            and everything that `make test` uses
#	scripts/system.sh demo            and what `make demo` uses
#	scripts/system.sh fuzz            and what `make fuzz` uses
#	scripts/system.sh bench           and what `make bench` uses
#	scripts/system.sh check PURPOSE   installs nothing: names what is missing, with its package
#	                                  in each package manager; status 1 if anything is
set -euo pipefail
. "$(dirname "$0")/lib.sh"

# What, for which purposes, how to see that it is there (any one suffices; see present). In the
# next line its package for apt, dnf, brew and pacman: both of a+b, the first of a/b that the
# archive has (apt only), - for none.
TABLE='
compiler         build      cmd:gcc
	gcc                             gcc                 -                gcc
C-library        build      include:stdio.h
	libc6-dev                       glibc-devel         -                glibc
make             build      cmd:make
	make                            make                make             make
pkg-config       build      cmd:pkg-config
	pkg-config                      pkgconf-pkg-config  pkgconf          pkgconf
libuv            build      lib:libuv
	libuv1-dev                      libuv-devel         libuv            libuv
msgpack-c        build      lib:msgpack-c,lib:msgpack
	libmsgpack-c-dev/libmsgpack-dev msgpack-devel       msgpack          msgpack-c
cJSON            build      lib:libcjson
	libcjson-dev                    cjson-devel         cjson            cjson
LuaJIT           build      lib:luajit
	libluajit-5.1-dev               luajit-devel        luajit           luajit
xxHash           build      lib:libxxhash
	libxxhash-dev                   xxhash-devel        xxhash           xxhash
editorconfig     build      lib:editorconfig
	libeditorconfig-dev             editorconfig-devel  editorconfig     editorconfig-core-c
libcurl          build      lib:libcurl
	libcurl4-openssl-dev            libcurl-devel       curl             curl
wslay            build      lib:libwslay,include:wslay/wslay.h
	libwslay-dev                    wslay-devel         wslay            wslay
git              build      cmd:git
	git                             git                 git              git
certificates     build      file:/etc/ssl/certs/*,file:/etc/ssl/cert.pem
	ca-certificates                 ca-certificates     ca-certificates  ca-certificates
clangd           demo,test,bench  cmd:clangd
	clangd                          clang-tools-extra   llvm             clang
patchelf         demo       nvim:0.10.4,cmd:patchelf
	patchelf                        -                   -                -
neovim           demo       nvim:0.10.4,cmd:apt-get
	-                               neovim              neovim           neovim
patchelf         test,bench cmd:patchelf
	patchelf                        patchelf            patchelf         patchelf
cmocka           test       lib:cmocka
	libcmocka-dev                   libcmocka-devel     cmocka           cmocka
clang            test,fuzz  cmd:clang
	clang                           clang               llvm             clang
clang-format     test       cmd:clang-format
	clang-format                    clang-tools-extra   clang-format     clang
gcc-sanitizers   test       sanitizer:gcc
	gcc                             libasan+libubsan    -                gcc-libs
clang-sanitizers test       sanitizer:clang
	libclang-rt-dev                 compiler-rt         llvm             compiler-rt
libFuzzer        fuzz       fuzzer:clang
	libclang-rt-dev                 compiler-rt         llvm             compiler-rt
python3          test,bench cmd:python3
	python3                         python3             python3          python
jsonschema       test       python:jsonschema
	python3-jsonschema              python3-jsonschema  -                python-jsonschema
curl             bench      cmd:curl
	curl                            curl                curl             curl
GNU-patch        bench      cmd:patch
	patch                           patch               gpatch           patch
openssl          test       cmd:openssl
	openssl                         openssl             openssl          openssl
node             test,bench cmd:node
	nodejs                          nodejs              node             nodejs
npm              test,bench cmd:npm
	npm                             nodejs-npm          node             npm
busted           test       file:/usr/share/lua/5.1/busted
	lua-busted                      -                   -                -
luarocks         test       cmd:luarocks
	luarocks                        luarocks            luarocks         luarocks
luacheck         test       cmd:luacheck
	lua-check                       -                   luacheck         luacheck
cmake            test       cmd:cmake
	cmake                           cmake               cmake            cmake
ninja            test       cmd:ninja
	ninja-build                     ninja-build         ninja            ninja
tmux             test       cmd:tmux
	tmux                            tmux                tmux             tmux
vim              test       cmd:vim
	vim                             vim-enhanced        vim              vim
less             test       cmd:less
	less                            less                less             less
strace           test       cmd:strace
	strace                          strace              -                strace
mount            test       cmd:mount
	mount                           util-linux          -                util-linux
ip               test       cmd:ip
	iproute2                        iproute             -                iproute2
prlimit          test       cmd:prlimit
	util-linux                      util-linux          -                util-linux
chattr           test       cmd:chattr
	e2fsprogs                       e2fsprogs           -                e2fsprogs
ps               test       cmd:ps
	procps                          procps-ng           -                procps-ng
'

# Whether any of the comma separated signs of a thing is there.
present()
{
	local sign signs what
	IFS=, read -ra signs <<<"$1"
	for sign in "${signs[@]}"; do
		what=${sign#*:}
		case $sign in
		cmd:*) have "$what" && return ;;
		python:*) python3 -c "import $what" 2>/dev/null && return ;;
		file:*) compgen -G "$what" >/dev/null && return ;;
		lib:*) pkg-config --exists "$what" 2>/dev/null && return ;;
		nvim:*) have nvim && version_at_least "$(nvim_version nvim)" "$what" && return ;;
		include:*) gcc -E -include "$what" -x c /dev/null >/dev/null 2>&1 && return ;;
		sanitizer:*)
			"$what" -fsanitize=address,undefined -x c -o /dev/null - \
				<<<'int main(void) { return 0; }' >/dev/null 2>&1 && return
			;;
		fuzzer:*)
			"$what" -fsanitize=fuzzer,address,undefined -x c -o /dev/null - \
				<<<'int LLVMFuzzerTestOneInput(void) { return 0; }' >/dev/null 2>&1 && return
			;;
		esac
	done
	return 1
}

# The rows of TABLE that PURPOSE needs and this machine lacks.
missing()
{
	local name for signs rest
	while read -r name for signs && read -r rest; do
		case ",$for," in
		*,build,* | *",$1,"*) present "$signs" || echo "$name $for $signs $rest" ;;
		esac
	done <<<"${TABLE:1:-1}"
}

names()
{
	awk '{ printf "%s%s", (NR > 1 ? " " : ""), $1 }' <<<"$1"
}

manager()
{
	local name
	for name in apt-get dnf brew pacman; do
		have "$name" && echo "$name" && return
	done
	die "no package manager known here (apt, dnf, brew, pacman); install by hand: $1"
}

as_root()
{
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

demand_root()
{
	[ "$(id -u)" = 0 ] || have sudo ||
		die "installing needs root, and there is no sudo here; run this as root: $0 $purpose"
}

# The first of the names a/b/c that the archive has.
apt_name()
{
	local name names
	IFS=/ read -ra names <<<"$1"
	for name in "${names[@]}"; do
		apt-cache policy "$name" | grep -q 'Candidate: [0-9]' && break
	done
	echo "$name"
}

# A column of the rows read, each package once; rows without a package are named and left out.
packages()
{
	local manager=$1 column name rest package seen=' '
	case $manager in apt-get) column=0 ;; dnf) column=1 ;; brew) column=2 ;; pacman) column=3 ;; esac
	while read -r name _ _ rest; do
		read -ra rest <<<"$rest"
		package=${rest[$column]}
		if [ "$package" = - ]; then
			step "$name is missing, and no $manager package is known for it; install it by hand"
			continue
		fi
		[ "$manager" != apt-get ] || package=$(apt_name "$package")
		case $seen in *" $package "*) ;; *) echo "${package//+/ }" && seen="$seen$package " ;; esac
	done
}

# One line for each fifth of the work, from what apt-get says on its status descriptor.
apt_progress()
{
	local kind percent what last="downloaded 0 %"
	while IFS=: read -r kind _ percent _; do
		case $kind in dlstatus) what=downloaded ;; pmstatus) what=installed ;; *) continue ;; esac
		percent=${percent%%[!0-9]*}
		what="$what $((${percent:-0} / 20 * 20)) %"
		[ "$what" = "$last" ] || step "  $what"
		last=$what
	done
}

# apt-get makes the descriptor of its status lines non-blocking, so it must not be the one that
# the packages' own scripts write to.
apt_install()
{
	local log=$DEPS/log/apt-install
	: >"$log"
	# shellcheck disable=SC2016 # the inner shell's own
	as_root env DEBIAN_FRONTEND=noninteractive \
		sh -c 'log=$1; shift; exec "$@" 3>&1 >"$log" 2>&1' sh "$log" \
		apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 \
		-o APT::Status-Fd=3 -o Dpkg::Use-Pty=0 "$@" 9>&- | apt_progress && return
	failed "$log"
}

install()
{
	local manager=$1 rows=$2 wanted
	step "missing on this machine: $(names "$rows")"
	[ "$manager" = brew ] || demand_root
	if [ "$manager" = apt-get ]; then
		step "reading the package lists"
		as_root apt-get update -o APT::Update::Error-Mode=any >"$DEPS/log/apt-update" 2>&1 ||
			step "some lists could not be read (see .deps/log/apt-update); trying without them"
	fi
	wanted=$(packages "$manager" <<<"$rows" | tr '\n' ' ')
	[ -n "$wanted" ] || return 0
	step "installing with $manager: $wanted"
	# shellcheck disable=SC2086 # a list of packages
	case $manager in
	apt-get) apt_install $wanted ;;
	dnf) quietly dnf as_root dnf install -y --setopt=install_weak_deps=False $wanted ;;
	brew) quietly brew env HOMEBREW_NO_AUTO_UPDATE=1 brew install $wanted ;;
	pacman) quietly pacman as_root pacman -S --needed --noconfirm $wanted ;;
	esac
	step "installed"
}

name_missing()
{
	awk '{ printf "oxide: %s is missing; install it with apt: %s, dnf: %s, brew: %s, pacman: %s\n",
		$1, $4, $5, $6, $7 }' <<<"$1" >&2
}

check=
if [ "${1-}" = check ]; then
	check=1
	shift
fi
purpose=${1-}
case $purpose in
build | test | demo | fuzz | bench) ;;
*) die "usage: scripts/system.sh [check] build|test|demo|fuzz|bench" ;;
esac

rows=$(missing "$purpose")
[ -n "$rows" ] || exit 0
if [ -n "$check" ]; then
	name_missing "$rows"
	exit 1
fi
alone
manager=$(manager "$(names "$rows")")
install "$manager" "$rows"
rows=$(missing "$purpose")
[ -z "$rows" ] || step "still missing: $(names "$rows")"
