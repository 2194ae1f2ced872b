// Texts of documents: the recording gets each verified content once, and the reason why any other is missing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "memory.h"
#include "module_folder.h"
#include "ring/definition.h"

static const char text[] = "class App { }\n";
static const char other[] = "class Other { }\n";

// Their hashes, computed with Python's hashlib.
static const struct {
    uint8_t text[32], other[32];
    size_t size;
} hashes[] = {
    [HASH_MD5] = {{0x55, 0xa3, 0xf5, 0x6e, 0xf7, 0x97, 0x78, 0x22, 0xa3, 0x32, 0x32, 0xb3, 0x09, 0x38, 0x50, 0x14},
                  {0x7e, 0x89, 0x37, 0x55, 0xe8, 0xe9, 0xea, 0xd1, 0xb1, 0xd6, 0x16, 0xe1, 0xc8, 0x18, 0x19, 0xfa},
                  16},
    [HASH_SHA1] = {{0xd7, 0x7d, 0x8b, 0xd6, 0xa3, 0xb7, 0xef, 0xe9, 0xe2, 0xc0,
                    0xbe, 0x5b, 0x74, 0x63, 0x8c, 0xfb, 0x34, 0xe1, 0x92, 0x95},
                   {0x6e, 0xf6, 0x3d, 0xff, 0x8b, 0xbf, 0x4f, 0xb1, 0xb3, 0xd8,
                    0xeb, 0xab, 0xb1, 0xa7, 0xd9, 0x61, 0xa1, 0x29, 0x38, 0x18},
                   20},
    [HASH_SHA256] = {{0x7a, 0x1e, 0xfc, 0xff, 0xd1, 0xa9, 0xc6, 0xe1, 0x07, 0x8d, 0xfd, 0xc5, 0xf5, 0x24, 0x86, 0x0a,
                      0xc1, 0x0a, 0x04, 0xca, 0x8b, 0x89, 0xc7, 0x28, 0x04, 0xa0, 0x23, 0xf5, 0x51, 0x79, 0x60, 0x26},
                     {0xd2, 0xa2, 0xfc, 0x01, 0xe6, 0x8f, 0xe8, 0xd7, 0xc6, 0x3e, 0xb9, 0xd1, 0xc9, 0x59, 0x04, 0x7b,
                      0xc5, 0x64, 0xa5, 0xa2, 0x6d, 0x14, 0x3b, 0xd1, 0xca, 0x6f, 0x5e, 0x66, 0xe6, 0xda, 0xa8, 0xf1},
                     32},
};

static struct bytes hash_of(const char *content, enum hash_kind kind)
{
    return bytes_of(content == text ? hashes[kind].text : hashes[kind].other, hashes[kind].size);
}

// Adds the document `number`, whose content is `content`.
static void want(uint32_t number, const char *where, const char *content, enum hash_kind kind)
{
    struct recording_document document = {.process = 1,
                                          .module = 2,
                                          .document = number,
                                          .hash_kind = kind,
                                          .path = text_of(where),
                                          .hash = hash_of(content, kind)};
    assert_int_equal(documents_define(&documents, writer, &document), CLEW_OK);
}

static void write_all(void)
{
    assert_int_equal(documents_write(&documents, writer, &contents, &no_folders, UINT64_MAX), CLEW_OK);
}

// Describes the SOURCE records in order: number, state, and the text, or the document that has it.
static struct buffer said(void)
{
    struct recording_reader *reader;
    struct recording_record record;
    struct buffer got = {0};
    assert_int_equal(recording_open_reader(path, &reader), CLEW_OK);
    while (recording_next(reader, 1u << RECORDING_SOURCE, &record) == CLEW_OK) {
        const struct recording_source *source = &record.source;
        assert_true(source->of.process == 1 && source->of.module == 2);
        buffer_printf(&got, "%u %d %.*s", source->of.document, (int)source->state, (int)source->text.size,
                      source->text.at);
        if (source->state == SOURCE_SAME) {
            assert_true(source->same.process == 1 && source->same.module == 2);
            buffer_printf(&got, "%u", source->same.document);
        }
        buffer_text(&got, "|");
    }
    buffer_u8(&got, 0);
    recording_close_reader(reader);
    return got;
}

static void expect(const char *expected)
{
    assert_int_equal(recording_close(writer, NULL), CLEW_OK);
    struct buffer got = said();
    assert_string_equal((const char *)got.data, expected);
    buffer_free(&got);
}

static void expect_beginning(const char *expected, bool whole)
{
    struct buffer got = said();
    assert_true(got.size <= strlen(expected) + 1 && (!whole || got.size == strlen(expected) + 1));
    assert_memory_equal(got.data, expected, got.size - 1);
    buffer_free(&got);
}

static void files_are_taken_by_their_hash(void **state)
{
    (void)state;
    const char *where = put_file("src/App.cs", text, strlen(text));
    want(1, where, text, HASH_SHA256);
    want(2, where, other, HASH_SHA256); // changed since it was compiled
    want(3, "/nowhere/App.cs", other, HASH_SHA1);
    want(4, where, text, HASH_NONE);
    want(5, where, text, HASH_SHA1);
    want(6, where, text, HASH_MD5);
    want(7, folder, text, HASH_MD5); // no file; but its content is there already
    want(8, folder, other, HASH_MD5);
    want(9, "C:\\src\\App.cs", other, HASH_SHA256);
    want(10, "", other, HASH_SHA256);
    write_all();
    expect("1 0 class App { }\n|2 2 |3 1 |4 4 |5 0 class App { }\n|6 0 class App { }\n|7 5 6|8 1 |9 1 |10 1 |");
}

static void a_content_is_written_once(void **state)
{
    (void)state;
    const char *where = put_file("src/App.cs", text, strlen(text));
    want(1, "/nowhere/App.cs", text, HASH_SHA256); // not found here: that says nothing of the next
    want(2, where, text, HASH_SHA256);
    want(3, where, text, HASH_SHA256);
    write_all();
    want(4, where, text, HASH_SHA256);
    want(4, where, text, HASH_SHA256); // as after a death, when it stands in the ring and in the file
    write_all();
    expect("1 1 |2 0 class App { }\n|3 5 2|4 5 2|");
}

// Deterministic builds replace the root of the sources by `/_/`; other tools write relative paths.
static void a_mapped_root_is_looked_for_above_the_module(void **state)
{
    (void)state;
    (void)put_file("src/App.cs", text, strlen(text));
    (void)put_file("deep/src/Other.cs", other, strlen(other));
    want(1, "/_/src/App.cs", text, HASH_SHA256);
    want(2, "/_12/src/Other.cs", other, HASH_SHA256);
    want(3, "src/App.cs", text, HASH_SHA1);
    want(4, "/_/src/None.cs", text, HASH_MD5);
    write_all();
    expect("1 0 class App { }\n|2 0 class Other { }\n|3 0 class App { }\n|4 1 |");
}

static void time_is_kept(void **state)
{
    (void)state;
    want(1, "/nowhere/1", text, HASH_MD5);
    want(2, "/nowhere/2", text, HASH_MD5);
    assert_int_equal(documents_write(&documents, writer, &contents, &no_folders, 0), CLEW_OK);
    assert_int_equal(documents.next, 1);
    assert_int_equal(documents_write(&documents, writer, &contents, &no_folders, 0), CLEW_OK);
    assert_int_equal(documents.next, 2);
    assert_int_equal(documents_write(&documents, writer, &contents, &no_folders, 0), CLEW_OK);
    expect("1 1 |2 1 |");
}

static void too_large_sources_are_marked(void **state)
{
    (void)state;
    const char *where = put_file("src/App.cs", text, strlen(text));
    assert_int_equal(truncate(where, (64 << 20) + 1), 0);
    want(1, where, text, HASH_SHA256);
    write_all();
    expect("1 3 |");
}

// Symbols of the module, with one document whose hash is that of `hashed`, and `content` embedded as its source.
static void put_symbols(const char *content, const char *hashed)
{
    uint8_t embedded[64] = {0}; // four zeros first: not packed
    struct made_pdb made = {0};
    memcpy(embedded + 4, content, strlen(content));
    uint32_t sha256 = made_guid(&made, "8829D00F11B84213878B770E8597AC16");
    uint32_t source = made_guid(&made, "0E8A571B6926466EB4AD8AB04611F5FE");
    uint32_t hash = made_blob(&made, hash_of(hashed, HASH_SHA256).at, 32);
    uint32_t row = made_row(&made, TABLE_DOCUMENT, 0u, sha256, hash, 0u);
    made_row(&made, TABLE_CUSTOM_DEBUG_INFORMATION,
             metadata_encode(CODED_HAS_CUSTOM_DEBUG_INFORMATION, TOKEN(TABLE_DOCUMENT, row)), source,
             made_blob(&made, embedded, 4 + strlen(content)));
    put_pdb(&made);
}

static void symbols_carry_sources(void **state)
{
    (void)state;
    put_symbols(text, text);
    want(1, "/nowhere/App.cs", text, HASH_SHA256);
    want(2, "/nowhere/Other.cs", other, HASH_SHA256);
    write_all();
    expect("1 0 class App { }\n|2 1 |");
}

static void a_source_in_symbols_must_be_right_too(void **state)
{
    (void)state;
    put_symbols(other, text);
    want(1, "/nowhere/App.cs", text, HASH_SHA256);
    write_all();
    expect("1 2 |");
}

// A second collector continues the same file: it writes only the missing texts.
static void a_successor_writes_the_rest(void **state)
{
    (void)state;
    struct recording_reader *reader;
    const char *where = put_file("src/App.cs", text, strlen(text));
    struct recording_module record = {.process = 1, .module = 2, .path = text_of(module)};
    assert_int_equal(recording_write_module(writer, &record), CLEW_OK);
    want(1, where, text, HASH_SHA256);
    want(2, "/nowhere", text, HASH_MD5);
    want(3, "/nowhere", other, HASH_SHA256);
    assert_int_equal(documents_write(&documents, writer, &contents, &no_folders, 0), CLEW_OK);
    want(4, where, text, HASH_MD5);
    assert_int_equal(documents_write(&documents, writer, &contents, &no_folders, 0), CLEW_OK); // killed after two
    (void)put_file("src/Other.cs", other, strlen(other));
    want(5, "/_/src/Other.cs", other, HASH_SHA256);
    want(6, where, text, HASH_SHA256);
    assert_int_equal(recording_close(writer, NULL), CLEW_OK);
    documents_free(&documents);
    contents_free(&contents);
    documents = (struct documents){.process = 1, .pid = getpid()};
    assert_int_equal(recording_resume(path, &writer), CLEW_OK);
    assert_int_equal(recording_open_reader(path, &reader), CLEW_OK);
    struct map processes = {0};
    assert_true(map_put(&processes, 1, (uint64_t)(uintptr_t)&documents));
    assert_int_equal(documents_resume(&processes, &contents, reader), CLEW_OK);
    map_free(&processes);
    recording_close_reader(reader);
    write_all();
    expect("1 0 class App { }\n|2 1 |3 1 |4 0 class App { }\n|5 0 class Other { }\n|6 5 1|");
}

// Adds three documents while memory runs out: all that is written is right, and no text is called missing.
static void play_writing(void *context)
{
    const char *where = context;
    struct recording_session session = {.clock = CLOCK_KIND_NONE, .clock_hz = 1e9};
    if (recording_create(path, &session, &writer) != CLEW_OK) {
        assert_true(memory_refused());
        return;
    }
    documents = (struct documents){.process = 1, .pid = getpid()};
    contents = (struct contents){0};
    enum clew_error error = documents_add_module(&documents, 2, text_of(module));
    for (uint32_t i = 1; error == CLEW_OK && i <= 3; i++) {
        const char *content = i == 1 ? text : other; // in the symbols, on disk, the same again
        struct recording_document document = {.process = 1,
                                              .module = 2,
                                              .document = i,
                                              .hash_kind = HASH_SHA256,
                                              .path = text_of(i == 1 ? "/nowhere" : where),
                                              .hash = hash_of(content, HASH_SHA256)};
        error = documents_define(&documents, writer, &document);
    }
    if (error == CLEW_OK) {
        error = documents_write(&documents, writer, &contents, &no_folders, UINT64_MAX);
    }
    // Without memory for the compressor, a block is written uncompressed.
    assert_true(error == CLEW_OK || (error == CLEW_NO_MEMORY && memory_refused()));
    documents_free(&documents);
    contents_free(&contents);
    error = recording_close(writer, NULL) == CLEW_OK ? error : CLEW_NO_MEMORY;
    memory_watched = false;
    static const char whole[] = "1 0 class App { }\n|2 0 class Other { }\n|3 5 2|";
    expect_beginning(whole, error == CLEW_OK);
    memory_watched = true;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    char where[256];
    put_symbols(text, text);
    (void)snprintf(where, sizeof where, "%s", put_file("src/Other.cs", other, strlen(other)));
    assert_int_equal(recording_close(writer, NULL), CLEW_OK);
    documents_free(&documents);
    memory_fail_in_turn(play_writing, where);
    create(); // for the tear-down
    documents = (struct documents){.process = 1, .pid = getpid()};
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_are_taken_by_their_hash, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_content_is_written_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_mapped_root_is_looked_for_above_the_module, set_up, tear_down),
        cmocka_unit_test_setup_teardown(time_is_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(too_large_sources_are_marked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(symbols_carry_sources, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_source_in_symbols_must_be_right_too, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_successor_writes_the_rest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(memory_may_run_out, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
