#include "compare/summary.h"

#include "compare/sections.h"

void summary_write(const struct comparison *c, struct document *d)
{
    document_add(d, BLOCK_TITLE, TONE_PLAIN, "gambrel: %s", known_text(c->run->host.cpu_name));
    section_header(c, d);
    section_warnings(c, d);
    section_kernels(c, d);
    section_ladder(c, d);
    section_models(c, d);
    section_compute_roofs(c, d);
    section_memory_roofs(c, d);
    section_streams(c, d);
    section_further_mixes(c, d);
    section_mix(c, d);
    section_traffic(c, d);
    section_chains(c, d);
    section_caches(c, d);
    section_sweep(c, d);
    section_machine(c, d);
}
