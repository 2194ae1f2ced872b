// Memory runs out anywhere while a body is decoded, changed, verified and encoded: it is said, or the bytes are those that
// come out otherwise.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "il/patch.h"
#include "il/verify.h"
#include "memory.h"
#include "metadata/tables/image.h"

static const char *const modules[] = {"test/fuzz/corpus/metadata/CSharp.dll",
                                      "test/fuzz/corpus/metadata/VisualBasic.dll",
                                      "test/fuzz/corpus/metadata/FSharp.dll"};
enum { FILE_MAX = 1 << 20 };

struct subject {
    struct metadata metadata;
    uint32_t token;
    struct bytes bytes;
    struct buffer expected; // the body with a probe before each instruction
    unsigned refused;       // plays that said so
};

// `nop` before every instruction but those with a prefix or, after a tail call, a `ret`; taken over by the branches that
// lead there.
static enum clew_error insert_everywhere(struct il_body *body)
{
    for (struct il_instruction *place = body->originals; place != body->end; place++) {
        if (il_unit_start(place) != place || place->opcode == IL_RET) {
            continue;
        }
        struct il_instruction *probe = il_new(body, IL_NOP, 0);
        if (!probe) {
            return CLEW_NO_MEMORY;
        }
        il_insert_before(body, place, probe);
        il_move_labels(body, place, probe);
    }
    return CLEW_OK;
}

static enum clew_error weave(const struct subject *subject, struct arena *arena, struct buffer *out)
{
    struct il_tokens tokens = {.metadata = &subject->metadata};
    struct il_method_shape shape;
    struct il_body body;
    const char *reason;
    CLEW_TRY(il_decode(subject->bytes, arena, &body));
    CLEW_TRY(il_shape(&subject->metadata, subject->token, &shape));
    CLEW_TRY(insert_everywhere(&body));
    CLEW_TRY(il_verify(&body, &shape, &tokens, &reason));
    return il_encode(&body, out);
}

static void play(void *context)
{
    struct subject *subject = context;
    struct arena arena = {0};
    struct buffer out = {0};
    enum clew_error error = weave(subject, &arena, &out);
    if (error == CLEW_OK) {
        assert_int_equal(out.size, subject->expected.size);
        assert_memory_equal(out.data, subject->expected.data, out.size);
    } else {
        assert_int_equal(error, CLEW_NO_MEMORY);
        assert_true(memory_refused());
        subject->refused++;
    }
    arena_free(&arena);
    buffer_free(&out);
}

static void play_patch(void *context)
{
    struct subject *subject = context;
    static const struct il_patch patch = {.from = IL_ADD, .to = IL_SUB};
    uint8_t copy[4096];
    size_t size;
    uint32_t offset;
    assert_int_equal(il_body_size(subject->bytes, &size), CLEW_OK);
    assert_true(size <= sizeof copy);
    memcpy(copy, subject->bytes.at, size);
    enum clew_error error = il_patch_body(copy, size, &patch, &offset);
    assert_true(error == CLEW_OK || error == CLEW_NOT_FOUND || (error == CLEW_NO_MEMORY && memory_refused()));
    assert_int_equal(memcmp(copy, subject->bytes.at, size) != 0, error == CLEW_OK);
    subject->refused += error == CLEW_NO_MEMORY;
}

static struct bytes read_module(const char *path, uint8_t *into)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(into, 1, FILE_MAX, file);
    (void)fclose(file); // only read from
    return bytes_of(into, size);
}

// Plays every body of every module.
static void each_body(void (*script)(void *context))
{
    uint8_t *content = malloc(FILE_MAX);
    unsigned bodies = 0, refused = 0;
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        struct image image;
        struct subject subject = {0};
        assert_int_equal(image_open(read_module(modules[i], content), IMAGE_FLAT, &image), CLEW_OK);
        assert_int_equal(metadata_open(image.metadata, &subject.metadata), CLEW_OK);
        for (uint32_t row = 1; row <= metadata_rows(&subject.metadata, TABLE_METHOD_DEF); row++) {
            struct arena arena = {0};
            uint32_t rva = metadata_column(&subject.metadata, TABLE_METHOD_DEF, row, METHOD_DEF_RVA);
            subject.token = TOKEN(TABLE_METHOD_DEF, row);
            if (!rva || !image_at(&image, rva, &subject.bytes)) {
                continue;
            }
            buffer_clear(&subject.expected);
            assert_int_equal(weave(&subject, &arena, &subject.expected), CLEW_OK);
            arena_free(&arena);
            memory_fail_in_turn(script, &subject);
            bodies++;
        }
        refused += subject.refused;
        buffer_free(&subject.expected);
    }
    assert_true(bodies > 100 && refused > bodies);
    free(content);
}

static void bodies_are_right_or_absent_without_memory(void **state)
{
    (void)state;
    each_body(play);
}

static void patches_are_whole_or_absent_without_memory(void **state)
{
    (void)state;
    each_body(play_patch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_are_right_or_absent_without_memory),
        cmocka_unit_test(patches_are_whole_or_absent_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
