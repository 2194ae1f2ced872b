// Sources from real PDBs and from PDBs made here: intact, changed and missing ones, and all of that when memory runs out.
#include "../metadata/dotnet.h"
#include "../metadata/made_pdb.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"
#include "source/source.h"

static const char md5[] = "406ea66064cf4c82b6f042d48172a799", sha1[] = "ff1816ecaa5e4d1087f76f4963833460",
                  sha256[] = "8829d00f11b84213878b770e8597ac16";

// Digests of "abc": RFC 1321 A.5; FIPS 180-4, examples.
static const uint8_t abc_md5[] = {0x90, 0x01, 0x50, 0x98, 0x3C, 0xD2, 0x4F, 0xB0,
                                  0xD6, 0x96, 0x3F, 0x7D, 0x28, 0xE1, 0x7F, 0x72};
static const uint8_t abc_sha1[] = {0xA9, 0x99, 0x3E, 0x36, 0x47, 0x06, 0x81, 0x6A, 0xBA, 0x3E,
                                   0x25, 0x71, 0x78, 0x50, 0xC2, 0x6C, 0x9C, 0xD0, 0xD8, 0x9D};
static const uint8_t abc_sha256[] = {0xBA, 0x78, 0x16, 0xBF, 0x8F, 0x01, 0xCF, 0xEA, 0x41, 0x41, 0x40,
                                     0xDE, 0x5D, 0xAE, 0x22, 0x23, 0xB0, 0x03, 0x61, 0xA3, 0x96, 0x17,
                                     0x7A, 0x9C, 0xB4, 0x10, 0xFF, 0x61, 0xF2, 0x00, 0x15, 0xAD};

struct module {
    struct buffer content;
    struct image image;
    struct symbols symbols;
};

static void module_open(struct module *module, const char *path)
{
    *module = (struct module){.content = file_read(path)};
    struct bytes bytes = bytes_of(module->content.data, module->content.size);
    struct symbols_query query = {.image = &module->image};
    assert_int_equal(image_open(bytes, IMAGE_FLAT, &module->image), CLEW_OK);
    assert_int_equal(symbols_open(&query, &module->symbols, NULL), SYMBOLS_EMBEDDED);
}

static void module_close(struct module *module)
{
    symbols_close(&module->symbols);
    buffer_free(&module->content);
}

static void assert_content(const struct source *source, const char *path)
{
    struct buffer file = file_read(path);
    assert_true(file.size > 100);
    assert_int_equal(source->text.size, file.size);
    assert_memory_equal(source->text.data, file.data, file.size);
    buffer_free(&file);
}

static void embedded_sources_are_what_was_compiled(void **state)
{
    (void)state;
    static const struct {
        const char *module, *source;
        uint32_t document;
    } expected[] = {
        {"test/fuzz/corpus/pdb/FSharpDebug.dll", "test/oracle/variables/FSharp/Program.fs", 1},
        {"test/fuzz/corpus/pdb/FSharpDebug.dll", "test/oracle/variables/FSharp/Values.fs", 2},
        {"test/fuzz/corpus/pdb/VisualBasicRelease.dll", "test/oracle/variables/VisualBasic/Program.vb", 1},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct module module;
        struct source source;
        module_open(&module, expected[i].module);
        assert_int_equal(source_read(&module.symbols.pdb, expected[i].document, &(struct source_places){0}, &source),
                         CLEW_OK);
        assert_int_equal(source.state, SOURCE_VERIFIED);
        assert_true(source.embedded);
        assert_int_equal(source.path.size, 0);
        assert_content(&source, expected[i].source);
        source_free(&source);
        module_close(&module);
    }
}

static void sources_are_found_by_the_end_of_their_path(void **state)
{
    (void)state;
    struct module module;
    struct source source;
    const struct text folders[] = {text_of("/nowhere"), text_of("test/oracle/variables")};
    module_open(&module, "test/fuzz/corpus/pdb/CSharpDebug.dll"); // compiled as /_/CSharp/Program.cs
    assert_int_equal(
        source_read(&module.symbols.pdb, 1, &(struct source_places){.folders = folders, .folder_count = 2}, &source),
        CLEW_OK);
    assert_int_equal(source.state, SOURCE_VERIFIED);
    assert_false(source.embedded);
    assert_content(&source, "test/oracle/variables/CSharp/Program.cs");
    assert_true(text_equal((struct text){(char *)source.path.data, source.path.size},
                           text_of("test/oracle/variables/CSharp/Program.cs")));
    source_free(&source);
    assert_int_equal(
        source_read(&module.symbols.pdb, 1, &(struct source_places){.folders = folders, .folder_count = 1}, &source),
        CLEW_OK);
    assert_int_equal(source.state, SOURCE_MISSING);
    source_free(&source);
    module_close(&module);
}

// A folder with a file, and a PDB that names the file as its only document.
struct place {
    char folder[64], file[128];
    struct buffer content;
    struct pdb pdb;
};

static void place_write(const struct place *place, const char *text)
{
    FILE *file = fopen(place->file, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void place_make(struct place *place, const char *kind, const void *hash, size_t hash_size)
{
    struct made_pdb made = {0};
    (void)snprintf(place->folder, sizeof place->folder, "/tmp/clew-source-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    (void)snprintf(place->file, sizeof place->file, "%s/a.cs", place->folder);
    uint32_t path = made_blob(&made, place->file, strlen(place->file));
    uint8_t name[] = {0, (uint8_t)path};
    (void)made_row(&made, TABLE_DOCUMENT, made_blob(&made, name, sizeof name), made_guid(&made, kind),
                   hash ? made_blob(&made, hash, hash_size) : 0, 0);
    place->content = made_finish(&made);
    assert_int_equal(pdb_open(bytes_of(place->content.data, place->content.size), &place->pdb), CLEW_OK);
}

static void place_remove(struct place *place)
{
    (void)unlink(place->file);
    (void)rmdir(place->folder);
    buffer_free(&place->content);
}

static void assert_state(const struct place *place, enum source_state expected, const char *text)
{
    struct source source;
    assert_int_equal(source_read(&place->pdb, 1, &(struct source_places){0}, &source), CLEW_OK);
    assert_int_equal(source.state, expected);
    assert_int_equal(source.text.size, strlen(text));
    assert_memory_equal(source.text.data ? (char *)source.text.data : "", text, strlen(text));
    assert_int_equal(source.path.size,
                     expected == SOURCE_MISSING || expected == SOURCE_TOO_LARGE ? 0 : strlen(place->file));
    source_free(&source);
}

static void changed_sources_are_marked(void **state)
{
    (void)state;
    const struct {
        const char *kind;
        const uint8_t *hash;
        size_t size;
    } kinds[] = {
        {md5, abc_md5, sizeof abc_md5}, {sha1, abc_sha1, sizeof abc_sha1}, {sha256, abc_sha256, sizeof abc_sha256}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct place place;
        place_make(&place, kinds[i].kind, kinds[i].hash, kinds[i].size);
        assert_state(&place, SOURCE_MISSING, "");
        place_write(&place, "abc");
        assert_state(&place, SOURCE_VERIFIED, "abc");
        place_write(&place, "abd");
        assert_state(&place, SOURCE_DIFFERS, "abd");
        place_write(&place, "");
        assert_state(&place, SOURCE_DIFFERS, "");
        place_remove(&place);
        place_make(&place, kinds[i].kind, kinds[i].hash, kinds[i].size - 1); // no digest is that short
        place_write(&place, "abc");
        assert_state(&place, SOURCE_DIFFERS, "abc");
        place_remove(&place);
    }
}

static void sources_without_checksum_are_unchecked(void **state)
{
    (void)state;
    struct place place;
    place_make(&place, sha1, NULL, 0);
    assert_state(&place, SOURCE_MISSING, "");
    place_write(&place, "abc");
    assert_state(&place, SOURCE_UNCHECKED, "abc");
    place_remove(&place);
    place_make(&place, "00112233445566778899aabbccddeeff", abc_sha1, sizeof abc_sha1); // nobody knows this one
    place_write(&place, "abc");
    assert_state(&place, SOURCE_UNCHECKED, "abc");
    place_remove(&place);
}

static void only_files_are_sources(void **state)
{
    (void)state;
    struct place place;
    place_make(&place, sha1, abc_sha1, sizeof abc_sha1);
    assert_int_equal(mkfifo(place.file, 0600), 0); // does not hang
    assert_state(&place, SOURCE_MISSING, "");
    assert_int_equal(unlink(place.file), 0);
    place_write(&place, "");
    assert_int_equal(truncate(place.file, SOURCE_SIZE_MAX + 1), 0);
    assert_state(&place, SOURCE_TOO_LARGE, "");
    struct source source;
    assert_int_equal(source_read(&place.pdb, 2, &(struct source_places){0}, &source), CLEW_OK); // no such document
    assert_int_equal(source.state, SOURCE_MISSING);
    place_remove(&place);
}

static void a_folder_may_have_the_compiled_version(void **state)
{
    (void)state;
    struct place place, other;
    struct source source;
    place_make(&place, sha1, abc_sha1, sizeof abc_sha1);
    place_make(&other, sha1, abc_sha1, sizeof abc_sha1);
    const struct text folder = text_of(other.folder);
    place_write(&place, "changed");
    place_write(&other, "changed too");
    assert_int_equal(
        source_read(&place.pdb, 1, &(struct source_places){.folders = &folder, .folder_count = 1}, &source), CLEW_OK);
    assert_int_equal(source.state, SOURCE_DIFFERS);
    assert_true(text_equal((struct text){(char *)source.path.data, source.path.size}, text_of(place.file)));
    source_free(&source);
    place_write(&other, "abc");
    assert_int_equal(
        source_read(&place.pdb, 1, &(struct source_places){.folders = &folder, .folder_count = 1}, &source), CLEW_OK);
    assert_int_equal(source.state, SOURCE_VERIFIED);
    assert_true(text_equal((struct text){(char *)source.path.data, source.path.size}, text_of(other.file)));
    source_free(&source);
    place_remove(&place);
    place_remove(&other);
}

// The documents that these maps find; the PDB names them as /_/CSharp/Program.cs.
static void maps_name_the_folder_of_sources(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
        bool found;
    } maps[] = {
        {"/_", "test/oracle/variables", true},
        {"/_/", "test/oracle/variables/", true},
        {"\\_\\", "test/oracle/variables", true},
        {"/_/CSharp", "test/oracle/variables/CSharp", true},
        {"/", "test/oracle/variables", false}, // it has no folder _
        {"/_/C", "test/oracle/variables/C", false},
        {"/_/CSharp/Program.cs/More", "test/oracle/variables", false},
        {"/_/CSharp/Program.cs", "test/oracle/variables", false}, // TO is a folder
        {"_", "test/oracle/variables", false},
    };
    struct module module;
    module_open(&module, "test/fuzz/corpus/pdb/CSharpDebug.dll");
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        const struct source_map map = {text_of(maps[i].from), text_of(maps[i].to)};
        const struct source_places places = {.maps = &map, .map_count = 1};
        struct source source;
        assert_int_equal(source_read(&module.symbols.pdb, 1, &places, &source), CLEW_OK);
        assert_int_equal(source.state, maps[i].found ? SOURCE_VERIFIED : SOURCE_MISSING);
        if (maps[i].found) {
            assert_content(&source, "test/oracle/variables/CSharp/Program.cs");
        }
        source_free(&source);
    }
    module_close(&module);
}

// A map that names a changed file says so, and the next one that has the compiled text is preferred.
static void the_compiled_text_is_preferred_among_maps(void **state)
{
    (void)state;
    struct place place, changed, compiled;
    place_make(&place, sha1, abc_sha1, sizeof abc_sha1);
    place_make(&changed, sha1, abc_sha1, sizeof abc_sha1);
    place_make(&compiled, sha1, abc_sha1, sizeof abc_sha1);
    place_write(&changed, "abd");
    place_write(&compiled, "abc");
    const struct source_map maps[] = {{text_of(place.folder), text_of("/nowhere")},
                                      {text_of(place.folder), text_of(changed.folder)},
                                      {text_of(place.folder), text_of(compiled.folder)}};
    static const enum source_state states[] = {SOURCE_MISSING, SOURCE_MISSING, SOURCE_DIFFERS, SOURCE_VERIFIED};
    for (unsigned count = 0; count < 4; count++) {
        struct source source;
        const struct source_places places = {.maps = maps, .map_count = count};
        assert_int_equal(source_read(&place.pdb, 1, &places, &source), CLEW_OK);
        assert_int_equal(source.state, states[count]);
        source_free(&source);
    }
    place_remove(&place);
    place_remove(&changed);
    place_remove(&compiled);
}

static void symbols_are_checked_byte_for_byte(void **state)
{
    (void)state;
    static const char *const modules[] = {"CSharpDebug", "CSharpRelease", "FSharpRelease", "VisualBasicDebug"};
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        char path[256];
        struct module module;
        (void)snprintf(path, sizeof path, "test/fuzz/corpus/pdb/%s.dll", modules[i]);
        module_open(&module, path);
        assert_int_equal(symbols_check(&module.image, &module.symbols), SYMBOLS_CHECK_EQUAL);
        uint8_t *last = (uint8_t *)module.symbols.memory + module.symbols.size - 1;
        *last ^= 1;
        assert_int_equal(symbols_check(&module.image, &module.symbols), SYMBOLS_CHECK_DIFFERENT);
        *last ^= 1;
        uint8_t *algorithm = memmem(module.content.data, module.content.size, "SHA256", 7);
        assert_non_null(algorithm);
        algorithm[5] = '7';
        assert_int_equal(symbols_check(&module.image, &module.symbols), SYMBOLS_CHECK_NONE);
        module_close(&module);
    }
}

// Without memory the search may fail or continue; a result must be right in both cases.
static void play_reading(void *context)
{
    const struct module *module = context;
    const struct text folder = text_of("test/oracle/variables");
    struct source source;
    enum clew_error error =
        source_read(&module->symbols.pdb, 1, &(struct source_places){.folders = &folder, .folder_count = 1}, &source);
    if (error == CLEW_OK) {
        assert_int_equal(source.state, SOURCE_VERIFIED);
    } else {
        assert_int_equal(error, CLEW_NO_MEMORY);
        assert_true(memory_refused());
    }
    source_free(&source);
}

static void sources_say_when_memory_runs_out(void **state)
{
    (void)state;
    static const char *const modules[] = {"CSharpDebug", "VisualBasicDebug"}; // on disk, embedded
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        char path[256];
        struct module module;
        (void)snprintf(path, sizeof path, "test/fuzz/corpus/pdb/%s.dll", modules[i]);
        module_open(&module, path);
        memory_fail_in_turn(play_reading, &module);
        module_close(&module);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(embedded_sources_are_what_was_compiled),
        cmocka_unit_test(sources_are_found_by_the_end_of_their_path),
        cmocka_unit_test(changed_sources_are_marked),
        cmocka_unit_test(sources_without_checksum_are_unchecked),
        cmocka_unit_test(only_files_are_sources),
        cmocka_unit_test(a_folder_may_have_the_compiled_version),
        cmocka_unit_test(maps_name_the_folder_of_sources),
        cmocka_unit_test(the_compiled_text_is_preferred_among_maps),
        cmocka_unit_test(symbols_are_checked_byte_for_byte),
        cmocka_unit_test(sources_say_when_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
