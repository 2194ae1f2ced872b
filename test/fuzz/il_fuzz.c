// Reads any bytes as a method body. A body that decodes must encode to the same body, and a body that verifies must also
// verify with a probe before every instruction. Nothing may crash, hang or read out of bounds.
#include <stdint.h>
#include <stdlib.h>

#include "il/body.h"
#include "il/patch.h"
#include "il/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

// The low bits of a token select one of these signatures.
static struct bytes signature_of(const void *context, uint32_t token)
{
    (void)context;
    static const uint8_t signatures[4][5] = {
        {0x00, 0, 0x01},             // static void ()
        {0x20, 1, 0x08, 0x08},       // instance int (int)
        {0x06, 0x08},                // a field
        {0x00, 2, 0x01, 0x08, 0x08}, // static void (int, int)
    };
    return bytes_of(signatures[token & 3], sizeof signatures[0]);
}

// Whether the body verifies, with the fixed signatures above for all tokens.
static bool verifies(const struct il_body *body)
{
    static const struct metadata no_rows;
    static const struct il_tokens tokens = {.metadata = &no_rows, .extra = signature_of};
    static const struct il_method_shape shape = {.argument_count = 2, .local_count = UINT32_MAX};
    const char *reason;
    enum clew_error error = il_verify(body, &shape, &tokens, &reason);
    must((error == CLEW_MALFORMED) == (reason != NULL));
    return error == CLEW_OK;
}

// Whether two branches lead to the same instruction, counted from the start of each body.
static bool same_label(const struct il_body *a, const struct il_body *b, const struct il_instruction *x,
                       const struct il_instruction *y)
{
    return (!x && !y) || (x && y && x - a->originals == y - b->originals);
}

static bool same_instruction(const struct il_body *a, const struct il_body *b, const struct il_instruction *x,
                             const struct il_instruction *y)
{
    if (x->opcode != y->opcode || x->position != y->offset || x->target != y->target) {
        return false;
    }
    if (il_is_branch(x->opcode)) {
        return same_label(a, b, x->operand.branch, y->operand.branch);
    }
    if (x->opcode != IL_SWITCH) {
        return x->operand.integer == y->operand.integer;
    }
    bool same = x->operand.table.count == y->operand.table.count;
    for (uint32_t i = 0; same && i < x->operand.table.count; i++) {
        same = same_label(a, b, x->operand.table.targets[i], y->operand.table.targets[i]);
    }
    return same;
}

static bool same_region(const struct il_body *a, const struct il_body *b, const struct il_region *x,
                        const struct il_region *y)
{
    return x->kind == y->kind && x->type_token == y->type_token && same_label(a, b, x->try_start, y->try_start) &&
           same_label(a, b, x->try_end, y->try_end) && same_label(a, b, x->handler_start, y->handler_start) &&
           same_label(a, b, x->handler_end, y->handler_end) && same_label(a, b, x->filter_start, y->filter_start);
}

static void compare(const struct il_body *a, const struct il_body *b)
{
    must(a->instruction_count == b->instruction_count && a->region_count == b->region_count);
    must(a->max_stack == b->max_stack && a->init_locals == b->init_locals && a->locals_token == b->locals_token);
    for (uint32_t i = 0; i < a->instruction_count; i++) {
        must(same_instruction(a, b, &a->originals[i], &b->originals[i]));
    }
    for (uint32_t i = 0; i < a->region_count; i++) {
        must(same_region(a, b, &a->regions[i], &b->regions[i]));
    }
}

static bool after_tail_call(const struct il_instruction *instruction)
{
    const struct il_instruction *call = instruction->previous;
    for (const struct il_instruction *at = call ? call->previous : NULL; at && il_is_prefix(at->opcode);
         at = at->previous) {
        if (at->opcode == IL_TAIL) {
            return true;
        }
    }
    return false;
}

// Inserts `ldc.i4 1; pop` before every instruction, and moves labels there. Nothing may come between a tail call and its ret.
static void insert_everywhere(struct il_body *body)
{
    for (struct il_instruction *place = body->originals; place != body->end; place++) {
        if (il_unit_start(place) != place || after_tail_call(place)) {
            continue;
        }
        struct il_instruction *push = il_new(body, IL_LDC_I4, 1);
        struct il_instruction *pop = il_new(body, IL_POP, 0);
        must(push && pop);
        il_insert_before(body, place, push);
        il_insert_before(body, place, pop);
        il_move_labels(body, place, push);
    }
}

// Encodes the body and decodes the result, which must succeed.
static void encode_and_decode(struct il_body *body, struct buffer *bytes, struct il_body *out)
{
    buffer_clear(bytes);
    must(il_encode(body, bytes) == CLEW_OK);
    size_t size;
    must(il_body_size(bytes_of(bytes->data, bytes->size), &size) == CLEW_OK && size == bytes->size);
    must(il_decode(bytes_of(bytes->data, bytes->size), body->arena, out) == CLEW_OK);
}

// Replaces an opcode in a copy of the bytes. The copy must decode, with the new opcode at the reported offset.
static void patch(const struct buffer *bytes, uint32_t choice)
{
    struct il_patch some = {.from = choice & 0x1FF, .to = choice >> 9 & 0x1FF, .occurrence = choice >> 24};
    struct buffer copy = {0};
    buffer_append(&copy, bytes->data, bytes->size);
    uint32_t offset;
    if (il_patch_body(copy.data, copy.size, &some, &offset) == CLEW_OK) {
        struct arena arena = {0};
        struct il_body body;
        must(il_decode(bytes_of(copy.data, copy.size), &arena, &body) == CLEW_OK);
        must(il_at(&body, offset)->opcode == some.to);
        arena_free(&arena);
    }
    buffer_free(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct buffer bytes = {0};
    struct il_body body;
    struct il_body again;
    size_t body_size;
    (void)il_body_size(bytes_of(data, size), &body_size);
    if (il_decode(bytes_of(data, size), &arena, &body) == CLEW_OK) {
        bool valid = verifies(&body);
        encode_and_decode(&body, &bytes, &again);
        compare(&body, &again);
        must(verifies(&again) == valid);
        if (size >= 4) {
            patch(&bytes, read_u32(data + size - 4));
        }
        if (again.max_stack < UINT16_MAX) {
            again.max_stack++;
            insert_everywhere(&again);
            encode_and_decode(&again, &bytes, &body);
            must(!valid || verifies(&body));
        }
    }
    buffer_free(&bytes);
    arena_free(&arena);
    return 0;
}
