#include "model/fit_traits.h"

#include "code/form.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define OPERANDS_MAX   6
#define KEY_SIZE       (FORM_SIZE + 16)
#define TIMES_PER_FOLD 12 /* steps of a time alone in a factor of e: 8 % each */

enum trait_kind {
    TRAIT_ANY,        /* every form                                            */
    TRAIT_FORM,       /* the form itself                                       */
    TRAIT_MNEMONIC,   /* vpaddb                                                */
    TRAIT_STEM,       /* vpa, vpad, vpadd; and the last two letters            */
    TRAIT_OPERANDS,   /* ymm, ymm, m256                                        */
    TRAIT_KINDS,      /* the same without the numbers                          */
    TRAIT_OPERAND,    /* each one by itself                                    */
    TRAIT_SHAPE,      /* vector or scalar, memory read or written, lea         */
    TRAIT_TIME,       /* time alone in steps                                   */
    TRAIT_TIME_SHAPE, /* both                                                  */
};

/* Strengths were chosen by five-fold cross-validation on the 1000 blocks each of Zen+ and
 * Cortex-A72 from the artifact of PMEvo (Ritter and Hack, PLDI 2020); halving or doubling any one
 * of them changes the error on held-out blocks by less than a tenth of it. */
static const float strengths[] = {
    [TRAIT_ANY] = 1,      [TRAIT_FORM] = 1,       [TRAIT_MNEMONIC] = 1,   [TRAIT_STEM] = 1,
    [TRAIT_OPERANDS] = 1, [TRAIT_KINDS] = 1,      [TRAIT_OPERAND] = 0.5F, [TRAIT_SHAPE] = 3,
    [TRAIT_TIME] = 1,     [TRAIT_TIME_SHAPE] = 2,
};

struct parts {
    char mnemonic[FORM_SIZE];
    char operands[OPERANDS_MAX][FORM_SIZE]; /* without values of constants */
    int n;
    bool vector, memory, memory_first, address;
};

struct finder {
    struct names names;
    struct fit_traits *t;
    int form;
};

static void add(struct finder *f, enum trait_kind kind, const char *text)
{
    char key[KEY_SIZE];
    snprintf(key, sizeof key, "%d %s", (int)kind, text);
    const int *known = names_find(&f->names, f, key);
    if (!known) {
        int *number = arena_new(f->names.arena, int, 1);
        *number = f->t->n_traits++;
        names_add(&f->names, f, arena_format(f->names.arena, "%s", key), number);
        known = number;
    }
    int *n = &f->t->n_of_form[f->form];
    struct fit_trait *traits = f->t->of_form[f->form];
    for (int i = 0; i < *n; i++) {
        if (traits[i].number == *known) {
            return;
        }
    }
    if (*n < FIT_TRAITS_OF_FORM_MAX) {
        traits[(*n)++] = (struct fit_trait){*known, strengths[kind]};
    }
}

/* One operand with "n" for a constant, alone (#16, -1, 0x6c07) or behind a word (lsl 3). */
static void read_operand(const char *text, size_t len, char *out)
{
    size_t n = 0;
    size_t i = strspn(text, "_ #");
    if (i < len && (isdigit((unsigned char)text[i]) || text[i] == '-')) {
        out[n++] = 'n';
        i = len;
    }
    for (; i < len; i++) {
        const bool constant = strchr("_ ", text[i]) && isdigit((unsigned char)text[i + 1]);
        out[n++] = constant ? 'n' : text[i];
        i = constant ? len : i;
    }
    out[n] = '\0';
}

/* Register kinds of code/form.h, and of the spelling in PMEvo's data ("(reg:r:v:256)"). */
static bool is_vector(const char *operand)
{
    return strstr(operand, ":v:") || strstr(operand, ":f:") || strncmp(operand, "v.", 2) == 0 ||
           (operand[0] && strchr("xyz", operand[0]) && strncmp(operand + 1, "mm", 2) == 0) ||
           strncmp(operand, "mm", 2) == 0 ||
           (strspn(operand, "bhsdqk") == 1 && (operand[1] == '\0' || operand[1] == '{'));
}

static bool is_memory(const char *operand)
{
    return strstr(operand, "(mem:") || (operand[0] == 'm' && isdigit((unsigned char)operand[1]));
}

static void take_apart(const char *form, struct parts *p)
{
    form += strspn(form, "_");
    size_t n = 0;
    while (isalnum((unsigned char)form[n])) {
        n++;
    }
    memcpy(p->mnemonic, form, n);
    p->mnemonic[n] = '\0';
    p->address = strcmp(p->mnemonic, "lea") == 0;
    for (const char *at = form + n; *at && p->n < OPERANDS_MAX;) {
        const size_t len = strcspn(at, ",");
        char *operand = p->operands[p->n];
        read_operand(at, len, operand);
        p->vector |= is_vector(operand);
        p->memory |= is_memory(operand);
        p->memory_first |= p->n == 0 && is_memory(operand);
        p->n++;
        at += len + (at[len] == ',');
    }
}

static void add_mnemonic(struct finder *f, const struct parts *p)
{
    const int len = (int)strlen(p->mnemonic);
    char stem[KEY_SIZE];
    add(f, TRAIT_MNEMONIC, p->mnemonic);
    for (int n = 3; n <= 5 && n < len; n++) {
        snprintf(stem, sizeof stem, "%.*s", n, p->mnemonic);
        add(f, TRAIT_STEM, stem);
    }
    if (len > 3) {
        snprintf(stem, sizeof stem, "-%s", p->mnemonic + len - 2);
        add(f, TRAIT_STEM, stem);
    }
}

static void add_operands(struct finder *f, const struct parts *p)
{
    char all[FORM_SIZE] = "", kinds[FORM_SIZE] = "";
    size_t n = 0, n_kinds = 0;
    for (int i = 0; i < p->n; i++) {
        for (const char *c = p->operands[i]; *c && n + 2 < sizeof all; c++) {
            all[n++] = *c;
            if (!isdigit((unsigned char)*c)) {
                kinds[n_kinds++] = *c;
            }
        }
        all[n++] = kinds[n_kinds++] = ',';
    }
    all[n] = kinds[n_kinds] = '\0';
    add(f, TRAIT_OPERANDS, all);
    add(f, TRAIT_KINDS, kinds);
    for (int i = 0; i < p->n; i++) {
        add(f, TRAIT_OPERAND, p->operands[i]);
    }
}

static void add_times(struct finder *f, const struct parts *p, double alone)
{
    char shape[KEY_SIZE], time[KEY_SIZE], both[2 * KEY_SIZE];
    snprintf(shape, sizeof shape, "%d%d%d", p->vector, p->memory, p->memory_first);
    snprintf(time, sizeof time, "%.0f", rint(log(alone) * TIMES_PER_FOLD));
    snprintf(both, sizeof both, "%s %s", time, shape);
    add(f, TRAIT_TIME, time);
    add(f, TRAIT_TIME_SHAPE, both);
    snprintf(both, sizeof both, "%s%d", shape, p->address);
    add(f, TRAIT_SHAPE, both);
}

struct fit_traits *fit_traits_find(const struct fit_data *d, struct arena *a)
{
    struct finder f = {.names.arena = a, .t = arena_new(a, struct fit_traits, 1)};
    f.t->of_form = arena_alloc(a, (size_t)d->n_forms, sizeof *f.t->of_form);
    f.t->n_of_form = arena_new(a, int, (size_t)d->n_forms);
    for (f.form = 0; f.form < d->n_forms; f.form++) {
        struct parts p = {0};
        take_apart(d->forms[f.form].name, &p);
        add(&f, TRAIT_ANY, "");
        add(&f, TRAIT_FORM, d->forms[f.form].name);
        add_mnemonic(&f, &p);
        add_operands(&f, &p);
        add_times(&f, &p, d->forms[f.form].alone);
    }
    return f.t;
}
