// The history of a variable is the same whether the file says which blocks have its sites or not.
#include "view/replay/replay.h"
#include "view/story/question.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../opened.h"
#include "../recording_path.h"
#include "../run_of_sites.h"
#include "trace/instrument.h"
#include "trace/site.h"

enum { BLOCKS = 24, EVENTS = 4096, VARIABLES = 48, METHOD = 16, OBJECT = VALUE_OBJECT, NEW_SITE = VARIABLES + 1 };

// Variable v<i> gets integers in block i / 2. The variable `it` gets object 2 at the end, which is perhaps object 1; the
// first block has the allocation of object 2, so it is certainly another.
static void define(struct recording_writer *writer, bool allocated)
{
    static struct site sites[VARIABLES + 2];
    char names[VARIABLES][8];
    struct buffer blob = {0};
    for (uint32_t i = 0; i < VARIABLES; i++) {
        (void)snprintf(names[i], sizeof names[i], "v%u", i);
        sites[i] = (struct site){
            .kind = SITE_DEFINITION, .place = PLACE_LOCAL, .encoding = VALUE_I4, .type = 1, .name = text_of(names[i])};
    }
    sites[VARIABLES] =
        (struct site){.kind = allocated ? SITE_ALLOCATION : SITE_USE, .encoding = VALUE_OBJECT, .type = 2};
    sites[VARIABLES + 1] = (struct site){
        .kind = SITE_DEFINITION, .place = PLACE_LOCAL, .encoding = VALUE_OBJECT, .type = 2, .name = text_of("it")};
    sites_encode(&blob, sites, VARIABLES + 2);
    const struct recording_sites all = {
        .process = 1, .first = 1, .method = METHOD, .blob = bytes_of(blob.data, blob.size)};
    assert_int_equal(recording_write_sites(writer, &all), CLEW_OK);
    buffer_free(&blob);
}

static void write_objects(struct recording_writer *writer)
{
    const struct recording_object objects[] = {{.object = 1, .type = 2, .size = 24},
                                               {.object = 2, .type = 2, .size = 24, .perhaps = 1}};
    const struct recording_objects all = {.process = 1, .count = 2, .objects = objects};
    assert_int_equal(recording_write_objects(writer, &all), CLEW_OK);
}

static void write_block(struct recording_writer *writer, uint32_t block)
{
    static struct recording_event events[EVENTS];
    static uint32_t cells[EVENTS];
    uint32_t seed = block;
    for (uint32_t i = 0; i < EVENTS; i++) {
        seed = seed * 1664525 + 1013904223;
        bool made = block == 0 && i == 7, it = block == BLOCKS - 1 && i == EVENTS - 1;
        uint32_t site = made ? NEW_SITE : it ? NEW_SITE + 1 : 1 + block * 2 + (seed >> 20 & 1);
        events[i] =
            (struct recording_event){.clock = 1000 + block * 10, .kind = RECORDING_AT_SITE, .site = site, .cell = i};
        cells[i] = made || it ? 2 : seed;
    }
    assert_int_equal(write_run_of_sites(writer, 1, block, events, cells, EVENTS), CLEW_OK);
}

static void make(bool sets, bool allocated)
{
    const struct recording_session session = {
        .clock_hz = 1e9, .clock = CLOCK_KIND_MONOTONIC, .instruments = INSTRUMENT_STREAMS | INSTRUMENT_VALUES};
    const struct recording_process process = {.process = 1};
    const struct recording_method method = {.process = 1, .method = METHOD, .name = text_of("Shop.Run()")};
    struct recording_writer *writer;
    (void)unlink(path);
    assert_int_equal(recording_create(path, &session, &writer), CLEW_OK);
    assert_int_equal(recording_write_process(writer, &process), CLEW_OK);
    assert_int_equal(recording_write_method(writer, &method), CLEW_OK);
    define(writer, allocated);
    write_objects(writer);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        write_block(writer, i);
    }
    // A writer that dies does not write the newest sets.
    assert_int_equal(recording_close(writer, sets ? &(struct recording_end){.complete = true} : NULL), CLEW_OK);
}

// The lines of the history without those before them, which say whether the file is complete.
static char *history(const char *variable)
{
    char *out = NULL;
    size_t size = 0;
    struct model *model = NULL;
    uint64_t found = 0;
    const struct question question = question_of_variable(text_of(variable));
    const struct view_replay replay = {
        .format = VIEW_REPLAY_VARIABLE, .to = UINT64_MAX, .question = &question, .found = &found};
    assert_int_equal(model_load(opened(path), &(struct model_options){.names_only = true}, &model), CLEW_OK);
    struct view view = {.out = open_memstream(&out, &size)};
    assert_non_null(view.out);
    assert_int_equal(view_replay(&view, model, &replay), CLEW_OK);
    assert_int_equal(fclose(view.out), 0);
    model_free(model);
    char *values = strstr(out, "| Value");
    assert_non_null(values);
    assert_true(found > 0);
    values = strdup(values);
    free(out);
    return values;
}

static void compare(const char *variable, bool allocated, bool uncertain)
{
    make(false, allocated);
    char *all = history(variable);
    make(true, allocated);
    char *chosen = history(variable);
    assert_string_equal(chosen, all);
    assert_int_equal(strstr(all, "perhaps") != NULL, uncertain);
    free(all);
    free(chosen);
}

static void a_history_is_the_same_by_sets(void **state)
{
    (void)state;
    compare("v0", true, false);
    compare("v17", true, false);
    compare("v47", true, false);
}

// Blocks that create objects are read even if they have no value of the variable, since they decide whether an object is
// new.
static void objects_are_as_certain_as_before(void **state)
{
    (void)state;
    compare("it", true, false);
    compare("it", false, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_history_is_the_same_by_sets),
        cmocka_unit_test(objects_are_as_certain_as_before),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
