// A method of runtime async has two functions of the same token. The JIT compiles the method's IL to one, which it may suspend at
// an await. The other is the entry for callers that want a task: it has code of the runtime's own, which calls the first one. Both
// would call hooks. What the runtime gives for the token is the entry.
//
// A suspended frame returns early, without a Leave. When it resumes, the runtime calls the function once more, and its Enter is
// like that of a call; the caller is the method of the core library that runs continuations.
//
// The JIT also compiles a method that is not async and returns a task as one that it may suspend, at the `ret`, for callers that
// await it directly.
#include "agent/loaded/suspending.h"

#include "agent/loaded/methods.h"
#include "agent/session/agent.h"
#include "metadata/names/names.h"
#include "metadata/tables/signature.h"

// Type arguments of a method; and how many entries of generic methods are known: those that find no place are recorded as calls.
enum { ARGUMENTS_MAX = 32, ENTRIES = 4096, STEPS_MAX = 16 };

static _Atomic clr_id entries[ENTRIES]; // a hash table that only grows; 0: free

static bool returns_task(const struct module *module, uint32_t token)
{
    static const char *const names[] = {"System.Threading.Tasks.Task", "System.Threading.Tasks.Task`1",
                                        "System.Threading.Tasks.ValueTask", "System.Threading.Tasks.ValueTask`1"};
    struct metadata_method method;
    struct signature_method signature;
    bool returns = false;
    if (metadata_method(&module->metadata, token, &method) &&
        signature_method(method.signature, &signature) == CLEW_OK) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            returns |= names_is_class(&module->metadata, signature.return_type, text_of(names[i]));
        }
    }
    return returns;
}

bool suspending_may(const struct module *module, uint32_t token)
{
    return method_is_async(module, token) || (agent.suspends && returns_task(module, token));
}

// Where a function of a generic method is in the table, or could be. NULL: it is not there, and there is no room for it.
static _Atomic clr_id *place_of(clr_id function)
{
    size_t at = function * UINT64_C(0x9E3779B97F4A7C15) >> 52;
    static_assert(ENTRIES == 1 << (64 - 52), "the hash's upper bits are an index");
    for (size_t i = 0; i < STEPS_MAX; i++) {
        _Atomic clr_id *place = &entries[(at + i) % ENTRIES];
        clr_id there = atomic_load_explicit(place, memory_order_relaxed);
        if (there == function || there == 0) {
            return place;
        }
    }
    return NULL;
}

static bool remember(clr_id function)
{
    _Atomic clr_id *place = place_of(function);
    clr_id none = 0;
    // Another thread may have taken the place for another function.
    return place && (atomic_compare_exchange_strong(place, &none, function) || none == function);
}

// The function that the runtime gives for a generic method and the type arguments of another of its functions; 0: none. May load types.
static clr_id instantiation(clr_id function, clr_id module, uint32_t token)
{
    clr_id class = 0, arguments[ARGUMENTS_MAX], found = 0;
    uint32_t count = 0;
    bool known =
        !clr_failed(info_get_function_arguments(agent.info, function, &class, ARGUMENTS_MAX, &count, arguments)) &&
        count <= ARGUMENTS_MAX &&
        !clr_failed(info_find_instantiation(agent.info, module, token, class, count, arguments, &found));
    return known ? found : 0;
}

bool suspending_is_task_entry(clr_id function, const struct module *module, uint32_t token)
{
    clr_id found;
    if (!method_is_async(module, token)) {
        return false;
    }
    if (!clr_failed(info_find_function(agent.info, module->id, token, &found))) {
        return found == function;
    }
    return instantiation(function, module->id, token) == function && remember(function);
}

bool suspending_runs_task_entry(clr_id function)
{
    uint32_t token;
    clr_id found;
    const struct module *module = module_of_function(function, &token);
    if (!module || !method_is_async(module, token)) {
        return false;
    }
    if (!clr_failed(info_find_function(agent.info, module->id, token, &found))) {
        return found == function;
    }
    const _Atomic clr_id *place = place_of(function);
    return place && atomic_load_explicit(place, memory_order_relaxed) == function;
}
