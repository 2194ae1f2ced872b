// The usual life of the agent in a process: modules, methods, woven bodies and their counts, threads, the end.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "check.h"
#include "il/body.h"
#include "session.h"
#include "trace/instrument.h"
#include "woven.h"

static const char csharp[] = "test/fuzz/corpus/metadata/CSharp.dll";
static const char basic[] = "test/fuzz/corpus/metadata/VisualBasic.dll";
static const char fsharp[] = "test/fuzz/corpus/metadata/FSharp.dll";

#define IN_CHILD(name)                    \
    static void test_##name(void **state) \
    {                                     \
        (void)state;                      \
        assert_true(fake_run(name, 20));  \
    }

// -- Every method -----------------------------------------------------------------------------------------------------

// A site is defined before the body that contains it is passed to the runtime.
static void definition_comes_first(struct fake_module *module, uint32_t token, const uint8_t *il, size_t size)
{
    (void)module;
    (void)il;
    (void)size;
    CHECK(session_find(RING_DEFINE_METHOD, 0, token));
}

// Returns how many methods were defined: all. The kick-off of an async method stays as it is, since its body's probes record
// it; the body comes later in the metadata.
static uint32_t compile_all(struct fake_module *module)
{
    uint32_t all = 0;
    for (uint32_t row = 1; row <= module->method_count; row++) {
        if (fake_has_il(module, row)) {
            struct woven method;
            fake_compile(module, row, 0);
            all++;
            if (!woven_read(module, row, &method)) {
                CHECK(woven_body_of(module, row) && module->methods[row - 1].times_set == 0);
                continue;
            }
            CHECK_EQUAL(module->methods[row - 1].times_set, 1);
            CHECK(module->methods[row - 1].map_count > 0);
            CHECK_EQUAL(session_find(RING_DEFINE_METHOD, 0, TOKEN(TABLE_METHOD_DEF, row))->method, method.number);
        }
    }
    return all;
}

static void every_method_is_woven(void)
{
    session_record(&session_tree);
    fake_before_set = definition_comes_first;
    const char *paths[] = {csharp, basic, fsharp};
    uint32_t all = 0;
    for (uint32_t i = 0; i < 3; i++) {
        struct fake_module *module = fake_load(paths[i]);
        const struct told *told = session_find(RING_DEFINE_MODULE, i + 1, 0);
        CHECK(told && told->flags & MODULE_IN_SCOPE && strcmp(told->path, paths[i]) == 0);
        uint32_t woven = compile_all(module);
        CHECK(woven > 20);
        all += woven;
        CHECK_EQUAL(session_count(RING_DEFINE_METHOD), all);
    }
    CHECK_EQUAL(session_count(RING_DEFINE_NOT_WOVEN), 0);
    const struct told *runtime = session_find(RING_DEFINE_RUNTIME, 0, 0);
    CHECK(runtime && strcmp(runtime->name, "CoreCLR 10.0.12") == 0);
}
IN_CHILD(every_method_is_woven)

static void calls_are_counted(void)
{
    struct woven methods[3], handling;
    session_record(&session_tree);
    struct fake_module *module = fake_load(csharp);
    woven_methods(module, false, methods, 3);
    woven_methods(module, true, &handling, 1);
    for (int i = 0; i < 5; i++) {
        (void)woven_enter(&methods[0]);
        uintptr_t activation = woven_enter(&handling);
        CHECK(activation);
        (void)woven_enter(&methods[1]);
        woven_leave(&methods[1]);
        woven_restate(&handling, activation); // nothing to heal
        woven_leave(&handling);
        (void)woven_enter(&methods[2]);
        CHECK_EQUAL(session_running(session_thread()), 2);
        woven_leave(&methods[2]);
        woven_leave(&methods[0]);
    }
    const struct ring_thread *thread = session_thread();
    CHECK_EQUAL(session_running(thread), 0);
    CHECK_EQUAL(session_node(thread, methods[0].number, 0)->calls, 5);
    CHECK_EQUAL(session_node(thread, methods[0].number, handling.number, 0)->calls, 5);
    CHECK_EQUAL(session_node(thread, methods[0].number, handling.number, methods[1].number, 0)->calls, 5);
    CHECK_EQUAL(session_node(thread, methods[0].number, methods[2].number, 0)->calls, 5);
    CHECK(!session_node(thread, methods[1].number, 0));
    CHECK(session_node(thread, methods[0].number, 0)->total >=
          session_node(thread, methods[0].number, handling.number, 0)->total);
}
IN_CHILD(calls_are_counted)

static void streams_ask_for_room(void)
{
    struct woven method;
    struct ring_options options = session_tree;
    options.instruments |= INSTRUMENT_CALLS;
    session_record(&options);
    woven_methods(fake_load(csharp), false, &method, 1);
    CHECK(method.wait);
    for (int i = 0; i < 10000; i++) { // some chunks
        (void)woven_enter(&method);
        woven_leave(&method);
    }
    const struct ring_thread *thread = session_thread();
    CHECK_EQUAL(session_node(thread, method.number, 0)->calls, 10000);
    CHECK_EQUAL(session_ring->chunks_full, 20000 * 8 / 14272); // chunks hold 16,384 - 64 - 2,048 bytes
}
IN_CHILD(streams_ask_for_room)

// -- Exactly once -----------------------------------------------------------------------------------------------------

enum { RACERS = 8 };
static pthread_barrier_t barrier;
static struct fake_module *raced;

static void *race(void *argument)
{
    unsigned instance = (unsigned)(uintptr_t)argument % FAKE_INSTANCES;
    for (uint32_t row = 1; row <= raced->method_count; row++) {
        (void)pthread_barrier_wait(&barrier);
        fake_compile(raced, row, instance);
        struct woven method;
        // Woven before any thread's JIT continues.
        CHECK(!fake_has_il(raced, row) || woven_read(raced, row, &method) || woven_body_of(raced, row));
    }
    return NULL;
}

static void racing_threads_weave_once(void)
{
    pthread_t threads[RACERS];
    session_record(&session_tree);
    raced = fake_load(csharp);
    CHECK_EQUAL(pthread_barrier_init(&barrier, NULL, RACERS), 0);
    for (uintptr_t i = 0; i < RACERS; i++) {
        CHECK_EQUAL(pthread_create(&threads[i], NULL, race, (void *)i), 0);
    }
    for (uint32_t i = 0; i < RACERS; i++) {
        CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
    }
    uint32_t methods = 0;
    for (uint32_t row = 1; row <= raced->method_count; row++) {
        uint32_t set = raced->methods[row - 1].times_set;
        CHECK(set == fake_has_il(raced, row) || (set == 0 && woven_body_of(raced, row)));
        methods += fake_has_il(raced, row);
    }
    CHECK_EQUAL(session_count(RING_DEFINE_METHOD), methods);
}
IN_CHILD(racing_threads_weave_once)

static void instantiations_share_their_body(void)
{
    struct woven method, again;
    session_record(&session_tree);
    struct fake_module *module = fake_load(csharp);
    woven_methods(module, false, &method, 1);
    const uint8_t *il = module->methods[method.row - 1].il;
    for (unsigned i = 0; i < FAKE_INSTANCES; i++) {
        fake_compile(module, method.row, i);
    }
    CHECK(module->methods[method.row - 1].il == il && woven_read(module, method.row, &again));
    CHECK_EQUAL(again.number, method.number);
    // An exception names the instance of a generic method that it passes.
    (void)woven_enter(&method);
    (void)fake_callback(CLR_CB_EXCEPTION_UNWIND_FUNCTION_ENTER, fake_function(module, method.row, 2), 0, 0);
    (void)fake_callback(CLR_CB_EXCEPTION_UNWIND_FUNCTION_LEAVE, 0, 0, 0);
    CHECK_EQUAL(session_node(session_thread(), method.number, 0)->exceptions, 1);
    CHECK_EQUAL(session_running(session_thread()), 0);
}
IN_CHILD(instantiations_share_their_body)

// -- What the JIT asks ------------------------------------------------------------------------------------------------

static int32_t may_inline(clr_id caller, clr_id callee)
{
    int32_t answer = -1;
    (void)fake_callback(CLR_CB_JIT_INLINING, caller, callee, (uintptr_t)&answer);
    return answer;
}

static int32_t asked_about(enum clr_callback_slot slot, clr_id function)
{
    int32_t answer = -1;
    if (slot == CLR_CB_JIT_INLINING) {
        return may_inline(function, function);
    }
    (void)fake_callback(slot, function, (uintptr_t)&answer, 0);
    return answer;
}

static void precompiled_code_and_inlining(void)
{
    struct ring_options options = session_tree;
    options.scope = text_of("include [CSharp]*\nexclude [CSharp]*Cart*\n");
    session_record(&options);
    struct fake_module *in = fake_load(csharp), *out = fake_load(basic);
    CHECK(!(session_find(RING_DEFINE_MODULE, 2, 0)->flags & MODULE_IN_SCOPE));
    CHECK(session_find(RING_DEFINE_MODULE, 2, 0)->reason[0]);
    CHECK_EQUAL(out->opened, false); // metadata of a module out of scope stays as it is
    CHECK_EQUAL(asked_about(CLR_CB_JIT_CACHED_FUNCTION_SEARCH_STARTED, fake_function(out, 1, 0)), 1);
    CHECK_EQUAL(asked_about(CLR_CB_JIT_INLINING, fake_function(out, 1, 0)), 1);
    uint32_t excluded = 0, included = 0;
    for (uint32_t row = 1; row <= in->method_count; row++) {
        clr_id function = fake_function(in, row, 0);
        struct woven method;
        if (!fake_has_il(in, row)) {
            continue;
        }
        CHECK_EQUAL(asked_about(CLR_CB_JIT_CACHED_FUNCTION_SEARCH_STARTED, function), 0);
        int32_t before = asked_about(CLR_CB_JIT_INLINING, function);
        fake_compile(in, row, 0);
        bool woven = woven_read(in, row, &method);
        // A body that gets no probes may be inlined anywhere, one that will get them may not. Whether a kick-off gets any is
        // decided when it is compiled.
        CHECK(woven_body_of(in, row) ? !before || !woven : before == !woven);
        CHECK_EQUAL(asked_about(CLR_CB_JIT_INLINING, function), 1);
        CHECK_EQUAL(may_inline(fake_function(out, 1, 0), function), !woven);
        excluded += !woven;
        included += woven;
    }
    CHECK(excluded > 10 && included > 10);
    CHECK_EQUAL(session_count(RING_DEFINE_NOT_WOVEN), 0); // methods out of scope need no reason
}
IN_CHILD(precompiled_code_and_inlining)

struct compilation {
    struct fake_module *module;
    uint32_t row;
};

static void *compile(void *what)
{
    const struct compilation *compilation = what;
    fake_compile(compilation->module, compilation->row, 0);
    return NULL;
}

static void compile_on_another_thread(struct fake_module *module, uint32_t row)
{
    struct compilation compilation = {module, row};
    struct woven method;
    pthread_t other;
    CHECK(pthread_create(&other, NULL, compile, &compilation) == 0 && pthread_join(other, NULL) == 0);
    CHECK(woven_read(module, row, &method));
}

// From beginning to end, deeper in the stack.
static __attribute__((noinline)) void compile_within(struct fake_module *module, uint32_t row)
{
    volatile uint32_t deeper[128] = {row};
    fake_compile(module, deeper[0], 0);
    fake_compiled(module, deeper[0], 0);
}

// Some methods of a module that is recorded.
static struct fake_module *recorded_methods(uint32_t *rows, uint32_t count)
{
    session_record(&session_tree);
    struct fake_module *module = fake_load(csharp);
    for (uint32_t row = 1; count; row++) {
        if (fake_has_il(module, row)) {
            *rows++ = row;
            count--;
        }
    }
    return module;
}

// The JIT reads the callee's body before it asks: a body that another thread weaves in between comes too late.
static void a_body_may_be_read_before_it_is_woven(void)
{
    uint32_t rows[3];
    struct fake_module *module = recorded_methods(rows, 3);
    fake_compile(module, rows[0], 0);
    compile_on_another_thread(module, rows[1]);
    CHECK_EQUAL(asked_about(CLR_CB_JIT_INLINING, fake_function(module, rows[1], 0)), 0);
    CHECK_EQUAL(asked_about(CLR_CB_JIT_INLINING, fake_function(module, rows[0], 0)), 1);
    fake_compile(module, rows[2], 0); // the first compilation was abandoned; the runtime does not announce that
    CHECK_EQUAL(asked_about(CLR_CB_JIT_INLINING, fake_function(module, rows[1], 0)), 1);
}
IN_CHILD(a_body_may_be_read_before_it_is_woven)

static void a_compilation_within_another_does_not_hide_what_came_before_it(void)
{
    uint32_t rows[4];
    struct fake_module *module = recorded_methods(rows, 4);
    fake_compile(module, rows[0], 0);
    compile_on_another_thread(module, rows[1]);
    compile_within(module, rows[2]);
    CHECK_EQUAL(asked_about(CLR_CB_JIT_INLINING, fake_function(module, rows[1], 0)), 0);
    (void)fake_callback(CLR_CB_DYNAMIC_METHOD_JIT_STARTED, fake_function(module, rows[3], 0), 1, 0);
    compile_on_another_thread(module, rows[3]);
    compile_within(module, rows[2]);
    CHECK_EQUAL(asked_about(CLR_CB_JIT_INLINING, fake_function(module, rows[3], 0)), 0);
}
IN_CHILD(a_compilation_within_another_does_not_hide_what_came_before_it)

static void after_one_compilation_the_next_may_be_deeper_in_the_stack(void)
{
    uint32_t rows[3];
    struct fake_module *module = recorded_methods(rows, 3);
    fake_compile(module, rows[0], 0);
    fake_compiled(module, rows[0], 0);
    compile_on_another_thread(module, rows[1]);
    compile_within(module, rows[2]);
    CHECK_EQUAL(asked_about(CLR_CB_JIT_INLINING, fake_function(module, rows[1], 0)), 1);
}
IN_CHILD(after_one_compilation_the_next_may_be_deeper_in_the_stack)

// The JIT asks at every call, but the name is read once. After that the image's pages are unmapped.
static void scope_is_decided_once(void)
{
    struct ring_options options = session_tree;
    options.scope = text_of("include [CSharp]*Cart*\n");
    session_record(&options);
    struct fake_module *module = fake_load(csharp);
    bool *allowed = calloc(module->method_count, sizeof *allowed);
    uint32_t left = 0;
    for (uint32_t i = 0; i < module->method_count; i++) {
        allowed[i] = asked_about(CLR_CB_JIT_INLINING, fake_function(module, i + 1, 0)) == 1;
        left += allowed[i];
    }
    CHECK(left > 10 && left < module->method_count);
    uintptr_t page = (uintptr_t)getpagesize(), first = ((uintptr_t)module->bytes + page - 1) & -page;
    CHECK_EQUAL(mprotect((void *)first, ((uintptr_t)module->bytes + module->size - first) & -page, PROT_NONE), 0);
    for (uint32_t i = 0; i < module->method_count; i++) {
        CHECK(!allowed[i] || asked_about(CLR_CB_JIT_INLINING, fake_function(module, i + 1, 0)) == 1);
    }
}
IN_CHILD(scope_is_decided_once)

// Compiles all of the module; how many methods were woven with neither mark, without a row in the tree, without events.
struct marks {
    uint32_t none, not_in_tree, not_in_calls, left;
};

static struct marks marks_of(struct fake_module *module)
{
    struct marks marks = {0};
    for (uint32_t row = 1; row <= module->method_count; row++) {
        struct woven method;
        if (!fake_has_il(module, row)) {
            continue;
        }
        fake_compile(module, row, 0);
        if (!woven_read(module, row, &method)) {
            marks.left++;
            continue;
        }
        uint32_t token = TOKEN(TABLE_METHOD_DEF, row);
        CHECK_EQUAL(session_find(RING_DEFINE_METHOD, 0, token)->method, method.number & RING_METHOD_NUMBER);
        marks.not_in_tree += (method.number & RING_METHOD_NOT_IN_TREE) != 0;
        marks.not_in_calls += (method.number & RING_METHOD_NOT_IN_CALLS) != 0;
        marks.none += (method.number & ~(uint32_t)RING_METHOD_RUNS) <= RING_METHOD_NUMBER;
    }
    return marks;
}

static void instruments_have_scopes_of_their_own(void)
{
    struct ring_options options = session_tree;
    options.instruments |= INSTRUMENT_CALLS;
    options.scope = text_of("calls [CSharp]*Cart*\ncalls [VisualBasic]*\ninclude [CSharp]*\nexclude *.ctor\n");
    session_record(&options);
    struct marks csharp_marks = marks_of(fake_load(csharp)), basic_marks = marks_of(fake_load(basic));
    CHECK(csharp_marks.none > 10 && csharp_marks.not_in_calls > 10); // --include for the tree, some of it for calls
    CHECK_EQUAL(csharp_marks.not_in_tree, 0);
    CHECK(basic_marks.not_in_tree > 10);
    CHECK(basic_marks.none == 0 && basic_marks.not_in_calls == 0);
    CHECK(csharp_marks.left > 0 && basic_marks.left > 0); // --exclude is for all
    struct marks fsharp_marks = marks_of(fake_load(fsharp));
    CHECK(fsharp_marks.none == 0 && fsharp_marks.not_in_tree == 0 && fsharp_marks.not_in_calls == 0);
    CHECK(!(session_find(RING_DEFINE_MODULE, 3, 0)->flags & MODULE_IN_SCOPE));
}
IN_CHILD(instruments_have_scopes_of_their_own)

// With one instrument alone, methods need no marks.
static void a_scope_of_its_own_replaces_the_default(void)
{
    struct ring_options options = session_tree;
    options.scope = text_of("tree [CSharp]*Cart*\n");
    session_record(&options);
    struct marks marks = marks_of(fake_load(csharp));
    CHECK(marks.none > 10 && marks.left > 10);
    CHECK(marks.not_in_tree == 0 && marks.not_in_calls == 0);
}
IN_CHILD(a_scope_of_its_own_replaces_the_default)

// The compiled bodies have no probes, and no call right before a `ret`, which the JIT could turn into a jump.
static void check_hooked(const struct fake_method *method)
{
    struct arena arena = {0};
    struct il_body body;
    CHECK_EQUAL(il_decode(bytes_of(method->il, method->il_size), &arena, &body), CLEW_OK);
    for (const struct il_instruction *at = body.first; at != body.end; at = at->next) {
        bool calls = at->opcode == IL_CALL || at->opcode == IL_CALLVIRT || at->opcode == IL_CALLI;
        CHECK(!calls || at->next->opcode != IL_RET || il_is_tail_prefixed(at));
    }
    CHECK(method->times_set <= 1 && (method->times_set == 0 || method->map_count > 0));
    arena_free(&arena);
}

static void hooks_are_mapped(void)
{
    struct ring_options options = session_tree;
    options.flags = SESSION_ALL_CODE;
    options.scope = text_of("include [CSharp]*\n");
    session_record(&options);
    CHECK(fake_asked.mapper && fake_asked.enter && fake_asked.leave && fake_asked.tailcall);
    CHECK_EQUAL(fake_asked.mask_high, 0);
    struct fake_module *in = fake_load(csharp), *out = fake_load(basic);
    uint32_t parted = 0;
    CHECK_EQUAL(in->opened, false);
    for (uint32_t row = 1; row <= in->method_count; row++) {
        int32_t hook = -1, again = -1, outside = -1;
        uintptr_t first = fake_asked.mapper(fake_function(in, row, 0), fake_asked.mapper_context, &hook);
        uintptr_t second = fake_asked.mapper(fake_function(in, row, 1), fake_asked.mapper_context, &again);
        CHECK(hook == 1 && again == 1 && first == second && first >= METHOD_FIRST_REAL);
        fake_compile(in, row, 0);
        fake_compile(in, row, 1);
        if (in->methods[row - 1].il) {
            check_hooked(&in->methods[row - 1]);
            parted += in->methods[row - 1].times_set;
        }
        if (row <= out->method_count) {
            (void)fake_asked.mapper(fake_function(out, row, 0), fake_asked.mapper_context, &outside);
            CHECK_EQUAL(outside, 0);
        }
    }
    CHECK(parted > 10);
    CHECK_EQUAL(session_count(RING_DEFINE_METHOD), in->method_count);
}
IN_CHILD(hooks_are_mapped)

// -- Modules come and go ----------------------------------------------------------------------------------------------

static void module_ids_are_used_again(void)
{
    struct woven old, fresh;
    session_record(&session_tree);
    struct fake_module *module = fake_load(csharp);
    woven_methods(module, false, &old, 1);
    (void)woven_enter(&old);
    woven_leave(&old);
    (void)fake_callback(CLR_CB_MODULE_UNLOAD_STARTED, (uintptr_t)module, 0, 0);
    CHECK(session_find(RING_DEFINE_MODULE_END, 1, 0));
    // The image is gone; the same id comes again for another module.
    struct fake_module *other = fake_module_new(basic);
    memset(module->bytes, 0xAA, module->size);
    module->bytes = other->bytes;
    module->size = other->size;
    module->image = other->image;
    module->metadata = other->metadata;
    module->methods = other->methods;
    module->method_count = other->method_count;
    module->signature_count = module->type_refs = module->assembly_refs = 0;
    for (uint32_t i = 0; i < other->method_count; i++) {
        for (unsigned k = 0; k < FAKE_INSTANCES; k++) {
            other->methods[i].instances[k].module = module;
        }
    }
    fake_load_finished(module);
    woven_methods(module, false, &fresh, 1);
    CHECK(fresh.number != old.number);
    const struct told *told = session_find(RING_DEFINE_METHOD, 2, 0);
    CHECK(told && told->method == fresh.number);
    (void)fake_callback(CLR_CB_MODULE_UNLOAD_STARTED, (uintptr_t)module, 0, 0);
    fake_compile(module, 1, 1); // too late: the agent has forgotten the module
    CHECK(session_find(RING_DEFINE_MODULE_END, 2, 0));
}
IN_CHILD(module_ids_are_used_again)

static void modules_made_at_run_time_are_left_alone(void)
{
    session_record(&session_tree);
    struct fake_module *module = fake_module_new(basic);
    module->flags = CLR_MODULE_DYNAMIC;
    module->path[0] = 0;
    fake_load_finished(module);
    const struct told *told = session_find(RING_DEFINE_MODULE, 1, 0);
    CHECK(told && told->reason[0] && !(told->flags & MODULE_IN_SCOPE));
    for (uint32_t row = 1; row <= module->method_count; row++) {
        fake_compile(module, row, 0);
        CHECK_EQUAL(module->methods[row - 1].times_set, 0);
    }
    (void)fake_callback(CLR_CB_DYNAMIC_METHOD_JIT_STARTED, fake_function(module, 1, 0), 1, 0);
    CHECK_EQUAL(session_ring->dynamic_methods, 1);
    (void)fake_callback(CLR_CB_MODULE_LOAD_FINISHED, (uintptr_t)module, (uintptr_t)(uint32_t)0x80004005u, 0);
    CHECK_EQUAL(session_count(RING_DEFINE_MODULE), 1); // it has not been loaded
}
IN_CHILD(modules_made_at_run_time_are_left_alone)

// The first method from `row` on that has a body, or none.
static uint32_t next_row(const struct fake_module *module, uint32_t row, bool body)
{
    while (row <= module->method_count && (module->methods[row - 1].il != NULL) != body) {
        row++;
    }
    CHECK(row <= module->method_count);
    return row;
}

// A body that the decoder does not understand runs unchanged, and the report gives the reason. A method without a body, whose stub
// the runtime compiles, is no method that was left alone.
static void odd_bodies_are_left_alone(void)
{
    static _Alignas(4) const uint8_t odd[] = {0x2 | 3 << 2, 0x24, 0x24, 0x24}; // tiny header, no such opcodes
    static _Alignas(4) const uint8_t shallow[] = {0x2 | 2 << 2, 0x26, 0x2A};   // pop without anything to pop
    session_record(&session_tree);
    struct fake_module *module = fake_module_new(basic);
    uint32_t none = next_row(module, 1, false), rows[3] = {next_row(module, 1, true)};
    rows[1] = next_row(module, rows[0] + 1, true);
    rows[2] = next_row(module, rows[1] + 1, true);
    module->methods[rows[0] - 1].il = odd;
    module->methods[rows[0] - 1].il_size = sizeof odd;
    module->methods[rows[1] - 1].il = shallow;
    module->methods[rows[1] - 1].il_size = sizeof shallow;
    module->methods[rows[2] - 1].il = NULL;
    fake_load_finished(module);
    fake_compile(module, none, 0);
    CHECK(!session_find(RING_DEFINE_NOT_WOVEN, 1, TOKEN(TABLE_METHOD_DEF, none)));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t row = rows[i];
        fake_compile(module, row, 0);
        CHECK_EQUAL(module->methods[row - 1].times_set, 0);
        const struct told *told = session_find(RING_DEFINE_NOT_WOVEN, 1, TOKEN(TABLE_METHOD_DEF, row));
        CHECK(told && told->reason[0]);
        fake_compile(module, row, 1);
    }
    CHECK_EQUAL(session_count(RING_DEFINE_NOT_WOVEN), 3); // reported once
}
IN_CHILD(odd_bodies_are_left_alone)

// -- Threads ----------------------------------------------------------------------------------------------------------

static void threads_have_names(void)
{
    static const clr_char name[] = {'W', 0xE9, 0xD83D, 0xDE00, 'r'};
    session_record(&session_tree);
    (void)fake_callback(CLR_CB_THREAD_NAME_CHANGED, 0x1000, 5, (uintptr_t)name); // before it has an OS thread
    CHECK_EQUAL(session_count(RING_DEFINE_THREAD), 0);
    (void)fake_callback(CLR_CB_THREAD_ASSIGNED_TO_OS_THREAD, 0x1000, 77, 0);
    const struct told *told = session_find(RING_DEFINE_THREAD, 0, 0);
    CHECK(told && told->os_id == 77 && strcmp(told->name, "W\xC3\xA9\xF0\x9F\x98\x80r") == 0);
    (void)fake_callback(CLR_CB_THREAD_NAME_CHANGED, 0x1000, 1, (uintptr_t)name);
    CHECK(strcmp(session_find(RING_DEFINE_THREAD, 0, 0)->name, "W") == 0);
    (void)fake_callback(CLR_CB_THREAD_NAME_CHANGED, 0x1000, 0, 0);
    CHECK(strcmp(session_find(RING_DEFINE_THREAD, 0, 0)->name, "") == 0);
    (void)fake_callback(CLR_CB_THREAD_DESTROYED, 0x1000, 0, 0);
    (void)fake_callback(CLR_CB_THREAD_DESTROYED, 0x2000, 0, 0);              // never seen
    (void)fake_callback(CLR_CB_THREAD_ASSIGNED_TO_OS_THREAD, 0x1000, 78, 0); // another one
    CHECK(session_find(RING_DEFINE_THREAD, 0, 0)->os_id == 78 && !session_find(RING_DEFINE_THREAD, 0, 0)->name[0]);
}
IN_CHILD(threads_have_names)

// A thread's name may be of any length: one that can never fit the definition ring is cut, and no thread waits.
static void very_long_names_are_cut(void)
{
    enum { UNITS = 2 << 20 };
    static clr_char name[UNITS];
    for (uint32_t i = 0; i < UNITS; i++) {
        name[i] = 0xE9;
    }
    session_record(&session_tree);
    (void)fake_callback(CLR_CB_THREAD_ASSIGNED_TO_OS_THREAD, 0x1000, 77, 0);
    (void)fake_callback(CLR_CB_THREAD_NAME_CHANGED, 0x1000, UNITS, (uintptr_t)name);
    CHECK_EQUAL(session_ring->collector_gone, 0);
    CHECK_EQUAL(session_count(RING_DEFINE_THREAD), 2);
    const struct told *told = session_find(RING_DEFINE_THREAD, 0, 0);
    CHECK(strlen(told->name) == sizeof told->name - 1 && strncmp(told->name, "\xC3\xA9", 2) == 0);
}
IN_CHILD(very_long_names_are_cut)

static void nothing_is_woven_after_the_end(void)
{
    struct woven method, late;
    session_record(&session_tree);
    struct fake_module *module = fake_load(csharp);
    woven_methods(module, false, &method, 1);
    (void)fake_callback(CLR_CB_SHUTDOWN, 0, 0, 0);
    CHECK_EQUAL(session_ring->agent_state, RING_AGENT_SHUTDOWN);
    for (uint32_t row = method.row + 1; row <= module->method_count; row++) {
        fake_compile(module, row, 0);
        CHECK(!woven_read(module, row, &late));
    }
    (void)woven_enter(&method); // threads continue
    woven_leave(&method);
    CHECK_EQUAL(session_node(session_thread(), method.number, 0)->calls, 1);
    (void)fake_load(basic);
    (void)fake_callback(CLR_CB_THREAD_ASSIGNED_TO_OS_THREAD, 0x1000, 79, 0);
}
IN_CHILD(nothing_is_woven_after_the_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_method_is_woven),
        cmocka_unit_test(test_calls_are_counted),
        cmocka_unit_test(test_streams_ask_for_room),
        cmocka_unit_test(test_racing_threads_weave_once),
        cmocka_unit_test(test_instantiations_share_their_body),
        cmocka_unit_test(test_precompiled_code_and_inlining),
        cmocka_unit_test(test_a_body_may_be_read_before_it_is_woven),
        cmocka_unit_test(test_a_compilation_within_another_does_not_hide_what_came_before_it),
        cmocka_unit_test(test_after_one_compilation_the_next_may_be_deeper_in_the_stack),
        cmocka_unit_test(test_scope_is_decided_once),
        cmocka_unit_test(test_instruments_have_scopes_of_their_own),
        cmocka_unit_test(test_a_scope_of_its_own_replaces_the_default),
        cmocka_unit_test(test_hooks_are_mapped),
        cmocka_unit_test(test_module_ids_are_used_again),
        cmocka_unit_test(test_modules_made_at_run_time_are_left_alone),
        cmocka_unit_test(test_odd_bodies_are_left_alone),
        cmocka_unit_test(test_threads_have_names),
        cmocka_unit_test(test_very_long_names_are_cut),
        cmocka_unit_test(test_nothing_is_woven_after_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
