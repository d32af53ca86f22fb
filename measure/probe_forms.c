#include "measure/probe_forms.h"

#include "measure/probe_cpu.h"
#include "measure/probe_list.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* General register n as decode names it; 16 where r is none of them. */
static int general_number(const struct decoder *d, code_reg r)
{
    static const char *const names[16] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                          "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
    const char *name = code_reg_name(d, r);
    int n = 0;

    while (n < 16 && strcmp(name, names[n]) != 0) {
        n++;
    }
    return n;
}

static bool is_named(const struct decoder *d, code_reg r, const char *start)
{
    return strncmp(code_reg_name(d, r), start, strlen(start)) == 0;
}

static bool writes_register(const struct insn *i, code_reg r)
{
    for (int k = 0; k < i->n_writes; k++) {
        if (i->writes[k] == r) {
            return true;
        }
    }
    return false;
}

/* The instruction with registers that are all different, so that decode tells its operands
 * apart. */
static bool decode_example(const struct encode_form *f, struct decoder *d, struct insn *out,
                           struct err *e)
{
    const struct encode_registers apart = {.number = {7, 5, 6, 3},
                                           .mask = 1,
                                           .base = 14,
                                           .index = f->vector_index ? 10 : -1,
                                           .scale = 1,
                                           .displacement = 256,
                                           .immediate = 3};
    uint8_t code[ENCODE_BYTES_MAX];
    size_t len;

    return encode_insn(f, &apart, code, &len, e) && decode_insn(d, code, len, 0, out, e);
}

static void find_roles(const struct insn *i, struct probe_form *f)
{
    for (int k = 0; k < f->code.n_operands; k++) {
        bool read = false, written = false;
        for (int j = 0; j < i->n_reads; j++) {
            read |= i->read_operand[j] == k + 1;
        }
        for (int j = 0; j < i->n_writes; j++) {
            written |= i->write_operand[j] == k + 1;
        }
        if (f->code.kinds[k] == ENCODE_MEMORY) {
            read = i->n_mem && i->mem[0].read;
            written = i->n_mem && i->mem[0].write;
        }
        f->roles[k] = !written ? PROBE_SOURCE : read ? PROBE_UPDATE : PROBE_RESULT;
    }
}

static int flag_of(const struct decoder *d, code_reg r)
{
    return is_named(d, r, "carry") ? PROBE_CARRY : is_named(d, r, "flags") ? PROBE_STATUS : 0;
}

static uint32_t general_bit(const struct decoder *d, code_reg r)
{
    const int n = general_number(d, r);
    return n < 16 && n != 4 ? 1u << n : 0; /* not rsp */
}

static void find_implicit(const struct insn *i, const struct decoder *d, struct probe_form *f)
{
    for (int j = 0; j < i->n_reads; j++) {
        f->flags_read |= flag_of(d, i->reads[j]);
        if (i->read_operand[j] == 0) {
            f->implicit_reads |= general_bit(d, i->reads[j]);
            f->reads_first_vector |= is_named(d, i->reads[j], "zmm0");
        }
    }
    for (int j = 0; j < i->n_writes; j++) {
        f->flags_written |= flag_of(d, i->writes[j]);
        if (i->write_operand[j] == 0) {
            f->implicit_writes |= general_bit(d, i->writes[j]);
        }
    }
    for (int k = 0; k < f->code.n_operands; k++) {
        f->implicit_reads |= f->code.kinds[k] == ENCODE_CL ? 1u << 1 : 0;
    }
}

/* --- what is set again before each execution
 * ------------------------------------------------------
 */

static void add_companion(struct probe_form *f, enum probe_state sets, int number, const char *text)
{
    struct probe_companion *c = &f->companions[f->n_companions++];

    *c = (struct probe_companion){.sets = sets, .number = number};
    snprintf(c->text, sizeof c->text, "%s", text);
}

const struct probe_companion *probe_form_companion(const struct probe_form *f,
                                                   enum probe_state sets, int number)
{
    for (int k = 0; k < f->n_companions; k++) {
        if (f->companions[k].sets == sets && f->companions[k].number == number) {
            return &f->companions[k];
        }
    }
    return NULL;
}

/* A gather's mask, which is all zeros afterwards. */
static void renew_mask(struct probe_form *f)
{
    if (f->code.masked) {
        add_companion(f, PROBE_WRITE_MASK, 0, "kmovw k, m16");
        return;
    }
    const char *load = f->code.bits[2] == 256 ? "vmovups ymm, m256" : "vmovups xmm, m128";
    add_companion(f, PROBE_OPERAND, 3, load);
}

/* NULL, or why the form hands on something that nothing else can set. */
static const char *find_companions(const struct insn *i, const struct decoder *d,
                                   struct probe_form *f)
{
    bool flags = false;

    if (f->code.vector_index) {
        renew_mask(f);
    }
    for (int j = 0; j < i->n_reads; j++) {
        const code_reg r = i->reads[j];
        if (i->read_operand[j] != 0 || !writes_register(i, r)) {
            continue;
        }
        if (is_named(d, r, "rsp")) {
            if (f->pushed_bytes == 0) {
                return "moves the stack pointer";
            }
        } else if (flag_of(d, r)) {
            flags = true;
        } else if (general_bit(d, r) && f->n_companions < PROBE_COMPANIONS_MAX - 1) {
            add_companion(f, PROBE_GENERAL, general_number(d, r), "mov r64, imm");
        } else if (!f->code.vector_index) {
            return "hands on a value in a register that cannot be chosen";
        }
    }
    if (flags) { /* the last, since the others may be arithmetic */
        add_companion(f, PROBE_FLAGS, 0, "test r64, r64");
    }
    return NULL;
}

void probe_forms_join(struct probe_form *forms, int n)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < forms[i].n_companions; k++) {
            struct probe_companion *c = &forms[i].companions[k];
            c->form = NULL; /* it may be that of another list */
            for (int j = 0; j < n && !c->form; j++) {
                c->form = strcmp(forms[j].code.text, c->text) == 0 ? &forms[j] : NULL;
            }
            if (!forms[i].refused && (!c->form || c->form->refused)) {
                forms[i].refused = "cannot be measured without another form, which is not there";
            }
        }
    }
}

/* --- what cannot be measured --------------------------------------------------------------------
 */

static int updated_registers(const struct probe_form *f)
{
    int n = 0;

    for (int k = 0; k < f->code.n_operands; k++) {
        n += f->roles[k] == PROBE_UPDATE && f->code.kinds[k] != ENCODE_MEMORY &&
             !probe_form_companion(f, PROBE_OPERAND, k + 1);
    }
    return n;
}

static const char *refuse(struct probe_form *f, const struct insn *i, const struct decoder *d)
{
    static const struct {
        const char *start, *why;
    } others[] = {
        {"cpuid", "serialises and may leave the guest"},
        {"rdtsc", "serialises and may leave the guest"},
        {"lock ", "waits for all earlier stores: less than one in 20 cycles"},
        {"movnt", "goes to memory, not to the first-level cache"},
        {"vmovnt", "goes to memory, not to the first-level cache"},
        {"prefetch", "nothing waits for it"},
    };

    if (i->branch || i->calls || i->returns) {
        return "control flow";
    }
    if (f->code.privileged) {
        return "privileged";
    }
    if (strcmp(f->code.isa_set, "X87") == 0) {
        return "works on the x87 stack";
    }
    for (size_t k = 0; k < COUNT(others); k++) {
        if (strncmp(f->code.text, others[k].start, strlen(others[k].start)) == 0) {
            return others[k].why;
        }
    }
    for (int k = 0; k < i->n_writes; k++) {
        if (i->write_operand[k] == 0 && is_named(d, i->writes[k], "zmm")) {
            return "writes a vector register that cannot be chosen";
        }
    }
    const char *hands_on = find_companions(i, d, f);
    if (hands_on) {
        return hands_on;
    }
    if (updated_registers(f) > 1) {
        return "hands values from one register to another";
    }
    return probe_cpu_has(f->code.isa_set) ? NULL : "not in this CPU's instruction set";
}

static enum probe_kind kind_of(const struct encode_form *f)
{
    enum probe_kind kind = f->class == ENCODE_SSE   ? PROBE_SSE
                           : f->class == ENCODE_AVX ? PROBE_AVX
                                                    : PROBE_ANY;
    for (int k = 0; k < f->n_operands; k++) {
        if (f->kinds[k] == ENCODE_MASK) {
            kind = kind == PROBE_ANY ? PROBE_AVX512 : kind;
        }
        if (f->vector_index && f->masked) { /* with the load of a mask before it */
            return PROBE_AVX512;
        }
        if (f->bits[k] == 512) {
            return PROBE_AVX512;
        }
    }
    return kind;
}

/* Long latencies by name; it only has to be roughly right, so that registers share the load. */
static double guess_latency(const char *form)
{
    static const char *const slow[] = {"div",   "sqrt",  "pmulld", "dp",   "hadd", "hsub",
                                       "cvtsi", "mpsad", "blendv", "pcmp", "crc",  "phminpos"};

    for (size_t k = 0; k < COUNT(slow); k++) {
        if (strstr(form, slow[k])) {
            return k < 2 ? 16 : 10;
        }
    }
    return 4;
}

static int pushed_bytes(const struct encode_form *f)
{
    const bool push = strncmp(f->text, "push ", 5) == 0, pop = strncmp(f->text, "pop ", 4) == 0;
    return f->bits[0] == 16 ? 0 : 8 * (push - pop);
}

bool probe_form_read(const char *text, struct decoder *d, struct probe_form *out, struct err *e)
{
    struct insn example;

    *out = (struct probe_form){0};
    if (!encode_form(text, &out->code, e) || !decode_example(&out->code, d, &example, e)) {
        return false;
    }
    out->kind = kind_of(&out->code);
    out->latency = guess_latency(out->code.text);
    out->pushed_bytes = pushed_bytes(&out->code);
    find_roles(&example, out);
    find_implicit(&example, d, out);
    out->refused = refuse(out, &example, d);
    return true;
}

struct probe_form *probe_forms_list(struct decoder *d, struct arena *a, int *n, struct err *e)
{
    const int n_patterns = probe_list_count();
    struct probe_form *forms = arena_new(a, struct probe_form, (size_t)n_patterns * FORM_WIDTHS);

    *n = 0;
    for (int k = 0; k < n_patterns; k++) {
        const char *pattern = probe_list_pattern(k);
        const bool open = strchr(pattern, 'V') != NULL; /* of any width */
        for (int width = 0; width < (open ? FORM_WIDTHS : 1); width++) {
            char text[FORM_SIZE];
            struct err why = {0};
            if (!form_instance(pattern, width, text)) {
                continue;
            }
            if (!probe_form_read(text, d, &forms[*n], &why)) {
                /* Relative branches are listed to be declared, not to be encoded. */
                forms[*n].refused = "cannot be encoded here";
                memcpy(forms[*n].code.text, text, sizeof text);
            }
            (*n)++;
        }
    }
    probe_forms_join(forms, *n);
    return *n > 0 || err_set(e, ERR_HOST, LOC_NONE, "no form can be tried") ? forms : NULL;
}
