/* What counts as bound, as a miss and as a violated bound. */
#include "compare/verdict.h"
#include "tests/compare_fixture.h"
#include "tests/tap.h"

struct verdict_case {
    const char *what;
    double rate, low, high; /* measured */
    double ceiling, c_low, c_high;
    bool disturbed, roof_disturbed;
    enum verdict_kind kind;
    const char *words;
};
static const struct verdict_case cases[] = {
    {"at the ceiling", 100, 99, 101, 100, 99, 101, 0, 0, VERDICT_BOUND, "bound by the R roof"},
    {"1.5 % above without known noise", 101.5, NAN, NAN, 100, NAN, NAN, 0, 0, VERDICT_BOUND,
     "bound by the R roof"},
    {"1.5 % below", 98.5, 98.4, 98.6, 100, 100, 100, 0, 0, VERDICT_BOUND, "bound by the R roof"},
    {"well above", 117, 116, 118, 100, 99, 101, 0, 0, VERDICT_VIOLATES,
     "violates the bound by 17 % (R roof)"},
    {"above, but the kernel's noise reaches down", 117, 101, 130, 100, 99, 101, 0, 0, VERDICT_NOISY,
     "too uncertain to tell (R roof)"},
    {"above, but the roof's noise reaches up", 117, 116, 118, 100, 80, 115, 0, 0, VERDICT_NOISY,
     "too uncertain to tell (R roof)"},
    {"a little above, within the noise", 104, 101, 107, 100, 99, 101, 0, 0, VERDICT_BOUND,
     "bound by the R roof"},
    {"well below", 72, 71, 73, 100, 99, 101, 0, 0, VERDICT_MISSES, "misses by 28 % (R roof)"},
    {"below, but noisy", 90, 75, 99, 100, 99, 101, 0, 0, VERDICT_NOISY,
     "too uncertain to tell (R roof)"},
    {"below and disturbed", 72, 71, 73, 100, 99, 101, 1, 0, VERDICT_MISSES,
     "misses by 28 % (R roof) (disturbed: stolen time)"},
    {"above a disturbed roof", 117, 116, 118, 100, 99, 101, 0, 1, VERDICT_VIOLATES,
     "violates the bound by 17 % (R roof) (the roof was disturbed)"},
    {"no ceiling", 72, 71, 73, NAN, NAN, NAN, 0, 0, VERDICT_NONE, "no prediction: no R roof"},
    {"no measurement", NAN, NAN, NAN, 100, 99, 101, 0, 0, VERDICT_NONE, "no prediction: no R roof"},
};

int main(void)
{
    struct arena *a = fixture_arena();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct verdict_case *k = &cases[i];
        const struct measured m = {.rate = k->rate,
                                   .low = k->low,
                                   .high = k->high,
                                   .disturbed = k->disturbed,
                                   .why = k->disturbed ? "stolen time" : ""};
        const struct ceiling c = {.rate = k->ceiling,
                                  .low = k->c_low,
                                  .high = k->c_high,
                                  .binds = "R roof",
                                  .missing = "no R roof",
                                  .disturbed = k->roof_disturbed};
        const struct verdict v = verdict_of(&m, &c);
        struct text words = {.arena = a};
        verdict_words(&v, &m, &c, &words);
        ok(v.kind == k->kind, "%s: %s", k->what, verdict_names[v.kind]);
        ok(v.doubtful == (k->disturbed || k->roof_disturbed), "  doubt");
        is_text(words.data, k->words, "  words");
    }
    arena_release(a);
    return tap_done();
}
