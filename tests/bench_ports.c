/* bench_ports - how long one port bound takes by the closed form, by the LP and by the conjunctive
 * map, on port sets and counts like those of the kernels.  Limits that the project set itself:
 * 5 microseconds by the closed form, 200 by the LP. */
#include "base/arena.h"
#include "model/ports.h"
#include "model/resources.h"
#include "tests/bench.h"

#include <stdio.h>
#include <stdlib.h>

/* Integer ALUs 0-5, vector pipes 6-9, address generation 10-13, store data 14-15: a core as wide as
 * today's widest. */
static const struct uop_class saxpy[] = {
    {0x0c0, 4}, {0x3c00, 8}, {0xc000, 4}, {0x3f, 1}, {0x30, 1}};
static const struct uop_class stencil[] = {{0x0c0, 7},  {0x300, 6}, {0x1c00, 9}, {0x3000, 1},
                                           {0xc000, 1}, {0x3f, 2},  {0x30, 1}};
static const struct uop_class mixed[] = {
    {0x01, 1},  {0x03, 2}, {0x3f, 6},   {0x30, 1},   {0x06, 1},   {0xc0, 4},   {0x300, 3},
    {0x3c0, 2}, {0x40, 1}, {0x80, 0.5}, {0x1c00, 5}, {0x3000, 2}, {0xc000, 2}, {0x4000, 1}};

#define LENGTH(a) ((int)(sizeof(a) / sizeof *(a)))

static const struct {
    const char *name;
    struct ports_problem p;
} problems[] = {
    {"saxpy", {saxpy, LENGTH(saxpy), 16, 14, 8}},
    {"stencil", {stencil, LENGTH(stencil), 16, 18, 8}},
    {"14 classes", {mixed, LENGTH(mixed), 16, 32, 8}},
};

typedef bool bound_fn(const struct ports_problem *p, struct ports_bound *out, struct err *e);

static double seconds_per_call(bound_fn *bound, const struct ports_problem *p, int calls)
{
    struct ports_bound out = {0};
    struct err e = {0};
    double sum = 0;
    const double start = cpu_s();
    for (int i = 0; i < calls; i++) {
        bound(p, &out, &e);
        sum += out.cycles;
    }
    const double seconds = (cpu_s() - start) / calls;
    return sum > 0 ? seconds : -1;
}

/* The whole block as one form, so that the map holds the same resources as the closed form. */
static double seconds_per_lookup(const struct ports_problem *p, int calls)
{
    struct arena *a = arena_create((size_t)1 << 26, oom, NULL);
    struct form_uops forms[PORTS_MAX];
    double counts[PORTS_MAX], sum = 0;
    struct resource_map m;
    struct err e = {0};

    for (int i = 0; i < p->n_classes; i++) {
        forms[i] = (struct form_uops){&p->classes[i], 1, 1};
        counts[i] = 1;
    }
    const struct port_mapping mapping = {forms, p->n_classes, p->n_ports, p->dispatch_width};
    resources_from_ports(&mapping, a, &m, &e);
    const double start = cpu_s();
    for (int i = 0; i < calls; i++) {
        sum += resources_bound(&m, counts).cycles;
    }
    const double seconds = (cpu_s() - start) / calls;
    arena_release(a);
    return sum > 0 ? seconds : -1;
}

int main(void)
{
    printf("%-12s %14s %14s %14s %8s\n", "port bound", "closed form", "map of forms", "LP",
           "LP/closed");
    for (int i = 0; i < LENGTH(problems); i++) {
        const struct ports_problem *p = &problems[i].p;
        const double closed = seconds_per_call(ports_bound, p, 100000);
        const double lp = seconds_per_call(ports_schedule, p, 2000);
        const double map = seconds_per_lookup(p, 100000);
        printf("%-12s %11.3f us %11.3f us %11.3f us %8.0f\n", problems[i].name, closed * 1e6,
               map * 1e6, lp * 1e6, lp / closed);
    }
    return 0;
}
