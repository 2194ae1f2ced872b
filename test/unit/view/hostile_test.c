// Recordings whose checksums hold and whose content was made to keep a reader busy, or to lead it astray: reading them ends
// soon, and what is shown is bounded.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../opened.h"
#include "../recording_path.h"
#include "trace/instrument.h"
#include "view/replay/replay.h"
#include "view/story/question.h"
#include "view/text/value.h"

#define NAME(literal)                \
    {                                \
        literal, sizeof(literal) - 1 \
    }

enum { SELF = 100, NULLABLE_SELF, ONE, OTHER, TUPLE, MOMENT, WIDE };
enum { LEVELS = 15, FIELDS = 32, VALUE_MOST = 3 << 20 };

static struct sites *sites;
static struct values values;

static void define_struct(uint32_t number, enum type_kind kind, const char *name, const struct type_field *fields,
                          uint32_t count)
{
    define_type(&(struct type){.number = number,
                               .kind = kind,
                               .encoding = VALUE_STRUCT,
                               .size = 16,
                               .name = text_of(name),
                               .fields = fields,
                               .field_count = count});
}

// Each level has the next one many times, all at one place.
static void define_wide(void)
{
    static char names[FIELDS][8];
    struct type_field fields[FIELDS];
    for (uint32_t level = 0; level < LEVELS; level++) {
        for (uint32_t i = 0; i < FIELDS; i++) {
            (void)snprintf(names[i], sizeof names[i], "f%u", i);
            fields[i] = (struct type_field){.type = level + 1 < LEVELS ? WIDE + level + 1 : TYPE_INT,
                                            .name = text_of(names[i])};
        }
        define_struct(WIDE + level, TYPE_STRUCT, "Wide", fields, FIELDS);
    }
}

static void define_damaged(void)
{
    static const struct type_field self[] = {{0, SELF, NAME("a"), {0}}, {0, SELF, NAME("b"), {0}}};
    static const struct type_field nullable[] = {{0, NULLABLE_SELF, NAME("value"), {0}}};
    static const struct type_field one[] = {{0, OTHER, NAME("a"), {0}}}, other[] = {{0, ONE, NAME("b"), {0}}};
    static const struct type_field tuple[] = {{0, TYPE_INT, NAME("Item1"), {0}}, {0, TYPE_INT, NAME("Item2"), {0}},
                                              {0, TYPE_INT, NAME("Item3"), {0}}, {0, TYPE_INT, NAME("Item4"), {0}},
                                              {0, TYPE_INT, NAME("Item5"), {0}}, {0, TYPE_INT, NAME("Item6"), {0}},
                                              {0, TYPE_INT, NAME("Item7"), {0}}, {0, TUPLE, NAME("Rest"), {0}}};
    static const struct type_field moment[] = {{UINT32_MAX - 4, TYPE_INT, NAME("_dateTime"), {0}},
                                               {UINT32_MAX, TYPE_INT, NAME("_offsetMinutes"), {0}}};
    define_struct(SELF, TYPE_STRUCT, "Self", self, 2);
    define_struct(NULLABLE_SELF, TYPE_NULLABLE, "System.Nullable<...>", nullable, 1);
    define_struct(ONE, TYPE_STRUCT, "One", one, 1);
    define_struct(OTHER, TYPE_STRUCT, "Other", other, 1);
    define_struct(TUPLE, TYPE_STRUCT, "System.ValueTuple<...>", tuple, 8);
    define_struct(MOMENT, TYPE_STRUCT, "System.DateTimeOffset", moment, 2);
    define_wide();
}

static int make_types(void **state)
{
    if (make_path(state) != 0) {
        return -1;
    }
    create(path, INSTRUMENT_VALUES, CLOCK_KIND_MONOTONIC);
    define();
    define_types();
    define_damaged();
    finish(0, 0, 1, true);
    if (sites_load(opened(path), &sites) != CLEW_OK) {
        return -1;
    }
    values = (struct values){.sites = sites, .process = 1};
    return 0;
}

static int free_types(void **state)
{
    sites_free(sites);
    return remove_path(state);
}

static const uint32_t ones[] = {1, 1, 1, 1};

static struct buffer said_of(uint32_t type)
{
    struct buffer said = {0};
    struct site_value value = {.encoding = VALUE_STRUCT, .type = type, .size = sizeof ones, .cells = ones};
    value_text(&said, &values, &value);
    buffer_clear(&said);
    value_story(&said, &values, &value);
    assert_true(said.size < VALUE_MOST);
    buffer_u8(&said, 0);
    return said;
}

static void expect(uint32_t type, const char *story)
{
    struct buffer said = said_of(type);
    assert_string_equal((const char *)said.data, story);
    buffer_free(&said);
}

static void a_type_is_not_a_part_of_itself(void **state)
{
    (void)state;
    expect(SELF, "{ a = ?, b = ? }");
    expect(NULLABLE_SELF, "?");
    expect(TUPLE, "{ Item1 = 1, Item2 = 1, Item3 = 1, Item4 = 1, Item5 = 1, Item6 = 1, Item7 = 1, Rest = ? }");
    struct buffer said = said_of(ONE); // of two that contain each other, a few are shown
    buffer_free(&said);
}

static void a_value_has_so_many_parts(void **state)
{
    (void)state;
    struct buffer said = said_of(WIDE);
    assert_non_null(memmem(said.data, said.size, "...", 3));
    buffer_free(&said);
}

static void fields_beyond_the_value_are_not_read(void **state)
{
    (void)state;
    expect(MOMENT, "{ _dateTime = ?, _offsetMinutes = ? }");
}

// -- Stories ----------------------------------------------------------------------------------------------------------

static const struct recording_event run_events[] = {
    E(1, MAIN), {.clock = START + 2, .kind = RECORDING_AT_SITE, .site = 1, .cell = 0}, L(3)};

// A statement from line 1 to the last that there can be. Source NULL: the text is not there.
static void make_statement(uint32_t instruments, const char *source)
{
    const struct site endless = {
        .kind = SITE_STATEMENT, .document = 1, .start_line = 1, .start_column = 1, .end_line = UINT32_MAX};
    create(path, instruments, CLOCK_KIND_MONOTONIC);
    define();
    must(recording_write_document(
        writer, &(struct recording_document){.process = 1, .module = 1, .document = 1, .path = text_of("/a.cs")}));
    if (source) {
        must(recording_write_source(writer, &(struct recording_source){.of = {1, 1, 1}, .text = text_of(source)}));
    }
    define_sites_of(MAIN, 1, &endless, 1);
    write_stream(1, run_events, 3);
    finish(3, 0, 1, true);
}

static void replay(enum view_replay_format format, char **out)
{
    size_t size = 0;
    struct model *model = NULL;
    const struct question question = question_of_variable(text_of("x"));
    const struct view_replay options = {.format = format, .to = UINT64_MAX, .question = &question};
    assert_int_equal(model_load(opened(path), &(struct model_options){.names_only = true}, &model), CLEW_OK);
    struct view view = {.out = open_memstream(out, &size)};
    assert_non_null(view.out);
    assert_int_equal(view_replay(&view, model, &options), CLEW_OK);
    assert_int_equal(fclose(view.out), 0);
    model_free(model);
}

static void expect_line(const char *line)
{
    char *out = NULL;
    replay(VIEW_REPLAY_STORY, &out);
    assert_non_null(strstr(out, line));
    free(out);
}

static void statements_end_with_their_source(void **state)
{
    (void)state;
    make_statement(INSTRUMENT_STATEMENTS, "int i;\n\nint j;\n");
    expect_line("|      1  int i; int j;");
    make_statement(INSTRUMENT_STATEMENTS, NULL);
    expect_line("|      1  \n");
}

static void numbers_of_sites_need_no_memory(void **state)
{
    const struct site site = {.kind = SITE_STATEMENT};
    const uint32_t number = (1 << 28) - 1;
    struct sites *few;
    (void)state;
    create(path, INSTRUMENT_STATEMENTS, CLOCK_KIND_MONOTONIC);
    define();
    define_sites_of(MAIN, number, &site, 1);
    finish(0, 0, 1, true);
    assert_int_equal(sites_load(opened(path), &few), CLEW_OK);
    assert_non_null(sites_site(few, 1, number));
    assert_null(sites_site(few, 1, number - 1));
    assert_int_equal(sites_count(few, 1), 1);
    assert_int_equal(sites_number(few, 1, 0), number);
    sites_free(few);
}

static void the_session_need_not_name_the_instrument(void **state)
{
    (void)state;
    for (enum view_replay_format format = VIEW_REPLAY_STORY; format <= VIEW_REPLAY_VARIABLE; format++) {
        char *out = NULL;
        make_statement(INSTRUMENT_CALLS, "int i;");
        replay(format, &out);
        free(out);
    }
    expect_line("|      1  int i;");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_type_is_not_a_part_of_itself),
        cmocka_unit_test(a_value_has_so_many_parts),
        cmocka_unit_test(fields_beyond_the_value_are_not_read),
        cmocka_unit_test(statements_end_with_their_source),
        cmocka_unit_test(numbers_of_sites_need_no_memory),
        cmocka_unit_test(the_session_need_not_name_the_instrument),
    };
    return cmocka_run_group_tests(tests, make_types, free_types);
}
