#ifndef OX_PARSER_H
#define OX_PARSER_H

#include "../base/json.h"

/*
 * What a program of a project prints, read as it comes by one of lua/oxide/parsers/, or by a file
 * that the user's configuration names. Such a file returns a function, which is given `report` and
 * returns one for each line, and perhaps one for the end:
 *
 *     return function(report)
 *       return function(line) ... end, function() ... end
 *     end
 *
 *     report.diagnostic { file, line, column, end_line, end_column, columns, severity, message,
 *                         code, fixes = { { title, preferred, edits = { { file, ..., text } } } } }
 *     report.test { name, id, outcome = 'passed'|'failed'|'ignored', count, file, line, column,
 *                   message, output, ending }      `id`: by which it is run, if not the name
 *     report.directory(path)    where names of files may begin
 *     report.compiled(file)     this source was compiled again; without it a compiler's word of
 *                               it would be lost with the next run
 *     report.idle()             it found nothing that had to be built
 *     report.none()             it says itself that there are no tests
 *     report.incomplete(why)    its end is missing, so that what is not listed may be wrong too
 *     report.absent(program)    that was to be run, and is not installed
 *     report.output(text)       to be shown to a user instead of the line
 *     report.decode(text)       JSON as Lua's values; nil where it is none
 *
 * `errout`: the line came by the standard error, whose lines may be anywhere between the others.
 * Lines and columns are from 1, ends exclusive; `columns` tells what they count: 'bytes' (where it
 * is left out), 'characters', 'utf-16', or 'screen' with tabs as wide as they look. A `file` whose
 * row says `ending` is known by the end of its name alone; `unit` is the source in whose compile a
 * diagnostic was found, where that is another file. A line function that returns true has
 * kept the line: it is nothing for a user to read.
 *
 * Each parser is a Lua of its own. It is given so many instructions for each line, and what it
 * tells is bounded; one that fails is not called again, and parser_broken() says why.
 */
struct parser;

struct parser_bounds {
	size_t rows;  /* diagnostics, and failures, that are kept */
	size_t text;  /* bytes of a text in them */
	size_t steps; /* instructions of Lua for a line */
};

/* `name`: of a file in `dir`/parsers, or an absolute path. */
struct parser *parser_new(const char *dir, const char *name, const struct parser_bounds *b,
			  struct err *e);
void parser_free(struct parser *p);
/* A line without its end. False: it is to be shown as it is. What is to be shown instead is added
 * to *shown. */
bool parser_line(struct parser *p, struct str line, bool errout, struct buf *shown);
void parser_finish(struct parser *p, struct buf *shown); /* once, behind the last line */

struct parser_found {
	const json *diagnostics, *failures; /* rows as they were told */
	size_t errors, beyond; /* diagnostics that are errors; rows that are more than fit */
	size_t passed, failed, ignored;
	const json *directories; /* in the order in which they were told, each once */
	const json *compiled;	 /* likewise */
	bool idle, none;
	const char *incomplete, *absent; /* NULL: it is not */
};
struct parser_found parser_found(const struct parser *p);
const char *parser_broken(const struct parser *p); /* NULL: it is not */

#endif
