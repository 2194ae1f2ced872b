// Memory runs out anywhere while a recording is loaded, summed up, played or looked into: it is said, or the answer is that with memory.
#include "model/allocations.h"
#include "model/events/cursor.h"
#include "model/events/timeline.h"
#include "model/objects.h"
#include "model/sources.h"
#include "model/table.h"
#include "model/waits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "../made_recording.h"

#include "../made_awaits.h"
#include "memory.h"

static char path[] = "/tmp/clew-memory-XXXXXX";
static struct recording *recording; // open while a question is asked

// What is asked of the recording, and what is answered with enough memory.
struct subject {
    enum clew_error (*ask)(struct buffer *answer);
    struct buffer expected, answer;
    unsigned refused; // plays that said so
};

static void describe_tree(struct buffer *out, const struct model_tree *tree)
{
    buffer_printf(out, "tree %u %u:", tree->process, tree->thread);
    for (uint32_t i = 0; i < tree->tree.count; i++) {
        const struct tree_node *n = &tree->tree.nodes[i];
        buffer_printf(out, " (%u %u %u %u %u %lu %lu %lu %lu)", n->parent, n->first_child, n->next, n->method, n->open,
                      n->calls, n->exceptions, n->total, n->inside);
    }
}

static void describe(struct buffer *out, const struct model *model, const struct table_methods *methods,
                     const struct table_modules *modules)
{
    buffer_printf(out, "%lu %lu %lu %lu %lu %d\n", model->events, model->lost, model->calls, model->open, model->gaps,
                  model->complete);
    for (uint32_t i = 0; i < model->tree_count; i++) {
        describe_tree(out, &model->trees[i]);
    }
    for (uint32_t i = 0; i < methods->count; i++) {
        const struct table_method *row = &methods->rows[i];
        struct text name = model->catalog.methods[row->method].record.name;
        buffer_printf(out, "\n%.*s %lu %lu %lu %lu", (int)name.size, name.at, row->calls, row->own, row->total,
                      row->own_cpu_user_ns);
    }
    for (uint32_t i = 0; i < modules->count; i++) {
        buffer_printf(out, "\nmodule %u %lu %lu", modules->rows[i].module, modules->rows[i].methods,
                      modules->rows[i].calls);
    }
}

static enum clew_error sum_up(struct model *model, struct buffer *answer)
{
    struct table_methods methods = {0};
    struct table_modules modules = {0};
    enum clew_error error = table_methods(model, &methods);
    if (error == CLEW_OK) {
        error = table_modules(model, &methods, &modules);
    }
    for (uint32_t i = 0; i < model->tree_count && error == CLEW_OK; i++) {
        error = tree_sort(&model->trees[i].tree, true, tree_by_total);
    }
    if (error == CLEW_OK) {
        memory_watched = false;
        describe(answer, model, &methods, &modules);
        memory_watched = true;
    }
    free(methods.rows);
    free(modules.rows);
    return error;
}

static enum clew_error load(const struct model_options *options, struct buffer *answer)
{
    struct model *model;
    CLEW_TRY(model_load(recording, options, &model));
    enum clew_error error = sum_up(model, answer);
    model_free(model);
    return error;
}

static enum clew_error ask_merged(struct buffer *answer)
{
    return load(&(struct model_options){.adjust = true}, answer);
}

static enum clew_error ask_threads(struct buffer *answer)
{
    return load(&(struct model_options){.threads_apart = true}, answer);
}

// The places of await of all rows.
static enum clew_error add_waits(const struct model *model, struct waits *waits, struct buffer *answer)
{
    const struct model_tree *tree = &model->trees[0];
    for (uint32_t node = 1; node < tree->tree.count; node++) {
        CLEW_TRY(waits_of(model, tree, node, waits));
        memory_watched = false;
        for (const struct wait *at = waits->waits; at < waits->waits + waits->count; at++) {
            buffer_printf(answer, " %u:%.*s:%u:%lu", node, (int)at->what.size, at->what.at, at->line, at->count);
        }
        memory_watched = true;
    }
    return CLEW_OK;
}

static enum clew_error ask_waits(struct buffer *answer)
{
    struct model *model;
    struct waits waits = {0};
    CLEW_TRY(model_load(recording, &(struct model_options){0}, &model));
    enum clew_error error = add_waits(model, &waits, answer);
    waits_fini(&waits);
    model_free(model);
    return error;
}

static enum clew_error step(void *context, const struct event_step *step)
{
    memory_watched = false;
    buffer_printf(context, " %d:%u:%u@%lu", (int)step->kind, step->thread->thread, step->level, step->clock);
    memory_watched = true;
    return CLEW_OK;
}

static enum clew_error ask_timeline(struct buffer *answer)
{
    struct timeline_options options = {.to = UINT64_MAX, .step = step, .context = answer};
    return timeline_run(recording, &options);
}

// To the end and back.
static enum clew_error ask_cursor(struct buffer *answer)
{
    struct cursor *cursor;
    CLEW_TRY(cursor_open(recording, &(struct cursor_options){0}, &cursor));
    enum clew_error error;
    do {
        error = cursor_next(cursor, UINT64_MAX, step, answer);
    } while (error == CLEW_OK);
    while (error == CLEW_OK || error == CLEW_NOT_FOUND) {
        enum clew_error back = cursor_previous(cursor, 0, step, answer);
        if (back == CLEW_NOT_FOUND) {
            break;
        }
        error = back;
    }
    cursor_close(cursor);
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}

static void describe_sites(struct buffer *out, const struct sites *sites)
{
    for (uint32_t i = 1; i < sites_count(sites, 1); i++) {
        const struct site *site = sites_site(sites, 1, i);
        const struct type *type = site ? sites_type(sites, 1, site->type) : NULL;
        buffer_printf(out, " %u:%d@%u %.*s %.*s;", sites_method(sites, 1, i), site ? (int)site->kind : -1,
                      site ? site->start_line : 0, site ? (int)site->name.size : 0, site ? site->name.at : "",
                      type ? (int)type->name.size : 0, type ? type->name.at : "");
    }
}

static enum clew_error ask_sites(struct buffer *answer)
{
    struct sites *sites;
    CLEW_TRY(sites_load(recording, &sites));
    memory_watched = false;
    describe_sites(answer, sites);
    memory_watched = true;
    sites_free(sites);
    return CLEW_OK;
}

// Also after an object that there was no memory for.
static enum clew_error ask_objects(struct buffer *answer)
{
    struct objects *objects;
    enum clew_error error = CLEW_OK;
    CLEW_TRY(objects_open(recording, &objects));
    for (uint32_t i = 0; i < 4; i++) {
        const struct recording_object *object = objects_find(objects, 1, i % 2 + 1);
        if (!object) {
            error = CLEW_NO_MEMORY;
            continue;
        }
        memory_watched = false;
        buffer_printf(answer, " %u:%u %lu %.*s", object->object, object->type, object->size, (int)object->text.size,
                      object->text.at);
        memory_watched = true;
    }
    objects_close(objects);
    return error;
}

static enum clew_error ask_links(struct buffer *answer)
{
    struct objects *objects;
    CLEW_TRY(objects_open(recording, &objects));
    for (uint32_t i = 11; i < 25; i++) {
        uint32_t perhaps = objects_uncertain(objects, 1, i);
        memory_watched = false;
        buffer_printf(answer, " %u:%u", i, perhaps);
        memory_watched = true;
    }
    enum clew_error error = objects_ran_out(objects) ? CLEW_NO_MEMORY : CLEW_OK;
    objects_close(objects);
    return error;
}

static enum clew_error read_lines(const struct recording_document *document, struct buffer *answer)
{
    struct sources *sources;
    enum clew_error error = CLEW_OK;
    CLEW_TRY(sources_open(recording, NULL, &sources));
    for (uint32_t i = 1; i <= 5; i++) {
        struct text line = sources_line(sources, document, i);
        error = line.size ? error : CLEW_NO_MEMORY;
        memory_watched = false;
        buffer_printf(answer, "%u %.*s\n", i, (int)line.size, line.at);
        memory_watched = true;
    }
    sources_close(sources);
    return error;
}

static enum clew_error ask_sources(struct buffer *answer)
{
    struct sites *sites;
    CLEW_TRY(sites_load(recording, &sites));
    enum clew_error error = read_lines(sites_document(sites, 1, 1, 1), answer);
    sites_free(sites);
    return error;
}

static enum clew_error count_lines(const struct model *model, const struct sites *sites, struct buffer *answer)
{
    struct lines lines;
    struct table_methods methods = {0};
    enum clew_error error = lines_load(model, sites, &lines);
    error = error ? error : table_methods(model, &methods);
    if (error == CLEW_OK) {
        table_add_lines(model, &lines, &methods);
        memory_watched = false;
        for (size_t i = 0; i < lines.count; i++) {
            buffer_printf(answer, "%u:%lu ", lines.rows[i].site->start_line, lines.rows[i].count);
        }
        for (uint32_t i = 0; i < methods.count; i++) {
            buffer_printf(answer, "\n%u %lu", methods.rows[i].method, methods.rows[i].statements);
        }
        memory_watched = true;
    }
    free(methods.rows);
    lines_free(&lines);
    return error;
}

static enum clew_error ask_lines(struct buffer *answer)
{
    struct model *model;
    struct sites *sites;
    CLEW_TRY(model_load(recording, &(struct model_options){0}, &model));
    enum clew_error error = sites_load(recording, &sites);
    if (error == CLEW_OK) {
        error = count_lines(model, sites, answer);
        sites_free(sites);
    }
    model_free(model);
    return error;
}

static enum clew_error ask_allocations(struct buffer *answer)
{
    struct model *model;
    struct sites *sites = NULL;
    struct allocations all = {0};
    CLEW_TRY(model_load(recording, &(struct model_options){0}, &model));
    enum clew_error error = sites_load(recording, &sites);
    error = error ? error : allocations_load(model, sites, &all);
    memory_watched = false;
    for (size_t i = 0; i < all.site_count && error == CLEW_OK; i++) {
        buffer_printf(answer, "%u %lu %lu %lu\n", all.sites[i].method, all.sites[i].count, all.sites[i].bytes,
                      all.sites[i].unsized);
    }
    memory_watched = true;
    allocations_free(&all);
    sites_free(sites);
    model_free(model);
    return error;
}

// Opens the recording for one question.
static enum clew_error ask_once(enum clew_error (*ask)(struct buffer *answer), struct buffer *answer)
{
    CLEW_TRY(recording_open(path, &recording));
    enum clew_error error = ask(answer);
    recording_free(recording);
    return error;
}

static void play(void *context)
{
    struct subject *subject = context;
    buffer_clear(&subject->answer);
    enum clew_error error = ask_once(subject->ask, &subject->answer);
    if (error != CLEW_OK) {
        assert_int_equal(error, CLEW_NO_MEMORY);
        assert_true(memory_refused());
        subject->refused++;
        return;
    }
    assert_int_equal(subject->answer.size, subject->expected.size);
    assert_memory_equal(subject->answer.data, subject->expected.data, subject->expected.size);
}

static void fail_while_asking(enum clew_error (*ask)(struct buffer *answer))
{
    struct subject subject = {.ask = ask};
    assert_int_equal(ask_once(ask, &subject.expected), CLEW_OK);
    memory_watched = false;
    assert_true(subject.expected.size > 0);
    memory_fail_in_turn(play, &subject);
    assert_true(subject.refused > 10);
    buffer_free(&subject.expected);
    buffer_free(&subject.answer);
}

static void test_without_memory_trees_are_right_or_absent(void **state)
{
    (void)state;
    make_tree(path, CLOCK_KIND_MONOTONIC, true);
    fail_while_asking(ask_merged);
    fail_while_asking(ask_threads);
    make_awaits(path, MADE_ALL);
    fail_while_asking(ask_merged);
    fail_while_asking(ask_waits);
}

static void test_without_memory_streams_are_right_or_absent(void **state)
{
    (void)state;
    make_calls(path);
    fail_while_asking(ask_merged);
    fail_while_asking(ask_threads);
    fail_while_asking(ask_timeline);
    fail_while_asking(ask_cursor);
    make_cold(path);
    fail_while_asking(ask_threads);
    fail_while_asking(ask_timeline);
}

static void test_without_memory_sites_and_objects_are_right_or_absent(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < PROBE_KINDS; kind++) {
        made_site_ps[kind] = 3000; // which adjusted times leave out
    }
    make_lines(path, CLOCK_KIND_MONOTONIC, INSTRUMENT_TREE);
    fail_while_asking(ask_merged);
    make_sites(path);
    fail_while_asking(ask_merged);
    fail_while_asking(ask_timeline);
    fail_while_asking(ask_sites);
    fail_while_asking(ask_objects);
    fail_while_asking(ask_sources);
    fail_while_asking(ask_lines);
    make_boxes(path);
    fail_while_asking(ask_timeline);
    make_uncertain(path);
    fail_while_asking(ask_links);
    make_lines(path, CLOCK_KIND_TICK, 0);
    fail_while_asking(ask_lines);
    make_allocations(path);
    fail_while_asking(ask_allocations);
}

static int make_path(void **state)
{
    (void)state;
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_path(void **state)
{
    (void)state;
    char old[sizeof path + 8];
    (void)snprintf(old, sizeof old, "%s.old", path);
    (void)unlink(old);
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_memory_trees_are_right_or_absent),
        cmocka_unit_test(test_without_memory_streams_are_right_or_absent),
        cmocka_unit_test(test_without_memory_sites_and_objects_are_right_or_absent),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
