#!/usr/bin/env bash
# tests/projects/copy.sh c|python|typescript|rust|go DIR: copies an example project into the folder
# DIR, and writes what needs absolute paths: the C project's compile_commands.json.
#
# Each of them defines process_data() (in Go ProcessData()) in one file and uses it in others, once
# behind wide characters, and names it in a comment as well. Each has something for its server to
# complain about and a main file that is not formatted.
set -euo pipefail
cd "$(dirname "$0")"
project=${1-} dir=${2-}
if [ ! -d "$project" ] || [ -z "$dir" ]; then
	echo "usage: $0 c|python|typescript|rust|go DIR" >&2
	exit 2
fi
mkdir -p "$dir"
cp -R "$project/." "$dir"
[ "$project" = c ] || exit 0

cd "$dir"
dir=$(pwd -P | sed 's/["\\]/\\&/g') # as JSON spells it
separator='['
for file in src/*.c; do
	printf '%s\n  {"directory": "%s", "file": "%s",\n   "command": "cc -std=c11 -Wall -Wextra -c %s"}' \
		"$separator" "$dir" "$file" "$file"
	separator=,
done >compile_commands.json
printf '\n]\n' >>compile_commands.json
