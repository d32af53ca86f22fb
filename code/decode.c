#include "code/decode.h"

#include "code/decode_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const code_arch_names[ARCH_COUNT] = {
    [ARCH_X86_64] = "x86-64",
    [ARCH_AARCH64] = "aarch64",
};

struct decoder {
    const struct decode_backend *backend;
    void *state;
};

static void add_reg(code_reg *regs, int8_t *operands, int *n, code_reg r, int operand)
{
    for (int k = 0; k < *n; k++) {
        if (regs[k] == r && operands[k] == operand) {
            return;
        }
    }
    if (r && *n < INSN_REGS_MAX) {
        regs[*n] = r;
        operands[*n] = (int8_t)operand;
        ++*n;
    }
}

void insn_reads(struct insn *i, code_reg r, int operand)
{
    add_reg(i->reads, i->read_operand, &i->n_reads, r, operand);
}

void insn_writes(struct insn *i, code_reg r, int operand)
{
    add_reg(i->writes, i->write_operand, &i->n_writes, r, operand);
}

struct insn_mem *insn_mem_next(struct insn *i)
{
    return i->n_mem < INSN_MEMS_MAX ? &i->mem[i->n_mem++] : NULL;
}

void insn_form_add(struct insn *i, const char *text)
{
    const size_t used = strlen(i->form), room = FORM_SIZE - 1 - used, len = strlen(text);
    memcpy(i->form + used, text, len < room ? len : room); /* a NUL is behind, as all was zero */
}

void insn_form_add_memory(struct insn *i, unsigned bits)
{
    char text[16]; /* m, ten digits and NUL */
    size_t at = sizeof text - 1;
    text[at] = '\0';
    do {
        text[--at] = (char)('0' + bits % 10);
        bits /= 10;
    } while (bits > 0);
    text[--at] = 'm';
    insn_form_add(i, text + at);
}

static const struct decode_backend *backend_of(enum code_arch arch)
{
    return arch == ARCH_AARCH64 ? &decode_a64 : &decode_x86;
}

struct decoder *decoder_open(enum code_arch arch, struct err *e)
{
    struct decoder *d = malloc(sizeof *d);

    if (d) {
        d->backend = backend_of(arch);
        d->state = d->backend->open();
    }
    if (!d || !d->state) {
        free(d);
        err_set(e, ERR_HOST, LOC_NONE, "the %s decoder cannot be set up",
                arch == ARCH_AARCH64 ? "AArch64" : "x86-64");
        return NULL;
    }
    return d;
}

void decoder_close(struct decoder *d)
{
    if (d) {
        d->backend->close(d->state);
        free(d);
    }
}

/* The bytes as a person would look them up, for an error. */
static const char *first_bytes(const uint8_t *code, size_t len, char out[32])
{
    size_t used = 0;

    snprintf(out, 32, "no bytes");
    for (size_t k = 0; k < len && k < 8; k++) {
        used += (size_t)snprintf(out + used, 32 - used, k ? " %02x" : "%02x", code[k]);
    }
    return out;
}

bool decode_insn(struct decoder *d, const uint8_t *code, size_t len, uint64_t address,
                 struct insn *out, struct err *e)
{
    char bytes[32];

    *out = (struct insn){.address = address};
    if (len && d->backend->insn(d->state, code, len, address, out)) {
        return true;
    }
    return err_set(e, ERR_SYNTAX, LOC_NONE, "not an instruction at address 0x%llx: %s",
                   (unsigned long long)address, first_bytes(code, len, bytes));
}

const char *code_reg_name(const struct decoder *d, code_reg r)
{
    return d->backend->reg_name(r);
}

bool insn_addresses_rip(const struct insn *i)
{
    for (int k = 0; k < i->n_mem; k++) {
        if (i->mem[k].rip_relative) {
            return true;
        }
    }
    return false;
}

bool code_reg_is_vector(enum code_arch arch, code_reg r)
{
    return backend_of(arch)->is_vector(r);
}
