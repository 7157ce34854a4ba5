# The tags of help files, as :helptags makes them, for where no Neovim is at hand.
#
#	awk -f scripts/tags.awk doc/oxide.txt | LC_ALL=C sort >doc/tags
{
	# An example begins with > at the end of a line, and ends before a line that is not indented.
	if (example && /^[^ \t]/)
		example = 0
	if (!example) {
		rest = $0
		while (match(rest, /(^|[ \t])\*[^ \t*|]+\*([ \t]|$)/)) {
			tag = substr(rest, RSTART, RLENGTH)
			gsub(/^[ \t]*\*|\*[ \t]*$/, "", tag)
			pattern = tag
			gsub(/[\\\/]/, "\\\\&", pattern)
			file = FILENAME
			sub(/.*\//, "", file)
			printf "%s\t%s\t/*%s*\n", tag, file, pattern
			rest = substr(rest, RSTART + RLENGTH - 1) # the space that ends a tag may begin the next one
		}
	}
	if (/(^|[ \t])>[a-z]*$/)
		example = 1
}
