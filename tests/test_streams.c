/* The stream mapping: hidden mappings are found again, one left-out mix does not decide, bad input
 * is an error. */
#include "model/streams.h"
#include "tests/tap.h"

static const double LINES[][STREAM_KINDS] = {
    /* read write update write_nt */
    {1, 0, 0, 0}, {2, 0, 0, 0}, {3, 0, 0, 0}, {0, 1, 0, 0}, {0, 2, 0, 0}, {1, 1, 0, 0},
    {2, 1, 0, 0}, {3, 1, 0, 0}, {1, 2, 0, 0}, {0, 0, 1, 0}, {0, 0, 2, 0}, {1, 0, 1, 0},
    {0, 1, 1, 0}, {0, 0, 0, 1}, {1, 0, 0, 1}, {2, 0, 0, 1},
};
enum { N_MIXES = sizeof LINES / sizeof *LINES };

static double hidden_seconds(double rho[][STREAM_KINDS], int n, const double *lines)
{
    double worst = 0;
    for (int r = 0; r < n; r++) {
        double sum = 0;
        for (int k = 0; k < STREAM_KINDS; k++) {
            sum += rho[r][k] * lines[k];
        }
        worst = fmax(worst, sum);
    }
    return worst;
}

static void mixes_of(double rho[][STREAM_KINDS], int n, struct stream_mix mixes[N_MIXES])
{
    for (int i = 0; i < N_MIXES; i++) {
        memcpy(mixes[i].lines, LINES[i], sizeof LINES[i]);
        mixes[i].name = "mix";
        mixes[i].seconds = hidden_seconds(rho, n, LINES[i]);
    }
}

static void recovers(double rho[][STREAM_KINDS], int n, const char *name)
{
    static const double unseen[][STREAM_KINDS] = {
        {4, 1, 0, 0}, {1, 1, 1, 0}, {2, 0, 1, 0}, {3, 0, 0, 1}};
    struct stream_mix mixes[N_MIXES];
    struct stream_map m;
    struct err e = {0};
    mixes_of(rho, n, mixes);
    ok(streams_fit(mixes, N_MIXES, &m, &e), "%s: fitted", name);
    ok(m.fit_error < 1e-3, "%s: fits the mixes within 0.1 %% (%g)", name, m.fit_error);
    for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++) {
        const double want = hidden_seconds(rho, n, unseen[i]);
        const double got = streams_seconds(&m, unseen[i], NULL);
        ok(fabs(got / want - 1) < 0.05, "%s: unseen mix %zu within 5 %% (%g, %g)", name, i, got,
           want);
    }
}

static void test_hidden(void)
{
    double additive[][STREAM_KINDS] = {{1.5e-9, 2e-9, 2e-9, 1.4e-9}};
    double overlapping[][STREAM_KINDS] = {{1.5e-9, 1.0e-9, 2e-9, 0.2e-9},
                                          {0.3e-9, 2e-9, 2e-9, 1.4e-9}};
    recovers(additive, 1, "one resource");
    recovers(overlapping, 2, "two resources");
}

static void test_left_out(void)
{
    double rho[][STREAM_KINDS] = {{1.5e-9, 2e-9, 2e-9, 1.4e-9}};
    struct stream_mix mixes[N_MIXES];
    struct stream_map m;
    struct err e = {0};
    mixes_of(rho, 1, mixes);
    mixes[6].seconds *= 2; /* one mix that no additive mapping explains */
    ok(streams_fit(mixes, N_MIXES, &m, &e), "fitted");
    ok(m.left_out[6] < -0.4, "left out, the odd mix is missed by half (%g)", m.left_out[6]);
    ok(fabs(m.left_out[0]) < 0.05, "the others are not (%g)", m.left_out[0]);
}

static void test_unknown(void)
{
    double rho[][STREAM_KINDS] = {{1e-9, 2e-9, 2e-9, 1e-9}};
    const double nt[STREAM_KINDS] = {0, 0, 0, 1};
    struct stream_mix mixes[N_MIXES];
    struct stream_map m;
    struct err e = {0};
    mixes_of(rho, 1, mixes);
    ok(streams_fit(mixes, 13, &m, &e), "fitted without non-temporal mixes");
    ok(isnan(streams_seconds(&m, nt, NULL)), "a kind nobody measured is not predicted");
    ok(!streams_fit(mixes, 3, &m, &e) && e.code == ERR_MODEL, "three mixes are too few");
    e.code = ERR_NONE;
    mixes[2].seconds = 0;
    ok(!streams_fit(mixes, N_MIXES, &m, &e) && e.code == ERR_RANGE, "a time of 0 is refused");
}

int main(void)
{
    test_hidden();
    test_left_out();
    test_unknown();
    return tap_done();
}
