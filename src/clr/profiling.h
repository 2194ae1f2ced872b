// The CLR profiling API in plain C: identifiers, vtable slots, event masks, results. Declares only what clew uses.
//
// Facts come from corprof.idl and cor.h of dotnet/runtime; no header of Microsoft's is included, so clew builds without
// them. In the System V ABI an interface method is an ordinary function whose first argument is the object, and the first
// word of an object points to its vtable. A slot number is the position of the method in its interface, counting those that
// the interface inherits; slots never change, since old profilers have to work with new runtimes.
#ifndef CLEW_CLR_PROFILING_H
#define CLEW_CLR_PROFILING_H

#include <stddef.h>
#include <stdint.h>

#include "base/assert.h"

typedef int32_t clr_result; // HRESULT: negative is failure
typedef uint16_t clr_char;  // UTF-16 unit
typedef uintptr_t clr_id;   // FunctionID, ModuleID, ClassID, ThreadID, AssemblyID, ObjectID

struct clr_guid {
    uint32_t a;
    uint16_t b, c;
    uint8_t d[8];
};

static_assert(sizeof(struct clr_guid) == 16, "the layout of a COM GUID");

// The assembly that defines System.Object.
#define CLR_CORE_LIBRARY "System.Private.CoreLib"

#define CLR_OK ((clr_result)0)
#define CLR_FALSE ((clr_result)1)
#define CLR_NO_INTERFACE ((clr_result)0x80004002u)
#define CLR_NOT_AVAILABLE ((clr_result)0x80040111u)     // CLASS_E_CLASSNOTAVAILABLE
#define CLR_CANCEL_ACTIVATION ((clr_result)0x80131375u) // CORPROF_E_..., from Initialize: run without a profiler

static inline int clr_failed(clr_result result)
{
    return result < 0;
}

// COR_PRF_MONITOR, the low word of the event mask. A flag that the runtime calls immutable is only accepted in Initialize.
enum clr_mask {
    CLR_MONITOR_CLASS_LOADS = 0x2,
    CLR_MONITOR_MODULE_LOADS = 0x4,
    CLR_MONITOR_JIT_COMPILATION = 0x20,
    CLR_MONITOR_EXCEPTIONS = 0x40,
    CLR_MONITOR_THREADS = 0x200,
    CLR_MONITOR_ENTERLEAVE = 0x1000,
    CLR_MONITOR_SUSPENDS = 0x10000,
    CLR_MONITOR_CACHE_SEARCHES = 0x20000,
    CLR_DISABLE_INLINING = 0x200000,
    CLR_ENABLE_STACK_SNAPSHOT = 0x10000000,
};

// COR_PRF_HIGH_MONITOR, the high word.
enum clr_mask_high {
    CLR_HIGH_BASIC_GC = 0x10,
    CLR_HIGH_EVENT_PIPE = 0x80,
};

// COR_PRF_MODULE_FLAGS.
enum clr_module_flag {
    CLR_MODULE_DISK = 0x1,
    CLR_MODULE_NGEN = 0x2,
    CLR_MODULE_DYNAMIC = 0x4,
    CLR_MODULE_COLLECTIBLE = 0x8,
    CLR_MODULE_RESOURCE = 0x10,
    CLR_MODULE_FLAT = 0x20
};

// Slots of ICorProfilerCallback to ICorProfilerCallback11 that clew handles; all others return S_OK.
enum clr_callback_slot {
    CLR_CB_QUERY_INTERFACE = 0,
    CLR_CB_ADD_REF = 1,
    CLR_CB_RELEASE = 2,
    CLR_CB_INITIALIZE = 3,
    CLR_CB_SHUTDOWN = 4,
    CLR_CB_MODULE_LOAD_FINISHED = 14,
    CLR_CB_MODULE_UNLOAD_STARTED = 15,
    CLR_CB_MODULE_UNLOAD_FINISHED = 16,
    CLR_CB_CLASS_LOAD_FINISHED = 19,
    CLR_CB_JIT_COMPILATION_STARTED = 23,
    CLR_CB_JIT_COMPILATION_FINISHED = 24,
    CLR_CB_JIT_CACHED_FUNCTION_SEARCH_STARTED = 25,
    CLR_CB_JIT_INLINING = 28,
    CLR_CB_THREAD_DESTROYED = 30,
    CLR_CB_THREAD_ASSIGNED_TO_OS_THREAD = 31,
    CLR_CB_RUNTIME_RESUME_STARTED = 45,
    CLR_CB_EXCEPTION_THROWN = 54,
    CLR_CB_EXCEPTION_SEARCH_FUNCTION_ENTER = 55,
    CLR_CB_EXCEPTION_SEARCH_FILTER_ENTER = 57,
    CLR_CB_EXCEPTION_SEARCH_FILTER_LEAVE = 58,
    CLR_CB_EXCEPTION_SEARCH_CATCHER_FOUND = 59,
    CLR_CB_EXCEPTION_UNWIND_FUNCTION_ENTER = 62,
    CLR_CB_EXCEPTION_UNWIND_FUNCTION_LEAVE = 63,
    CLR_CB_EXCEPTION_UNWIND_FINALLY_ENTER = 64,
    CLR_CB_EXCEPTION_UNWIND_FINALLY_LEAVE = 65,
    CLR_CB_EXCEPTION_CATCHER_ENTER = 66,
    CLR_CB_EXCEPTION_CATCHER_LEAVE = 67,
    CLR_CB_THREAD_NAME_CHANGED = 72,
    CLR_CB_GARBAGE_COLLECTION_STARTED = 73,
    CLR_CB_GARBAGE_COLLECTION_FINISHED = 75,
    CLR_CB_GET_REJIT_PARAMETERS = 84,
    CLR_CB_DYNAMIC_METHOD_JIT_STARTED = 92,
    CLR_CB_DYNAMIC_METHOD_JIT_FINISHED = 93,
    CLR_CB_EVENT_PIPE_EVENT_DELIVERED = 95,
    CLR_CB_LOAD_AS_NOTIFICATION_ONLY = 97,
    CLR_CB_COUNT = 98,
};

// COR_IL_MAP.
struct clr_il_map {
    uint32_t old_offset; // in the original body
    uint32_t new_offset; // in the body that the runtime was given
    int32_t accurate;
};

// COR_FIELD_OFFSET.
struct clr_field {
    uint32_t token;
    uint32_t offset; // bytes from the start of the value, or of the object with its method table
};

// COR_PRF_GC_GENERATION.
enum clr_generation { CLR_GENERATION_0, CLR_GENERATION_1, CLR_GENERATION_2, CLR_LARGE_OBJECTS, CLR_PINNED_OBJECTS };

// COR_PRF_GC_GENERATION_RANGE. `length` bytes from `start` hold objects; `reserved` includes the room behind them.
struct clr_heap_range {
    int32_t generation; // enum clr_generation
    uintptr_t start, length, reserved;
};

static_assert(sizeof(struct clr_il_map) == 12 && sizeof(struct clr_field) == 8 && sizeof(struct clr_heap_range) == 32,
              "elements of arrays that the runtime reads and fills");

// Keywords and events of the provider Microsoft-Windows-DotNETRuntime (ClrEtwAll.man).
enum { CLR_EVENTS_COLLECTIONS = 0x1, CLR_EVENTS_SURVIVAL_AND_MOVEMENT = 0x400000 };
enum clr_event {
    CLR_EVENT_COLLECTION_START = 1,
    CLR_EVENT_ALLOCATION_TICK = 10, // verbose
    CLR_EVENT_SURVIVING_RANGES = 21,
    CLR_EVENT_MOVED_RANGES = 22
};

// COR_PRF_EVENTPIPE_PROVIDER_CONFIG.
struct clr_event_source {
    const clr_char *name;
    uint64_t keywords;
    uint32_t level; // 4: informational, 5: verbose
    const clr_char *filter;
};

// COR_PRF_EX_CLAUSE_INFO: the exception handler that is about to run or has just run.
struct clr_clause {
    int32_t type;
    uintptr_t code;
    uintptr_t frame; // of the method with the handler; in runtime 8, if that lies in a handler, of the method around it
    uintptr_t shadow_stack;
};
// COR_PRF_CODE_INFO.
struct clr_code_part {
    uintptr_t start;
    size_t size;
};
static_assert(sizeof(struct clr_event_source) == 32 && sizeof(struct clr_clause) == 32,
              "structures that the runtime reads and fills");

extern const struct clr_guid clr_iid_unknown, clr_iid_class_factory, clr_iid_info5, clr_iid_info9, clr_iid_info12,
    clr_iid_info13, clr_iid_metadata_emit, clr_iid_assembly_emit;
int clr_guid_equal(const struct clr_guid *a, const struct clr_guid *b);
// Whether the id is IUnknown's or one of ICorProfilerCallback to ICorProfilerCallback11.
int clr_is_callback(const struct clr_guid *id);

// IUnknown: QueryInterface and Release. A successful clr_query() adds a reference.
clr_result clr_query(void *object, const struct clr_guid *id, void **out);
void clr_release(void *object);
// The address of the code of a method of the object, which is in the library that has made it.
uintptr_t clr_method_address(void *object);

// ICorProfilerInfo to ICorProfilerInfo5. `info` is the interface that Initialize was given. "Anywhere" means on any thread,
// in preemptive or cooperative mode.
clr_result info_get_current_thread(void *info, clr_id *thread);                                           // anywhere
clr_result info_get_function(void *info, clr_id function, clr_id *type, clr_id *module, uint32_t *token); // anywhere
// The function of a method that is neither generic nor of a generic class; fails for others; anywhere.
clr_result info_find_function(void *info, clr_id module, uint32_t token, clr_id *function);
// The class of a generic function, and the classes that its own type parameters are given, at most `size`; `count` is how many
// there are; anywhere.
clr_result info_get_function_arguments(void *info, clr_id function, clr_id *class, uint32_t size, uint32_t *count,
                                       clr_id *arguments);
// The function with these type arguments. May load types, so only in callbacks in preemptive mode, without a lock.
clr_result info_find_instantiation(void *info, clr_id module, uint32_t token, clr_id class, uint32_t count,
                                   clr_id *arguments, clr_id *function);
clr_result info_get_class(void *info, clr_id class, clr_id *module, uint32_t *token); // anywhere
// The class of a TypeDef without type parameters. Loads it if need be, so only in callbacks in preemptive mode, without a lock.
clr_result info_load_class(void *info, clr_id module, uint32_t token, clr_id *class);
// The instance fields that the class itself declares, at most `size` of them; `count` is how many were given; anywhere.
clr_result info_get_fields(void *info, clr_id class, uint32_t size, struct clr_field *fields, uint32_t *count);
// The same with the size of the class's instances: of a value type that of a value; anywhere.
clr_result info_get_layout(void *info, clr_id class, uint32_t size, struct clr_field *fields, uint32_t *count,
                           uint32_t *bytes);
// CLR_OK for an array: its items' enum element, their class where they have one, its rank. CLR_FALSE for others; anywhere.
clr_result info_get_array(void *info, clr_id class, uint32_t *element, clr_id *item, uint32_t *rank);
// As info_get_class(), with the classes that its type parameters are given, at most `size`; `count` is how many there are;
// anywhere.
clr_result info_get_class_arguments(void *info, clr_id class, clr_id *module, uint32_t *token, uint32_t size,
                                    uint32_t *count, clr_id *arguments);
// The class that a class extends; 0: none. Anywhere.
clr_result info_get_parent(void *info, clr_id class, clr_id *parent);
// The ranges of the heap, at most `size`; `count` is how many there are. In callbacks of collections.
clr_result info_get_heap(void *info, uint32_t size, uint32_t *count, struct clr_heap_range *ranges);
// The current exception handler, between the Enter and the Leave callback of a filter, finally or catch handler, inclusive;
// zeroes elsewhere.
clr_result info_get_clause(void *info, struct clr_clause *clause);
// Replaces the event mask. Anywhere; flags that the runtime calls immutable must not change after Initialize.
clr_result info_set_event_mask2(void *info, uint32_t low, uint32_t high);
// StackSnapshotCallback: CLR_OK continues, CLR_FALSE ends the walk. `function` is 0 for a run of native frames.
typedef clr_result clr_frame_seen(clr_id function, uintptr_t ip, uintptr_t info, uint32_t context_size,
                                  uint8_t *context, void *data);
// Walks the frames of the calling thread, the newest first. Needs CLR_ENABLE_STACK_SNAPSHOT; in callbacks on managed threads.
clr_result info_walk_stack(void *info, clr_frame_seen *seen, void *data);
// `name` receives at most `size` UTF-16 units including NUL, `length` how many the whole name has; anywhere.
clr_result info_get_module(void *info, clr_id module, const uint8_t **base, uint32_t size, uint32_t *length,
                           clr_char *name, clr_id *assembly, uint32_t *flags);
// Opens the metadata for writing; the caller releases the interface. From ModuleLoadFinished on.
clr_result info_get_module_emit(void *info, clr_id module, void **emit);
// The method body as the module has it; the memory is the module's. `size` includes the header and exception clauses.
clr_result info_get_il(void *info, clr_id module, uint32_t token, const uint8_t **header, uint32_t *size);
// Sets the method body before its first compilation. The runtime keeps the pointer and reads the body until the module has
// been unloaded. It must be aligned to 4 bytes.
clr_result info_set_il(void *info, clr_id module, uint32_t token, const void *header);
// Copies a map of IL offsets for the debugger and stack traces.
clr_result info_set_il_map(void *info, clr_id function, uint32_t count, struct clr_il_map *map);
// In Initialize: a function that chooses the id which the hooks get for each method, and whether the method calls them.
clr_result info_set_function_mapper(void *info, uintptr_t (*mapper)(clr_id, void *, int32_t *), void *context);
// In Initialize: functions that managed code calls at entry, exit and tail call, without a frame of their own.
clr_result info_set_hooks(void *info, void (*enter)(void), void (*leave)(void), void (*tailcall)(void));
clr_result info_get_runtime(void *info, uint16_t *major, uint16_t *minor, uint16_t *build);

// ICorProfilerInfo9. The addresses where the native codes of a function begin, at most `size`; `count` is how many there are.
// Anywhere but in probes. Then the parts of the one that begins there.
clr_result info_get_codes(void *info, clr_id function, uint32_t size, uint32_t *count, uintptr_t *addresses);
clr_result info_get_code_parts(void *info, uintptr_t address, uint32_t size, uint32_t *count,
                               struct clr_code_part *parts);

// ICorProfilerInfo12. Starts a session whose events arrive at EventPipeEventDelivered, on the thread where they happen.
clr_result info_start_events(void *info, const struct clr_event_source *source, uint64_t *session);

// ICorProfilerInfo13. A handle that keeps an object alive and pinned; in callbacks in cooperative mode.
clr_result info_create_pin(void *info, clr_id object, void **handle);
clr_result info_destroy_handle(void *info, void *handle);

// IMetaDataEmit. Adds a row and returns its token, or the token of an equal row, which it searches linearly.
clr_result emit_type_ref(void *emit, uint32_t scope, const clr_char *name, uint32_t *token);
// Adds an AssemblyRef to the core library, by IMetaDataAssemblyEmit.
clr_result emit_core_reference(void *emit, uint32_t *token);
clr_result emit_signature(void *emit, const void *blob, uint32_t size, uint32_t *token);
clr_result emit_type_spec(void *emit, const void *blob, uint32_t size, uint32_t *token);

#endif
