// The wire format of Protocol Buffers: keys, varints, nested messages, and text that is no UTF-8.
#include "view/export/export_proto.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define EXPECT(buffer, bytes)                                         \
    do {                                                              \
        assert_int_equal((buffer).size, sizeof(bytes) - 1);           \
        assert_memory_equal((buffer).data, bytes, sizeof(bytes) - 1); \
    } while (0)

static void varints_have_a_key(void **state)
{
    (void)state;
    struct buffer out = {0};
    proto_varint(&out, 1, 150); // the example of the documentation
    EXPECT(out, "\x08\x96\x01");
    buffer_clear(&out);
    proto_varint(&out, 16, UINT64_MAX);
    EXPECT(out, "\x80\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    buffer_clear(&out);
    proto_signed(&out, 2, -1);
    EXPECT(out, "\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    buffer_free(&out);
}

static void messages_have_a_length(void **state)
{
    (void)state;
    struct buffer out = {0}, within = {0};
    proto_varint(&within, 1, 1);
    proto_message(&out, 3, &within);
    proto_text(&out, 2, text_of("testing"));
    EXPECT(out, "\x1a\x02\x08\x01\x12\x07testing");
    buffer_free(&within);
    buffer_free(&out);
}

static void text_becomes_utf8_that_drives_no_terminal(void **state)
{
    (void)state;
    struct buffer out = {0};
    proto_text(&out, 1,
               (struct text){"a\x9b\x1b"
                             "b\xc3\xa9",
                             6});
    EXPECT(out, "\x0a\x0e"
                "a\\x9B\\u001Bb\xc3\xa9");
    buffer_free(&out);
}

static void a_failure_of_a_part_is_one_of_the_whole(void **state)
{
    (void)state;
    struct buffer out = {0}, within = {.failed = true};
    proto_message(&out, 1, &within);
    assert_true(out.failed);
    buffer_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(varints_have_a_key),
        cmocka_unit_test(messages_have_a_length),
        cmocka_unit_test(text_becomes_utf8_that_drives_no_terminal),
        cmocka_unit_test(a_failure_of_a_part_is_one_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
