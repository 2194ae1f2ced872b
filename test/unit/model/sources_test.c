// Lines of the sources that a recording carries, and why there are none.
#include "model/sources.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../recording_path.h"
#include "loading.h"
#include "trace/instrument.h"

static struct sources *sources;

static void write_source(uint32_t document, enum source_state state, const char *text, uint32_t same)
{
    must(recording_write_source(
        writer, &(struct recording_source){
                    .of = {1, 1, document}, .state = state, .text = text_of(text), .same = {1, 1, same}}));
}

static struct recording_document document(uint32_t number)
{
    return (struct recording_document){.process = 1, .module = 1, .document = number};
}

static void expect_line(uint32_t number, uint32_t line, const char *expected)
{
    struct recording_document of = document(number);
    struct text text = sources_line(sources, &of, line);
    assert_int_equal(text.size, strlen(expected));
    assert_true(text_equal(text, text_of(expected)));
}

static void expect_source(uint32_t number, enum source_state state, uint32_t lines)
{
    struct recording_document of = document(number);
    assert_int_equal(sources_state(sources, &of), state);
    assert_int_equal(sources_line_count(sources, &of), lines);
}

static int make(void **state)
{
    if (make_path(state) != 0) {
        return -1;
    }
    create(path, INSTRUMENT_STATEMENTS, CLOCK_KIND_NONE);
    write_source(1, SOURCE_VERIFIED,
                 "\xEF\xBB\xBF"
                 "one\r\ntwo\n\nfour",
                 0);
    write_source(2, SOURCE_DIFFERS, "", 0);
    write_source(3, SOURCE_SAME, "", 1);
    write_source(4, SOURCE_SAME, "", 3); // of one that has no text of its own
    write_source(5, SOURCE_SAME, "", 9); // of one that is not there
    write_source(6, SOURCE_VERIFIED, "", 0);
    write_source(7, SOURCE_VERIFIED, "last\n", 0);
    write_source(1, SOURCE_VERIFIED, "again", 0);
    write_source(10, SOURCE_VERIFIED, "one\u2028still one?\rtwo?\nend", 0);
    write_source(11, SOURCE_SAME, "", 10);
    finish(0, 0, 1, true);
    return 0;
}

static void open_sources(void)
{
    assert_int_equal(sources_open(opened(path), NULL, &sources), CLEW_OK);
}

static void lines_come_without_their_ends(void **state)
{
    (void)state;
    open_sources();
    expect_source(1, SOURCE_VERIFIED, 4); // the first block of a document counts
    expect_line(1, 1, "one");
    expect_line(1, 2, "two");
    expect_line(1, 3, "");
    expect_line(1, 4, "four");
    expect_line(1, 0, "");
    expect_line(1, 5, "");
    expect_line(1, UINT32_MAX, "");
    expect_line(7, 1, "last");
    expect_line(7, 2, "");
    assert_int_equal(sources_health(sources).damaged, 0);
    sources_close(sources);
    sources_close(NULL);
}

static void a_document_that_is_the_same_shares_the_text(void **state)
{
    (void)state;
    open_sources();
    expect_line(3, 2, "two");
    expect_source(3, SOURCE_VERIFIED, 4);
    sources_close(sources);
}

// The languages do not agree on where lines end, not even where two documents have one text.
static void lines_end_as_in_the_language_of_the_document(void **state)
{
    (void)state;
    struct recording_document csharp = document(10), fsharp = document(11);
    csharp.language = LANGUAGE_CSHARP;
    fsharp.language = LANGUAGE_FSHARP;
    open_sources();
    assert_int_equal(sources_line_count(sources, &csharp), 4);
    assert_true(text_equal(sources_line(sources, &csharp, 2), text_of("still one?")));
    assert_int_equal(sources_line_count(sources, &fsharp), 2);
    assert_true(text_equal(sources_line(sources, &fsharp, 1), text_of("one\u2028still one?\rtwo?")));
    assert_true(text_equal(sources_line(sources, &fsharp, 2), text_of("end")));
    sources_close(sources);
}

static void without_a_text_there_is_a_reason(void **state)
{
    (void)state;
    open_sources();
    expect_source(2, SOURCE_DIFFERS, 0);
    expect_line(2, 1, "");
    expect_source(4, SOURCE_MISSING, 0);
    expect_source(5, SOURCE_MISSING, 0);
    expect_source(6, SOURCE_VERIFIED, 0); // an empty file
    expect_source(8, SOURCE_MISSING, 0);  // there is no record of it
    assert_int_equal(sources_state(sources, NULL), SOURCE_MISSING);
    assert_int_equal(sources_line_count(sources, NULL), 0);
    assert_int_equal(sources_line(sources, NULL, 1).size, 0);
    sources_close(sources);
}

// Its document is without a text then, and so are those that share it.
static void a_damaged_block_is_noticed_when_it_is_read(void **state)
{
    (void)state;
    damage_block(RECORDING_SOURCE, 0);
    open_sources();
    expect_line(7, 1, "last");
    assert_int_equal(sources_health(sources).damaged, 0);
    expect_source(1, SOURCE_MISSING, 0);
    assert_int_equal(sources_health(sources).damaged, 1);
    expect_source(1, SOURCE_MISSING, 0);
    assert_int_equal(sources_health(sources).damaged, 1); // what was asked for is kept
    expect_source(3, SOURCE_MISSING, 0);
    sources_close(sources);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_without_their_ends),
        cmocka_unit_test(a_document_that_is_the_same_shares_the_text),
        cmocka_unit_test(lines_end_as_in_the_language_of_the_document),
        cmocka_unit_test(without_a_text_there_is_a_reason),
        cmocka_unit_test(a_damaged_block_is_noticed_when_it_is_read), // last: the file stays damaged
    };
    return cmocka_run_group_tests(tests, make, remove_path);
}
