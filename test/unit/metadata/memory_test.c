// Memory runs out anywhere while a module is read: what is answered then is that, or what is answered otherwise, never a
// name that is not the method's.
#include "dotnet.h"

#include <stdlib.h>

#include "memory.h"
#include "metadata/names/names.h"
#include "metadata/pdb/symbols.h"

static const char csharp[] = "test/fuzz/corpus/metadata/CSharp.dll";     // embedded symbols
static const char basic[] = "test/fuzz/corpus/metadata/VisualBasic.dll"; // symbols in a file
static const char fsharp[] = "test/fuzz/corpus/metadata/FSharp.dll";
static const char names_folder[] = "test/golden/names"; // where the file is

// A module and what its methods are called.
struct subject {
    struct buffer file;
    struct metadata metadata;
    struct image image;
    uint32_t count;
    struct buffer *expected; // by row - 1: display name, 0, scope's name, name in a call, kind, origin
    enum symbols_state symbols;
    const char *symbols_path;
    unsigned answered; // methods, by all the plays
};

static enum clew_error answer(struct names *names, uint32_t row, struct buffer *out)
{
    struct method_name about;
    buffer_clear(out);
    CLEW_TRY(names_method(names, TOKEN(TABLE_METHOD_DEF, row), out, &about));
    buffer_u8(out, 0);
    CLEW_TRY(names_scope(names, TOKEN(TABLE_METHOD_DEF, row), out));
    CLEW_TRY(names_call(names, TOKEN(TABLE_METHOD_DEF, row), out));
    buffer_printf(out, " %d %x %d", (int)about.kind, about.origin, about.flags);
    return out->failed ? CLEW_NO_MEMORY : CLEW_OK;
}

static void open_subject(const char *path, struct subject *subject)
{
    *subject = (struct subject){.file = file_read(path)};
    assert_int_equal(image_open(bytes_of(subject->file.data, subject->file.size), IMAGE_FLAT, &subject->image),
                     CLEW_OK);
    assert_int_equal(metadata_open(subject->image.metadata, &subject->metadata), CLEW_OK);
    subject->count = metadata_rows(&subject->metadata, TABLE_METHOD_DEF);
    subject->expected = calloc(subject->count, sizeof *subject->expected);
    struct names *names = names_new(&subject->metadata);
    names_use_bodies(names, &subject->image);
    for (uint32_t row = 1; row <= subject->count; row++) {
        assert_int_equal(answer(names, row, &subject->expected[row - 1]), CLEW_OK);
    }
    names_free(names);
}

static void close_subject(struct subject *subject)
{
    for (uint32_t i = 0; i < subject->count; i++) {
        buffer_free(&subject->expected[i]);
    }
    free(subject->expected);
    buffer_free(&subject->file);
}

static void play_names(void *context)
{
    struct subject *subject = context;
    struct names *names = names_new(&subject->metadata);
    struct buffer name = {0};
    assert_true(names || memory_refused());
    for (uint32_t row = 1; names && row <= subject->count; row++) {
        const struct buffer *expected = &subject->expected[row - 1];
        names_use_bodies(names, &subject->image);
        enum clew_error error = answer(names, row, &name);
        assert_true(error == CLEW_OK || (error == CLEW_NO_MEMORY && memory_refused()));
        if (error == CLEW_OK) {
            subject->answered++;
            assert_int_equal(name.size, expected->size);
            assert_memory_equal(name.data, expected->data, expected->size);
        }
    }
    buffer_free(&name);
    names_free(names);
}

static void names_are_right_or_absent_without_memory(void **state)
{
    (void)state;
    const char *paths[] = {csharp, basic, fsharp};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct subject subject;
        open_subject(paths[i], &subject);
        memory_fail_in_turn(play_names, &subject);
        assert_true(subject.answered > 2 * subject.count);
        close_subject(&subject);
    }
}

// Finds them, and reads them.
static void play_symbols(void *context)
{
    const struct subject *subject = context;
    struct text folder = text_of(names_folder);
    struct symbols_query query = {
        .image = &subject->image, .module_path = "/nowhere/Renamed.dll", .folders = &folder, .folder_count = 1};
    struct buffer path = {0};
    struct symbols symbols;
    enum symbols_state state = symbols_find(&query, &path);
    assert_true(state == subject->symbols || (state == SYMBOLS_NO_MEMORY && memory_refused()));
    bool none = path.size == 0 && (memory_refused() || !subject->symbols_path);
    assert_true(none || text_equal((struct text){(const char *)path.data, path.size}, text_of(subject->symbols_path)));
    buffer_free(&path);
    state = symbols_open(&query, &symbols, NULL);
    assert_true(state == subject->symbols || (state == SYMBOLS_NO_MEMORY && memory_refused()));
    if (symbols_match(state)) {
        assert_int_not_equal(pdb_document_count(&symbols.pdb), 0);
        symbols_close(&symbols);
    }
}

static void symbols_are_right_or_absent_without_memory(void **state)
{
    (void)state;
    struct subject subject;
    open_subject(csharp, &subject);
    subject.symbols = SYMBOLS_EMBEDDED;
    memory_fail_in_turn(play_symbols, &subject);
    close_subject(&subject);
    open_subject(basic, &subject);
    subject.symbols = SYMBOLS_BESIDE;
    subject.symbols_path = "test/golden/names/VisualBasic.pdb";
    memory_fail_in_turn(play_symbols, &subject);
    close_subject(&subject);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_right_or_absent_without_memory),
        cmocka_unit_test(symbols_are_right_or_absent_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
