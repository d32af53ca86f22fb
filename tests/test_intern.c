#include "base/intern.h"
#include "base/random.h"
#include "tests/formats.h"

enum { TEXTS = 20000, LEN_MAX = 40 };

/* Texts of two letters, so that many are alike but for their end or their length. */
static size_t draw(struct random *r, char out[LEN_MAX])
{
    const size_t len = (size_t)random_below(r, LEN_MAX);
    for (size_t i = 0; i < len; i++) {
        out[i] = random_below(r, 6) ? 'a' : 'b';
    }
    return len;
}

static bool is_known(const struct intern *s, const char *text, size_t len, size_t *number)
{
    for (size_t i = 0; i < s->n; i++) {
        if (s->texts[i].len == len && memcmp(s->texts[i].text, text, len) == 0) {
            *number = i;
            return true;
        }
    }
    *number = s->n;
    return false;
}

static void against_a_search(struct arena *a)
{
    struct intern s = {.arena = a};
    struct random r = {1};
    int wrong = 0;
    for (int i = 0; i < TEXTS; i++) {
        char text[LEN_MAX];
        size_t want;
        const size_t len = draw(&r, text);
        is_known(&s, text, len, &want);
        wrong += intern_number(&s, text, len) != want || s.texts[want].text[len] != '\0';
    }
    ok(wrong == 0 && s.n > 1000, "%d texts have the numbers that a search gives (%zu distinct)",
       TEXTS, s.n);
}

int main(void)
{
    struct arena *a = test_arena();
    struct intern s = {.arena = a};
    ok(intern_number(&s, "add r64, r64; nop", 12) == 0, "a part of a text is number 0");
    ok(intern_number(&s, "nop", 3) == 1 && intern_number(&s, "", 0) == 2, "the next are 1 and 2");
    ok(intern_number(&s, "add r64, r64", 12) == 0 && s.n == 3, "the same text again");
    is_text(s.texts[0].text, "add r64, r64", "is kept as a text of its own");
    against_a_search(a);
    arena_release(a);
    return tap_done();
}
