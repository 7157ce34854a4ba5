#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../agent/agent_preset.h"
#include "../agent/hook.h"
#include "../base/mem.h"
#include "../io/hangup.h"
#include "../io/loop.h"
#include "../relay/relay.h"
#include "command.h"
#include "shell_input.h"

/*
 * `oxide hook AGENT`: what the agent tells its hook goes to the Neovim that has the project open,
 * which asks the user, and its answer is printed. Where there is none, nothing is: the agent goes
 * on as its own settings say. A change that could not be decided about is refused with the reason.
 *
 *     hook_found -> (a tool is to run) hook_ask -> hook_answered
 *                -> (a turn begins, or is over) hook_tell_turn -> hook_told
 */
#define TITLE_BYTES 60

struct shell_hook {
	struct oxide *ox;
	struct buf input;
	const struct hook_agent *agent;
	json *event;
	struct hook_event ev;
	struct relay *relay;
	struct relay_spec spec;
	struct timer *patience;
	struct hangup *reader; /* the end that reads our answer */
	json *output;	       /* NULL: nothing is said */
};

/* Nothing is left to wait for: the loop runs out. */
static void hook_over(void *arg)
{
	struct shell_hook *h = arg;

	timer_free(h->patience);
	hangup_free(h->reader);
	relay_free(h->relay);
	h->relay = NULL;
}

/* Where the agent asks the user itself, it goes on to do so. */
static void hook_refuse(struct shell_hook *h, const char *why)
{
	if (h->ev.kind == HOOK_BEFORE)
		h->output = h->agent->deny(why);
}

/* In words from which a model can go on. */
static void hook_deny(struct shell_hook *h, const struct err *e)
{
	struct buf why SCOPED(buf_release) = BUF_INIT;

	if (e->code == ERR_CANCELLED || e->code == ERR_DENIED)
		buf_adds(&why, "The user has refused this: ");
	buf_adds(&why, e->msg);
	if (e->code == ERR_CANCELLED || e->code == ERR_DENIED)
		buf_adds(&why, ". Do not do the same in another way; ask what is wanted instead");
	hook_refuse(h, buf_str(&why).p);
}

static void hook_answered(void *arg, const struct relay_result *r)
{
	struct shell_hook *h = arg;
	struct err e = ERR_INIT;
	json *answer SCOPED(json_release) = r->end == RELAY_ANSWERED ? relay_answer(r, &e) : NULL;

	if (r->end != RELAY_ANSWERED)
		err_set(&e, ERR_IO, "The Neovim that was to show it is gone; nothing was changed");
	if (e.code)
		hook_deny(h, &e);
	else if (json_get(answer, "output"))
		h->output = json_copy(json_get(answer, "output"));
	else
		hook_refuse(h, "Nobody could be asked; nothing was changed");
	hook_over(h);
}

static void hook_too_late(void *arg)
{
	struct shell_hook *h = arg;
	struct buf why SCOPED(buf_release) = BUF_INIT;

	buf_addf(&why,
		 "The user has not answered within %g minutes; nothing was changed. Ask them "
		 "whether to try again",
		 (double)config_get(&h->ox->config, CFG_AGENT_REVIEW) / 60000);
	hook_refuse(h, why.p);
	hook_over(h); /* which takes the question back */
}

static void hook_ask(struct shell_hook *h)
{
	struct call_context how = { .confirm = CONFIRM_ALWAYS };
	json *args SCOPED(json_release) = json_of({ "agent", json_strz(h->agent->name) },
						  { "event", json_str(buf_str(&h->input)) });

	h->patience = timer_new(h->ox->loop, hook_too_late, h);
	timer_set(h->patience,
		  loop_now(h->ox->loop) + (uint64_t)config_get(&h->ox->config, CFG_AGENT_REVIEW));
	/* When the agent is gone, so is the question. */
	h->reader = hangup_new(h->ox->loop, STDOUT_FILENO, hook_over, h);
	relay_call(h->relay, tool_agent_hook.name, args, &how, hook_answered, h);
}

static void hook_told(void *arg, const struct err *e)
{
	(void)e;
	hook_over(arg);
}

/* The first line of what the user has said. */
static json *prompt_title(struct str prompt)
{
	struct str rest = str_trim(prompt), line = STR("");

	str_line(&rest, &line);
	return json_str(str_cut(line, TITLE_BYTES));
}

static void hook_tell_turn(struct shell_hook *h)
{
	const char *run = getenv("OXIDE_RUN");
	const char *state = h->ev.kind == HOOK_PROMPT ? "begins"
			    : h->ev.kind == HOOK_STOP ? "ends"
						      : "gone";

	relay_request(h->relay, "agent_turn",
		      json_of({ "id", run && *run ? json_strz(run) : json_str(h->ev.session) },
			      { "name", json_strz(h->agent->name) }, { "cwd", json_str(h->ev.cwd) },
			      { "pid", json_int(getppid()) }, { "state", json_strz(state) },
			      { "title", prompt_title(h->ev.prompt) }),
		      hook_told, h);
}

static void hook_found(void *self, const struct err *e)
{
	struct shell_hook *h = self;

	if (e->code && e->code != ERR_NOT_FOUND)
		front_say("oxide: %s; continuing without it\n", e->msg);
	if (e->code)
		hook_over(h);
	else if (h->ev.kind == HOOK_BEFORE || h->ev.kind == HOOK_PERMIT || h->ev.kind == HOOK_AFTER)
		hook_ask(h);
	else
		hook_tell_turn(h);
}

static bool hook_read(struct shell_hook *h, struct err *e)
{
	if (!shell_read_input(&h->input, e))
		return false;
	h->event = json_parse(buf_str(&h->input), e);
	return (h->event || err_in(e, "standard input is not the event of a hook")) &&
	       hook_event_read(&h->ev, h->event, e);
}

static void hook_run(struct shell_hook *h)
{
	static const struct relay_events events = { .found = hook_found };
	bool waits = h->ev.kind != HOOK_BEFORE || h->ev.act != HOOK_ACT_OTHER;

	if (h->ev.kind == HOOK_OTHER || !waits)
		return;
	h->spec = (struct relay_spec){ .name = h->agent->name,
				       .origin = "mcp",
				       .folder = h->ev.cwd.n ? h->ev.cwd.p : NULL };
	h->relay = relay_open(h->ox->loop, &h->spec, &events, h);
	loop_run(h->ox->loop);
	if (h->output)
		front_print_json(h->output);
}

/* A word as a shell reads it. */
static void print_quoted(void *arg, struct str word)
{
	bool *some = arg;

	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=";
	bool bare = word.n && strspn(word.p, plain) >= word.n;

	printf("%s%s", *some ? " " : "", bare ? "" : "'");
	for (size_t i = 0; i < word.n; i++)
		if (word.p[i] == '\'')
			fputs("'\\''", stdout);
		else
			putchar(word.p[i]);
	fputs(bare ? "" : "'", stdout);
	*some = true;
}

static void print_plain(void *arg, struct str word)
{
	(void)arg;
	printf("%.*s", STR_ARG(word));
}

static int print_settings(const struct oxide *ox, const struct hook_agent *agent)
{
	int64_t seconds = agent_hook_seconds(config_get(&ox->config, CFG_AGENT_REVIEW));
	char *program SCOPED(mem_release) = oxide_program();
	bool some = false;

	if (!program) {
		front_say("oxide: the path of this program is not known\n");
		return 1;
	}
	agent->hooks(program, seconds, agent->words ? print_quoted : print_plain, &some);
	putchar('\n');
	return 0;
}

/* Whose name the words after `hook` have; NULL: they are wrong. */
static const struct hook_agent *agent_named(int argc, char **argv, bool prints, struct err *e)
{
	if (argc == 1 + prints && (prints || argv[0][0] != '-'))
		return hook_agent_find(str_of(argv[prints]), e);
	if (argc && argv[0][0] == '-' && !prints)
		err_set(e, ERR_INVALID, "unknown option %s", argv[0]);
	else
		err_set(e, ERR_INVALID, "hook takes the name of an agent: claude, codex or gemini");
	return NULL;
}

int cmd_hook(const struct call_options *o, int argc, char **argv)
{
	struct oxide_options options = o->oxide;
	struct err e = ERR_INIT;
	bool prints = argc && !strcmp(argv[0], "--print");
	struct shell_hook h = { .agent = agent_named(argc, argv, prints, &e) };
	int status = 1;

	if (!h.agent)
		return front_refuse("hook", &e);
	options.origin = "cli";
	h.ox = oxide_new(&options, &e);
	if (h.ox && prints)
		status = print_settings(h.ox, h.agent);
	else if (h.ox && hook_read(&h, &e)) {
		hook_run(&h);
		status = 0;
	}
	if (e.code)
		front_say("oxide: %s\n", e.msg);
	json_free(h.event);
	buf_release(&h.input);
	oxide_free(h.ox);
	return status;
}
