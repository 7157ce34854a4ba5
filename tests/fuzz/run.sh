#!/usr/bin/env bash
# Runs the fuzz targets that `make fuzz` has built, one after the other, from their corpora on.
#
#	tests/fuzz/run.sh           all of them, FUZZ_SECONDS (60) each
#	tests/fuzz/run.sh NAME...   some: patch diff edits ...
#
# What is new stays in build/fuzz: inputs that reach further in NAME/, those that fail beside it.
# Nothing is put into tests/fuzz/corpus but by hand.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
. scripts/lib.sh
B=build/fuzz
SECONDS_EACH=${FUZZ_SECONDS:-60}

# fuzz NAME: what it prints goes to build/fuzz/NAME.log
fuzz()
{
	local options=(-max_total_time="$SECONDS_EACH" -timeout=20 -print_final_stats=1)
	[ ! -e "tests/fuzz/dict/$1.dict" ] || options+=(-dict="tests/fuzz/dict/$1.dict")
	mkdir -p "$B/$1"
	"$B/fuzz_$1" "${options[@]}" -artifact_prefix="$B/$1-" "$B/$1" "tests/fuzz/corpus/$1" \
		>"$B/$1.log" 2>&1
}

explain()
{
	local found
	found=$(sed -n 's/^.*Test unit written to //p' "$B/$1.log" | tail -n 1)
	grep -aE 'does not hold|oxide: bug|ERROR:|runtime error:' "$B/$1.log" | head -n 3
	step "fuzz_$1 failed, see $B/$1.log; once more: $B/fuzz_$1 $found"
}

names=("$@")
[ $# -gt 0 ] || mapfile -t names < <(basename -s .c -a tests/fuzz/fuzz_*.c | sed 's/^fuzz_//')
status=0
for name in "${names[@]}"; do
	step "fuzz_$name for $SECONDS_EACH s"
	if fuzz "$name"; then
		sed -n 's/^stat::number_of_executed_units: */  inputs tried: /p' "$B/$name.log"
	else
		explain "$name"
		status=1
	fi
done
exit $status
