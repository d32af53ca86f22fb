/* The manual page and the shell completions, from the tables that argp parses by: an option that is
 * added there appears here. */
#include "cli/cli.h"

#include <string.h>

/* Text for roff: a backslash, or a dot or an apostrophe that begins a line, would be a command.
 * `newline` stands for the line breaks of the text. */
static void roff(struct text *out, const char *text, const char *newline)
{
    text_add(out, "%s", *text == '.' || *text == '\'' ? "\\&" : "");
    for (; *text; text++) {
        if (*text == '\\' || *text == '-') {
            text_add(out, "\\%c", *text);
        } else if (*text == '\v') {
            text_add(out, "\n.PP\n");
        } else if (*text == '\n') {
            text_add(out, "%s", newline);
        } else {
            text_add(out, "%c", *text);
        }
    }
}

static bool is_listed(const struct argp_option *o)
{
    return o->name && o->doc && !(o->flags & OPTION_HIDDEN);
}

static void manual_option(struct text *out, const struct argp_option *o)
{
    text_add(out, ".TP\n");
    if (o->key > ' ' && o->key < 127) {
        text_add(out, "\\fB\\-%c\\fR, ", o->key);
    }
    text_add(out, "\\fB\\-\\-");
    roff(out, o->name, "");
    text_add(out, "\\fR");
    if (o->arg) {
        text_add(out, "=\\fI%s\\fR", o->arg);
    }
    text_add(out, "\n");
    roff(out, o->doc, " ");
    text_add(out, "\n");
}

/* How it is called, a line for each way; what it does; its options, under the headings of
 * groups. */
static void manual_command(struct text *out, const struct command *c, struct arena *a)
{
    const char *name = arena_format(a, "\\fBgambrel %s\\fR ", c->name);
    text_add(out, ".SS gambrel %s\n%s", c->name, name);
    roff(out, c->argp->args_doc ? c->argp->args_doc : "", arena_format(a, "\n.br\n%s", name));
    text_add(out, "\n.PP\n");
    roff(out, c->argp->doc, "\n.br\n");
    text_add(out, "\n");
    for (const struct argp_option *o = c->argp->options; o->name || o->doc; o++) {
        if (is_listed(o)) {
            manual_option(out, o);
        } else if (!o->name) {
            text_add(out, ".PP\n");
            roff(out, o->doc, " ");
            text_add(out, "\n");
        }
    }
}

void cli_manual(struct text *out)
{
    text_add(out, ".TH GAMBREL 1 \"\" \"gambrel " GAMBREL_VERSION "\" \"User Commands\"\n"
                  ".SH NAME\ngambrel \\- compare two models of a loop's speed with the hardware\n"
                  ".SH SYNOPSIS\n.B gambrel\n.I COMMAND\n[\\fIOPTION\\fR...]\n.SH COMMANDS\n");
    for (int i = 0; i < n_commands; i++) {
        manual_command(out, &commands[i], out->arena);
    }
    text_add(
        out,
        ".SH ENVIRONMENT\n"
        ".TP\nTHREADS, REPS, WARMUP_MS\nfor measure, where \\-\\-threads, \\-\\-reps or "
        "\\-\\-warmup\\-ms is not given\n"
        ".TP\nGAMBREL_DATA\nfolder of kernels.yaml and machines/\n"
        ".TP\nGAMBREL_MEMORY_MAX\nmost memory for what is read, in bytes (4 GiB)\n"
        ".TP\nNO_COLOR\nno colours on a terminal\n"
        ".SH EXIT STATUS\n"
        "0 fine; 1 a bound was violated or a check failed; 2 bad usage or input; 3 this machine "
        "cannot do it.\n");
}

/* The verbs of a command: the words in lower case of what its usage line says. */
static void add_verbs(const struct command *c, struct text *out)
{
    const char *doc = c->argp->args_doc ? c->argp->args_doc : "";
    for (const char *p = doc; *p;) {
        const size_t len = strspn(p, "abcdefghijklmnopqrstuvwxyz-");
        const char before = p == doc ? ' ' : p[-1];
        if (len > 1 && strchr(" \n|", before) && strchr(" \n", p[len])) {
            text_add(out, "%.*s ", (int)len, p);
        }
        p += len ? len : 1;
    }
}

static void completion_bash(struct text *out)
{
    text_add(out, "_gambrel() {\n"
                  "    local word=${COMP_WORDS[COMP_CWORD]}\n"
                  "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                  "        mapfile -t COMPREPLY < <(compgen -W 'help");
    for (int i = 0; i < n_commands; i++) {
        text_add(out, " %s", commands[i].name);
    }
    text_add(out, "' -- \"$word\")\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n");
    for (int i = 0; i < n_commands; i++) {
        text_add(out, "    %s) mapfile -t COMPREPLY < <(compgen -W '", commands[i].name);
        add_verbs(&commands[i], out);
        for (const struct argp_option *o = commands[i].argp->options; o->name || o->doc; o++) {
            if (is_listed(o)) {
                text_add(out, "--%s ", o->name);
            }
        }
        text_add(out, "--help' -- \"$word\") ;;\n");
    }
    text_add(out, "    esac\n"
                  "    [ \"${word:0:1}\" = - ] || mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < "
                  "<(compgen -f -- "
                  "\"$word\")\n"
                  "}\n"
                  "complete -o filenames -F _gambrel gambrel\n");
}

static void quoted(struct text *out, const char *text)
{
    text_add(out, "'");
    for (; *text; text++) {
        text_add(out, *text == '\'' ? "'\\''" : "%c", *text);
    }
    text_add(out, "'");
}

static void completion_fish(struct text *out)
{
    for (int i = 0; i < n_commands; i++) {
        text_add(out, "complete -c gambrel -n __fish_use_subcommand -a %s -d ", commands[i].name);
        quoted(out, commands[i].summary);
        text_add(out, "\n");
        struct text verbs = {.arena = out->arena};
        add_verbs(&commands[i], &verbs);
        if (verbs.len) {
            text_add(out, "complete -c gambrel -n '__fish_seen_subcommand_from %s' -a '%s'\n",
                     commands[i].name, verbs.data);
        }
        for (const struct argp_option *o = commands[i].argp->options; o->name || o->doc; o++) {
            if (is_listed(o)) {
                text_add(out, "complete -c gambrel -n '__fish_seen_subcommand_from %s' -l %s -d ",
                         commands[i].name, o->name);
                quoted(out, o->doc);
                text_add(out, "\n");
            }
        }
    }
}

static void completion_zsh(struct text *out)
{
    text_add(out, "#compdef gambrel\nif (( CURRENT == 2 )); then\n    compadd help");
    for (int i = 0; i < n_commands; i++) {
        text_add(out, " %s", commands[i].name);
    }
    text_add(out, "\n    return\nfi\ncase $words[2] in\n");
    for (int i = 0; i < n_commands; i++) {
        text_add(out, "%s) compadd -- ", commands[i].name);
        add_verbs(&commands[i], out);
        text_add(out, "--help");
        for (const struct argp_option *o = commands[i].argp->options; o->name || o->doc; o++) {
            if (is_listed(o)) {
                text_add(out, " --%s", o->name);
            }
        }
        text_add(out, " ;;\n");
    }
    text_add(out, "esac\n_files\n");
}

void cli_completion(const char *shell, struct text *out)
{
    static const struct {
        const char *shell;
        void (*write)(struct text *out);
    } shells[] = {{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(shell, shells[i].shell) == 0) {
            shells[i].write(out);
        }
    }
}
