// The map of offsets answers as one with an entry for every instruction does, wherever the runtime may ask; and it stays
// small.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "assemble.h"
#include "il/il_map.h"
#include "il/verify.h"

enum { ROOM = 4096 };

static struct bytes signature_of(const void *context, uint32_t token)
{
    (void)context;
    static const uint8_t add_call[] = {0x00, 2, 0x08, 0x08, 0x08}; // static int (int, int)
    return token == 0x0A000001 ? bytes_of(add_call, sizeof add_call) : (struct bytes){0};
}

static const struct metadata no_rows;
static const struct il_tokens tokens = {.metadata = &no_rows, .extra = signature_of};
static const struct il_method_shape shape = {.argument_count = 2, .local_count = 2};

struct fixture {
    struct arena arena;
    struct buffer bytes, encoded;
    struct il_body body;
    struct il_map_entry entries[ROOM];
    uint32_t count;
    bool lines;
};

// A probe, a push and a pop, in front of every instruction at which nothing is on the stack or a handler begins.
static void insert_probes(struct il_body *body)
{
    for (struct il_instruction *at = body->originals; at != body->end; at++) {
        if (at->bound) {
            struct il_instruction *push = il_new(body, IL_LDC_I4_0, 0);
            il_insert_before(body, at, push);
            il_insert_before(body, at, il_new(body, IL_POP, 0));
            il_move_labels(body, at, push);
        }
    }
}

static void verify(struct fixture *fixture)
{
    const char *reason;
    if (il_verify(&fixture->body, &shape, &tokens, &reason) != CLEW_OK) {
        fail_msg("%s", reason);
    }
}

static void make(struct fixture *fixture, const char *text, uint32_t limit)
{
    *fixture = (struct fixture){.count = 0};
    assemble(text, ASSEMBLE_FAT, 8, &fixture->bytes);
    assert_int_equal(il_decode(bytes_of(fixture->bytes.data, fixture->bytes.size), &fixture->arena, &fixture->body),
                     CLEW_OK);
    verify(fixture);
    insert_probes(&fixture->body);
    assert_int_equal(il_encode(&fixture->body, &fixture->encoded), CLEW_OK);
    verify(fixture);
    fixture->count = il_map(&fixture->body, limit, fixture->entries, &fixture->lines);
    assert_in_range(fixture->count, 1, limit);
}

static void drop(struct fixture *fixture)
{
    arena_free(&fixture->arena);
    buffer_free(&fixture->bytes);
    buffer_free(&fixture->encoded);
}

// As the runtime does; *steps counts its work.
static uint32_t look_up(const struct fixture *fixture, uint32_t new_offset, uint64_t *steps)
{
    uint32_t i = 1;
    while (i < fixture->count && new_offset >= fixture->entries[i].new_offset) {
        i++;
    }
    *steps += i;
    return fixture->entries[i - 1].old_offset;
}

static void expect_entries(const char *text, const char *expected)
{
    struct fixture fixture;
    make(&fixture, text, ROOM);
    struct buffer found = {0};
    for (uint32_t i = 0; i < fixture.count; i++) {
        buffer_printf(&found, "%u>%u ", fixture.entries[i].old_offset, fixture.entries[i].new_offset);
    }
    buffer_u8(&found, 0);
    assert_string_equal((const char *)found.data, expected);
    assert_true(fixture.lines);
    buffer_free(&found);
    drop(&fixture);
}

static void test_entries_are_at_the_boundaries_of_the_jit(void **state)
{
    (void)state;
    expect_entries("ldarg.0; ldarg.1; add; stloc.0; ldloc.0; pop; ret", "0>0 4>6 6>10 ");
    // A call inside of a statement, with values on the stack.
    expect_entries("ldarg.0; ldarg.0; ldarg.1; call 0x0A000001; add; pop; ret", "0>0 3>5 8>10 10>12 ");
    // A block with something on the stack.
    expect_entries("ldarg.0; ldarg.1; brtrue.s b; nop; b: pop; ret", "0>0 4>6 5>7 6>8 ");
    // The handler, at the instruction that was inserted in front of it.
    expect_entries("a: leave.s z; c: pop; leave.s z; z: ret; .catch a c c z", "0>0 2>4 3>7 5>11 ");
    // Code that nothing leads to is not compiled.
    expect_entries("ret; ldarg.0; pop; ret", "0>0 ");
}

static void test_lookups_agree_with_a_full_map(void **state)
{
    (void)state;
    struct fixture fixture;
    make(&fixture,
         "a: ldarg.0; ldarg.1; brtrue.s b; ldarg.0; call 0x0A000001; stloc.0; leave.s z; b: pop; leave.s z; "
         "c: pop; ldarg.0; ldarg.1; call 0x0A000001; pop; leave.s z; z: ldarg.0; pop; ret; .catch a c c z",
         ROOM);
    uint64_t steps = 0;
    uint32_t old = 0;
    for (const struct il_instruction *at = fixture.body.first; at != fixture.body.end; at = at->next) {
        const struct il_instruction *original = at;
        while (original->offset == IL_NO_OFFSET) {
            original = original->next;
        }
        old = original->offset;
        bool behind = at->previous && at->previous->opcode == IL_CALL;
        if (at->bound || behind || (at->offset != IL_NO_OFFSET && at->opcode == IL_CALL)) {
            assert_int_equal(look_up(&fixture, at->position, &steps), old);
        }
    }
    drop(&fixture);
}

static void test_entries_that_stack_traces_need_least_are_dropped_first(void **state)
{
    (void)state;
    static const char text[] = "ldarg.0; pop; ldarg.0; ldarg.1; call 0x0A000001; pop; ldarg.0; ldarg.1; div; pop; "
                               "ldarg.0; ldarg.0; ldarg.1; call 0x0A000001; add; pop; ret";
    struct fixture fixture;
    make(&fixture, text, 8);
    assert_true(fixture.lines);
    assert_int_equal(fixture.count, 8); // not the ret
    drop(&fixture);
    make(&fixture, text, 4);
    assert_false(fixture.lines);
    assert_int_equal(fixture.count,
                     4); // the start, two that call, one that divides; not what is inside the calls' statements
    assert_int_equal(fixture.entries[1].old_offset, 2);
    assert_int_equal(fixture.entries[2].old_offset, 10);
    assert_int_equal(fixture.entries[3].old_offset, 14);
    drop(&fixture);
    make(&fixture, text, 3);
    assert_false(fixture.lines);
    assert_int_equal(fixture.entries[1].old_offset, 2);
    assert_int_equal(fixture.entries[2].old_offset, 14);
    drop(&fixture);
    make(&fixture, text, 1);
    assert_false(fixture.lines);
    assert_int_equal(fixture.count, 1);
    drop(&fixture);
}

// Steps of the runtime for a method of so many statements, each with a call.
static uint64_t steps_of(uint32_t statements, uint32_t limit, bool *lines)
{
    static const uint8_t statement[] = {IL_LDARG_0, IL_LDARG_1, IL_CALL, 1, 0, 0, 0x0A, IL_POP};
    struct fixture fixture = {.count = 0};
    buffer_u16(&fixture.bytes, 0x3003);
    buffer_u16(&fixture.bytes, 8);
    buffer_u32(&fixture.bytes, statements * (uint32_t)sizeof statement + 1);
    buffer_u32(&fixture.bytes, 0);
    for (uint32_t i = 0; i < statements; i++) {
        buffer_append(&fixture.bytes, statement, sizeof statement);
    }
    buffer_u8(&fixture.bytes, IL_RET);
    assert_int_equal(il_decode(bytes_of(fixture.bytes.data, fixture.bytes.size), &fixture.arena, &fixture.body),
                     CLEW_OK);
    verify(&fixture);
    insert_probes(&fixture.body);
    assert_int_equal(il_encode(&fixture.body, &fixture.encoded), CLEW_OK);
    verify(&fixture);
    fixture.count = il_map(&fixture.body, limit, fixture.entries, lines);
    uint64_t steps = 0;
    for (const struct il_instruction *at = fixture.body.first; at != fixture.body.end; at = at->next) {
        if (at->bound || at->opcode == IL_CALL) {
            (void)look_up(&fixture, at->position, &steps);
        }
    }
    drop(&fixture);
    return steps;
}

static void test_the_work_grows_with_the_length(void **state)
{
    (void)state;
    bool lines;
    uint64_t small = steps_of(2000, 1000, &lines), large = steps_of(20000, 1000, &lines);
    assert_false(lines);
    assert_in_range(large, small * 5, small * 20); // by ten and by how the entries divide, not by a hundred
    (void)steps_of(330, 1000, &lines);             // three entries each
    assert_true(lines);
}

// Bodies that have not been verified have an entry for every instruction, as far as there is room.
static void test_unverified_bodies_are_mapped_whole(void **state)
{
    (void)state;
    struct fixture fixture = {.count = 0};
    assemble("ldarg.0; ldarg.1; add; pop; ret", ASSEMBLE_FAT, 8, &fixture.bytes);
    assert_int_equal(il_decode(bytes_of(fixture.bytes.data, fixture.bytes.size), &fixture.arena, &fixture.body),
                     CLEW_OK);
    assert_int_equal(il_encode(&fixture.body, &fixture.encoded), CLEW_OK);
    assert_int_equal(il_map(&fixture.body, ROOM, fixture.entries, &fixture.lines), 5);
    assert_true(fixture.lines);
    assert_in_range(il_map(&fixture.body, 3, fixture.entries, &fixture.lines), 1, 3);
    assert_false(fixture.lines);
    drop(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries_are_at_the_boundaries_of_the_jit),
        cmocka_unit_test(test_lookups_agree_with_a_full_map),
        cmocka_unit_test(test_entries_that_stack_traces_need_least_are_dropped_first),
        cmocka_unit_test(test_the_work_grows_with_the_length),
        cmocka_unit_test(test_unverified_bodies_are_mapped_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
