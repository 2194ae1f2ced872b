// The COM interface of the agent: the function that the runtime calls, the class factory, and the callback object, as
// plain tables of functions (ICorProfilerCallback to 11; clr/profiling.h has the slots). Each callback converts its
// arguments and calls one function of the room that handles it; callbacks that no room needs return S_OK.
//
// Nothing here is ever freed or unloaded, since threads of the program may still call back while the process ends.

#include <string.h>

#include "agent/control/lifecycle.h"
#include "agent/control/startup.h"
#include "agent/events/event_source.h"
#include "agent/heap/heap_objects.h"
#include "agent/hooks/hooking.h"
#include "agent/loaded/listening.h"
#include "agent/loaded/runtime_threads.h"
#include "agent/rewrite/compiling.h"
#include "agent/rewrite/native_code.h"
#include "agent/rewrite/reflected.h"
#include "agent/rewrite/weaving.h"
#include "agent/session/agent.h"
#include "agent/session/locks.h"
#include "agent/types/value_classes.h"
#include "agent/unwind/exceptions.h"
#include "agent/unwind/pins.h"
#include "agent/unwind/throws.h"
#include "ring/handshake.h"

typedef void (*slot)(void);

static_assert(CLR_CB_LOAD_AS_NOTIFICATION_ONLY < CLR_CB_COUNT, "the table has a slot for each callback");

// The callback object is a pointer to its table. The table is filled in before the runtime sees it, and changes once
// more in a forked child (quiet()).
static slot callback_table[CLR_CB_COUNT];
static slot *callback_object = callback_table;

static clr_result succeed(void)
{
    return CLR_OK;
}

// AddRef and Release: the objects are static.
static uint32_t one_reference(void *object)
{
    (void)object;
    return 1;
}

static clr_result callback_query(void *object, const struct clr_guid *id, void **out)
{
    if (!clr_is_callback(id)) {
        *out = NULL;
        return CLR_NO_INTERFACE;
    }
    *out = object;
    return CLR_OK;
}

static void quiet(void); // defined below, since it changes the table

static clr_result on_initialize(void *object, void *unknown)
{
    (void)object;
    return agent_start(unknown, quiet);
}

static clr_result on_shutdown(void *object)
{
    (void)object;
    agent_shutdown();
    return CLR_OK;
}

static clr_result on_main_profiler(void *object, int32_t *notification_only)
{
    (void)object;
    *notification_only = 0;
    return CLR_OK;
}

static clr_result on_module_loaded(void *object, clr_id module, clr_result status)
{
    CLEW_ASSERT(locks_none_held());
    (void)object;
    if (!clr_failed(status)) {
        modules_loaded(module);
    }
    return CLR_OK;
}

static clr_result on_module_unload(void *object, clr_id module)
{
    CLEW_ASSERT(locks_none_held());
    (void)object;
    modules_unloading(module);
    return CLR_OK;
}

static clr_result on_module_unloaded(void *object, clr_id module)
{
    (void)object;
    modules_unloaded(module);
    return CLR_OK;
}

static clr_result on_class_loaded(void *object, clr_id class, clr_result status)
{
    CLEW_ASSERT(locks_none_held());
    (void)object;
    if (!clr_failed(status)) {
        value_classes_loaded(class);
    }
    return CLR_OK;
}

static void change_body(clr_id function)
{
    if (event_source_compile(function) || reflected_compile(function)) {
        return;
    }
    (agent.hooks ? hooking_compile : weaving_compile)(function);
}

// JITCompilationStarted: here a method gets its new body.
static clr_result on_compile(void *object, clr_id function, int32_t safe_to_block)
{
    CLEW_ASSERT(locks_none_held());
    (void)object;
    (void)safe_to_block; // always true in CoreCLR
    throws_prepared(function);
    compiling_begins(function, change_body);
    return CLR_OK;
}

static clr_result on_compiled(void *object, clr_id function, clr_result status, int32_t safe_to_block)
{
    (void)object;
    (void)safe_to_block;
    compiling_ends(function);
    weaving_compilation_ends(function); // even if it failed
    if (!clr_failed(status)) {
        listening_compiled(function);
        native_code_compiled(function);
    }
    return CLR_OK;
}

// JITCachedFunctionSearchStarted: whether the runtime may use precompiled code of a method.
static clr_result on_precompiled(void *object, clr_id function, int32_t *use)
{
    (void)object;
    throws_prepared(function);
    *use =
        !weaving_refuses_precompiled(function) && !event_source_is_callback(function) && !reflected_is_reader(function);
    if (!*use) {
        compiling_refused(function);
    }
    return CLR_OK;
}

// JITInlining: whether the JIT may inline a method.
static clr_result on_inlining(void *object, clr_id caller, clr_id callee, int32_t *should)
{
    CLEW_ASSERT(locks_none_held());
    (void)object;
    *should = agent.hooks || weaving_allows_inlining(caller, callee);
    return CLR_OK;
}

static clr_result on_dynamic_method(void *object, clr_id function)
{
    (void)object;
    weaving_compilation_begins(function);
    compiling_begins(function, NULL);
    atomic_fetch_add_explicit(&agent.ring->dynamic_methods, 1, memory_order_relaxed);
    return CLR_OK;
}

static clr_result on_thread_destroyed(void *object, clr_id thread)
{
    CLEW_ASSERT(locks_none_held());
    (void)object;
    threads_destroyed(thread);
    pins_thread_destroyed(thread);
    return CLR_OK;
}

static clr_result on_thread_assigned(void *object, clr_id thread, uint32_t os_id)
{
    CLEW_ASSERT(locks_none_held());
    (void)object;
    threads_assigned(thread, os_id);
    return CLR_OK;
}

static clr_result on_thread_named(void *object, clr_id thread, uint32_t length, const clr_char *name)
{
    CLEW_ASSERT(locks_none_held());
    (void)object;
    threads_named(thread, name, length);
    return CLR_OK;
}

static clr_result on_exception_thrown(void *object, clr_id exception)
{
    (void)object;
    pins_thrown(exception);
    exception_thrown(exception);
    throws_thrown(exception);
    listening_thrown();
    return CLR_OK;
}

static clr_result on_search_enter(void *object, clr_id function)
{
    (void)object;
    throws_searched(function);
    return CLR_OK;
}

static clr_result on_catcher_found(void *object, clr_id function)
{
    (void)object;
    (void)function;
    throws_handler_found();
    return CLR_OK;
}

static clr_result on_unwind_enter(void *object, clr_id function)
{
    (void)object;
    exception_unwind_enter(function);
    return CLR_OK;
}

static clr_result on_unwind_leave(void *object)
{
    (void)object;
    exception_unwind_leave();
    return CLR_OK;
}

static clr_result on_finally_enter(void *object, clr_id function)
{
    (void)object;
    (void)function;
    exception_finally_enter();
    return CLR_OK;
}

static clr_result on_finally_leave(void *object)
{
    (void)object;
    exception_finally_leave();
    return CLR_OK;
}

static clr_result on_catcher_enter(void *object, clr_id function, clr_id exception)
{
    (void)object;
    (void)exception;
    exception_catcher_enter(function);
    throws_caught(function);
    return CLR_OK;
}

static clr_result on_catcher_leave(void *object)
{
    (void)object;
    exception_catcher_leave();
    pins_handled();
    return CLR_OK;
}

static clr_result on_filter_enter(void *object, clr_id function)
{
    (void)object;
    exception_filter_enter(function);
    throws_filter_begun();
    return CLR_OK;
}

static clr_result on_filter_leave(void *object)
{
    (void)object;
    throws_filter_ends();
    exception_filter_leave();
    return CLR_OK;
}

static clr_result on_collection_started(void *object)
{
    (void)object;
    objects_stopped();
    return CLR_OK;
}

static clr_result on_event(void *object, uintptr_t provider, uint32_t id, uint32_t version, uint32_t metadata_size,
                           const uint8_t *metadata, uint32_t size, const uint8_t *data)
{
    (void)object;
    (void)provider; // the session has only one
    (void)version;
    (void)metadata_size;
    (void)metadata;
    objects_event(id, bytes_of(data, size));
    return CLR_OK;
}

static clr_result on_collection_finished(void *object)
{
    (void)object;
    objects_collection_finished();
    return CLR_OK;
}

static clr_result on_resume(void *object)
{
    (void)object;
    objects_resume();
    return CLR_OK;
}

static void fill_callbacks(void)
{
    for (size_t i = 0; i < CLR_CB_COUNT; i++) {
        callback_table[i] = (slot)succeed;
    }
    callback_table[CLR_CB_QUERY_INTERFACE] = (slot)callback_query;
    callback_table[CLR_CB_ADD_REF] = (slot)one_reference;
    callback_table[CLR_CB_RELEASE] = (slot)one_reference;
    callback_table[CLR_CB_INITIALIZE] = (slot)on_initialize;
    callback_table[CLR_CB_SHUTDOWN] = (slot)on_shutdown;
    callback_table[CLR_CB_MODULE_LOAD_FINISHED] = (slot)on_module_loaded;
    callback_table[CLR_CB_MODULE_UNLOAD_STARTED] = (slot)on_module_unload;
    callback_table[CLR_CB_MODULE_UNLOAD_FINISHED] = (slot)on_module_unloaded;
    callback_table[CLR_CB_CLASS_LOAD_FINISHED] = (slot)on_class_loaded;
    callback_table[CLR_CB_JIT_COMPILATION_STARTED] = (slot)on_compile;
    callback_table[CLR_CB_JIT_COMPILATION_FINISHED] = (slot)on_compiled;
    callback_table[CLR_CB_JIT_CACHED_FUNCTION_SEARCH_STARTED] = (slot)on_precompiled;
    callback_table[CLR_CB_JIT_INLINING] = (slot)on_inlining;
    callback_table[CLR_CB_THREAD_DESTROYED] = (slot)on_thread_destroyed;
    callback_table[CLR_CB_THREAD_ASSIGNED_TO_OS_THREAD] = (slot)on_thread_assigned;
    callback_table[CLR_CB_THREAD_NAME_CHANGED] = (slot)on_thread_named;
    callback_table[CLR_CB_EXCEPTION_THROWN] = (slot)on_exception_thrown;
    callback_table[CLR_CB_EXCEPTION_SEARCH_FUNCTION_ENTER] = (slot)on_search_enter;
    callback_table[CLR_CB_EXCEPTION_SEARCH_CATCHER_FOUND] = (slot)on_catcher_found;
    callback_table[CLR_CB_EXCEPTION_UNWIND_FUNCTION_ENTER] = (slot)on_unwind_enter;
    callback_table[CLR_CB_EXCEPTION_UNWIND_FUNCTION_LEAVE] = (slot)on_unwind_leave;
    callback_table[CLR_CB_EXCEPTION_UNWIND_FINALLY_ENTER] = (slot)on_finally_enter;
    callback_table[CLR_CB_EXCEPTION_UNWIND_FINALLY_LEAVE] = (slot)on_finally_leave;
    callback_table[CLR_CB_EXCEPTION_CATCHER_ENTER] = (slot)on_catcher_enter;
    callback_table[CLR_CB_EXCEPTION_CATCHER_LEAVE] = (slot)on_catcher_leave;
    callback_table[CLR_CB_EXCEPTION_SEARCH_FILTER_ENTER] = (slot)on_filter_enter;
    callback_table[CLR_CB_EXCEPTION_SEARCH_FILTER_LEAVE] = (slot)on_filter_leave;
    callback_table[CLR_CB_RUNTIME_RESUME_STARTED] = (slot)on_resume;
    callback_table[CLR_CB_GARBAGE_COLLECTION_STARTED] = (slot)on_collection_started;
    callback_table[CLR_CB_GARBAGE_COLLECTION_FINISHED] = (slot)on_collection_finished;
    callback_table[CLR_CB_EVENT_PIPE_EVENT_DELIVERED] = (slot)on_event;
    callback_table[CLR_CB_DYNAMIC_METHOD_JIT_STARTED] = (slot)on_dynamic_method;
    callback_table[CLR_CB_DYNAMIC_METHOD_JIT_FINISHED] = (slot)on_compiled;
    callback_table[CLR_CB_LOAD_AS_NOTIFICATION_ONLY] = (slot)on_main_profiler;
}

static clr_result on_precompiled_quietly(void *object, clr_id function, int32_t *use)
{
    (void)object;
    (void)function;
    *use = true;
    return CLR_OK;
}

static clr_result on_inlining_quietly(void *object, clr_id caller, clr_id callee, int32_t *should)
{
    (void)object;
    (void)caller;
    (void)callee;
    *should = true;
    return CLR_OK;
}

// Runs in a forked child: restricts the callbacks to those for exceptions and collections. The others take locks, and a
// thread that held one at the time of the fork does not exist in the child.
static void quiet(void)
{
    static const uint32_t silent[] = {
        CLR_CB_SHUTDOWN,
        CLR_CB_MODULE_LOAD_FINISHED,
        CLR_CB_MODULE_UNLOAD_STARTED,
        CLR_CB_MODULE_UNLOAD_FINISHED,
        CLR_CB_CLASS_LOAD_FINISHED,
        CLR_CB_JIT_COMPILATION_STARTED,
        CLR_CB_JIT_COMPILATION_FINISHED,
        CLR_CB_THREAD_DESTROYED,
        CLR_CB_THREAD_ASSIGNED_TO_OS_THREAD,
        CLR_CB_THREAD_NAME_CHANGED,
        CLR_CB_DYNAMIC_METHOD_JIT_STARTED,
        CLR_CB_DYNAMIC_METHOD_JIT_FINISHED,
    };
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++) {
        callback_table[silent[i]] = (slot)succeed;
    }
    callback_table[CLR_CB_JIT_CACHED_FUNCTION_SEARCH_STARTED] = (slot)on_precompiled_quietly;
    callback_table[CLR_CB_JIT_INLINING] = (slot)on_inlining_quietly;
}

static clr_result factory_query(void *object, const struct clr_guid *id, void **out)
{
    if (!clr_guid_equal(id, &clr_iid_unknown) && !clr_guid_equal(id, &clr_iid_class_factory)) {
        *out = NULL;
        return CLR_NO_INTERFACE;
    }
    *out = object;
    return CLR_OK;
}

static clr_result factory_create(void *object, void *outer, const struct clr_guid *id, void **out)
{
    (void)object;
    (void)outer;
    return callback_query(&callback_object, id, out);
}

static const slot factory_table[] = {
    (slot)factory_query, (slot)one_reference, (slot)one_reference, (slot)factory_create, (slot)succeed,
};
static const slot *factory_object = factory_table;

// The two exports, which the runtime finds by name.
__attribute__((visibility("default"))) clr_result DllGetClassObject(const struct clr_guid *class_id,
                                                                    const struct clr_guid *id, void **out);
__attribute__((visibility("default"))) clr_result DllCanUnloadNow(void);

clr_result DllGetClassObject(const struct clr_guid *class_id, const struct clr_guid *id, void **out)
{
    static const struct clr_guid ours = {CLEW_CLSID_FIELDS};
    *out = NULL;
    if (!clr_guid_equal(class_id, &ours)) {
        return CLR_NOT_AVAILABLE;
    }
    fill_callbacks();
    return factory_query(&factory_object, id, out);
}

clr_result DllCanUnloadNow(void)
{
    return CLR_FALSE;
}
