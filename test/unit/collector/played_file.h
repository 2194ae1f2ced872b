// Checks the recording of a played program (playing.h): it has every event that the program had committed, once.
// Included by one file a program.
#ifndef CLEW_TEST_PLAYED_FILE_H
#define CLEW_TEST_PLAYED_FILE_H

#include "playing.h"
#include "recording/reader.h"

struct found {
    uint64_t events[THREADS], words[THREADS];
    uint64_t tree_calls[THREADS];
    bool final[THREADS];
    bool defined[METHODS];
    uint64_t sites[THREADS], objects[THREADS];
    bool site_defined[METHODS];
    bool has_path[METHODS];
    uint32_t paths; // numbers below this are known, whoever wrote them
    uint32_t documents, types, sources, same, missing;
    uint32_t open[THREADS][NEST];  // methods
    uint64_t calls[THREADS][NEST]; // their numbers
    uint64_t begun;                // activations of all threads
    uint32_t depth[THREADS];
    bool over_cap;
    bool ended;
    struct recording_end end;
};

// A SITE event follows each entry.
static inline void check_site(struct found *found, uint32_t thread, const struct recording_event *event,
                              const uint32_t *cells)
{
    uint64_t i = found->events[thread] - 1;
    uint32_t method = method_of(thread, i);
    assert_true(is_enter(i));
    assert_int_equal(event->site, method + 1);
    assert_int_equal(cells[event->cell], object_of(thread + 1, i));
    assert_true(found->site_defined[method]);
    found->sites[thread]++;
}

static inline void check_event(struct found *found, uint32_t thread, const struct recording_event *event,
                               const uint32_t *cells)
{
    if (event->kind == RECORDING_AT_SITE) {
        check_site(found, thread, event, cells);
        return;
    }
    uint64_t i = found->events[thread]++;
    if (!is_enter(i)) {
        assert_int_equal(event->kind, RECORDING_LEAVE);
        found->depth[thread]--;
        return;
    }
    uint32_t method = method_of(thread, i);
    assert_int_equal(event->kind, RECORDING_ENTER);
    assert_int_equal(event->method, METHOD_FIRST_REAL + method);
    assert_true(found->defined[method]); // definitions come before use
    found->calls[thread][found->depth[thread]] = ++found->begun;
    found->open[thread][found->depth[thread]++] = event->method;
}

static inline void check_events(struct found *found, const struct recording_events *block)
{
    uint32_t thread = block->thread - 1;
    assert_true(thread < THREADS);
    assert_int_equal(block->position, found->words[thread]); // nothing missing, nothing twice
    assert_int_equal(block->depth, found->depth[thread]);
    for (uint32_t i = 0; i < block->depth; i++) {
        assert_int_equal(block->open[i], found->open[thread][i]);
        assert_int_equal(block->open_number[i], found->calls[thread][i]);
    }
    assert_int_equal(block->first_number, found->begun + 1); // also after a takeover
    for (uint32_t i = 0; i < block->count; i++) {
        check_event(found, thread, &block->events[i], block->cells);
    }
    found->words[thread] += block->words;
}

static inline void check_objects(struct found *found, const struct recording_objects *block)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const struct recording_object *object = &block->objects[i];
        uint32_t thread = (object->object - 1) % THREADS;
        uint64_t number = (object->object - 1) / THREADS;
        assert_true(object->type == 1 && object->size == 24 && number % OBJECT_EVERY == 0);
        // A collector that takes over may write the objects of one block again.
        assert_true(number / OBJECT_EVERY <= found->objects[thread]);
        found->objects[thread] = number / OBJECT_EVERY + 1;
    }
}

// A collector that takes over writes paths again, never others.
static inline void check_paths(struct found *found, const struct recording_paths *block)
{
    found->paths = found->paths ? found->paths : PATH_FIRST;
    assert_true(block->first <= found->paths); // none is missing
    for (uint32_t i = 0; i < block->count; i++) {
        const struct recording_path *read = &block->paths[i];
        if (read->method) { // else the program was killed before it stored this one
            assert_int_equal(read->parent, block->first + i - 1);
            found->has_path[read->method - METHOD_FIRST_REAL] = true;
        }
    }
    found->paths = block->first + block->count > found->paths ? block->first + block->count : found->paths;
}

static inline void check_tree(struct found *found, const struct recording_tree *tree)
{
    uint32_t thread = tree->thread - 1;
    assert_true(thread < THREADS);
    found->tree_calls[thread] = 0;
    for (uint32_t i = 1; i < tree->count; i++) {
        assert_true(tree->nodes[i].parent < i);
        assert_true(found->defined[tree->nodes[i].method - METHOD_FIRST_REAL]);
        assert_true(found->has_path[tree->nodes[i].method - METHOD_FIRST_REAL]); // paths come before use
        found->tree_calls[thread] += tree->nodes[i].calls;
    }
    found->final[thread] |= tree->final;
}

static inline void check_record(struct found *found, const struct recording_record *record)
{
    switch (record->type) {
    case RECORDING_PROCESS:
        found->over_cap = record->process.over_cap;
        break;
    case RECORDING_METHOD:
        found->defined[record->method.method - METHOD_FIRST_REAL] = true;
        break;
    case RECORDING_SITES:
        found->site_defined[record->sites.first - 1] = true;
        assert_int_equal(record->sites.method, METHOD_FIRST_REAL + record->sites.first - 1);
        break;
    case RECORDING_PATHS:
        check_paths(found, &record->paths);
        break;
    case RECORDING_DOCUMENT:
        found->documents |= 1u << record->document.document;
        break;
    case RECORDING_TYPE:
        found->types |= record->value_type.type;
        break;
    case RECORDING_SOURCE:
        found->sources += record->source.state == SOURCE_VERIFIED;
        found->same += record->source.state == SOURCE_SAME;
        found->missing |= record->source.state == SOURCE_MISSING ? 1u << record->source.of.document : 0;
        break;
    case RECORDING_OBJECTS:
        check_objects(found, &record->objects);
        break;
    case RECORDING_EVENTS:
        check_events(found, &record->events);
        break;
    case RECORDING_TREE_NODES:
        check_tree(found, &record->tree);
        break;
    case RECORDING_END:
        found->ended = true;
        found->end = record->end;
        break;
    default:
        break;
    }
}

static inline struct found read_all(void)
{
    struct recording_reader *reader;
    struct recording_record record;
    struct found found = {0};
    assert_int_equal(recording_open_reader(recording, &reader), CLEW_OK);
    while (recording_next(reader, UINT32_MAX, &record) == CLEW_OK) {
        check_record(&found, &record);
    }
    struct recording_health health = recording_health(reader);
    assert_int_equal(health.damaged, 0);
    assert_int_equal(health.cut_bytes, 0);
    recording_close_reader(reader);
    assert_true(found.ended);
    assert_int_equal(found.documents, 1u << 1 | 1u << 2 | 1u << 3);
    assert_int_equal(found.types, 1);
    assert_int_equal(found.sources, 1); // once for both, also after a death
    assert_int_equal(found.same, 1);
    assert_int_equal(found.missing, 1u << 3);
    return found;
}

static inline uint64_t enters_in(uint64_t events)
{
    uint64_t rest = events % (2 * NEST);
    return events / (2 * NEST) * NEST + (rest < NEST ? rest : NEST);
}

// One event may have been stored and not yet counted when the program was killed.
static inline void check_against_truth(const struct found *found, bool exact, bool sites)
{
    uint64_t all = 0;
    for (int i = 0; i < THREADS; i++) {
        uint64_t committed = atomic_load(&truth->committed[i]);
        uint64_t more = found->events[i] - committed;
        assert_true(more <= (exact ? 0 : 1));
        uint64_t calls = found->tree_calls[i] - enters_in(committed);
        assert_true(calls <= (exact ? 0 : 1));
        assert_true(found->final[i] || committed == 0);
        if (sites) {
            assert_true(found->sites[i] - enters_in(committed) <= (exact ? 0 : 1));
            assert_true(found->objects[i] - (committed + OBJECT_EVERY - 1) / OBJECT_EVERY <= (exact ? 0 : 1));
        }
        all += found->events[i] + found->sites[i];
    }
    assert_int_equal(found->end.events, all);
    assert_int_equal(found->end.lost, 0);
}

#endif
