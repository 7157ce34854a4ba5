#ifndef OX_CLIENT_H
#define OX_CLIENT_H

#include "server_impl.h"

/*
 * The language clients that the editor itself runs. Each is a server of the pool, UP for as long as
 * the editor has it and then never again: its far end is not a process but the editor, which is
 * given what the session says by its member `client`, one JSON message a line, and gives the
 * answers to client_said(). The editor keeps in step those documents that it has shown to the
 * client itself.
 */
struct client {
	int64_t id;		 /* the editor's number for it */
	struct server_spec spec; /* the preset's where there is one, under the client's name */
	const struct server_spec *preset; /* of the same server; NULL: none */
	/* { id, name, program, argv, init_options, root, filetypes, paths, silent }: files shown to
	 * it; whether it has published no diagnostics, though it had the time */
	json *about;
};

void client_free(struct client *c);
/* All that there are now; those that are missing have ended. */
void clients_are(struct pool *p, const json *list);
void client_said(struct pool *p, int64_t id, struct str lines);
void client_end(struct server *s); /* the conversation alone */
bool client_is_gone(const struct server *s);

/* server_blind() of a client: it was started without the argument that the preset names, or without
 * the preset's init_options, by which clangd tells when it has read headers again: before that it
 * speaks of the ones that it knew. */
bool client_is_blind(const struct server *s);
/* The next client, after `after` (NULL: the first), that has been shown this file, or takes files
 * of this type in this place: because the editor shows it those, or because its preset has them and
 * no other client of that preset is shown them. */
struct server *client_next(const struct pool *p, const char *path, const char *filetype,
			   const struct server *after);
/* Whether the server of this preset runs already, as a client for this file. */
bool client_runs(const struct pool *p, const char *path, const char *filetype,
		 const struct server_spec *preset);

#endif
