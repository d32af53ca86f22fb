#include "measure/probe_list.h"

#include "measure/probe_list_parts.h"

#include <stddef.h>

static const struct probe_patterns *const families[] = {
    &probe_list_integer, &probe_list_sse, &probe_list_avx, &probe_list_avx_integer, NULL,
};

int probe_list_count(void)
{
    int n = 0;
    for (int i = 0; families[i]; i++) {
        n += families[i]->n;
    }
    return n;
}

const char *probe_list_pattern(int k)
{
    for (int i = 0; families[i]; i++) {
        if (k < families[i]->n) {
            return families[i]->text[k];
        }
        k -= families[i]->n;
    }
    return NULL;
}
