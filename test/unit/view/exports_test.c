// Every format of a recording whose names hurt: text formats stay what they are, and the sums in them are the model's.
#include "view/export/exports.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../recording_path.h"
#include "trace/instrument.h"

#include "../model/loading.h"

static const char *const names[] = {"=cmd|' /C calc'!A0", "</script>\xE2\x80\xA8;a b", "-1\n\"x\",y", "\x1b[31m\x9b\\"};
enum { NAMES = sizeof names / sizeof *names };

static void make(void)
{
    struct recording_event events[2 * NAMES];
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    for (uint32_t i = 0; i < NAMES; i++) {
        define_method(100 + i, 1, METHOD_KIND_PLAIN, names[i]);
        events[2 * i] = (struct recording_event){.clock = START + 100 * i, .kind = RECORDING_ENTER, .method = 100 + i};
        events[2 * i + 1] = (struct recording_event){.clock = START + 100 * i + 7, .kind = RECORDING_LEAVE};
    }
    write_stream(1, events, 2 * NAMES);
    finish(2 * NAMES, 0, 1, true);
}

static char *text;
static size_t size;

// Exports, and leaves the result in `text`.
static void export_as(const char *name, const char *report)
{
    const struct export_format *format = NULL;
    for (size_t i = 0; export_formats[i]; i++) {
        format = strcmp(export_formats[i]->name, name) == 0 ? export_formats[i] : format;
    }
    assert_non_null(format);
    free(text);
    text = NULL;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    const struct export_options options = {.to = UINT64_MAX, .report = report_named(text_of(report))};
    struct model_options how = {.names_only = !export_wants_trees(format, &options)};
    export_choose_trees(format, &options, &how);
    struct model *model = load(how);
    assert_int_equal(export_write(out, model, format, &options), CLEW_OK);
    assert_int_equal(fclose(out), 0);
    model_free(model);
}

static size_t count(const char *part)
{
    size_t found = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++) {
        found++;
    }
    return found;
}

static void a_spreadsheet_takes_no_name_as_a_formula(void **state)
{
    (void)state;
    make();
    export_as("csv", "methods");
    assert_int_equal(count("\n=") + count("\n-") + count(",=") + count(",-"), 0);
    assert_int_equal(count("'=cmd|"), 1);
    assert_int_equal(count("\"'-1\\u000A\"\"x\"\",y\""), 1);
}

static void a_name_is_one_line_of_collapsed_stacks(void **state)
{
    (void)state;
    make();
    export_as("folded", "methods");
    assert_int_equal(count("\n"), NAMES);
    assert_int_equal(count(";"), 0);
    assert_int_equal(count("</script>\\u2028\\u003Ba b 7\n"), 1);
}

static void names_are_escaped_in_json(void **state)
{
    (void)state;
    static const char *const formats[] = {"speedscope", "trace", "firefox", "jsonl"};
    make();
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        export_as(formats[i], "methods");
        assert_int_equal(count("\xE2\x80\xA8") + count("\x1b") + count("\x9b"), 0);
        assert_true(count("\\u2028;a b") >= 1);
        assert_true(count("-1\\n\\\"x\\\",y") >= 1);
    }
}

static void callgrind_names_are_lines(void **state)
{
    (void)state;
    make();
    export_as("callgrind", "methods");
    assert_int_equal(count("\nfn=("), NAMES);
    assert_int_equal(count("\n0 7 1\n"), NAMES);
    assert_int_equal(count("-1\\u000A\"x\",y\n"), 1);
}

// The other binary formats are read by test/export.
static void parquet_begins_and_ends_as_it_must(void **state)
{
    (void)state;
    make();
    for (const struct report *report = reports; report->name; report++) {
        if (!report_is(report, REPORT_IN_FILES) || report->base == REPORT_OF_FILE) {
            continue; // the recording has none
        }
        export_as("parquet", report->name);
        assert_true(size > 12);
        assert_memory_equal(text, "PAR1", 4);
        assert_memory_equal(text + size - 4, "PAR1", 4);
        assert_true(read_u32((const uint8_t *)text + size - 8) < size - 8);
    }
}

// Names of reports and of their columns are those of files, and a place in text is taken once.
static void reports_are_well_formed(void **state)
{
    (void)state;
    for (const struct report *report = reports; report->name; report++) {
        assert_ptr_equal(report_named(text_of(report->name)), report);
        assert_true(report->table || (report->text && report->json));
        uint64_t places = 0;
        for (uint32_t i = 0; report->table && i < table_columns(report->table); i++) {
            const struct table_column *column = &report->table->columns[i];
            assert_true((column->key != NULL) == (i < table_keys(report->table)));
            assert_true(column->at == 0 || (column->title && !(places & 1u << column->at)));
            places |= column->at ? 1u << column->at : 0;
        }
    }
    assert_null(report_named(text_of("nothing")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spreadsheet_takes_no_name_as_a_formula),
        cmocka_unit_test(a_name_is_one_line_of_collapsed_stacks),
        cmocka_unit_test(names_are_escaped_in_json),
        cmocka_unit_test(callgrind_names_are_lines),
        cmocka_unit_test(parquet_begins_and_ends_as_it_must),
        cmocka_unit_test(reports_are_well_formed),
    };
    int failed = cmocka_run_group_tests(tests, make_path, remove_path);
    free(text);
    return failed;
}
