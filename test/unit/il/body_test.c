// Decoding, inserting and encoding: headers and sections of each format, refused bodies, labels, and wider branches.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "assemble.h"
#include "il/verify.h"

enum { INSERTED = 2, TARGETS_MAX = 64 };

struct fixture {
    struct arena arena;
    struct buffer bytes;
    struct il_body body;
};

static int set_up(void **state)
{
    *state = calloc(1, sizeof(struct fixture));
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    arena_free(&fixture->arena);
    buffer_free(&fixture->bytes);
    free(fixture);
    return 0;
}

static void decode(struct fixture *fixture)
{
    struct bytes bytes = bytes_of(fixture->bytes.data, fixture->bytes.size);
    assert_int_equal(il_decode(bytes, &fixture->arena, &fixture->body), CLEW_OK);
}

static void read_text(struct fixture *fixture, const char *text, unsigned form, uint16_t max_stack)
{
    assemble(text, form, max_stack, &fixture->bytes);
    decode(fixture);
}

static void encode_and_read(struct fixture *fixture)
{
    buffer_clear(&fixture->bytes);
    assert_int_equal(il_encode(&fixture->body, &fixture->bytes), CLEW_OK);
    decode(fixture);
}

static enum clew_error decode_error(struct fixture *fixture)
{
    struct il_body body;
    return il_decode(bytes_of(fixture->bytes.data, fixture->bytes.size), &fixture->arena, &body);
}

static enum clew_error error_of(struct fixture *fixture, const uint8_t *bytes, size_t size)
{
    buffer_clear(&fixture->bytes);
    buffer_append(&fixture->bytes, bytes, size);
    return decode_error(fixture);
}

#define ERROR_OF(fixture, ...) error_of(fixture, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static struct il_instruction *nth(const struct il_body *body, uint32_t index)
{
    struct il_instruction *instruction = body->first;
    while (index-- > 0) {
        instruction = instruction->next;
    }
    return instruction;
}

static uint32_t index_of(const struct il_body *body, const struct il_instruction *wanted)
{
    uint32_t index = 0;
    for (struct il_instruction *at = body->first; at != wanted; at = at->next) {
        assert_ptr_not_equal(at, body->end);
        index++;
    }
    return index;
}

// Headers and sections

static void a_tiny_body_becomes_fat(void **state)
{
    struct fixture *fixture = *state;
    read_text(fixture, "ldarg.0; ret", ASSEMBLE_TINY, 0);
    assert_int_equal(fixture->body.max_stack, 8);
    assert_int_equal(fixture->body.locals_token, 0);
    assert_int_equal(fixture->body.header_size, 1);
    assert_false(fixture->body.init_locals);
    encode_and_read(fixture);
    const uint8_t expected[] = {0x03, 0x30, 8, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x2A};
    assert_int_equal(fixture->bytes.size, sizeof expected);
    assert_memory_equal(fixture->bytes.data, expected, sizeof expected);
}

static void tiny_bodies_grow_beyond_63_bytes(void **state)
{
    struct fixture *fixture = *state;
    for (unsigned size = 61; size <= 63; size++) {
        char text[256];
        unsigned length = 0;
        for (unsigned i = 1; i < size; i++) {
            length += (unsigned)snprintf(text + length, sizeof text - length, "nop;");
        }
        (void)snprintf(text + length, sizeof text - length, "ret"); // fits: 63 times four characters at most
        read_text(fixture, text, ASSEMBLE_TINY, 0);
        assert_int_equal(fixture->body.code_size, size);
        for (unsigned i = 0; i < 3; i++) {
            il_insert_before(&fixture->body, fixture->body.first, il_new(&fixture->body, IL_NOP, 0));
        }
        encode_and_read(fixture);
        assert_int_equal(fixture->body.code_size, size + 3);
        assert_int_equal(nth(&fixture->body, size + 2)->opcode, IL_RET);
    }
}

static void a_fat_header_keeps_its_fields(void **state)
{
    struct fixture *fixture = *state;
    read_text(fixture, "ldloc.0; pop; ret", ASSEMBLE_INIT_LOCALS, 1234);
    for (unsigned round = 0; round < 2; round++) {
        assert_int_equal(fixture->body.max_stack, 1234);
        assert_int_equal(fixture->body.locals_token, 0x11000001);
        assert_true(fixture->body.init_locals);
        encode_and_read(fixture);
    }
}

static void a_longer_header_is_skipped(void **state)
{
    struct fixture *fixture = *state;
    read_text(fixture, "a: nop; leave.s c; b: pop; leave.s c; c: ret; .catch a b b c", ASSEMBLE_LONG_HEADER, 1);
    assert_int_equal(fixture->body.header_size, 16);
    assert_int_equal(fixture->body.first->opcode, IL_NOP);
    assert_int_equal(fixture->body.region_count, 1);
}

static const char regions_text[] = "a: nop; leave.s z; b: pop; leave.s z; z: nop;"
                                   "c: nop; leave.s y; d: pop; ldc.i4.1; endfilter; e: pop; leave.s y; y: nop;"
                                   "f: nop; leave.s x; g: nop; endfinally; x: nop;"
                                   "h: nop; leave.s w; i: nop; endfinally; w: ret;"
                                   ".catch a b b z 0x02000005; .filter c d d e y; .finally f g g x; .fault h i i w";

static void check_regions(const struct il_body *body)
{
    static const enum il_region_kind kinds[] = {IL_CATCH, IL_FILTER, IL_FINALLY, IL_FAULT};
    static const uint32_t starts[] = {0, 5, 13, 18};
    assert_int_equal(body->region_count, 4);
    for (unsigned i = 0; i < 4; i++) {
        const struct il_region *region = &body->regions[i];
        assert_int_equal(region->kind, kinds[i]);
        assert_int_equal(index_of(body, region->try_start), starts[i]);
        assert_int_equal(index_of(body, region->try_end), starts[i] + 2);
        uint32_t handler = starts[i] + (region->kind == IL_FILTER ? 5 : 2);
        assert_int_equal(index_of(body, region->handler_start), handler);
        assert_int_equal(index_of(body, region->handler_end), handler + 2);
    }
    assert_int_equal(body->regions[0].type_token, 0x02000005);
    assert_int_equal(index_of(body, body->regions[1].filter_start), 7);
}

static void every_form_of_section_is_read(void **state)
{
    struct fixture *fixture = *state;
    static const unsigned forms[] = {ASSEMBLE_FAT, ASSEMBLE_SMALL_SECTION, ASSEMBLE_OLD_SIZE,
                                     ASSEMBLE_SMALL_SECTION | ASSEMBLE_OLD_SIZE};
    for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++) {
        read_text(fixture, regions_text, forms[i], 1);
        check_regions(&fixture->body);
        size_t size;
        struct bytes bytes = bytes_of(fixture->bytes.data, fixture->bytes.size);
        assert_int_equal(il_body_size(bytes, &size), CLEW_OK);
        assert_int_equal(size, fixture->bytes.size);
        encode_and_read(fixture);
        check_regions(&fixture->body);
        // The section is fat and aligned from the header on.
        size_t section = 12 + (((size_t)fixture->body.code_size + 3) & ~(size_t)3);
        assert_int_equal(fixture->bytes.data[section], 0x41);
        assert_int_equal(fixture->bytes.size, section + 4 + 4 * 24);
    }
}

static void a_region_may_end_with_the_code(void **state)
{
    struct fixture *fixture = *state;
    read_text(fixture, "a: nop; b: ldnull; throw; c: pop; d: br.s d; .catch b c c $", ASSEMBLE_FAT, 1);
    assert_ptr_equal(fixture->body.regions[0].handler_end, fixture->body.end);
    encode_and_read(fixture);
    assert_ptr_equal(fixture->body.regions[0].handler_end, fixture->body.end);
}

static void only_the_first_section_of_clauses_counts(void **state)
{
    struct fixture *fixture = *state;
    assemble(regions_text, ASSEMBLE_FAT, 1, &fixture->bytes);
    size_t section = fixture->bytes.size - 4 - 4 * 24;
    fixture->bytes.data[section] |= 0x80;
    const uint8_t second[] = {0x01, 4, 0, 0};
    buffer_append(&fixture->bytes, second, sizeof second);
    decode(fixture);
    check_regions(&fixture->body);
    size_t size;
    assert_int_equal(il_body_size(bytes_of(fixture->bytes.data, fixture->bytes.size), &size), CLEW_OK);
    assert_int_equal(size, fixture->bytes.size);
    // A section of another kind before it is passed over.
    assemble("a: nop; leave.s z; b: pop; leave.s z; z: ret; .catch a b b z", ASSEMBLE_FAT, 1, &fixture->bytes);
    section = fixture->bytes.size - 4 - 24;
    struct buffer longer = {0};
    buffer_append(&longer, fixture->bytes.data, section);
    const uint8_t other[] = {0x82, 8, 0, 0, 1, 2, 3, 4};
    buffer_append(&longer, other, sizeof other);
    buffer_append(&longer, fixture->bytes.data + section, 4 + 24);
    buffer_free(&fixture->bytes);
    fixture->bytes = longer;
    decode(fixture);
    assert_int_equal(fixture->body.region_count, 1);
}

static void the_duplicate_mark_of_a_clause_is_ignored(void **state)
{
    struct fixture *fixture = *state;
    assemble("a: nop; leave.s z; b: nop; endfinally; z: ret; .finally a b b z", ASSEMBLE_FAT, 1, &fixture->bytes);
    fixture->bytes.data[fixture->bytes.size - 24] |= 8;
    decode(fixture);
    assert_int_equal(fixture->body.regions[0].kind, IL_FINALLY);
}

// Refusals

static void bad_headers_are_refused(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(error_of(fixture, NULL, 0), CLEW_MALFORMED);
    assert_int_equal(ERROR_OF(fixture, 0x00, 0x2A), CLEW_MALFORMED); // no format
    assert_int_equal(ERROR_OF(fixture, 0x07, 0x30, 8, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x2A), CLEW_MALFORMED);
    assert_int_equal(ERROR_OF(fixture, 0x02), CLEW_MALFORMED);       // no code
    assert_int_equal(ERROR_OF(fixture, 0x0A, 0x2A), CLEW_MALFORMED); // code cut off
    assert_int_equal(ERROR_OF(fixture, 0x03, 0x30, 8, 0, 1, 0, 0, 0, 0, 0, 0, 0), CLEW_MALFORMED);
    assert_int_equal(ERROR_OF(fixture, 0x03, 0x30, 8, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x2A), CLEW_OK);
    assert_int_equal(ERROR_OF(fixture, 0x03, 0x20, 8, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x2A), CLEW_MALFORMED);
    assert_int_equal(ERROR_OF(fixture, 0x03, 0x40, 8, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x2A), CLEW_MALFORMED);
    assert_int_equal(ERROR_OF(fixture, 0x43, 0x30, 8, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x2A), CLEW_UNSUPPORTED);
    assert_int_equal(ERROR_OF(fixture, 0x03, 0x30, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0), CLEW_MALFORMED);
    assert_int_equal(ERROR_OF(fixture, 0x03, 0x30, 8, 0, 1, 0, 0, 0, 1, 0, 0, 2, 0x2A), CLEW_MALFORMED);
    assert_int_equal(ERROR_OF(fixture, 0x0B, 0x30, 8, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x2A), CLEW_MALFORMED); // no section
}

static void bad_code_is_refused(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(ERROR_OF(fixture, 0x06, 0x24), CLEW_UNSUPPORTED);
    assert_int_equal(ERROR_OF(fixture, 0x0E, 0xFE, 0x19, 0x01), CLEW_UNSUPPORTED); // no.
    assert_int_equal(ERROR_OF(fixture, 0x06, 0xFE), CLEW_MALFORMED);
    assert_int_equal(ERROR_OF(fixture, 0x0A, 0x20, 0x00), CLEW_MALFORMED);          // operand cut off
    assert_int_equal(ERROR_OF(fixture, 0x0E, 0x2B, 0x01, 0x2A), CLEW_MALFORMED);    // branch to the end
    assert_int_equal(ERROR_OF(fixture, 0x0E, 0x2B, 0x7F, 0x2A), CLEW_MALFORMED);    // branch beyond
    assert_int_equal(ERROR_OF(fixture, 0x0E, 0x2B, 0x80, 0x2A), CLEW_MALFORMED);    // branch before
    assert_int_equal(ERROR_OF(fixture, 0x0E, 0x2B, 0xFF, 0x2A), CLEW_MALFORMED);    // branch into itself
    assert_int_equal(ERROR_OF(fixture, 0x1A, 0x16, 0x45, 1, 0, 0), CLEW_MALFORMED); // switch cut off
    assert_int_equal(ERROR_OF(fixture, 0x1E, 0x16, 0x45, 1, 0, 0, 0x40, 0x2A), CLEW_MALFORMED);
    assert_int_equal(ERROR_OF(fixture, 0x2A, 0x45, 1, 0, 0, 0, 2, 0, 0, 0, 0x2A), CLEW_MALFORMED);
    assert_int_equal(ERROR_OF(fixture, 0x2A, 0x45, 1, 0, 0, 0, 0, 0, 0, 0, 0x2A), CLEW_OK);
}

static void bad_clauses_are_refused(void **state)
{
    struct fixture *fixture = *state;
    assemble("a: nop; leave.s z; b: nop; endfinally; z: ldc.i4 5; pop; ret; .finally a b b z", ASSEMBLE_FAT, 1,
             &fixture->bytes);
    assert_int_equal(decode_error(fixture), CLEW_OK);
    uint8_t *clause = fixture->bytes.data + fixture->bytes.size - 24;
    static const struct {
        unsigned at;
        uint8_t value;
        enum clew_error error;
    } damages[] = {
        {0, 3, CLEW_UNSUPPORTED},   {0, 16, CLEW_UNSUPPORTED},
        {4, 2, CLEW_MALFORMED},     {8, 2, CLEW_MALFORMED},
        {11, 0xFF, CLEW_MALFORMED}, {12, 6, CLEW_MALFORMED},
        {12, 12, CLEW_MALFORMED},   {16, 3, CLEW_MALFORMED},
        {16, 200, CLEW_MALFORMED},  {0, 1, CLEW_OK /* filter at 0 */},
    };
    for (unsigned i = 0; i < sizeof damages / sizeof *damages; i++) {
        uint8_t kept = clause[damages[i].at];
        clause[damages[i].at] = damages[i].value;
        assert_int_equal(decode_error(fixture), damages[i].error);
        clause[damages[i].at] = kept;
    }
    fixture->bytes.size--; // clause cut off
    assert_int_equal(decode_error(fixture), CLEW_MALFORMED);
}

static void operands_that_do_not_fit_are_refused(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        enum il_opcode opcode;
        int64_t operand;
        enum clew_error error;
    } cases[] = {
        {IL_LDLOC_S, 255, CLEW_OK},
        {IL_LDLOC_S, 256, CLEW_MALFORMED},
        {IL_LDLOC, 65535, CLEW_OK},
        {IL_LDLOC, 65536, CLEW_MALFORMED},
        {IL_LDARG_S, -1, CLEW_MALFORMED},
        {IL_LDC_I4_S, -128, CLEW_OK},
        {IL_LDC_I4_S, 128, CLEW_MALFORMED},
        {IL_LDC_I4, INT32_MIN, CLEW_OK},
        {IL_LDC_I4, 1LL << 31, CLEW_MALFORMED},
        {IL_LDC_I8, INT64_MIN, CLEW_OK},
        {IL_CALL, 0xFFFFFFFF, CLEW_OK},
        {IL_CALL, -1, CLEW_MALFORMED},
        {IL_END, 0, CLEW_MALFORMED},
        {(enum il_opcode)0x24, 0, CLEW_MALFORMED},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        read_text(fixture, "ret", ASSEMBLE_TINY, 0);
        il_insert_before(&fixture->body, fixture->body.first,
                         il_new(&fixture->body, cases[i].opcode, cases[i].operand));
        buffer_clear(&fixture->bytes);
        assert_int_equal(il_encode(&fixture->body, &fixture->bytes), cases[i].error);
        if (cases[i].error == CLEW_OK) {
            decode(fixture);
            assert_int_equal(fixture->body.first->opcode, cases[i].opcode);
            assert_int_equal(fixture->body.first->operand.integer, cases[i].operand);
        } else {
            assert_int_equal(fixture->bytes.size, 0);
        }
    }
}

// Operands and offsets

static void operands_keep_their_values(void **state)
{
    struct fixture *fixture = *state;
    static const int64_t values[] = {200,         40000,        250, 65535,      -5,
                                     -2000000000, -(1LL << 60), 4,   0x0A000001, 0x3FF0000000000000};
    read_text(fixture,
              "ldarg.s 200; ldarg 40000; ldloc.s 250; stloc 65535; ldc.i4.s -5; ldc.i4 -2000000000;"
              "ldc.i8 -1152921504606846976; unaligned. 4; call 0x0A000001; ldc.r8 0x3FF0000000000000; ret",
              ASSEMBLE_FAT, 8);
    for (unsigned round = 0; round < 2; round++) {
        struct il_instruction *instruction = fixture->body.first;
        for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
            assert_int_equal(instruction->operand.integer, values[i]);
            instruction = instruction->next;
        }
        assert_int_equal(instruction->opcode, IL_RET);
        encode_and_read(fixture);
    }
}

static void offsets_find_their_instructions(void **state)
{
    struct fixture *fixture = *state;
    read_text(fixture, "nop; ldc.i4 7; pop; ret", ASSEMBLE_FAT, 8);
    static const int expected[] = {0, 1, -1, -1, -1, -1, 2, 3, 4, -1};
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct il_instruction *found = il_at(&fixture->body, i);
        if (expected[i] < 0) {
            assert_null(found);
        } else {
            assert_ptr_equal(found, nth(&fixture->body, (uint32_t)expected[i]));
            assert_int_equal(found->offset, i);
        }
    }
    assert_null(il_at(&fixture->body, UINT32_MAX));
}

static void a_unit_starts_with_its_first_prefix(void **state)
{
    struct fixture *fixture = *state;
    read_text(fixture, "nop; unaligned. 1; volatile.; ldind.i4; ret", ASSEMBLE_FAT, 8);
    struct il_instruction *load = nth(&fixture->body, 3);
    assert_ptr_equal(il_unit_start(load), nth(&fixture->body, 1));
    assert_ptr_equal(il_unit_start(nth(&fixture->body, 2)), nth(&fixture->body, 1));
    assert_ptr_equal(il_unit_start(fixture->body.first), fixture->body.first);
    assert_ptr_equal(il_unit_start(fixture->body.end), fixture->body.end);
}

// Insertion

// All places that labels of a body point to, in a fixed order, as indexes into the list.
static unsigned list_targets(const struct il_body *body, uint32_t *out)
{
    unsigned count = 0;
    for (struct il_instruction *at = body->first; at != body->end; at = at->next) {
        if (il_is_branch(at->opcode)) {
            out[count++] = index_of(body, at->operand.branch);
        } else if (at->opcode == IL_SWITCH) {
            for (uint32_t i = 0; i < at->operand.table.count; i++) {
                out[count++] = index_of(body, at->operand.table.targets[i]);
            }
        }
    }
    for (uint32_t i = 0; i < body->region_count; i++) {
        const struct il_region *region = &body->regions[i];
        out[count++] = index_of(body, region->try_start);
        out[count++] = index_of(body, region->try_end);
        out[count++] = index_of(body, region->handler_start);
        out[count++] = index_of(body, region->handler_end);
        if (region->kind == IL_FILTER) {
            out[count++] = index_of(body, region->filter_start);
        }
    }
    assert_true(count <= TARGETS_MAX);
    return count;
}

static void insert_probe(struct il_body *body, struct il_instruction *place, bool move)
{
    struct il_instruction *push = il_new(body, IL_LDC_I4, 0x01020304);
    il_insert_before(body, place, push);
    il_insert_before(body, place, il_new(body, IL_POP, 0));
    if (move) {
        il_move_labels(body, place, push);
    }
}

static void check_verifies(const struct il_body *body, bool expected)
{
    struct metadata metadata = {0};
    metadata.tables[TABLE_TYPE_REF].row_count = 1;
    metadata.tables[TABLE_TYPE_DEF].row_count = 5;
    struct il_tokens tokens = {.metadata = &metadata};
    struct il_method_shape shape = {.argument_count = 2, .local_count = UINT32_MAX};
    const char *reason;
    enum clew_error error = il_verify(body, &shape, &tokens, &reason);
    if (expected && error != CLEW_OK) {
        fail_msg("%s", reason);
    }
    assert_int_equal(error == CLEW_OK, expected);
}

// Inserts before the instruction with this index; every label must keep its instruction, or go to the probe.
static void insert_and_compare(struct fixture *fixture, const char *text, uint32_t place, bool move)
{
    uint32_t before[TARGETS_MAX];
    uint32_t after[TARGETS_MAX];
    read_text(fixture, text, ASSEMBLE_FAT, 8);
    unsigned count = list_targets(&fixture->body, before);
    uint32_t instructions = fixture->body.instruction_count;
    insert_probe(&fixture->body, nth(&fixture->body, place), move);
    assert_int_equal(fixture->body.instruction_count, instructions + INSERTED);
    encode_and_read(fixture);
    assert_int_equal(fixture->body.instruction_count, instructions + INSERTED);
    assert_int_equal(list_targets(&fixture->body, after), count);
    for (unsigned i = 0; i < count; i++) {
        uint32_t expected = before[i] < place || (before[i] == place && move) ? before[i] : before[i] + INSERTED;
        assert_int_equal(after[i], expected);
    }
    if (move) {
        check_verifies(&fixture->body, true);
    }
}

// Every kind of label, with coincidences: a try in a try from the same start, a handler's end that starts the next try,
// an end at the code's end, branches to starts.
static const char *const insertion_texts[] = {
    regions_text,
    "ldarg.0; switch a,b,a,c; a: nop; b: ldarg.1; brtrue.s a; c: br d; nop; d: ret",
    "nop; a: nop; b: nop; leave.s z; c: pop; leave.s z; d: endfinally; e: nop; leave.s z; f: endfinally; z: ret;"
    ".catch a c c d; .finally a d d e; .finally e f f z",
    "a: nop; b: ldarg.0; brtrue.s a; leave.s z; c: pop; rethrow; d: pop; leave.s a; z: nop; y: nop; leave.s x;"
    "w: endfinally; x: ret; .catch a c c d; .catch a c d z 0x02000001; .finally y w w x",
    "br.s a; a: nop; leave.s z; c: pop; f: ldarg.0; pop; leave.s z; g: pop; leave.s z; z: ret;"
    ".catch f g g z; .catch a c c z",
    "z: a: ldarg.0; brfalse.s b; leave.s z; b: ldnull; throw; c: pop; d: leave.s d; .catch a c c $",
};

static void labels_follow_every_insertion(void **state)
{
    struct fixture *fixture = *state;
    for (unsigned i = 0; i < sizeof insertion_texts / sizeof *insertion_texts; i++) {
        read_text(fixture, insertion_texts[i], ASSEMBLE_FAT, 8);
        uint32_t count = fixture->body.instruction_count;
        for (uint32_t place = 0; place <= count; place++) {
            if (place < count) {
                insert_and_compare(fixture, insertion_texts[i], place, true);
            }
            insert_and_compare(fixture, insertion_texts[i], place, false);
        }
    }
}

static void an_insertion_without_its_ends_breaks_the_region(void **state)
{
    struct fixture *fixture = *state;
    read_text(fixture, regions_text, ASSEMBLE_FAT, 8);
    insert_probe(&fixture->body, fixture->body.regions[0].try_end, false);
    check_verifies(&fixture->body, false); // the probe belongs to the try and falls out of it
}

static void moved_labels_can_be_moved_again(void **state)
{
    struct fixture *fixture = *state;
    read_text(fixture, "a: nop; br.s a", ASSEMBLE_FAT, 8);
    struct il_instruction *branch = nth(&fixture->body, 1);
    assert_true(fixture->body.first->target);
    insert_probe(&fixture->body, fixture->body.first, true);
    insert_probe(&fixture->body, fixture->body.first, true);
    assert_ptr_equal(branch->operand.branch, fixture->body.first);
    assert_true(fixture->body.first->target);
    assert_false(nth(&fixture->body, 4)->target);
}

static void moved_labels_join_those_that_are_there(void **state)
{
    struct fixture *fixture = *state;
    read_text(fixture, "a: nop; b: nop; c: nop; ldarg.0; brtrue.s a; br.s b", ASSEMBLE_FAT, 8);
    struct il_instruction *a = fixture->body.first;
    il_move_labels(&fixture->body, a, a->next);
    il_move_labels(&fixture->body, a->next, a->next->next);
    assert_ptr_equal(nth(&fixture->body, 4)->operand.branch, a->next->next);
    assert_ptr_equal(nth(&fixture->body, 5)->operand.branch, a->next->next);
}

static void new_branches_keep_their_target_unless_moved(void **state)
{
    struct fixture *fixture = *state;
    read_text(fixture, "ldarg.0; pop; ret", ASSEMBLE_FAT, 8);
    struct il_instruction *ret = nth(&fixture->body, 2);
    struct il_instruction *branch = il_new_branch(&fixture->body, IL_BR_S, ret);
    il_insert_before(&fixture->body, fixture->body.first, branch);
    struct il_instruction *nop = il_new(&fixture->body, IL_NOP, 0);
    il_insert_before(&fixture->body, ret, nop);
    assert_ptr_equal(branch->operand.branch, ret);
    il_move_labels(&fixture->body, ret, nop);
    assert_ptr_equal(branch->operand.branch, nop);
    encode_and_read(fixture);
    assert_int_equal(index_of(&fixture->body, fixture->body.first->operand.branch), 3);
}

// Labels of the regions that were there before follow, too.
static void a_region_may_be_put_around_all(void **state)
{
    struct fixture *fixture = *state;
    struct il_body *body = &fixture->body;
    read_text(fixture, "b: leave.s d; c: pop; leave.s d; d: ret; .catch b c c d", ASSEMBLE_FAT, 8);
    struct il_instruction *first = body->first, *ret = nth(body, 3);
    struct il_instruction *handler = il_new(body, IL_ENDFINALLY, 0), *out = il_new(body, IL_RET, 0);
    il_insert_before(body, body->end, handler);
    il_insert_before(body, body->end, out);
    assert_true(il_make_branch(body, ret, IL_LEAVE_S, out));
    const struct il_region around = {
        .kind = IL_FAULT, .try_start = first, .try_end = handler, .handler_start = handler, .handler_end = out};
    assert_true(il_add_region(body, &around));
    struct il_instruction *nop = il_new(body, IL_NOP, 0);
    il_insert_before(body, first, nop);
    il_move_labels(body, first, nop);
    check_verifies(body, true);
    encode_and_read(fixture);
    assert_int_equal(body->region_count, 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_ptr_equal(body->regions[i].try_start, body->first);
    }
    assert_int_equal(index_of(body, body->regions[0].handler_end), 4);
    assert_int_equal(body->regions[1].kind, IL_FAULT);
    assert_int_equal(index_of(body, body->regions[1].try_end), 5);
    assert_int_equal(index_of(body, body->regions[1].handler_end), 6);
    assert_int_equal(index_of(body, nth(body, 4)->operand.branch), 6);
}

// Widening

static void insert_nops(struct il_body *body, struct il_instruction *place, unsigned count)
{
    while (count-- > 0) {
        il_insert_before(body, place, il_new(body, IL_NOP, 0));
    }
}

static void branches_widen_exactly_when_they_must(void **state)
{
    struct fixture *fixture = *state;
    for (unsigned nops = 120; nops < 132; nops++) {
        read_text(fixture, "ldarg.0; brtrue.s z; nop; z: ret", ASSEMBLE_FAT, 8);
        insert_nops(&fixture->body, nth(&fixture->body, 2), nops);
        encode_and_read(fixture);
        assert_int_equal(nth(&fixture->body, 1)->opcode, nops + 1 <= 127 ? IL_BRTRUE_S : IL_BRTRUE);
        assert_int_equal(nth(&fixture->body, 1)->operand.branch->opcode, IL_RET);
        read_text(fixture, "z: nop; leave.s z; ret", ASSEMBLE_FAT, 8);
        insert_nops(&fixture->body, nth(&fixture->body, 1), nops);
        encode_and_read(fixture);
        struct il_instruction *leave = fixture->body.end->previous->previous;
        assert_int_equal(leave->opcode, nops + 3 <= 128 ? IL_LEAVE_S : IL_LEAVE);
        assert_ptr_equal(leave->operand.branch, fixture->body.first);
    }
}

// Each branch reaches exactly as far as it can, over the next ones: widening the last widens them all in turn. There
// are more of them than rounds of the search.
static void widening_continues_until_all_branches_fit(void **state)
{
    struct fixture *fixture = *state;
    enum { CHAIN = 40, REACH = 127 };
    read_text(fixture, "ret", ASSEMBLE_FAT, 8);
    struct il_body *body = &fixture->body;
    struct il_instruction *ret = body->first;
    for (unsigned extra = 0; extra < 2; extra++) {
        read_text(fixture, "ret", ASSEMBLE_FAT, 8);
        ret = body->first;
        insert_nops(body, ret, CHAIN * REACH);
        for (unsigned i = 0; i < CHAIN; i++) {
            // Targets are found by position: after this branch, over REACH bytes, one of which is replaced by the next.
            struct il_instruction *place = nth(body, i * (REACH - 1));
            struct il_instruction *target = place;
            for (unsigned k = 0; k < REACH - (i + 1 < CHAIN ? 1 : 0) && target->next != body->end; k++) {
                target = target->next;
            }
            il_insert_before(body, place, il_new_branch(body, IL_BR_S, target));
        }
        insert_nops(body, ret->previous->previous->previous, extra);
        encode_and_read(fixture);
        encode_and_read(fixture);
        for (struct il_instruction *at = body->first; at != body->end; at = at->next) {
            if (il_opcodes[at->opcode].operand == IL_OPERAND_BRANCH8) {
                int64_t distance = (int64_t)at->operand.branch->offset - at->next->offset;
                assert_true(distance >= INT8_MIN && distance <= INT8_MAX);
            }
        }
    }
}

static void encoding_twice_changes_nothing(void **state)
{
    struct fixture *fixture = *state;
    for (unsigned i = 0; i < sizeof insertion_texts / sizeof *insertion_texts; i++) {
        read_text(fixture, insertion_texts[i], ASSEMBLE_FAT, 8);
        struct buffer original = {0};
        buffer_append(&original, fixture->bytes.data, fixture->bytes.size);
        encode_and_read(fixture);
        assert_int_equal(fixture->bytes.size, original.size);
        assert_memory_equal(fixture->bytes.data, original.data, original.size);
        buffer_free(&original);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_tiny_body_becomes_fat),
        TEST(tiny_bodies_grow_beyond_63_bytes),
        TEST(a_fat_header_keeps_its_fields),
        TEST(a_longer_header_is_skipped),
        TEST(every_form_of_section_is_read),
        TEST(a_region_may_end_with_the_code),
        TEST(only_the_first_section_of_clauses_counts),
        TEST(the_duplicate_mark_of_a_clause_is_ignored),
        TEST(bad_headers_are_refused),
        TEST(bad_code_is_refused),
        TEST(bad_clauses_are_refused),
        TEST(operands_that_do_not_fit_are_refused),
        TEST(operands_keep_their_values),
        TEST(offsets_find_their_instructions),
        TEST(a_unit_starts_with_its_first_prefix),
        TEST(labels_follow_every_insertion),
        TEST(an_insertion_without_its_ends_breaks_the_region),
        TEST(moved_labels_can_be_moved_again),
        TEST(moved_labels_join_those_that_are_there),
        TEST(new_branches_keep_their_target_unless_moved),
        TEST(a_region_may_be_put_around_all),
        TEST(branches_widen_exactly_when_they_must),
        TEST(widening_continues_until_all_branches_fit),
        TEST(encoding_twice_changes_nothing),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
