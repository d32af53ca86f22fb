#include "measure/callee.h"
#include "tests/formats.h"

static void arguments(void)
{
    static const struct {
        const char *text, *says; /* "": fine */
        int arrays, scalars;
        double bytes; /* of all arrays for 3 of n, 2 elements each */
    } cases[] = {
        {"double*, float *,int32*", "", 3, 0, 3 * 2 * 16},
        {"double, float*, float", "", 1, 2, 3 * 2 * 4},
        {"uint8*,int64*", "", 2, 0, 3 * 2 * 9},
        {"", "", 0, 0, 0},
        {"short*", "argument 'short*'", 0, 0, 0},
        {"int32", "a scalar float or double", 0, 0, 0},
        {"double*,,double*", "argument ''", 1, 0, 0},
        {"float*,float*,float*,float*,float*,float*,float*,float*,float*", "at most 8 arrays", 8, 0,
         0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct callee_args args;
        struct err e = {0};
        const bool fine = callee_parse(cases[i].text, &args, &e);
        ok(fine == !*cases[i].says && args.n_arrays == cases[i].arrays &&
               args.n_scalars == cases[i].scalars && strstr(e.text, cases[i].says),
           "'%s' %s", cases[i].text, e.text);
        if (fine) {
            is_near(callee_bytes(&args, 2, 3), cases[i].bytes, 0, "bytes");
        }
    }
}

static void no_library(void)
{
    struct err e = {0};
    struct callee_result result;
    const struct callee_request r = {
        .library = "./no-such-library.so",
        .symbol = "f",
        .unit = 64,
        .lengths = {128, 192},
        .n_lengths = 2,
        .elements_per_n = 1,
        .rounds = 1,
        .call_s = 1e-6,
        .seconds_max = 20,
    };
    const bool fine = callee_run(&r, &result, &e);
    ok(!fine && e.code == ERR_HOST && result.n == 0, "no library: %s", e.text);
}

static void much_code(struct arena *a)
{
    struct err e = {0};
    struct callee_steps steps;
    const struct callee_request r = {.unit = 64, .lengths = {128, 192}, .n_lengths = 2};
    ok(!callee_count(&r, CALLEE_CODE_MAX + 1, a, &steps, &e) && e.code == ERR_RANGE,
       "too much code to count: %s", e.text);
}

int main(void)
{
    struct arena *a = test_arena();
    arguments();
    no_library();
    much_code(a);
    arena_release(a);
    return tap_done();
}
