// What a story prints and what it leaves out, over a made recording: compilers' own methods and variables, statements of
// several lines, values that belong to the statement behind them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../opened.h"
#include "../recording_path.h"
#include "trace/instrument.h"
#include "view/replay/replay.h"
#include "view/text/view.h"

enum { RUN = 40, CLOSURE, POINT, ITEMS, DISPOSE };
enum { TYPE_BOOLEAN = 10, TYPE_POINTER_TO_INT, TYPE_UNIT };

static const char source[] =
    "lock (gate)\n"        // 1
    "    int all = Add(\n" // 2
    "        1,\n"         // 3
    "\t2);\n"              // 4
    "if (all > 2)\n"       // 5
    "catch when (ok)\n"    // 6
    "For Each x In xs\n"   // 7
    "yield return 1;\n"    // 8
    "Call(() =>\n"         // 9
    "{\n"                  // 10
    "    a long line that no story has room for, since together with all of the others that stand before it,\n"
    "    it would be wider than any line is that people read at once;\n"
    "})\n"
    "}\n"; // 14

#define STATEMENT(line, from, last_line, to)                                                                    \
    {                                                                                                           \
        .kind = SITE_STATEMENT, .document = 1, .start_line = line, .start_column = from, .end_line = last_line, \
        .end_column = to                                                                                        \
    }
#define LOCAL(slot, value_type, encoded, of, called)                                                           \
    {                                                                                                          \
        .kind = SITE_DEFINITION, .place = PLACE_LOCAL, .index = slot, .encoding = encoded, .type = value_type, \
        .statement = of, .name = {                                                                             \
            called,                                                                                            \
            sizeof called - 1                                                                                  \
        }                                                                                                      \
    }

// Numbered from 1.
static const struct site run_sites[] = {
    STATEMENT(1, 1, 1, 12),
    LOCAL(0, TYPE_BOOLEAN, VALUE_BOOLEAN, 1, ""), // 2, 3: whether the lock is taken
    LOCAL(0, TYPE_BOOLEAN, VALUE_BOOLEAN, 1, ""),
    STATEMENT(2, 5, 4, 5), // 4
    LOCAL(1, TYPE_INT, VALUE_I4, 4, "all"),
    STATEMENT(5, 1, 5, 13), // 6
    LOCAL(2, TYPE_BOOLEAN, VALUE_BOOLEAN, 6, ""),
    LOCAL(3, TYPE_INT, VALUE_I4, 6, "problem"),
    STATEMENT(6, 7, 6, 16), // 9, 10: of the same place
    STATEMENT(6, 7, 8, 16),
    LOCAL(4, TYPE_POINTER_TO_INT, VALUE_POINTER, 10, "p"),
    {.kind = SITE_DEFINITION,
     .place = PLACE_INDIRECT,
     .encoding = VALUE_I4,
     .type = TYPE_INT,
     .statement = 10,
     .name = {"p", 1}},
    STATEMENT(7, 1, 7, 17), // 13
    LOCAL(5, TYPE_BOOLEAN, VALUE_BOOLEAN, 0, ""),
    STATEMENT(9, 1, 13, 3), // 15
    LOCAL(6, TYPE_UNIT, VALUE_OBJECT, 15, "nothing"),
};
static const struct site point_sites[] = {
    // 17: an argument, 18: its copy, 19: another field
    {.kind = SITE_ARGUMENT, .place = PLACE_PARAMETER, .encoding = VALUE_I4, .type = TYPE_INT, .name = {"x", 1}},
    {.kind = SITE_DEFINITION,
     .place = PLACE_FIELD,
     .owner = OWNER_THIS,
     .encoding = VALUE_I4,
     .type = TYPE_INT,
     .name = {"_X", 2}},
    {.kind = SITE_DEFINITION,
     .place = PLACE_FIELD,
     .owner = OWNER_THIS,
     .encoding = VALUE_I4,
     .type = TYPE_INT,
     .name = {"Y", 1}},
};
static const struct site item_sites[] = {
    STATEMENT(8, 1, 8, 16), // 20
    {.kind = SITE_RESULT, .place = PLACE_RESULT, .encoding = VALUE_BOOLEAN, .type = TYPE_BOOLEAN},
};

// Where no statement is.
static const struct site between_sites[] = {
    // 24: let go of, 25: kept
    {.kind = SITE_DEFINITION,
     .place = PLACE_FIELD,
     .owner = OWNER_THIS,
     .encoding = VALUE_I4,
     .type = TYPE_INT,
     .name = {"first", 5}},
    {.kind = SITE_DEFINITION,
     .place = PLACE_FIELD,
     .owner = OWNER_THIS,
     .encoding = VALUE_I4,
     .type = TYPE_INT,
     .name = {"second", 6}},
};

static const struct site end_sites[] = {
    STATEMENT(14, 1, 14, 2), // 22
    {.kind = SITE_DEFINITION,
     .place = PLACE_FIELD,
     .owner = OWNER_THIS,
     .encoding = VALUE_I4,
     .type = TYPE_INT,
     .statement = 22,
     .name = {"gone", 4}},
};

static void define_program(void)
{
    const struct type types[] = {
        {.number = TYPE_BOOLEAN, .kind = TYPE_PRIMITIVE, .encoding = VALUE_BOOLEAN, .name = text_of("System.Boolean")},
        {.number = TYPE_POINTER_TO_INT,
         .kind = TYPE_POINTER,
         .encoding = VALUE_POINTER,
         .element = TYPE_INT,
         .name = text_of("System.Int32*")},
        {.number = TYPE_UNIT,
         .kind = TYPE_CLASS,
         .encoding = VALUE_OBJECT,
         .name = text_of("Microsoft.FSharp.Core.Unit")},
    };
    define();
    define_types();
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        define_type(&types[i]);
    }
    define_method(RUN, 1, 0, "App.Run()");
    define_method(CLOSURE, 1, 6, "App.closure_0_0..ctor()");
    define_method(POINT, 1, 6, "App.Point..ctor(int)");
    define_method(ITEMS, 1, 2, "App.Items() (iterator)");
    define_method(DISPOSE, 1, 0, "App.Items() (iterator).IDisposable.Dispose()");
    must(recording_write_document(
        writer,
        &(struct recording_document){.process = 1, .module = 1, .document = 1, .path = text_of("/srv/App.cs")}));
    must(recording_write_source(writer, &(struct recording_source){.of = {1, 1, 1}, .text = text_of(source)}));
    define_sites_of(RUN, 1, run_sites, sizeof run_sites / sizeof *run_sites);
    define_sites_of(POINT, 17, point_sites, sizeof point_sites / sizeof *point_sites);
    define_sites_of(ITEMS, 20, item_sites, sizeof item_sites / sizeof *item_sites);
    define_sites_of(RUN, 22, end_sites, sizeof end_sites / sizeof *end_sites);
    define_sites_of(ITEMS, 24, between_sites, sizeof between_sites / sizeof *between_sites);
}

static void make_story(void)
{
    static const uint32_t cells[] = {1, 1, 3, 0, 1, 3, 1, 3, 16, 0, 7, 1, 1, 0, 5, 0, 0};
    static const struct recording_event events[] = {
        {.clock = START + 100, .kind = RECORDING_ENTER, .method = RUN},
        {.clock = START + 110, .kind = RECORDING_ENTER, .method = CLOSURE},
        {.clock = START + 111, .kind = RECORDING_ENTER, .method = POINT},
        AT(17, 0),
        AT(18, 1),
        AT(19, 2),
        {.clock = START + 112, .kind = RECORDING_LEAVE},
        {.clock = START + 113, .kind = RECORDING_LEAVE},
        AT(1, 3),
        AT(2, 3),
        AT(3, 4),
        AT(4, 5),
        AT(5, 5),
        AT(6, 6),
        AT(7, 6),
        AT(8, 7),
        AT(9, 8),
        AT(10, 8),
        AT(11, 8),
        AT(12, 10),
        AT(13, 11),
        AT(14, 11),
        {.clock = START + 120, .kind = RECORDING_ENTER, .method = ITEMS},
        AT(20, 12),
        AT(21, 12),
        AT(24, 13),
        AT(25, 14),
        {.clock = START + 130, .kind = RECORDING_LEAVE},
        {.clock = START + 140, .kind = RECORDING_ENTER, .method = DISPOSE},
        {.clock = START + 141, .kind = RECORDING_LEAVE},
        AT(15, 15),
        AT(16, 15),
        AT(22, 16),
        AT(23, 16),
        {.clock = START + 200, .kind = RECORDING_LEAVE},
    };
    struct recording_events block = BLOCK_WITH_CELLS(events, cells);
    create(path, INSTRUMENT_CALLS | INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES, CLOCK_KIND_MONOTONIC);
    define_program();
    must(recording_write_events(writer, &block));
    finish(35, 0, 1, true);
}

// The lines of the story from the bar on.
static void expect(struct view view, const char *expected)
{
    char *out = NULL, text[4096] = "";
    size_t size = 0;
    struct model *model = NULL;
    const struct view_replay replay = {.format = VIEW_REPLAY_STORY, .to = UINT64_MAX};
    assert_int_equal(model_load(opened(path), &(struct model_options){.names_only = true}, &model), CLEW_OK);
    view.out = open_memstream(&out, &size);
    assert_non_null(view.out);
    assert_int_equal(view_replay(&view, model, &replay), CLEW_OK);
    assert_int_equal(fclose(view.out), 0);
    char *rest = strstr(out, "| Call\n");
    assert_non_null(rest);
    for (char *line = strtok_r(rest, "\n", &rest); (line = strtok_r(NULL, "\n", &rest));) {
        (void)strncat(text, strchr(line, '|'), sizeof text - strlen(text) - 2);
        (void)strcat(text, "\n");
    }
    assert_string_equal(text, expected);
    free(out);
    model_free(model);
}

static void test_every_event_has_its_line(void **state)
{
    (void)state;
    make_story();
    expect((struct view){0}, "| App.Run() {  App.cs\n"
                             "|   App.Point..ctor(int) {  x = 1, Y = 3\n"
                             "|   } App.Point..ctor(int)\n"
                             "|      1  lock (gate)\n"
                             "|      2  int all = Add( 1, 2);                   all = 3\n"
                             "|      5  if (all > 2)                            True\n"
                             "|      6  when (ok)                               problem = 3, p = 0x10, *p = 7\n"
                             "|      7  For Each x In xs\n"
                             "|   App.Items() (iterator) {  App.cs\n"
                             "|        8  yield return 1;                         second = 5\n"
                             "|   } App.Items() (iterator)\n"
                             "|      9  Call(() => { ...\n"
                             "| } App.Run()\n");
}

static void test_levels(void **state)
{
    (void)state;
    make_story();
    expect((struct view){.depth = 2},
           "| App.Run() {  App.cs\n"
           "|   App.Point..ctor(int);\n"
           "|      1  lock (gate)\n"
           "|      2  int all = Add( 1, 2);                   all = 3\n"
           "|      5  if (all > 2)                            True\n"
           "|      6  when (ok)                               problem = 3, p = 0x10, *p = 7\n"
           "|      7  For Each x In xs\n"
           "|   App.Items() (iterator);\n"
           "|      9  Call(() => { ...\n"
           "| } App.Run()\n");
    expect((struct view){.has_min_time = true, .min_time_ns = 10}, "| App.Run() {  App.cs\n"
                                                                   "|   App.Items() (iterator);\n"
                                                                   "| } App.Run()\n");
}

// Two values in a row that belong to the statement behind them.
static void test_values_before_a_statement(void **state)
{
    (void)state;
    static const uint32_t cells[] = {3, 4};
    static const struct recording_event events[] = {
        {.clock = START + 100, .kind = RECORDING_ENTER, .method = RUN},
        AT(8, 0),
        AT(8, 1),
        AT(9, 2),
        {.clock = START + 200, .kind = RECORDING_LEAVE},
    };
    struct recording_events block = BLOCK_WITH_CELLS(events, cells);
    create(path, INSTRUMENT_CALLS | INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES, CLOCK_KIND_MONOTONIC);
    define_program();
    must(recording_write_events(writer, &block));
    finish(5, 0, 1, true);
    expect((struct view){0}, "| App.Run() {  App.cs\n"
                             "|      6  when (ok)                               problem = 3, problem = 4\n"
                             "| } App.Run()\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_event_has_its_line),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_values_before_a_statement),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
