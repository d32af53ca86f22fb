#include "base/child.h"
#include "tests/formats.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static struct child_end run(const char *const *command, const char *input, double seconds,
                            struct text *out, struct text *errors)
{
    struct child_end end = {0};
    struct err e = {0};
    const struct child_program p = {command, {input, strlen(input)}, seconds};
    const bool fine = child_run(&p, out, errors, &end, &e);
    ok(fine, "%s runs %s", command[0], e.text);
    return end;
}

static void programs(struct arena *a)
{
    struct text out = {.arena = a}, errors = {.arena = a};
    char line[80], words[CHILD_WORDS_BYTES];

    struct child_end end = run((const char *[]){"cat", NULL}, "through", 20, &out, &errors);
    is_text(out.data, "through", "input to output");
    is_text(child_words(&end, 20, words), "exit status 0", "its end");
    end = run((const char *[]){"sh", "-c", "echo >&2; echo no >&2; exit 3", NULL}, "", 20, &out,
              &errors);
    ok(end.status == 3 && !end.signal && !end.timed_out, "its status");
    is_text(child_complaint(&errors, line, sizeof line), "no",
            "the first line that says something");
    end = run((const char *[]){"sh", "-c", "kill -9 $$", NULL}, "", 20, &out, &errors);
    is_text(child_words(&end, 20, words), "ended by signal 9 (Killed)", "its signal");
    end = run((const char *[]){"sleep", "60", NULL}, "", 0.05, &out, &errors);
    ok(end.timed_out, "a time limit");
    is_text(child_words(&end, 0.05, words), "was still busy after 0.05 s and was stopped",
            "the time limit in words");
}

static void without_input(struct arena *a)
{
    struct text out = {.arena = a};
    struct child_end end;
    struct err e = {0};
    const char *command[] = {"cat", NULL};
    const struct child_program p = {command, {NULL, 0}, 20};
    ok(child_run(&p, &out, &out, &end, &e) && end.status == 0 && out.len == 0, "no input at all");
}

static void not_there(struct arena *a)
{
    struct text out = {.arena = a};
    struct child_end end;
    struct err e = {0};
    const char *command[] = {"no-such-program-here", NULL};
    ok(!child_run(&(struct child_program){command, {"", 0}, 1}, &out, &out, &end, &e) &&
           e.code == ERR_HOST,
       "a program that is not there");
    is_text(e.text, "no-such-program-here is not installed", "says so");
}

/* A program that is stopped takes along what it started: here a sleep, which becomes our child. */
static void families(struct arena *a)
{
    struct text out = {.arena = a}, errors = {.arena = a};
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const struct child_end end =
        run((const char *[]){"sh", "-c", "sleep 9 & echo $!; wait", NULL}, "", 2, &out, &errors);
    const int pid = (int)strtol(out.len ? out.data : "0", NULL, 10);
    int status = 0;
    ok(end.timed_out && pid > 0, "a program that waits for its own is stopped");
    ok(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status), "and so is what it started");
}

/* A program that writes without end is stopped before the disk is full. */
static void floods(struct arena *a)
{
    struct text out = {.arena = a}, errors = {.arena = a};
    const struct child_end end = run((const char *[]){"yes", NULL}, "", 60, &out, &errors);
    ok(!end.timed_out && end.signal == SIGXFSZ, "a flood ends by signal %d", end.signal);
}

static void add_one(void *context, void *result)
{
    *(int *)result += *(const int *)context;
}

static void fault(void *context, void *result)
{
    (void)context;
    *(int *)result = 7;
    raise(SIGSEGV);
}

static void hang(void *context, void *result)
{
    (void)context;
    *(int *)result = 8;
    pause();
}

static void leave(void *context, void *result)
{
    (void)context;
    *(int *)result = 9;
    exit(0);
}

static void print(void *context, void *result)
{
    (void)context;
    *(int *)result = printf("not ok - this is not for standard output\n");
    fflush(stdout);
}

/* Leaves a process behind that would wait for a while. */
static void beget(void *context, void *result)
{
    (void)context;
    const pid_t child = fork();
    if (child == 0) {
        sleep(20);
        _exit(0);
    }
    *(int *)result = child;
}

/* Those of a call become ours, as in families(). */
static void offspring(void)
{
    int child = 0, status = 0;
    struct child_end end = {0};
    struct err e = {0};
    const struct child_call c = {beget, NULL, &child, sizeof child, 20};
    const bool fine = child_call(&c, &end, &e);
    ok(fine && waitpid(child, &status, 0) == child && WIFSIGNALED(status),
       "what a call started ends with it");
}

static void calls(void)
{
    static const struct {
        const char *name;
        child_work *work;
        double seconds;
        int result, signal;
        bool timed_out, left;
    } cases[] = {
        {"a result comes back", add_one, 20, 42, 0, false, false},
        {"a fault is a signal, and what was there by then is here", fault, 20, 7, SIGSEGV, false,
         false},
        {"a hang is stopped", hang, 0.2, 8, 0, true, false},
        {"an exit is no return", leave, 20, 9, 0, false, true},
        {"standard output is not for the work", print, 20, 41, 0, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int one = 1, result = 41;
        struct child_end end = {0};
        struct err e = {0};
        const struct child_call c = {cases[i].work, &one, &result, sizeof result, cases[i].seconds};
        const bool fine = child_call(&c, &end, &e);
        ok(fine && result == cases[i].result && end.signal == cases[i].signal &&
               end.timed_out == cases[i].timed_out && end.left == cases[i].left,
           "%s (%d, signal %d)", cases[i].name, result, end.signal);
    }
}

int main(void)
{
    struct arena *a = test_arena();
    fflush(stdout);
    programs(a);
    without_input(a);
    not_there(a);
    families(a);
    floods(a);
    calls();
    offspring();
    arena_release(a);
    return tap_done();
}
