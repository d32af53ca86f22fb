#include "compare/block_set.h"
#include "tests/formats.h"

/* Four measured blocks and one that was not; a tool that is right, half off, and silent by
 * turns. */
static struct block_set example(struct arena *a)
{
    static const char *const texts[] = {"1 add r64, r64; 1 nop", "2 add r64, r64; 4 nop",
                                        "8 imul r64, r64", "1 imul r64, r64; 11 nop", "1 nop"};
    static const double measured[] = {1, 2, 8, 4, (double)NAN}, weights[] = {1, 1, 3, 1, 1};
    static const double right[] = {1, 2, 8, 4, 1}, other[] = {1, 3, 4, (double)NAN, 7};
    struct block_set s = {.n = 5, .n_tools = 2, .rows = arena_new(a, struct block_row, 5)};
    for (int t = 0; t < 2; t++) {
        s.tools[t] = (struct block_tool){t ? "other" : "right", arena_new(a, double, 5)};
        memcpy(s.tools[t].cycles, t ? other : right, sizeof right);
    }
    for (int i = 0; i < 5; i++) {
        struct block b;
        struct err e = {0};
        block_parse(texts[i], LOC_NONE, a, &b, &e);
        s.rows[i] = (struct block_row){.name = arena_format(a, "b%d", i),
                                       .cycles = measured[i],
                                       .weight = weights[i],
                                       .forms = b.forms,
                                       .n_forms = b.n_forms};
        for (int f = 0; f < b.n_forms; f++) {
            s.rows[i].instructions += b.forms[f].count;
        }
    }
    return s;
}

static void scores(const struct block_set *s, struct arena *a)
{
    struct block_score k;
    block_score_of(s, 0, a, &k);
    ok(k.n == 4 && k.mape == 0 && k.rms == 0 && k.tau == 1 && k.coverage == 1 && k.over == 0,
       "who is right has no error");
    block_score_of(s, 1, a, &k);
    ok(k.n == 3 && k.coverage == 0.75, "three of four predicted");
    is_near(k.mape, (0 + 0.5 + 0.5) / 3, 1e-12, "MAPE");
    /* Instructions per cycle are 1, 2/3 and 2 times the measured ones, with weights 1, 1 and 3. */
    is_near(k.rms, sqrt((1.0 / 9 + 3) / 5), 1e-12, "RMS, weighted");
    is_near(k.tau, 1, 1e-12, "ranked alike by cycles");
    /* Per instruction: measured 0.5, 0.33, 1 and predicted 0.5, 0.5, 0.5. */
    ok(isnan(k.tau_per_instruction), "all ties per instruction have no tau");
    is_near(k.over, 1.0 / 3, 1e-12, "too slow");
    is_near(k.under, 1.0 / 3, 1e-12, "too fast");
    ok(k.size_n[0] == 1 && k.size_n[2] == 2 && k.size_n[3] == 0 && k.size_mape[2] == 0.5,
       "by size");
    ok(k.n_worst == 3 && k.worst[0] == 1 && k.worst[1] == 2 && k.worst[2] == 0,
       "worst first, ties by order");
    ok(k.n_culprits == 0, "no form is in three predicted blocks");
}

static void culprits(struct block_set *s, struct arena *a)
{
    struct block_score k;
    s->tools[1].cycles[3] = 8; /* now nop is in three, all but one of them wrong */
    block_score_of(s, 1, a, &k);
    ok(k.n_culprits == 1 && strcmp(k.culprits[0].form, "nop") == 0 && k.culprits[0].n == 3,
       "the form that most wrong blocks hold");
    is_near(k.culprits[0].error, (0 + 0.5 + 1) / 3, 1e-12, "its blocks' error");
}

static void written(const struct block_set *s, struct arena *a)
{
    struct text text = {.arena = a}, json = text, svg = text;
    block_set_text(s, &text);
    ok(strstr(text.data, "right") && strstr(text.data, "farthest off"), "text");
    block_set_json(s, &json);
    int depth = 0;
    for (const char *c = json.data; *c; c++) {
        depth += (*c == '{' || *c == '[') - (*c == '}' || *c == ']');
    }
    ok(depth == 0 && strstr(json.data, "\"format\": \"gambrel-blocks-1\"") &&
           !strstr(json.data, "{{"),
       "JSON is balanced");
    block_set_heat_map(s, 1, &svg);
    ok(strncmp(svg.data, "<svg", 4) == 0 && strstr(svg.data, "fill-opacity") &&
           strstr(svg.data, "</svg>") && !strstr(svg.data, "nan"),
       "a picture");
}

/* A time that cannot be is the user's; the picture of it is as large as any other. */
static void absurd(struct arena *a)
{
    static const double times[] = {1, 1e-6, 1e-300};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        double predicted[] = {1};
        struct block_row row = {.name = "x", .cycles = times[i], .weight = 1, .instructions = 2};
        const struct block_set s = {
            .rows = &row, .n = 1, .tools = {{"tool", predicted}}, .n_tools = 1};
        struct text svg = {.arena = a};
        block_set_heat_map(&s, 0, &svg);
        ok(svg.len < 10000 && strstr(svg.data, "fill-opacity"), "a block of %g cycles", times[i]);
    }
}

int main(void)
{
    struct arena *a = test_arena();
    struct block_set s = example(a);
    scores(&s, a);
    culprits(&s, a);
    written(&s, a);
    absurd(a);
    arena_release(a);
    return tap_done();
}
