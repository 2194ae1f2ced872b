// Bodies from text for the tests, with an encoder of its own so that the one under test is not checked against itself.
// One statement a line or semicolon: `label: mnemonic operand`; `switch a,b`; a number's sign is kept as written.
// Regions: `.catch try try-end handler handler-end [token]`, `.filter try try-end filter handler handler-end`,
// `.finally` and `.fault` as catch without token. An end may be `$`, the code's end.
#ifndef CLEW_TEST_ASSEMBLE_H
#define CLEW_TEST_ASSEMBLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "il/body.h"

enum assemble_form {
    ASSEMBLE_FAT = 0,
    ASSEMBLE_TINY = 1,          // no regions, max_stack 8
    ASSEMBLE_SMALL_SECTION = 2, // clauses of 12 bytes
    ASSEMBLE_OLD_SIZE = 4,      // the section's size without its header
    ASSEMBLE_INIT_LOCALS = 8,
    ASSEMBLE_LONG_HEADER = 16, // a header of four words
};

enum { ASSEMBLE_LABELS = 64, ASSEMBLE_WORDS = 8, ASSEMBLE_TEXT = 1 << 17 };

struct assembler {
    struct {
        char name[24];
        uint32_t offset;
    } labels[ASSEMBLE_LABELS];
    unsigned label_count;
    bool resolving; // second pass
    struct buffer code, clauses;
    unsigned clause_count;
    unsigned form;
};

static inline void assemble_fail(const char *what, const char *word)
{
    fprintf(stderr, "assemble: %s: %s\n", what, word);
    abort();
}

static inline uint32_t assemble_label(const struct assembler *assembler, const char *name)
{
    if (strcmp(name, "$") == 0) {
        return (uint32_t)assembler->code.size;
    }
    for (unsigned i = 0; i < assembler->label_count; i++) {
        if (strcmp(assembler->labels[i].name, name) == 0) {
            return assembler->labels[i].offset;
        }
    }
    if (assembler->resolving) {
        assemble_fail("unknown label", name);
    }
    return 0;
}

static inline void assemble_integer(struct buffer *out, int64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        buffer_u8(out, (uint8_t)((uint64_t)value >> (8 * i)));
    }
}

static inline void assemble_switch(struct assembler *assembler, char *operand)
{
    uint32_t count = *operand != '\0';
    for (const char *at = operand; *at; at++) {
        count += *at == ',';
    }
    buffer_u32(&assembler->code, count);
    int64_t after = (int64_t)assembler->code.size + 4 * (int64_t)count;
    char *rest = NULL;
    for (char *name = strtok_r(operand, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        assemble_integer(&assembler->code, assemble_label(assembler, name) - after, 4);
    }
}

static inline void assemble_instruction(struct assembler *assembler, const char *mnemonic, char *operand)
{
    enum il_opcode opcode;
    if (!il_opcode_from_name(mnemonic, &opcode)) {
        assemble_fail("unknown mnemonic", mnemonic);
    }
    const struct il_opcode_info *info = &il_opcodes[opcode];
    if (info->size == 2) {
        buffer_u8(&assembler->code, 0xFE);
    }
    buffer_u8(&assembler->code, (uint8_t)opcode);
    if (opcode == IL_SWITCH) {
        assemble_switch(assembler, operand);
    } else if (il_is_branch(opcode)) {
        int64_t after = (int64_t)assembler->code.size + info->operand_bytes;
        int64_t distance = assemble_label(assembler, operand) - after;
        if (assembler->resolving && info->operand_bytes == 1 && distance != (int8_t)distance) {
            assemble_fail("too far", operand);
        }
        assemble_integer(&assembler->code, distance, info->operand_bytes);
    } else {
        assemble_integer(&assembler->code, strtoll(operand, NULL, 0), info->operand_bytes);
    }
}

static inline void assemble_clause(struct assembler *assembler, char **words, unsigned count)
{
    static const char *const kinds[] = {".catch", ".filter", ".finally", "", ".fault"};
    unsigned kind = 0;
    while (strcmp(kinds[kind], words[0]) != 0) {
        kind++;
    }
    unsigned handler = kind == IL_FILTER ? 4 : 3;
    if (count < handler + 2) {
        assemble_fail("labels missing", words[0]);
    }
    uint32_t try_start = assemble_label(assembler, words[1]);
    uint32_t try_size = assemble_label(assembler, words[2]) - try_start;
    uint32_t start = assemble_label(assembler, words[handler]);
    uint32_t size = assemble_label(assembler, words[handler + 1]) - start;
    uint32_t argument = kind == IL_FILTER  ? assemble_label(assembler, words[3])
                        : kind != IL_CATCH ? 0
                        : count > 5        ? (uint32_t)strtoul(words[5], NULL, 0)
                                           : 0x01000001;
    unsigned wide = assembler->form & ASSEMBLE_SMALL_SECTION ? 0 : 1;
    struct buffer *out = &assembler->clauses;
    assemble_integer(out, kind, wide ? 4 : 2);
    assemble_integer(out, try_start, wide ? 4 : 2);
    assemble_integer(out, try_size, wide ? 4 : 1);
    assemble_integer(out, start, wide ? 4 : 2);
    assemble_integer(out, size, wide ? 4 : 1);
    assemble_integer(out, argument, 4);
    assembler->clause_count++;
}

static inline void assemble_line(struct assembler *assembler, char *line)
{
    char *words[ASSEMBLE_WORDS];
    unsigned count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(line, " \t", &rest); word && count < ASSEMBLE_WORDS;
         word = strtok_r(NULL, " \t", &rest)) {
        size_t size = strlen(word);
        if (count == 0 && word[size - 1] == ':') {
            word[size - 1] = '\0';
            if (!assembler->resolving) {
                snprintf(assembler->labels[assembler->label_count].name, 24, "%s", word);
                assembler->labels[assembler->label_count++].offset = (uint32_t)assembler->code.size;
            }
            continue;
        }
        words[count++] = word;
    }
    static char none[] = "";
    if (count && words[0][0] == '.') {
        if (assembler->resolving) {
            assemble_clause(assembler, words, count);
        }
    } else if (count) {
        assemble_instruction(assembler, words[0], count > 1 ? words[1] : none);
    }
}

// Clauses come last in the text, so that `$` is known to them.
static inline void assemble_pass(struct assembler *assembler, const char *text)
{
    static char copy[ASSEMBLE_TEXT];
    size_t size = strlen(text) + 1;
    if (size > sizeof copy) {
        assemble_fail("too long", "text");
    }
    memcpy(copy, text, size);
    buffer_clear(&assembler->code);
    char *rest = NULL;
    for (char *line = strtok_r(copy, ";\n", &rest); line; line = strtok_r(NULL, ";\n", &rest)) {
        assemble_line(assembler, line);
    }
}

static inline void assemble_sections(const struct assembler *assembler, struct buffer *out)
{
    bool small = assembler->form & ASSEMBLE_SMALL_SECTION;
    buffer_align(out, 4);
    uint32_t size = (uint32_t)assembler->clauses.size + (assembler->form & ASSEMBLE_OLD_SIZE ? 0 : 4);
    buffer_u32(out, (small ? 0x01U : 0x41U) | size << 8);
    buffer_append(out, assembler->clauses.data, assembler->clauses.size);
}

static inline void assemble(const char *text, unsigned form, uint16_t max_stack, struct buffer *out)
{
    struct assembler assembler = {.form = form};
    assemble_pass(&assembler, text);
    assembler.resolving = true;
    assemble_pass(&assembler, text);
    buffer_clear(out);
    if (form & ASSEMBLE_TINY) {
        buffer_u8(out, (uint8_t)(assembler.code.size << 2 | 2));
    } else {
        unsigned words = form & ASSEMBLE_LONG_HEADER ? 4 : 3;
        buffer_u16(out, (uint16_t)(words << 12 | 3 | (assembler.clause_count ? 8 : 0) |
                                   (form & ASSEMBLE_INIT_LOCALS ? 0x10 : 0)));
        buffer_u16(out, max_stack);
        buffer_u32(out, (uint32_t)assembler.code.size);
        buffer_u32(out, 0x11000001);
        assemble_integer(out, 0, (words - 3) * 4);
    }
    buffer_append(out, assembler.code.data, assembler.code.size);
    if (assembler.clause_count) {
        assemble_sections(&assembler, out);
    }
    buffer_free(&assembler.code);
    buffer_free(&assembler.clauses);
}

#endif
