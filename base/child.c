#include "base/child.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* What a program may write: more is a fault of it, and must not fill the disk. */
#define OUTPUT_BYTES_MAX ((rlim_t)64 << 20)

/* How long to sleep between looks at a child: short at first, for programs that end at once. */
#define POLL_LEAST_S 0.0002
#define POLL_MOST_S  0.005

const char *child_words(const struct child_end *end, double seconds_max,
                        char out[CHILD_WORDS_BYTES])
{
    if (end->timed_out) {
        snprintf(out, CHILD_WORDS_BYTES, "was still busy after %g s and was stopped", seconds_max);
    } else if (end->signal) {
        snprintf(out, CHILD_WORDS_BYTES, "ended by signal %d (%s)", end->signal,
                 strsignal(end->signal));
    } else if (end->left) {
        snprintf(out, CHILD_WORDS_BYTES, "called exit with status %d", end->status);
    } else {
        snprintf(out, CHILD_WORDS_BYTES, "exit status %d", end->status);
    }
    return out;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void describe(int status, struct child_end *end)
{
    end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end->status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

/* Waits for the end; a child that takes too long is killed. */
static bool wait_for(pid_t child, double seconds_max, struct child_end *end, struct err *e)
{
    const double start = now();
    double pause = POLL_LEAST_S;
    int status = 0;
    *end = (struct child_end){0};
    for (;;) {
        const pid_t done = waitpid(child, &status, WNOHANG);
        if (done == child) {
            describe(status, end);
            return true;
        }
        if (done < 0 && errno != EINTR) {
            return err_set(e, ERR_HOST, LOC_NONE, "lost a child process: %s", strerror(errno));
        }
        if (now() - start >= seconds_max) {
            break;
        }
        nanosleep(&(struct timespec){.tv_nsec = (long)(pause * 1e9)}, NULL);
        pause = pause * 2 < POLL_MOST_S ? pause * 2 : POLL_MOST_S;
    }
    if (kill(-child, SIGKILL) != 0) { /* a group of its own, with what it started itself */
        kill(child, SIGKILL);
    }
    waitpid(child, &status, 0);
    end->timed_out = true;
    return true;
}

/* --- programs --- */

static bool begin(const struct child_program *p, FILE *const files[3], pid_t *child, struct err *e)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP); /* group 0: a new one */
    for (int i = 0; i < 3; i++) {
        posix_spawn_file_actions_adddup2(&actions, fileno(files[i]), i);
    }
    /* The interface of 1988 takes strings that it does not change as if it could. */
    char *const *command = (char *const *)(uintptr_t)p->command;
    const int problem = posix_spawnp(child, command[0], &actions, &attributes, command, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (problem == 0) {
        prlimit(*child, RLIMIT_FSIZE, &(struct rlimit){OUTPUT_BYTES_MAX, OUTPUT_BYTES_MAX}, NULL);
    }
    if (problem == ENOENT) {
        return err_set(e, ERR_HOST, LOC_NONE, "%s is not installed", p->command[0]);
    }
    return problem == 0 ||
           err_set(e, ERR_HOST, LOC_NONE, "cannot start %s: %s", p->command[0], strerror(problem));
}

static void read_all(FILE *file, struct text *out)
{
    char part[4096];
    rewind(file);
    for (size_t n = fread(part, 1, sizeof part, file); n > 0;
         n = fread(part, 1, sizeof part, file)) {
        text_add_bytes(out, part, n);
    }
}

bool child_run(const struct child_program *p, struct text *out, struct text *errors,
               struct child_end *end, struct err *e)
{
    FILE *files[3] = {tmpfile(), tmpfile(), tmpfile()};
    pid_t child = 0;
    bool fine =
        files[0] && files[1] && files[2] &&
        (p->input.len == 0 || fwrite(p->input.data, 1, p->input.len, files[0]) == p->input.len) &&
        fflush(files[0]) == 0;
    if (!fine) {
        err_set(e, ERR_IO, LOC_NONE, "no temporary file for %s: %s", p->command[0],
                strerror(errno));
        goto done;
    }
    rewind(files[0]);
    fine = begin(p, files, &child, e) && wait_for(child, p->seconds_max, end, e);
    if (fine) {
        read_all(files[1], out);
        read_all(files[2], errors);
    }
done:
    for (int i = 0; i < 3; i++) {
        if (files[i]) {
            fclose(files[i]);
        }
    }
    return fine;
}

const char *child_complaint(const struct text *errors, char *line, size_t size)
{
    const char *at = errors->data ? errors->data : "";
    at += strspn(at, " \t\r\n^");
    snprintf(line, size, "%.*s", (int)strcspn(at, "\r\n"), at);
    return line;
}

/* --- our own code --- */

/* Shared with the child; the caller's result begins at RESULT_AT. */
struct shared {
    bool returned; /* the work did */
};
enum { RESULT_AT = 64 };

static void run_in_child(const struct child_call *c, struct shared *shared)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        signal(faults[i], SIG_DFL);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    /* What we print is data, and what is called thousands of times would flood a terminal. */
    if (!freopen("/dev/null", "w", stdout)) {
        close(STDOUT_FILENO);
    }
    c->work(c->context, (char *)shared + RESULT_AT);
    shared->returned = true;
    _exit(0);
}

bool child_call(const struct child_call *c, struct child_end *end, struct err *e)
{
    const size_t bytes = RESULT_AT + c->bytes;
    struct shared *shared =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        return err_set(e, ERR_HOST, LOC_NONE, "no memory to share with a child process: %s",
                       strerror(errno));
    }
    memcpy((char *)shared + RESULT_AT, c->result, c->bytes);
    fflush(NULL); /* or an exit of the child would write it once more */
    const pid_t child = fork();
    if (child == 0) {
        run_in_child(c, shared);
    }
    if (child > 0) {
        setpgid(child, child); /* whoever of the two comes first */
    }
    const bool fine = child > 0
                          ? wait_for(child, c->seconds_max, end, e)
                          : err_set(e, ERR_HOST, LOC_NONE, "no child process: %s", strerror(errno));
    if (child > 0) {
        kill(-child, SIGKILL); /* those that it started and left behind */
    }
    end->left = fine && !end->timed_out && !end->signal && !shared->returned;
    memcpy(c->result, (char *)shared + RESULT_AT, c->bytes);
    munmap(shared, bytes);
    return fine;
}
