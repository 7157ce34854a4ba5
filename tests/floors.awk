# Holds every #include to native/FLOORS, each foreign library to its one place, and every file to
# 600 lines.
#
#	awk -f tests/floors.awk native/FLOORS FILE...
BEGIN {
	place["uv.h"] = "^io/"
	place["cjson/cJSON.h"] = place["cJSON.h"] = "^base/json(_[a-z]+)?\\.[ch]$"
	place["xxhash.h"] = "^base/hash\\.c$"
	place["msgpack.h"] = "^wire/codec_msgpack\\.c$"
	place["lua.h"] = place["lauxlib.h"] = place["lualib.h"] = "^core/(script|script_impl|parser)\\.[ch]$"
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
}

FNR == 601 {
	complain("is longer than 600 lines")
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
	if (here ~ /^(base|text|code|wire|edit|lsp|mcp)$/ && (name in impure || name ~ /^sys\//) &&
	    file != "base/log.c" && !(file == "edit/history.c" && name == "time.h"))
		complain(name " in a floor that knows no system")
}

function complain(what)
{
	print FILENAME ":" FNR ": " what
	bad = 1
}

END {
	exit bad
}
