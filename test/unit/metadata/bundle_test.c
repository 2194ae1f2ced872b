// The NAME.deps.json inside single-file programs, from files made here; test/sample/mine has real ones.
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
#include <unistd.h>

#include "base/text.h"
#include "metadata/bundle.h"

static const uint8_t signature[] = {0x8b, 0x12, 0x02, 0xb9, 0x6a, 0x61, 0x20, 0x38, 0x72, 0x7b, 0x93,
                                    0x02, 0x14, 0xd7, 0xa0, 0x32, 0x13, 0xf5, 0xb9, 0xe6, 0xef, 0xae,
                                    0x33, 0x18, 0xee, 0x3b, 0x2d, 0xce, 0x24, 0xb3, 0x6a, 0xae};
static const char json[] = "{\"targets\": {}}";

struct made {
    size_t host; // bytes before the place that has the list's offset
    uint32_t major;
    uint64_t at, size; // of the NAME.deps.json; at 0: where it is
    bool no_list;
};

// A host, the NAME.deps.json, the list of files.
static struct buffer make(struct made made)
{
    struct buffer out = {0};
    uint8_t *host = buffer_extend(&out, made.host);
    assert_non_null(host);
    memset(host, 'h', made.host);
    uint64_t packages = made.host + 8 + sizeof signature;
    buffer_u64(&out, made.no_list ? 0 : packages + sizeof json - 1);
    buffer_append(&out, signature, sizeof signature);
    buffer_append(&out, json, sizeof json - 1);
    buffer_u32(&out, made.major);
    buffer_u32(&out, 0);
    buffer_u32(&out, 3);
    buffer_sized_text(&out, text_of("QMeTL0Zbt2hT"));
    buffer_u64(&out, made.at ? made.at : packages);
    buffer_u64(&out, made.size ? made.size : sizeof json - 1);
    assert_false(out.failed);
    return out;
}

static bool reads(const struct buffer *file, size_t size, struct buffer *content)
{
    char path[] = "/tmp/bundle_test.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, file->data, size), size);
    (void)close(fd); // written whole
    bool read = bundle_packages(path, content);
    (void)unlink(path);
    return read;
}

static void it_is_found_wherever_the_host_has_the_place(void **state)
{
    (void)state;
    static const size_t hosts[] = {0,       1,      4096, (1 << 20) - 48, (1 << 20) - 40, (1 << 20) - 20, (1 << 20) - 8,
                                   1 << 20, 3000001};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        struct buffer file = make((struct made){.host = hosts[i], .major = 6}), content = {0};
        assert_true(reads(&file, file.size, &content));
        assert_int_equal(content.size, sizeof json - 1);
        assert_memory_equal(content.data, json, content.size);
        buffer_free(&content);
        buffer_free(&file);
    }
}

static void what_is_cut_or_wrong_has_none(void **state)
{
    (void)state;
    struct buffer content = {0}, file = make((struct made){.host = 100, .major = 6});
    for (size_t size = 0; size < file.size; size++) {
        assert_false(reads(&file, size, &content));
    }
    buffer_free(&file);
    static const struct made wrong[] = {
        {.host = 100, .major = 1},
        {.host = 100, .major = 6, .no_list = true},
        {.host = 100, .major = 6, .at = 1 << 20},
        {.host = 100, .major = 6, .at = UINT64_MAX - 3},
        {.host = 100, .major = 6, .size = UINT64_MAX},
        {.host = 100, .major = 6, .size = (16 << 20) + 1},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        file = make(wrong[i]);
        assert_false(reads(&file, file.size, &content));
        buffer_free(&file);
    }
    assert_false(bundle_packages("/nowhere", &content));
    assert_false(bundle_packages("/proc/self/exe", &content)); // this test's own program
    buffer_free(&content);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_found_wherever_the_host_has_the_place),
        cmocka_unit_test(what_is_cut_or_wrong_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
