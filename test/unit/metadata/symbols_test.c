// Which PDB is a module's: the embedded one, one beside it, one in another folder; stale and foreign ones are told apart.
#include "dotnet.h"

#include <stdlib.h>
#include <unistd.h>

#include "metadata/pdb/symbols.h"

static const char csharp[] = "test/fuzz/corpus/metadata/CSharp.dll";     // embedded symbols
static const char basic[] = "test/fuzz/corpus/metadata/VisualBasic.dll"; // symbols in a file
static const char fsharp[] = "test/fuzz/corpus/metadata/FSharp.dll";     // none
static const char basic_pdb[] = "test/golden/names/VisualBasic.pdb";

struct place {
    char folder[64];
    char module[128]; // a path in it, where no file needs to be
    char pdb[128];
};

static void place_make(struct place *place)
{
    (void)snprintf(place->folder, sizeof place->folder, "/tmp/clew-symbols-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    (void)snprintf(place->module, sizeof place->module, "%s/Renamed.dll", place->folder);
    (void)snprintf(place->pdb, sizeof place->pdb, "%s/VisualBasic.pdb", place->folder);
}

static void place_remove(const struct place *place)
{
    (void)unlink(place->pdb);
    (void)rmdir(place->folder);
}

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static enum symbols_state find(const char *module_file, const char *module_path, const char *extra, struct buffer *path)
{
    struct buffer file = file_read(module_file);
    struct image image;
    struct text folder = text_of(extra);
    struct symbols_query query = {
        .image = &image, .module_path = module_path, .folders = &folder, .folder_count = extra != NULL};
    assert_int_equal(image_open(bytes_of(file.data, file.size), IMAGE_FLAT, &image), CLEW_OK);
    enum symbols_state state = symbols_find(&query, path);
    buffer_free(&file);
    return state;
}

static void embedded_symbols_match(void **state)
{
    (void)state;
    struct buffer path = {0};
    assert_int_equal(find(csharp, csharp, NULL, &path), SYMBOLS_EMBEDDED);
    assert_int_equal(find(csharp, NULL, NULL, NULL), SYMBOLS_EMBEDDED);
    assert_int_equal(path.size, 0);
}

static void embedded_symbols_of_another_build_do_not_match(void **state)
{
    (void)state;
    struct buffer file = file_read(csharp);
    struct image image;
    struct symbols symbols;
    struct symbols_query query = {.image = &image, .module_path = csharp};
    uint8_t *code_view = memmem(file.data, file.size, "RSDS", 4);
    assert_non_null(code_view);
    code_view[4] ^= 1; // another GUID
    assert_int_equal(image_open(bytes_of(file.data, file.size), IMAGE_FLAT, &image), CLEW_OK);
    assert_int_equal(symbols_find(&query, NULL), SYMBOLS_MISMATCHED);
    assert_int_equal(symbols_open(&query, &symbols, NULL), SYMBOLS_MISMATCHED);
    code_view[4] ^= 1;
    assert_int_equal(symbols_find(&query, NULL), SYMBOLS_EMBEDDED);
    uint8_t *packed = memmem(file.data, file.size, "MPDB", 4);
    assert_non_null(packed);
    packed[6] ^= 1; // an unpacked size that there is not
    assert_int_equal(symbols_open(&query, &symbols, NULL), SYMBOLS_DAMAGED);
    packed[6] ^= 1;
    memset(packed + 8, 0xFF, 16); // no deflate stream
    assert_int_equal(symbols_find(&query, NULL), SYMBOLS_DAMAGED);
    assert_int_equal(symbols_open(&query, &symbols, NULL), SYMBOLS_DAMAGED);
    buffer_free(&file);
}

static void a_file_beside_the_module_matches(void **state)
{
    (void)state;
    struct place place;
    struct buffer pdb = file_read(basic_pdb), path = {0};
    place_make(&place);
    assert_int_equal(find(basic, place.module, NULL, &path), SYMBOLS_NONE);
    assert_int_equal(path.size, 0);
    write_file(place.pdb, pdb.data, pdb.size); // by the name that the build gave it
    assert_int_equal(find(basic, place.module, NULL, &path), SYMBOLS_BESIDE);
    assert_true(text_equal((struct text){(char *)path.data, path.size}, text_of(place.pdb)));
    char renamed[192];
    (void)snprintf(renamed, sizeof renamed, "%s/Renamed.pdb", place.folder); // by the module's own name
    assert_int_equal(rename(place.pdb, renamed), 0);
    buffer_clear(&path);
    assert_int_equal(find(basic, place.module, NULL, &path), SYMBOLS_BESIDE);
    assert_true(text_equal((struct text){(char *)path.data, path.size}, text_of(renamed)));
    (void)unlink(renamed);
    place_remove(&place);
    buffer_free(&pdb);
    buffer_free(&path);
}

static void a_file_in_the_users_folder_matches(void **state)
{
    (void)state;
    struct place place;
    struct buffer pdb = file_read(basic_pdb), path = {0};
    place_make(&place);
    write_file(place.pdb, pdb.data, pdb.size);
    assert_int_equal(find(basic, "/nowhere/App.dll", place.folder, &path), SYMBOLS_BESIDE);
    assert_true(text_equal((struct text){(char *)path.data, path.size}, text_of(place.pdb)));
    assert_int_equal(find(basic, NULL, place.folder, NULL), SYMBOLS_BESIDE);
    assert_int_equal(find(basic, "/nowhere/App.dll", NULL, NULL), SYMBOLS_NONE);
    place_remove(&place);
    buffer_free(&pdb);
    buffer_free(&path);
}

static void files_of_other_modules_are_distinguished(void **state)
{
    (void)state;
    static const char windows[] = "Microsoft C/C++ MSF 7.00\r\n\032DS\0\0\0";
    struct place place;
    struct buffer pdb = file_read(basic_pdb);
    place_make(&place);
    uint8_t *stream = memmem(pdb.data, pdb.size, "#Pdb", 4);
    assert_non_null(stream);
    uint32_t offset = read_u32(stream - 8);
    pdb.data[offset + 19] ^= 1; // the same GUID, another stamp
    write_file(place.pdb, pdb.data, pdb.size);
    assert_int_equal(find(basic, place.module, NULL, NULL), SYMBOLS_MISMATCHED);
    write_file(place.pdb, windows, sizeof windows);
    assert_int_equal(find(basic, place.module, NULL, NULL), SYMBOLS_WINDOWS);
    write_file(place.pdb, "", 0);
    assert_int_equal(find(basic, place.module, NULL, NULL), SYMBOLS_DAMAGED);
    for (size_t size = 1; size < offset + 20; size += 7) { // cut before the id's end
        write_file(place.pdb, pdb.data, size);
        assert_int_equal(find(basic, place.module, NULL, NULL), SYMBOLS_DAMAGED);
    }
    place_remove(&place);
    buffer_free(&pdb);
}

static void modules_without_symbols_have_none(void **state)
{
    (void)state;
    assert_int_equal(find(fsharp, fsharp, "test/golden/names", NULL), SYMBOLS_NOT_BUILT);
}

// Reads the PDB of a module whole.
static enum symbols_state open_whole(const char *module_file, const char *folder, struct symbols *out)
{
    struct buffer file = file_read(module_file);
    struct image image;
    struct text folders[] = {text_of("/nowhere"), text_of(folder)};
    struct symbols_query query = {.image = &image, .folders = folders, .folder_count = 2};
    assert_int_equal(image_open(bytes_of(file.data, file.size), IMAGE_FLAT, &image), CLEW_OK);
    enum symbols_state state = symbols_open(&query, out, NULL);
    buffer_free(&file);
    return state;
}

static void symbols_are_read_whole(void **state)
{
    (void)state;
    struct symbols symbols;
    assert_int_equal(open_whole(csharp, NULL, &symbols), SYMBOLS_EMBEDDED);
    assert_int_equal(pdb_document_count(&symbols.pdb), 2);
    symbols_close(&symbols);
    assert_int_equal(open_whole(basic, "test/golden/names", &symbols), SYMBOLS_BESIDE);
    struct buffer pdb = file_read(basic_pdb);
    assert_int_equal(symbols.size, pdb.size);
    assert_memory_equal(symbols.memory, pdb.data, pdb.size);
    symbols_close(&symbols);
    buffer_free(&pdb);
}

static void a_cut_file_is_not_opened(void **state)
{
    (void)state;
    struct place place;
    struct buffer pdb = file_read(basic_pdb);
    struct symbols symbols;
    place_make(&place);
    write_file(place.pdb, pdb.data, pdb.size / 2); // the id is there, the tables are not
    assert_int_equal(find(basic, place.module, NULL, NULL), SYMBOLS_BESIDE);
    assert_int_equal(open_whole(basic, place.folder, &symbols), SYMBOLS_DAMAGED);
    place_remove(&place);
    buffer_free(&pdb);
}

static void every_state_has_its_sentence(void **state)
{
    (void)state;
    for (enum symbols_state each = SYMBOLS_NOT_BUILT; each <= SYMBOLS_EMBEDDED; each++) {
        assert_true(strlen(symbols_sentence(each)) > 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(embedded_symbols_match),
        cmocka_unit_test(embedded_symbols_of_another_build_do_not_match),
        cmocka_unit_test(a_file_beside_the_module_matches),
        cmocka_unit_test(a_file_in_the_users_folder_matches),
        cmocka_unit_test(files_of_other_modules_are_distinguished),
        cmocka_unit_test(modules_without_symbols_have_none),
        cmocka_unit_test(symbols_are_read_whole),
        cmocka_unit_test(a_cut_file_is_not_opened),
        cmocka_unit_test(every_state_has_its_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
