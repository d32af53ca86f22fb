#include "compare/gnuplot.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

enum { POLL_MS = 5 };

static bool begin(FILE *const files[3], pid_t *child, struct err *e)
{
    char program[] = "gnuplot";
    char *const command[] = {program, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (int i = 0; i < 3; i++) {
        posix_spawn_file_actions_adddup2(&actions, fileno(files[i]), i);
    }
    const int problem = posix_spawnp(child, program, &actions, NULL, command, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (problem == ENOENT) {
        return err_set(e, ERR_HOST, LOC_NONE,
                       "gnuplot draws the plots and is not installed: apt-get install gnuplot-nox, "
                       "or take another format");
    }
    return problem == 0 ||
           err_set(e, ERR_HOST, LOC_NONE, "cannot start gnuplot: %s", strerror(problem));
}

/* Waits for the end; a child that takes too long is killed. */
static bool end(pid_t child, double seconds_max, int *status, struct err *e)
{
    for (double waited = 0; waited < seconds_max; waited += POLL_MS / 1000.0) {
        const pid_t done = waitpid(child, status, WNOHANG);
        if (done == child) {
            return true;
        }
        if (done < 0 && errno != EINTR) {
            return err_set(e, ERR_HOST, LOC_NONE, "lost gnuplot: %s", strerror(errno));
        }
        nanosleep(&(struct timespec){.tv_nsec = POLL_MS * 1000000L}, NULL);
    }
    kill(child, SIGKILL);
    waitpid(child, status, 0);
    return err_set(e, ERR_HOST, LOC_NONE, "gnuplot was still busy after %g s and was stopped",
                   seconds_max);
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

static bool complain(FILE *errors, struct err *e)
{
    char line[160] = "";
    rewind(errors);
    while (fgets(line, sizeof line, errors) && strspn(line, " \t\r\n^") == strlen(line)) {
        line[0] = 0;
    }
    line[strcspn(line, "\r\n")] = 0;
    return err_set(e, ERR_HOST, LOC_NONE, "gnuplot failed: %s", line[0] ? line : "it drew nothing");
}

bool gnuplot_run(struct bytes script, double seconds_max, struct text *out, struct err *e)
{
    FILE *files[3] = {tmpfile(), tmpfile(), tmpfile()};
    bool fine = files[0] && files[1] && files[2] &&
                fwrite(script.data, 1, script.len, files[0]) == script.len && fflush(files[0]) == 0;
    if (!fine) {
        err_set(e, ERR_IO, LOC_NONE, "no temporary file for gnuplot: %s", strerror(errno));
        goto done;
    }
    rewind(files[0]);
    pid_t child;
    int status = 0;
    const size_t before = out->len;
    fine = begin(files, &child, e) && end(child, seconds_max, &status, e);
    if (fine) {
        read_all(files[1], out);
        fine = status == 0 && out->len > before ? true : complain(files[2], e);
    }
done:
    for (int i = 0; i < 3; i++) {
        if (files[i]) {
            fclose(files[i]);
        }
    }
    return fine;
}
