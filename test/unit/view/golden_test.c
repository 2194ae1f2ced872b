// Every view over small recordings with known numbers, compared with test/golden/view. CLEW_GOLDEN=write writes the files
// anew; read the difference before keeping it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "../made_recording.h"

#include "../made_awaits.h"
#include "../made_throws.h"
#include "../opened.h"
#include "../recording_path.h"
#include "trace/instrument.h"
#include "view/replay/replay.h"
#include "view/report/reports.h"
#include "view/story/question.h"
#include "view/table/report_registry.h"

// The file's content; NULL when there is none. The caller frees.
static char *read_file(const char *name)
{
    FILE *file = fopen(name, "re");
    if (!file) {
        return NULL;
    }
    char *content = calloc(1, 1 << 16);
    assert_non_null(content);
    (void)fread(content, 1, (1 << 16) - 1, file);
    (void)fclose(file); // only read from
    return content;
}

static void compare(const char *name, const char *actual)
{
    char file[128];
    (void)snprintf(file, sizeof file, "test/golden/view/%s.txt", name);
    const char *mode = getenv("CLEW_GOLDEN");
    if (mode && strcmp(mode, "write") == 0) {
        FILE *out = fopen(file, "we");
        assert_non_null(out);
        assert_true(fputs(actual, out) >= 0);
        assert_int_equal(fclose(out), 0);
        return;
    }
    char *expected = read_file(file);
    if (!expected) {
        fail_msg("%s is missing", file);
    }
    assert_string_equal(actual, expected);
    free(expected);
}

static struct model *load(struct model_options options)
{
    struct model *model = NULL;
    assert_int_equal(model_load(opened(path), &options, &model), CLEW_OK);
    // Sizes depend on the compressor.
    model->file_size = 1000;
    return model;
}

typedef enum clew_error print_report(const struct report *report, const struct view *view, struct model *model);

static void print(const char *name, print_report *write, const char *report, struct view view)
{
    char *out = NULL;
    size_t size = 0;
    struct model *model = load((struct model_options){.threads_apart = view.threads});
    view.out = open_memstream(&out, &size);
    assert_non_null(view.out);
    assert_int_equal(write(report_named(text_of(report)), &view, model), CLEW_OK);
    assert_int_equal(fclose(view.out), 0);
    compare(name, out);
    free(out);
    model_free(model);
}

static void text(const char *name, const char *report, struct view view)
{
    print(name, report_text, report, view);
}

static void json(const char *name, const char *report, struct view view)
{
    print(name, report_json, report, view);
}

static enum clew_error print_info(const struct report *report, const struct view *view, struct model *model)
{
    assert_null(report);
    return view_info(view, model);
}

static enum clew_error print_info_json(const struct report *report, const struct view *view, struct model *model)
{
    assert_null(report);
    return view_info_json(view, model);
}

static void replay(const char *name, struct view_replay replay, struct view view)
{
    char *out = NULL;
    size_t size = 0;
    struct model *model = load((struct model_options){.names_only = true});
    view.out = open_memstream(&out, &size);
    assert_non_null(view.out);
    replay.to = replay.to ? replay.to : UINT64_MAX;
    assert_int_equal(view_replay(&view, model, &replay), CLEW_OK);
    assert_int_equal(fclose(view.out), 0);
    compare(name, out);
    free(out);
    model_free(model);
}

static void test_text(void **state)
{
    (void)state;
    const struct view plain = {0};
    make_tree(path, CLOCK_KIND_MONOTONIC, true);
    text("overview", "overview", plain);
    text("tree", "tree", plain);
    text("tree-threads", "tree", (struct view){.threads = true});
    text("tree-depth", "tree", (struct view){.depth = 2});
    text("tree-min-time", "tree", (struct view){.has_min_time = true, .min_time_ns = 600});
    text("tree-colour", "tree", (struct view){.colour = true, .width = 70});
    text("hot", "hot", (struct view){.top = 3});
    text("methods", "methods", plain);
    text("methods-by-calls", "methods", (struct view){.has_sort = true, .sort = TABLE_CALLS, .top = 4});
    text("methods-by-name", "methods", (struct view){.has_sort = true, .sort = TABLE_NAME});
    text("modules", "modules", plain);
    text("threads", "threads", plain);
    text("log", "log", plain);
    text("summary", "summary", plain);
    print("info", print_info, "info", plain);
}

static void test_the_stream_gives_the_same_but_cpu_times(void **state)
{
    (void)state;
    const struct view plain = {0};
    make_calls(path);
    text("tree-of-stream", "tree", plain);
    text("log", "log", plain);
    text("summary", "summary", plain);
    text("methods-of-stream", "methods", plain);
}

static void test_async(void **state)
{
    (void)state;
    const struct view plain = {0};
    make_awaits(path, MADE_ALL);
    text("async-tree", "tree", plain);
    text("async-tree-narrow", "tree", (struct view){.colour = true, .width = 76});
    text("async-tree-min-time", "tree", (struct view){.has_min_time = true, .min_time_ns = 1500});
    text("async-tree-threads", "tree", (struct view){.threads = true});
    text("async-hot", "hot", plain);
    json("async-tree-json", "tree", plain);
}

static void test_without_times(void **state)
{
    (void)state;
    const struct view plain = {0};
    make_tree(path, CLOCK_KIND_NONE, true);
    text("overview-no-clock", "overview", plain);
    text("methods-no-clock", "methods", plain);
    json("methods-no-clock-json", "methods", plain);
}

// What --var asks. It lasts until the next call.
static const struct question *asks(const char *variable)
{
    static struct question question;
    question = question_of_variable(text_of(variable));
    return &question;
}

static void test_statements_and_values(void **state)
{
    (void)state;
    const struct view plain = {0};
    make_sites(path);
    replay("replay-lines", (struct view_replay){.format = VIEW_REPLAY_LINES}, plain);
    replay("replay-story-sites", (struct view_replay){.format = VIEW_REPLAY_STORY}, plain);
    replay("replay-story-sites-depth", (struct view_replay){.format = VIEW_REPLAY_STORY}, (struct view){.depth = 1});
    replay("replay-story-sites-depth-2", (struct view_replay){.format = VIEW_REPLAY_STORY}, (struct view){.depth = 2});
    text("lines", "lines", (struct view){0});
    json("lines-json", "lines", (struct view){0});
    replay("replay-variable", (struct view_replay){.format = VIEW_REPLAY_VARIABLE, .question = asks("x")}, plain);
    replay("replay-variable-field", (struct view_replay){.format = VIEW_REPLAY_VARIABLE, .question = asks("p")}, plain);
    replay("replay-variable-part", (struct view_replay){.format = VIEW_REPLAY_VARIABLE, .question = asks("pair.Count")},
           plain);
    const struct choice main = {.kind = CHOICE_METHOD, .pattern = text_of("*.Main(*")};
    replay("replay-variable-method",
           (struct view_replay){.format = VIEW_REPLAY_VARIABLE, .question = asks("args"), .choices = {&main, 1}},
           plain);
    replay("replay-json-sites", (struct view_replay){.format = VIEW_REPLAY_JSON}, plain);
}

static void test_boxes(void **state)
{
    (void)state;
    const struct view plain = {0};
    make_boxes(path);
    replay("boxes-story", (struct view_replay){.format = VIEW_REPLAY_STORY}, plain);
    replay("boxes-lines", (struct view_replay){.format = VIEW_REPLAY_LINES}, plain);
    replay("boxes-json", (struct view_replay){.format = VIEW_REPLAY_JSON}, plain);
}

static void test_uncertain_objects(void **state)
{
    (void)state;
    const struct view plain = {0};
    make_uncertain(path);
    replay("uncertain-story", (struct view_replay){.format = VIEW_REPLAY_STORY}, plain);
    replay("uncertain-lines", (struct view_replay){.format = VIEW_REPLAY_LINES}, plain);
    replay("uncertain-json", (struct view_replay){.format = VIEW_REPLAY_JSON}, plain);
    replay("uncertain-variable", (struct view_replay){.format = VIEW_REPLAY_VARIABLE, .question = asks("holder")},
           plain);
}

static void test_lines(void **state)
{
    (void)state;
    const struct view plain = {0};
    make_lines(path, CLOCK_KIND_TICK, 0);
    text("lines-counted", "lines", plain);
    text("lines-overview", "overview", plain);
    text("lines-methods", "methods", plain);
    make_lines(path, CLOCK_KIND_MONOTONIC, INSTRUMENT_TREE);
    text("lines-80", "lines", (struct view){.width = 80});
    text("lines-overview-tree", "overview", (struct view){.top = 2});
}

static void test_allocations(void **state)
{
    (void)state;
    make_allocations(path);
    text("allocations", "allocations", (struct view){0});
    text("allocations-top", "allocations", (struct view){.top = 1});
    json("allocations-json", "allocations", (struct view){0});
}

static void test_incomplete(void **state)
{
    (void)state;
    const struct view plain = {0};
    make_cold(path);
    text("overview-cold", "overview", plain);
    print("info-cold", print_info, "info", plain);
    make_empty(path);
    text("overview-empty", "overview", plain);
}

static void caveats(const char *name, struct model *model)
{
    char *out = NULL;
    size_t size = 0;
    const struct view view = {.out = open_memstream(&out, &size)};
    assert_non_null(view.out);
    view_caveats(&view, model);
    assert_int_equal(fclose(view.out), 0);
    compare(name, out);
    free(out);
}

// A cap of the program's memory, and one of this report's.
// In the overview, what only waited is one row; a tree has all.
static void test_waiting(void **state)
{
    (void)state;
    const uint64_t SECOND = 1000000000;
    struct recording_node nodes[] = {
        node(0, 0, 0, 0, UINT64_MAX, 0),
        node(0, MAIN, 1, SECOND, SECOND, SECOND),
        node(0, LATER, 1, 200 * SECOND, 200 * SECOND, 200 * SECOND),
        node(2, FIB, 1, 190 * SECOND, 190 * SECOND, 190 * SECOND),
        node(0, ADD, 1, SECOND / 20, SECOND / 20, SECOND / 20), // too short for samples to say that it waited
        node(0, SAVE, 1, SECOND, SECOND, SECOND),
    };
    nodes[1].cpu_user_ns = 9 * SECOND / 10;
    nodes[3].cpu_user_ns = SECOND / 10;
    struct recording_tree tree = {
        .process = 1, .thread = 1, .clock = START + 10000, .final = true, .count = 6, .nodes = nodes};
    create(path, INSTRUMENT_TREE, CLOCK_KIND_MONOTONIC);
    define();
    must(recording_write_tree(writer, &tree));
    finish(12, 0, 1, true);
    text("waiting-overview", "overview", (struct view){0});
    text("waiting-by-total", "overview", (struct view){.has_sort = true, .sort = TABLE_TOTAL});
    text("waiting-tree", "tree", (struct view){0});
}

static void test_caps(void **state)
{
    (void)state;
    make_calls(path);
    struct model *model = load((struct model_options){0});
    model->folded = true;
    caveats("caveats-folded", model);
    model->folded = false;
    model->over_cap = true;
    caveats("caveats-over-cap", model);
    model_free(model);
}

static void test_deep(void **state)
{
    (void)state;
    enum { LEVELS = 2000 };
    static struct recording_node nodes[LEVELS + 3];
    nodes[0] = node(0, 0, 0, 0, UINT64_MAX, 0);
    for (uint32_t i = 1; i <= LEVELS; i++) {
        // Main, then Add(int) and Fib in turn; at the bottom Check.
        uint32_t method = i == 1 ? MAIN : i == LEVELS ? THROW : i % 2 ? FIB : ADD;
        nodes[i] = node(i - 1, method, 1, 100000 - i, 100000 - i, 100000 - i);
    }
    // A sibling that is visited after the depths must not inherit their level.
    nodes[LEVELS + 1] = node(1, SAVE, 1, 10, 10, 10);
    nodes[LEVELS + 2] = node(LEVELS + 1, SAVE_BODY, 1, 5, 5, 5);
    struct recording_tree tree = {
        .process = 1, .thread = 1, .clock = START + 10000, .final = true, .count = LEVELS + 3, .nodes = nodes};
    create(path, INSTRUMENT_TREE, CLOCK_KIND_MONOTONIC);
    define();
    must(recording_write_tree(writer, &tree));
    finish(2 * (LEVELS + 2), 0, 1, true);
    text("tree-deep", "tree", (struct view){0});
    json("tree-deep-json", "tree", (struct view){.depth = 5});
}

// Of a small program everything is shown, however short; of the framework only what was recorded.
static void test_small(void **state)
{
    (void)state;
    struct recording_node nodes[] = {node(0, 0, 0, 0, UINT64_MAX, 0), node(0, MAIN, 1, 9000000, 9000000, 9000000),
                                     node(1, ADD, 1, 7, 7, 7), node(1, FIB, 3, 5, 1, 3)};
    struct recording_tree tree = {
        .process = 1, .thread = 1, .clock = START + 9000000, .final = true, .count = 4, .nodes = nodes};
    struct recording_module framework = {
        .process = 1, .module = 70, .mvid = {9}, .flags = MODULE_FRAMEWORK, .name = text_of("System.Runtime")};
    create(path, INSTRUMENT_TREE, CLOCK_KIND_MONOTONIC);
    define();
    must(recording_write_module(writer, &framework));
    must(recording_write_tree(writer, &tree));
    finish(10, 0, 1, true);
    text("overview-small", "overview", (struct view){0});
    text("modules-framework", "modules", (struct view){0});
}

// On terminals: names shortened, levels that do little but call the next folded, indentation held back.
static void test_terminals(void **state)
{
    (void)state;
    enum { CHAIN = 8, LEAVES = 18, FIRST = 100 };
    static const char *const types[] = {"Orders.Store", "Orders.Internal.Journal<TEntry>", "Session", "Transport.Http"};
    struct recording_node nodes[CHAIN + LEAVES + 1] = {node(0, 0, 0, 0, UINT64_MAX, 0)};
    create(path, INSTRUMENT_TREE, CLOCK_KIND_MONOTONIC);
    define();
    for (uint32_t i = 1; i <= CHAIN + LEAVES; i++) {
        char name[128];
        bool chain = i <= CHAIN;
        (void)snprintf(name, sizeof name, "Company.Product.Shop.%s.%s%u(Company.Product.Order, string)", types[i % 4],
                       chain ? "ForwardEverythingTo" : "Leaf", i);
        define_method(FIRST + i, 7, 0, name);
        uint64_t total = chain ? 9000 - i : 100 + i;
        nodes[i] = node(chain ? i - 1 : CHAIN, FIRST + i, i, total, total, total);
    }
    struct recording_tree tree = {
        .process = 1, .thread = 1, .clock = START + 9000, .final = true, .count = CHAIN + LEAVES + 1, .nodes = nodes};
    must(recording_write_tree(writer, &tree));
    finish(2 * (CHAIN + LEAVES), 0, 1, true);
    text("overview-80", "overview", (struct view){.width = 80});
    text("overview-120", "overview", (struct view){.width = 120});
    text("overview-120-colour", "overview", (struct view){.width = 120, .colour = true});
    text("methods-80", "methods", (struct view){.width = 80, .top = 5});
    text("methods-120", "methods", (struct view){.width = 120, .top = 5});
    text("overview-names-short", "overview", (struct view){.names = VIEW_NAMES_SHORT});
    text("overview-names-full", "overview", (struct view){.width = 80, .names = VIEW_NAMES_FULL});
}

// A child process runs the same program: methods are one row, trees are apart.
static void test_processes(void **state)
{
    (void)state;
    struct recording_node nodes[] = {node(0, 0, 0, 0, UINT64_MAX, 0), node(0, 40, 2, 600, 200, 400),
                                     node(1, 41, 3, 300, 50, 200)};
    struct recording_tree tree = {.process = 1, .thread = 1, .clock = START + 9000, .final = true, .count = 3};
    struct recording_process child = {.process = 2,
                                      .os_id = 5000,
                                      .state = PROCESS_CUT,
                                      .command = text_of("dotnet shop.dll --child"),
                                      .runtime = text_of("CoreCLR 10.0.12")};
    struct recording_module module = {.process = 2, .module = 7, .mvid = {1, 2, 3}, .name = text_of("shop")};
    struct recording_method method = {
        .process = 2, .method = 40, .module = 7, .token = 0x06000000 + ADD, .name = text_of("Shop.Cart.Add(int)")};
    struct recording_method other = {
        .process = 2, .method = 41, .module = 7, .token = 0x06000100, .name = text_of("Shop.Child.Run()")};
    struct recording_thread thread = {.process = 2, .thread = 1, .os_id = 5000, .name = text_of("main")};
    create(path, INSTRUMENT_TREE, CLOCK_KIND_MONOTONIC);
    define();
    must(recording_write_process(writer, &child));
    must(recording_write_module(writer, &module));
    must(recording_write_method(writer, &method));
    must(recording_write_method(writer, &other));
    must(recording_write_thread(writer, &thread));
    tree.nodes = nodes;
    tree.process = 2;
    must(recording_write_tree(writer, &tree));
    nodes[1].method = ADD;
    nodes[2].method = ADD_TEXT;
    tree.process = 1;
    must(recording_write_tree(writer, &tree));
    finish(20, 0, 3, false);
    text("overview-processes", "overview", (struct view){0});
    text("methods-processes", "methods", (struct view){0});
    text("modules-processes", "modules", (struct view){0});
    text("tree-processes", "tree", (struct view){.threads = true});
    json("tree-processes-json", "tree", (struct view){0});
}

struct process_end {
    enum process_state state;
    int status;
    enum recording_exit_known known;
};

static void make_ends(const struct process_end *ends, uint32_t count)
{
    create(path, INSTRUMENT_TREE, CLOCK_KIND_MONOTONIC);
    for (uint32_t i = 0; i < count; i++) {
        struct recording_process process = {.process = i + 1,
                                            .os_id = 4711 + i,
                                            .state = ends[i].state,
                                            .exit_status = ends[i].status,
                                            .exit_known = ends[i].known,
                                            .command = text_of("dotnet shop.dll")};
        must(recording_write_process(writer, &process));
    }
    finish(0, 0, 0, true);
}

// What is not known is not 0; a child's 0 of an older recording is not either.
static void test_ends(void **state)
{
    (void)state;
    static const struct process_end ends[] = {
        {PROCESS_ENDED, 0, RECORDING_EXIT_KNOWN},
        {PROCESS_ENDED, 3 << 8, RECORDING_EXIT_KNOWN},
        {PROCESS_ENDED, 134 << 8, RECORDING_EXIT_KNOWN}, // of a shell whose child was aborted
        {PROCESS_KILLED, SIGABRT | 0x80, RECORDING_EXIT_KNOWN},
        {PROCESS_KILLED, 40, RECORDING_EXIT_KNOWN}, // a signal without a name
        {PROCESS_ENDED, 0, RECORDING_EXIT_UNKNOWN},
        {PROCESS_CUT, 0, RECORDING_EXIT_UNKNOWN},
        {PROCESS_DORMANT, 0, RECORDING_EXIT_UNKNOWN},
        {PROCESS_ENDED, 0, RECORDING_EXIT_NOT_STATED},
        {PROCESS_ENDED, 7 << 8, RECORDING_EXIT_NOT_STATED},
    };
    make_ends(ends, sizeof ends / sizeof *ends);
    print("info-ends", print_info, "info", (struct view){0});
    print("info-ends-json", print_info_json, "info", (struct view){0});
    make_ends(&(struct process_end){PROCESS_ENDED, 0, RECORDING_EXIT_NOT_STATED}, 1);
    print("info-ends-older", print_info, "info", (struct view){0});
}

static void test_json(void **state)
{
    (void)state;
    const struct view plain = {0};
    make_tree(path, CLOCK_KIND_MONOTONIC, true);
    json("all-json", "overview", plain);
    json("tree-json", "tree", (struct view){.has_min_time = true, .min_time_ns = 600});
    json("tree-threads-json", "tree", (struct view){.threads = true});
    json("hot-json", "hot", (struct view){.top = 2});
    json("log-json", "log", plain);
    json("summary-json", "summary", plain);
}

static void test_replay_async(void **state)
{
    (void)state;
    const struct view plain = {0};
    make_async_stream(path, 100);
    replay("story-async", (struct view_replay){.format = VIEW_REPLAY_STORY}, plain);
    replay("story-async-depth", (struct view_replay){.format = VIEW_REPLAY_STORY}, (struct view){.depth = 2});
    replay("story-async-min-time", (struct view_replay){.format = VIEW_REPLAY_STORY},
           (struct view){.has_min_time = true, .min_time_ns = 300});
    replay("story-async-window", (struct view_replay){.format = VIEW_REPLAY_STORY, .from = 1500, .to = 2500}, plain);
    replay("replay-json-async", (struct view_replay){.format = VIEW_REPLAY_JSON}, plain);
    replay("replay-log-async", (struct view_replay){.format = VIEW_REPLAY_LOG}, plain);
}

static void replay_call(const char *name, uint64_t call, enum view_replay_format format, struct view view)
{
    replay(name, (struct view_replay){.format = format, .process = 1, .call = call}, view);
}

// From any of its runs, and whether or not the events of a run are in one block.
static void test_replay_call(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {100, 1, 3};
    const struct view numbers = {.verbose = true};
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        make_async_stream(path, sizes[i]);
        replay_call("story-call-outer", 2, VIEW_REPLAY_STORY, numbers);
        replay_call("story-call-outer", 3, VIEW_REPLAY_STORY, numbers);
        replay_call("story-call-outer", 9, VIEW_REPLAY_STORY, numbers);
        for (uint64_t call = 4; call <= 8; call++) {
            if (call != 7) {
                replay_call("story-call-inner", call, VIEW_REPLAY_STORY, numbers);
            }
        }
        replay_call("story-call-plain", 7, VIEW_REPLAY_STORY, numbers);
        replay_call("story-call-joined", 11, VIEW_REPLAY_STORY, numbers); // it began before
        replay_call("story-call-lost", 13, VIEW_REPLAY_STORY, numbers);
        replay_call("story-call-depth", 2, VIEW_REPLAY_STORY, (struct view){.depth = 2});
        replay_call("story-call-all", 1, VIEW_REPLAY_STORY, numbers);
        replay_call("replay-json-call", 4, VIEW_REPLAY_JSON, numbers);
    }
}

static void test_replay(void **state)
{
    (void)state;
    const struct view plain = {0};
    make_calls(path);
    replay("story", (struct view_replay){.format = VIEW_REPLAY_STORY}, plain);
    replay("story-min-time", (struct view_replay){.format = VIEW_REPLAY_STORY},
           (struct view){.has_min_time = true, .min_time_ns = 300});
    replay("story-depth", (struct view_replay){.format = VIEW_REPLAY_STORY}, (struct view){.depth = 2});
    replay("story-window", (struct view_replay){.format = VIEW_REPLAY_STORY, .from = 1200, .to = 3500}, plain);
    const struct model_thread second = {.thread = 2};
    replay("story-thread", (struct view_replay){.format = VIEW_REPLAY_STORY, .threads = {&second, 1}}, plain);
    replay("replay-log", (struct view_replay){.format = VIEW_REPLAY_LOG}, plain);
    replay("replay-json", (struct view_replay){.format = VIEW_REPLAY_JSON}, plain);
    make_cold(path);
    replay("story-cold", (struct view_replay){.format = VIEW_REPLAY_STORY}, plain);
    replay("replay-json-cold", (struct view_replay){.format = VIEW_REPLAY_JSON}, plain);
    make_numbers(path);
    replay("story-numbers", (struct view_replay){.format = VIEW_REPLAY_STORY}, (struct view){.verbose = true});
    replay("story-cold", (struct view_replay){.format = VIEW_REPLAY_STORY}, plain);
    replay("replay-json-numbers", (struct view_replay){.format = VIEW_REPLAY_JSON}, plain);
}

static void test_exceptions(void **state)
{
    (void)state;
    const struct view plain = {0};
    make_throws(path);
    text("exceptions", "exceptions", plain);
    json("exceptions-json", "exceptions", plain);
    text("thrown-tree", "tree", plain);
    text("thrown-tree-narrow", "tree", (struct view){.width = 80});
    json("thrown-tree-json", "tree", plain);
    replay("thrown-story", (struct view_replay){.format = VIEW_REPLAY_STORY}, plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_async),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_the_stream_gives_the_same_but_cpu_times),
        cmocka_unit_test(test_without_times),
        cmocka_unit_test(test_statements_and_values),
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_uncertain_objects),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_incomplete),
        cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_exceptions),
        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_caps),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_processes),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_replay),
        cmocka_unit_test(test_replay_async),
        cmocka_unit_test(test_replay_call),
        cmocka_unit_test(test_terminals),
        cmocka_unit_test(test_small),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
