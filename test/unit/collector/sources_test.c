// Texts of documents: verified ones go into the recording, once for each content; for all others it says why not.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../metadata/made_pdb.h"
#include "base/digest.h"
#include "collector/sources.h"
#include "metadata/debug_directory.h"
#include "ring/definition.h"

static const char module_file[] = "test/fuzz/corpus/metadata/VisualBasic.dll"; // its symbols are a file beside it
static const char text[] = "class App { }\n";
static const char other[] = "class Other { }\n";

static char folder[64], path[128], module[128];
static struct recording_writer *writer;
static struct sources sources;
static struct map stored;

static void create(void)
{
    struct recording_session session = {.clock = CLOCK_KIND_NONE, .clock_hz = 1e9};
    assert_int_equal(recording_create(path, &session, &writer), CLEW_OK);
}

static int set_up(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/clew-sources-XXXXXX");
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/a.clew", folder);
    (void)snprintf(module, sizeof module, "%s/deep/bin/App.dll", folder);
    create();
    sources = (struct sources){.process = 1, .pid = getpid()};
    assert_int_equal(sources_add_module(&sources, 2, text_of(module)), CLEW_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    sources_free(&sources);
    map_free(&stored);
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
    return 0;
}

// Makes FOLDER/NAME with its folders, and gives its path.
static const char *put_file(const char *name, const void *content, size_t size)
{
    static char full[256];
    (void)snprintf(full, sizeof full, "%s/%s", folder, name);
    for (char *slash = full + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        (void)mkdir(full, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(content, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return full;
}

// Wants the document `number`, whose content is `content`.
static void want(uint32_t number, const char *where, const char *content, enum ring_hash kind)
{
    uint8_t hash[DIGEST_SIZE_MAX];
    size_t size = 0;
    if (kind != RING_HASH_NONE) {
        size = digest((enum digest_kind)(kind - 1), bytes_of(content, strlen(content)), hash);
    }
    struct recording_document document = {.process = 1,
                                          .module = 2,
                                          .document = number,
                                          .hash_kind = kind,
                                          .path = text_of(where),
                                          .hash = bytes_of(hash, size)};
    assert_int_equal(sources_add_document(&sources, &document), CLEW_OK);
    assert_int_equal(recording_write_document(writer, &document), CLEW_OK);
}

static void write_all(void)
{
    assert_int_equal(sources_write(&sources, writer, &stored, text_of(""), UINT64_MAX), CLEW_OK);
}

// What the recording says of its documents, one a line: "number state text".
static void expect(const char *expected)
{
    struct recording_reader *reader;
    struct recording_record record;
    struct buffer got = {0};
    assert_int_equal(recording_close(writer, NULL), CLEW_OK);
    assert_int_equal(recording_open(path, &reader), CLEW_OK);
    while (recording_next(reader, 1u << RECORDING_SOURCE, &record) == CLEW_OK) {
        assert_true(record.source.process == 1 && record.source.module == 2);
        buffer_printf(&got, "%u %d %.*s|", record.source.document, (int)record.source.state,
                      (int)record.source.text.size, record.source.text.at);
    }
    buffer_u8(&got, 0);
    assert_string_equal((const char *)got.data, expected);
    recording_close_reader(reader);
    buffer_free(&got);
}

static void files_are_taken_by_their_hash(void **state)
{
    (void)state;
    const char *where = put_file("src/App.cs", text, strlen(text));
    want(1, where, text, RING_HASH_SHA256);
    want(2, where, other, RING_HASH_SHA256); // changed since it was compiled
    want(3, "/nowhere/App.cs", other, RING_HASH_SHA1);
    want(4, where, text, RING_HASH_NONE);
    want(5, where, text, RING_HASH_SHA1);
    want(6, where, text, RING_HASH_MD5);
    want(7, folder, text, RING_HASH_MD5); // no file; but its content is there already
    want(8, folder, other, RING_HASH_MD5);
    want(9, "C:\\src\\App.cs", other, RING_HASH_SHA256);
    want(10, "", other, RING_HASH_SHA256);
    write_all();
    expect("1 0 class App { }\n|2 2 |3 1 |4 1 |5 0 class App { }\n|6 0 class App { }\n|8 1 |9 1 |10 1 |");
}

static void a_content_is_written_once(void **state)
{
    (void)state;
    const char *where = put_file("src/App.cs", text, strlen(text));
    want(1, "/nowhere/App.cs", text, RING_HASH_SHA256); // not found here: that says nothing of the next
    want(2, where, text, RING_HASH_SHA256);
    want(3, where, text, RING_HASH_SHA256);
    write_all();
    want(4, where, text, RING_HASH_SHA256);
    write_all();
    expect("1 1 |2 0 class App { }\n|");
}

// Deterministic builds write `/_/` for the root of the sources; other tools write paths from there.
static void a_mapped_root_is_looked_for_above_the_module(void **state)
{
    (void)state;
    (void)put_file("src/App.cs", text, strlen(text));
    (void)put_file("deep/src/Other.cs", other, strlen(other));
    want(1, "/_/src/App.cs", text, RING_HASH_SHA256);
    want(2, "/_12/src/Other.cs", other, RING_HASH_SHA256);
    want(3, "src/App.cs", text, RING_HASH_SHA1);
    want(4, "/_/src/None.cs", text, RING_HASH_MD5);
    want(5, "/_x/src/App.cs", text, RING_HASH_MD5);
    write_all();
    expect("1 0 class App { }\n|2 0 class Other { }\n|3 0 class App { }\n|4 1 |5 1 |");
}

static void time_is_kept(void **state)
{
    (void)state;
    want(1, "/nowhere/1", text, RING_HASH_MD5);
    want(2, "/nowhere/2", text, RING_HASH_MD5);
    assert_int_equal(sources_write(&sources, writer, &stored, text_of(""), 0), CLEW_OK);
    assert_int_equal(sources.next, 1);
    assert_int_equal(sources_write(&sources, writer, &stored, text_of(""), 0), CLEW_OK);
    assert_int_equal(sources.next, 2);
    assert_int_equal(sources_write(&sources, writer, &stored, text_of(""), 0), CLEW_OK);
    expect("1 1 |2 1 |");
}

static void what_is_too_large_is_told(void **state)
{
    (void)state;
    const char *where = put_file("src/App.cs", text, strlen(text));
    assert_int_equal(truncate(where, RECORDING_SOURCE_MAX + 1), 0);
    want(1, where, text, RING_HASH_SHA256);
    write_all();
    expect("1 3 |");
}

// The bytes of the module, copied to where sources_add_module() said, and the id that it asks its symbols for.
static void put_module(uint8_t id[PDB_ID_SIZE])
{
    struct image image;
    struct debug_directory directory;
    struct buffer bytes = {0};
    FILE *file = fopen(module_file, "rb");
    assert_non_null(file);
    uint8_t *at = buffer_extend(&bytes, 1 << 20);
    bytes.size = fread(at, 1, 1 << 20, file);
    (void)fclose(file); // only read from
    (void)put_file("deep/bin/App.dll", bytes.data, bytes.size);
    assert_int_equal(image_open(bytes_of(bytes.data, bytes.size), IMAGE_FLAT, &image), CLEW_OK);
    debug_directory_read(&image, &directory);
    assert_int_equal(directory.id_count, 1);
    memcpy(id, directory.ids[0], PDB_ID_SIZE);
    buffer_free(&bytes);
}

// Symbols of the module, with one document whose hash is that of `hashed`, and `content` embedded as its source.
static void put_symbols(const char *content, const char *hashed)
{
    uint8_t embedded[64] = {0}, hash[DIGEST_SIZE_MAX], id[PDB_ID_SIZE]; // four zeros first: not packed
    struct made_pdb made = {0};
    put_module(id);
    memcpy(embedded + 4, content, strlen(content));
    uint32_t sha256 = made_guid(&made, "8829D00F11B84213878B770E8597AC16");
    uint32_t source = made_guid(&made, "0E8A571B6926466EB4AD8AB04611F5FE");
    size_t size = digest(DIGEST_SHA256, bytes_of(hashed, strlen(hashed)), hash);
    uint32_t row = made_row(&made, TABLE_DOCUMENT, 0u, sha256, made_blob(&made, hash, size), 0u);
    made_row(&made, TABLE_CUSTOM_DEBUG_INFORMATION,
             metadata_encode(CODED_HAS_CUSTOM_DEBUG_INFORMATION, TOKEN(TABLE_DOCUMENT, row)), source,
             made_blob(&made, embedded, 4 + strlen(content)));
    struct buffer pdb = made_finish(&made);
    static const uint8_t made_id[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
    uint8_t *at = memmem(pdb.data, pdb.size, made_id, sizeof made_id);
    assert_non_null(at);
    memcpy(at, id, sizeof id);
    (void)put_file("deep/bin/App.pdb", pdb.data, pdb.size);
    buffer_free(&pdb);
}

static void symbols_carry_sources(void **state)
{
    (void)state;
    put_symbols(text, text);
    want(7, "/nowhere/App.cs", text, RING_HASH_SHA256);
    want(8, "/nowhere/Other.cs", other, RING_HASH_SHA256);
    write_all();
    expect("7 0 class App { }\n|8 1 |");
}

static void a_source_in_symbols_must_be_right_too(void **state)
{
    (void)state;
    put_symbols(other, text);
    want(7, "/nowhere/App.cs", text, RING_HASH_SHA256);
    write_all();
    expect("7 2 |");
}

// Another collector goes on with the same file: it writes what is missing, and nothing again.
static void a_successor_writes_the_rest(void **state)
{
    (void)state;
    struct recording_reader *reader;
    const char *where = put_file("src/App.cs", text, strlen(text));
    struct recording_module record = {.process = 1, .module = 2, .path = text_of(module)};
    assert_int_equal(recording_write_module(writer, &record), CLEW_OK);
    want(1, where, text, RING_HASH_SHA256);
    want(2, "/nowhere", text, RING_HASH_MD5);
    want(3, "/nowhere", other, RING_HASH_SHA256);
    assert_int_equal(sources_write(&sources, writer, &stored, text_of(""), 0), CLEW_OK);
    want(4, where, text, RING_HASH_MD5);
    assert_int_equal(sources_write(&sources, writer, &stored, text_of(""), 0), CLEW_OK); // killed after two
    (void)put_file("src/Other.cs", other, strlen(other));
    want(5, "/_/src/Other.cs", other, RING_HASH_SHA256);
    want(6, where, text, RING_HASH_SHA256);
    assert_int_equal(recording_close(writer, NULL), CLEW_OK);
    sources_free(&sources);
    map_free(&stored);
    stored = (struct map){0};
    sources = (struct sources){.process = 1, .pid = getpid()};
    assert_int_equal(recording_resume(path, &writer), CLEW_OK);
    assert_int_equal(recording_open(path, &reader), CLEW_OK);
    assert_int_equal(sources_resume(&sources, &stored, reader), CLEW_OK);
    recording_close_reader(reader);
    write_all();
    expect("1 0 class App { }\n|2 1 |3 1 |4 0 class App { }\n|5 0 class Other { }\n|");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_are_taken_by_their_hash, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_content_is_written_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_mapped_root_is_looked_for_above_the_module, set_up, tear_down),
        cmocka_unit_test_setup_teardown(time_is_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_too_large_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(symbols_carry_sources, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_source_in_symbols_must_be_right_too, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_successor_writes_the_rest, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
