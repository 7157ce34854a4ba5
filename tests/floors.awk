# Holds every #include to native/FLOORS, each foreign library to its one place, and every file to
# 500 lines. No two floors have a file of the same name, and every source has the header of its
# name, or is named by one of its folder, which may speak of several as disk_*.c, or has the name of
# a tool of the table.
#
#	awk -f tests/floors.awk native/FLOORS FILE...
BEGIN {
	place["uv.h"] = "^io/"
	place["cjson/cJSON.h"] = place["cJSON.h"] = "^base/json(_[a-z]+)?\\.[ch]$"
	place["curl/curl.h"] = "^io/curl\\.h$"
	place["wslay/wslay.h"] = "^wire/ws\\.c$"
	place["xxhash.h"] = "^base/hash_impl\\.h$"
	place["msgpack.h"] = "^wire/codec_msgpack\\.c$"
	place["lua.h"] = place["lauxlib.h"] = place["lualib.h"] = "^core/(lua_data|lua_data_impl|lua_sandbox|parser)\\.[ch]$|^agent/agent_preset\\.c$|^record/reader[a-z_]*\\.[ch]$"
	place["luajit.h"] = place["lua.h"]
	place["editorconfig/editorconfig.h"] = "^core/style\\.c$"
	# What a pure floor has no use for: descriptors, clocks, processes. The log is the exception:
	# BUG() needs it from anywhere. history.c turns a time that it is given into a name.
	split("unistd.h fcntl.h time.h poll.h signal.h dirent.h pthread.h", system_header, " ")
	for (i in system_header)
		impure[system_header[i]] = 1
}

FILENAME ~ /FLOORS$/ {
	if ($1 ~ /:$/) {
		floor = substr($1, 1, length($1) - 1)
		may[floor, floor] = 1
		for (i = 2; i <= NF; i++)
			may[floor, $i] = 1
	}
	next
}

FNR == 1 {
	native = FILENAME ~ /(^|\/)native\//
	file = FILENAME
	sub(/^(.*\/)?native\//, "", file)
	here = file
	sub(/\/.*/, "", here)
	base = file
	sub(/.*\//, "", base)
	if (native)
		claim_name()
}

native && (FILENAME ~ /\.h$/ || file == "tool/tool_table.c") {
	manual[here] = manual[here] " " $0
	if (match($0, /X\([a-z_]+\)/))
		manual[here] = manual[here] " " substr($0, RSTART + 2, RLENGTH - 3) ".c"
}

FNR == 501 {
	complain("is longer than 500 lines")
}

native && /^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, part, "\"")
	there = here
	if (part[2] ~ /^\.\.\//) {
		there = substr(part[2], 4)
		sub(/\/.*/, "", there)
	}
	if (!((here, there) in may))
		complain(here " may not include " there)
}

native && /^[ \t]*#[ \t]*include[ \t]*</ {
	split($0, part, /[<>]/)
	name = part[2]
	if (name in place && file !~ place[name])
		complain(name " belongs in " place[name])
	# sys/queue.h has lists, and sys/platform/x86.h the processor: neither asks a system.
	if (here ~ /^(base|text|code|wire|edit|hook|lsp|llm|mcp|acp)$/ &&
	    (name in impure || (name ~ /^sys\// && name !~ /^sys\/(queue|platform\/x86)\.h$/)) &&
	    file != "base/log.c" && !(file == "edit/history.c" && name == "time.h"))
		complain(name " in a floor that knows no system")
}

function claim_name(  stem)
{
	stem = base
	sub(/\.[ch]$/, "", stem)
	if (stem in floor_of && floor_of[stem] != here)
		complain("has the name of a file in " floor_of[stem])
	floor_of[stem] = here
	if (base ~ /\.h$/)
		has_header[here, stem] = 1
	else
		source[FILENAME] = here " " stem
}

# Whether a header of the folder speaks of a source by its name, or as one of PREFIX*.c.
function is_named(folder, stem,  rest, word)
{
	rest = manual[folder]
	if (rest ~ ("(^|[^a-z0-9_])" stem "\\.c([^a-z0-9_]|$)"))
		return 1
	while (match(rest, /[a-z0-9_]*[*]\.c/)) {
		word = substr(rest, RSTART, RLENGTH - 3)
		if (index(stem, word) == 1)
			return 1
		rest = substr(rest, RSTART + RLENGTH)
	}
	return 0
}

function complain(what)
{
	print FILENAME ":" FNR ": " what
	bad = 1
}

END {
	for (path in source) {
		split(source[path], part, " ")
		if (!((part[1], part[2]) in has_header) && !is_named(part[1], part[2])) {
			print path ": is not named by a header of its folder"
			bad = 1
		}
	}
	exit bad
}
