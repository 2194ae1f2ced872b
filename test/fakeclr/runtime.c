#include "runtime.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "check.h"
#include "il/body.h"
#include "il/verify.h"
#include "memory.h"
#include "ring/handshake.h"
#include "session.h"

#define FAIL_RESULT ((clr_result)0x80004005u)    // E_FAIL
#define NOT_IL_RESULT ((clr_result)0x80131354u)  // CORPROF_E_FUNCTION_NOT_IL
#define ABORTED_RESULT ((clr_result)0x8013135Fu) // CORPROF_E_STACKSNAPSHOT_ABORTED
#define ABSENT_RESULT ((clr_result)0x80070057u)  // E_INVALIDARG

typedef void (*slot)(void);

struct fake_asked fake_asked;
void (*fake_before_set)(struct fake_module *module, uint32_t token, const uint8_t *il, size_t size);

uint16_t fake_version = 10;
bool fake_without_pins;
__thread clr_id fake_thread = 0x1000;
__thread uintptr_t fake_handler_frame;
__thread bool fake_native_stack;

static _Atomic uint32_t calls_made, fail_from;
static bool fail_all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // the runtime's own

// -- Being called -----------------------------------------------------------------------------------------------------

// Begins a call of the agent into the runtime. True when it is to fail.
static bool enter_runtime(bool *was_watched)
{
    *was_watched = memory_watched;
    memory_watched = false;
    uint32_t number = atomic_fetch_add(&calls_made, 1) + 1;
    uint32_t from = atomic_load(&fail_from);
    return from && (number == from || (fail_all && number > from));
}

// Declares the local variables of a call; leaves with `failure` when this one is to fail.
#define RUNTIME_CALL(failure)          \
    bool was_watched;                  \
    if (enter_runtime(&was_watched)) { \
        memory_watched = was_watched;  \
        return failure;                \
    }

#define RETURN(value)                 \
    do {                              \
        memory_watched = was_watched; \
        return value;                 \
    } while (0)

void fake_fail_calls(uint32_t from, bool all)
{
    atomic_store(&calls_made, 0);
    fail_all = all;
    atomic_store(&fail_from, from);
}

uint32_t fake_calls_made(void)
{
    return atomic_load(&calls_made);
}

static clr_result info_unexpected(void)
{
    FAIL("a slot of ICorProfilerInfo that the stand-in does not know was called");
}

static clr_result emit_unexpected(void)
{
    FAIL("a slot of a metadata interface that the stand-in does not know was called");
}

static uint32_t count_reference(void)
{
    return 1; // nothing is ever freed
}

static void fill(slot *table, size_t count, slot with)
{
    for (size_t i = 0; i < count; i++) {
        table[i] = with;
    }
    table[1] = table[2] = (slot)count_reference;
}

// -- Metadata interfaces ----------------------------------------------------------------------------------------------

struct metadata_object {
    slot *table; // first, as the caller sees it
    struct fake_module *module;
};

static slot emit_table[100], assembly_emit_table[20];

static struct metadata_object *new_metadata_object(slot *table, struct fake_module *module)
{
    struct metadata_object *object = calloc(1, sizeof *object);
    CHECK(object);
    *object = (struct metadata_object){table, module};
    (void)atomic_fetch_add(&module->metadata_objects, 1);
    return object;
}

static uint32_t release_metadata_object(struct metadata_object *object)
{
    bool was_watched = memory_watched;
    memory_watched = false;
    (void)atomic_fetch_sub(&object->module->metadata_objects, 1);
    free(object);
    memory_watched = was_watched;
    return 0;
}

static clr_result emit_query(struct metadata_object *object, const struct clr_guid *id, void **out)
{
    static const struct clr_guid assembly_emit = {
        0x211EF15B, 0x5317, 0x4438, {0xB1, 0x96, 0xDE, 0xC8, 0x7B, 0x88, 0x76, 0x93}};
    RUNTIME_CALL(FAIL_RESULT);
    CHECK(memcmp(id, &assembly_emit, sizeof *id) == 0);
    *out = new_metadata_object(assembly_emit_table, object->module);
    RETURN(CLR_OK);
}

static clr_result define_assembly_ref(struct metadata_object *object, const void *key, uint32_t key_size,
                                      const clr_char *name, const void *version, const void *hash, uint32_t hash_size,
                                      uint32_t flags, uint32_t *token)
{
    RUNTIME_CALL(FAIL_RESULT);
    CHECK(key && key_size == 8 && name && name[0] == 'S' && version && !hash && !hash_size && !flags);
    struct fake_module *module = object->module;
    *token = TOKEN(TABLE_ASSEMBLY_REF, metadata_rows(&module->metadata, TABLE_ASSEMBLY_REF) + ++module->assembly_refs);
    RETURN(CLR_OK);
}

static clr_result define_type_ref(struct metadata_object *object, uint32_t scope, const clr_char *name, uint32_t *token)
{
    RUNTIME_CALL(FAIL_RESULT);
    struct fake_module *module = object->module;
    uint32_t rows = metadata_rows(&module->metadata, TABLE_ASSEMBLY_REF) + module->assembly_refs;
    CHECK(TOKEN_TABLE(scope) == TABLE_ASSEMBLY_REF && TOKEN_ROW(scope) >= 1 && TOKEN_ROW(scope) <= rows);
    CHECK(name && name[0] == 'S');
    *token = TOKEN(TABLE_TYPE_REF, metadata_rows(&module->metadata, TABLE_TYPE_REF) + ++module->type_refs);
    RETURN(CLR_OK);
}

// Equal ones are made once: the number, counted from 0, of this one.
static uint32_t keep_blob(struct fake_signature *all, uint32_t *count, const void *blob, uint32_t size)
{
    CHECK(size >= 1 && size <= sizeof all->blob);
    (void)pthread_mutex_lock(&lock);
    uint32_t i = 0;
    while (i < *count && (all[i].size != size || memcmp(all[i].blob, blob, size) != 0)) {
        i++;
    }
    CHECK(i < FAKE_SIGNATURES_MAX);
    if (i == *count) {
        memcpy(all[i].blob, blob, size);
        all[i].size = size;
        ++*count;
    }
    (void)pthread_mutex_unlock(&lock);
    return i;
}

static clr_result get_token_from_signature(struct metadata_object *object, const void *blob, uint32_t size,
                                           uint32_t *token)
{
    RUNTIME_CALL(FAIL_RESULT);
    struct fake_module *module = object->module;
    uint32_t number = keep_blob(module->signatures, &module->signature_count, blob, size);
    *token = TOKEN(TABLE_STAND_ALONE_SIG, metadata_rows(&module->metadata, TABLE_STAND_ALONE_SIG) + number + 1);
    RETURN(CLR_OK);
}

static clr_result get_token_from_type_spec(struct metadata_object *object, const void *blob, uint32_t size,
                                           uint32_t *token)
{
    RUNTIME_CALL(FAIL_RESULT);
    struct fake_module *module = object->module;
    uint32_t number = keep_blob(module->type_specs, &module->type_spec_count, blob, size);
    *token = TOKEN(TABLE_TYPE_SPEC, metadata_rows(&module->metadata, TABLE_TYPE_SPEC) + number + 1);
    RETURN(CLR_OK);
}

static void fill_metadata(void)
{
    fill(emit_table, sizeof emit_table / sizeof *emit_table, (slot)emit_unexpected);
    emit_table[2] = (slot)release_metadata_object;
    emit_table[0] = (slot)emit_query;
    emit_table[12] = (slot)define_type_ref;
    emit_table[23] = (slot)get_token_from_signature;
    emit_table[26] = (slot)get_token_from_type_spec;
    fill(assembly_emit_table, sizeof assembly_emit_table / sizeof *assembly_emit_table, (slot)emit_unexpected);
    assembly_emit_table[4] = (slot)define_assembly_ref;
    assembly_emit_table[2] = (slot)release_metadata_object;
}

// -- ICorProfilerInfo -------------------------------------------------------------------------------------------------

static slot info_table[130];
static slot *info_object = info_table;
static struct fake_module *modules[64];
static uint32_t module_count;

static bool is_module(clr_id id)
{
    for (uint32_t i = 0; i < module_count; i++) {
        if ((clr_id)modules[i] == id) {
            return true;
        }
    }
    return false;
}

static clr_result info_query(void *object, const struct clr_guid *id, void **out)
{
    static const struct clr_guid info5 = {0x07602928, 0xCE38, 0x4B83, {0x81, 0xE7, 0x74, 0xAD, 0xAF, 0x78, 0x12, 0x14}};
    static const struct clr_guid info13 = {
        0x6E6C7EE2, 0x0701, 0x4EC2, {0x9D, 0x29, 0x2E, 0x87, 0x33, 0xB6, 0x69, 0x34}};
    static const struct clr_guid info12 = {
        0x27B24CCD, 0x1CB1, 0x47C5, {0x96, 0xEE, 0x98, 0x19, 0x0D, 0xC3, 0x09, 0x59}};
    RUNTIME_CALL(CLR_NO_INTERFACE);
    CHECK(object == &info_object);
    if (memcmp(id, &info5, sizeof *id) != 0 && memcmp(id, &info12, sizeof *id) != 0) {
        CHECK(memcmp(id, &info13, sizeof *id) == 0);
        if (fake_without_pins) {
            RETURN(CLR_NO_INTERFACE);
        }
    }
    *out = object;
    RETURN(CLR_OK);
}

static clr_result get_function(void *object, clr_id function, clr_id *type, clr_id *module, uint32_t *token)
{
    RUNTIME_CALL(ABSENT_RESULT);
    (void)object;
    const struct fake_function *known = (const struct fake_function *)function;
    *type = 0;
    *module = (clr_id)known->module;
    *token = known->token;
    RETURN(CLR_OK);
}

// The event mask bits that may change after Initialize here; the runtime would allow more.
static void check_change(uint32_t low, uint32_t high)
{
    const uint32_t changing = CLR_MONITOR_EXCEPTIONS | CLR_ENABLE_STACK_SNAPSHOT;
    CHECK_EQUAL(low & ~changing, fake_asked.mask_low & ~changing);
    CHECK_EQUAL(high, fake_asked.mask_high);
}

static clr_result set_event_mask(void *object, uint32_t low, uint32_t high)
{
    RUNTIME_CALL(FAIL_RESULT);
    (void)object;
    if (fake_asked.masks++) {
        check_change(low, high);
    }
    fake_asked.mask_low = low;
    fake_asked.mask_high = high;
    RETURN(CLR_OK);
}

static clr_result get_module(void *object, clr_id id, const uint8_t **base, uint32_t size, uint32_t *length,
                             clr_char *name, clr_id *assembly, uint32_t *flags)
{
    RUNTIME_CALL(ABSENT_RESULT);
    (void)object;
    CHECK(is_module(id));
    const struct fake_module *module = (const struct fake_module *)id;
    uint32_t units = (uint32_t)strlen(module->path) + 1;
    CHECK(units <= size);
    for (uint32_t i = 0; i < units; i++) {
        name[i] = (unsigned char)module->path[i];
    }
    *length = units;
    *base = module->bytes;
    *assembly = id;
    *flags = module->flags;
    RETURN(CLR_OK);
}

static clr_result get_module_metadata(void *object, clr_id id, uint32_t flags, const struct clr_guid *interface,
                                      void **out)
{
    RUNTIME_CALL(FAIL_RESULT);
    (void)object;
    static const struct clr_guid emit = {0xBA3FEE4C, 0xECB9, 0x4E41, {0x83, 0xB7, 0x18, 0x3F, 0xA4, 0x1C, 0xD8, 0x59}};
    CHECK(is_module(id) && flags == 1 && memcmp(interface, &emit, sizeof emit) == 0);
    ((struct fake_module *)id)->opened = true;
    *out = new_metadata_object(emit_table, (struct fake_module *)id);
    RETURN(CLR_OK);
}

static struct fake_method *method_of(clr_id id, uint32_t token)
{
    CHECK(is_module(id) && TOKEN_TABLE(token) == TABLE_METHOD_DEF);
    struct fake_module *module = (struct fake_module *)id;
    CHECK(TOKEN_ROW(token) >= 1 && TOKEN_ROW(token) <= module->method_count);
    return &module->methods[TOKEN_ROW(token) - 1];
}

static clr_result get_il(void *object, clr_id id, uint32_t token, const uint8_t **header, uint32_t *size)
{
    RUNTIME_CALL(FAIL_RESULT);
    (void)object;
    const struct fake_method *method = method_of(id, token);
    if (!method->il) {
        RETURN(NOT_IL_RESULT);
    }
    *header = method->il;
    *size = method->il_size;
    RETURN(CLR_OK);
}

static struct bytes emitted(const void *context, uint32_t token)
{
    const struct fake_module *module = context;
    uint32_t rows = metadata_rows(&module->metadata, TABLE_STAND_ALONE_SIG);
    uint32_t row = TOKEN_ROW(token);
    if (TOKEN_TABLE(token) != TABLE_STAND_ALONE_SIG || row <= rows || row - rows > module->signature_count) {
        return (struct bytes){0};
    }
    const struct fake_signature *signature = &module->signatures[row - rows - 1];
    return bytes_of(signature->blob, signature->size);
}

// Fails the test for a body that the JIT would refuse.
static void check_body(const struct fake_module *module, uint32_t token, const void *il, size_t *size)
{
    struct arena arena = {0};
    struct il_body body;
    struct il_method_shape shape;
    struct il_tokens tokens = {&module->metadata, emitted, module};
    const char *reason = "";
    enum { SIZE_MAX_OF_A_BODY = 16 << 20 }; // its header says how large it is
    CHECK((uintptr_t)il % 4 == 0);
    struct bytes bytes = bytes_of(il, SIZE_MAX_OF_A_BODY);
    CHECK_EQUAL(il_body_size(bytes, size), CLEW_OK);
    CHECK_EQUAL(il_decode(bytes, &arena, &body), CLEW_OK);
    CHECK_EQUAL(il_shape(&module->metadata, token, &shape), CLEW_OK);
    CHECK_EQUAL(il_local_count(&tokens, body.locals_token, &shape.local_count), CLEW_OK);
    if (il_verify(&body, &shape, &tokens, &reason) != CLEW_OK) {
        FAIL("the woven body of %08x is refused: %s", token, reason);
    }
    arena_free(&arena);
}

static clr_result set_il(void *object, clr_id id, uint32_t token, const void *il)
{
    RUNTIME_CALL(FAIL_RESULT);
    (void)object;
    struct fake_method *method = method_of(id, token);
    size_t size;
    check_body((const struct fake_module *)id, token, il, &size);
    if (fake_before_set) {
        fake_before_set((struct fake_module *)id, token, il, size);
    }
    (void)pthread_mutex_lock(&lock);
    method->times_set++;
    method->il = il;
    method->il_size = (uint32_t)size;
    (void)pthread_mutex_unlock(&lock);
    RETURN(CLR_OK);
}

static clr_result set_il_map(void *object, clr_id id, int32_t start, uint32_t count, struct clr_il_map *map)
{
    RUNTIME_CALL(FAIL_RESULT);
    (void)object;
    (void)start;
    const struct fake_function *function = (const struct fake_function *)id;
    struct fake_method *method = method_of((clr_id)function->module, function->token);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(i == 0 || (map[i].old_offset > map[i - 1].old_offset && map[i].new_offset > map[i - 1].new_offset));
        CHECK(map[i].new_offset < method->il_size);
    }
    method->map_count = count;
    RETURN(CLR_OK);
}

static clr_result set_mapper(void *object, uintptr_t (*mapper)(clr_id, void *, int32_t *), void *context)
{
    RUNTIME_CALL(FAIL_RESULT);
    (void)object;
    fake_asked.mapper = mapper;
    fake_asked.mapper_context = context;
    RETURN(CLR_OK);
}

static clr_result set_hooks(void *object, void (*enter)(void), void (*leave)(void), void (*tailcall)(void))
{
    RUNTIME_CALL(FAIL_RESULT);
    (void)object;
    CHECK(fake_asked.mask_low & CLR_MONITOR_ENTERLEAVE); // the runtime wants the mask first
    fake_asked.enter = enter;
    fake_asked.leave = leave;
    fake_asked.tailcall = tailcall;
    RETURN(CLR_OK);
}

static clr_result get_runtime(void *object, uint16_t *instance, uint32_t *type, uint16_t *major, uint16_t *minor,
                              uint16_t *build, uint16_t *revision, uint32_t size, uint32_t *length, clr_char *name)
{
    RUNTIME_CALL(FAIL_RESULT);
    (void)object;
    CHECK(size == 0 && !length && !name);
    *instance = 1;
    *type = 2;
    *major = fake_version;
    *minor = 0;
    *build = 12;
    *revision = 0;
    RETURN(CLR_OK);
}

static clr_result get_current_thread(void *object, clr_id *thread)
{
    RUNTIME_CALL(FAIL_RESULT);
    (void)object;
    *thread = fake_thread;
    RETURN(fake_thread ? CLR_OK : FAIL_RESULT);
}

static clr_result get_class_info(void *object, clr_id id, clr_id *module, uint32_t *token)
{
    RUNTIME_CALL(FAIL_RESULT);
    (void)object;
    CHECK(id % 8 == 0);
    const struct fake_class *class = (const struct fake_class *)id;
    *module = (clr_id) class->module;
    *token = class->token;
    RETURN(CLR_OK);
}

static clr_result get_array(void *object, clr_id id, uint32_t *element, clr_id *item, uint32_t *rank)
{
    RUNTIME_CALL(FAIL_RESULT);
    (void)object;
    CHECK(id % 8 == 0);
    *element = *rank = 0;
    *item = 0;
    RETURN(CLR_FALSE); // no class here is an array's
}

static clr_result get_class_arguments(void *object, clr_id id, clr_id *module, uint32_t *token, clr_id *parent,
                                      uint32_t size, uint32_t *count, clr_id *arguments)
{
    RUNTIME_CALL(FAIL_RESULT);
    (void)object;
    (void)size;
    (void)arguments;
    CHECK(id % 8 == 0);
    if (parent) {
        *parent = 0; // no class here is known to extend another
    }
    const struct fake_class *class = (const struct fake_class *)id;
    *module = (clr_id) class->module;
    *token = class->token;
    *count = 0;
    RETURN(CLR_OK);
}

static clr_result get_fields(void *object, clr_id id, struct clr_field *fields, uint32_t size, uint32_t *count,
                             uint32_t *bytes)
{
    RUNTIME_CALL(FAIL_RESULT);
    (void)object;
    const struct fake_class *class = (const struct fake_class *)id;
    *count = class->field_count < size ? class->field_count : size;
    for (uint32_t i = 0; i < *count; i++) {
        fields[i] = (struct clr_field){TOKEN(TABLE_FIELD, i + 1), offsetof(struct fake_object, field) + 8 * i};
    }
    *bytes = sizeof(struct fake_object);
    RETURN(CLR_OK);
}

static clr_result get_clause(void *object, struct clr_clause *clause)
{
    RUNTIME_CALL(FAIL_RESULT);
    (void)object;
    *clause = (struct clr_clause){.type = fake_handler_frame ? 2 : 0, .frame = fake_handler_frame};
    RETURN(fake_handler_frame ? CLR_OK : CLR_FALSE);
}

static clr_result walk_stack(void *object, clr_id thread, clr_frame_seen *seen, uint32_t flags, void *data,
                             uint8_t *context, uint32_t context_size)
{
    RUNTIME_CALL(FAIL_RESULT);
    (void)object;
    CHECK(fake_asked.mask_low & CLR_ENABLE_STACK_SNAPSHOT);
    CHECK(!thread && !flags && !context && !context_size);
    clr_result result = seen(0, 0, 0, 0, NULL, data);
    if (result == CLR_OK && !fake_native_stack) {
        result = seen(1, 1, 0, 0, NULL, data);
    }
    RETURN(result == CLR_OK ? CLR_OK : ABORTED_RESULT);
}

static clr_id pinned[FAKE_PINS_MAX]; // under the lock, as all handles

static clr_result create_handle(void *object, clr_id target, int32_t type, void **handle)
{
    RUNTIME_CALL(FAIL_RESULT);
    (void)object;
    CHECK(type == 3 && !fake_without_pins);
    if (!target) {
        RETURN(ABSENT_RESULT);
    }
    uint32_t i = 0;
    (void)pthread_mutex_lock(&lock);
    while (i < FAKE_PINS_MAX && pinned[i]) {
        i++;
    }
    CHECK(i < FAKE_PINS_MAX);
    pinned[i] = target;
    (void)pthread_mutex_unlock(&lock);
    *handle = &pinned[i];
    RETURN(CLR_OK);
}

static clr_result destroy_handle(void *object, clr_id *handle)
{
    RUNTIME_CALL(FAIL_RESULT);
    (void)object;
    (void)pthread_mutex_lock(&lock);
    CHECK(handle >= pinned && handle < pinned + FAKE_PINS_MAX && *handle); // made, and not destroyed yet
    *handle = 0;
    (void)pthread_mutex_unlock(&lock);
    RETURN(CLR_OK);
}

static uint32_t count_pins(clr_id object)
{
    uint32_t count = 0;
    (void)pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < FAKE_PINS_MAX; i++) {
        count += pinned[i] && (!object || pinned[i] == object);
    }
    (void)pthread_mutex_unlock(&lock);
    return count;
}

uint32_t fake_pins(void)
{
    return count_pins(0);
}

uint32_t fake_pins_of(clr_id object)
{
    return count_pins(object);
}

static clr_result start_events(void *object, uint32_t count, const struct clr_event_source *source, int32_t rundown,
                               uint64_t *session)
{
    RUNTIME_CALL(FAIL_RESULT);
    (void)object;
    CHECK(count == 1 && source->name && source->name[0] == 'M' && !rundown);
    *session = 1;
    RETURN(CLR_OK);
}

static void fill_info(void)
{
    fill(info_table, sizeof info_table / sizeof *info_table, (slot)info_unexpected);
    info_table[0] = (slot)info_query;
    info_table[11] = (slot)get_array;
    info_table[13] = (slot)get_current_thread;
    info_table[14] = (slot)get_class_info;
    info_table[15] = (slot)get_function;
    info_table[21] = (slot)get_module_metadata;
    info_table[22] = (slot)get_il;
    info_table[24] = (slot)set_il;
    info_table[29] = (slot)set_il_map;
    info_table[36] = (slot)walk_stack;
    info_table[40] = (slot)get_fields;
    info_table[41] = (slot)get_class_arguments;
    info_table[56] = (slot)get_clause;
    info_table[59] = (slot)set_mapper;
    info_table[61] = (slot)set_hooks;
    info_table[67] = (slot)get_runtime;
    info_table[70] = (slot)get_module;
    info_table[82] = (slot)set_event_mask;
    info_table[101] = (slot)start_events;
    info_table[108] = (slot)create_handle;
    info_table[109] = (slot)destroy_handle;
}

// -- The agent's life -------------------------------------------------------------------------------------------------

typedef clr_result (*get_class)(const struct clr_guid *, const struct clr_guid *, void **);

static const struct clr_guid factory_id = {1, 0, 0, {0xC0, 0, 0, 0, 0, 0, 0, 0x46}};
static void *factory, *callback;

// Loaded once, before any child: what children share is the code alone.
static get_class entry_point(void)
{
    static get_class found;
    if (!found) {
        const char *path = getenv("FAKECLR_AGENT");
        CHECK(path);
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            FAIL("%s", dlerror());
        }
        void *symbol = dlsym(library, "DllGetClassObject");
        CHECK(symbol);
        memcpy(&found, &symbol, sizeof found);
    }
    return found;
}

clr_result fake_class(const struct clr_guid *class_id)
{
    return entry_point()(class_id, &factory_id, &factory);
}

static clr_result call(void *object, unsigned at, uintptr_t a, uintptr_t b, uintptr_t c)
{
    bool before = memory_watched;
    memory_watched = true;
    clr_result result =
        ((clr_result(*)(void *, uintptr_t, uintptr_t, uintptr_t))(*(slot **)object)[at])(object, a, b, c);
    memory_watched = before;
    return result;
}

clr_result fake_start(void)
{
    static const struct clr_guid ours = {CLEW_CLSID_FIELDS};
    static const struct clr_guid callback2 = {
        0x8A8CC829, 0xCCF2, 0x49FE, {0xBB, 0xAE, 0x0F, 0x02, 0x22, 0x28, 0x07, 0x1A}};
    static const struct clr_guid callback11 = {
        0x42350846, 0xAAED, 0x47F7, {0xB1, 0x28, 0xFD, 0x0C, 0x98, 0x88, 0x1C, 0xDE}};
    static const struct clr_guid callback12 = {
        0xB0000001, 0xAAED, 0x47F7, {0xB1, 0x28, 0xFD, 0x0C, 0x98, 0x88, 0x1C, 0xDE}};
    void *again, *newest, *unknown;
    int32_t notification_only = 1;
    fill_info();
    fill_metadata();
    CHECK_EQUAL(fake_class(&ours), CLR_OK);
    CHECK_EQUAL(call(factory, 3, 0, (uintptr_t)&callback2, (uintptr_t)&callback), CLR_OK);
    CHECK_EQUAL(call(callback, 0, (uintptr_t)&callback2, (uintptr_t)&again, 0), CLR_OK);
    CHECK_EQUAL(call(callback, 0, (uintptr_t)&callback11, (uintptr_t)&newest, 0), CLR_OK);
    CHECK(callback && again == callback && newest == callback);
    CHECK_EQUAL(call(callback, 0, (uintptr_t)&callback12, (uintptr_t)&unknown, 0), CLR_NO_INTERFACE);
    CHECK(!unknown);
    (void)fake_callback(CLR_CB_LOAD_AS_NOTIFICATION_ONLY, (uintptr_t)&notification_only, 0, 0);
    CHECK_EQUAL(notification_only, 0);
    return fake_callback(CLR_CB_INITIALIZE, (uintptr_t)&info_object, 0, 0);
}

clr_result fake_callback(enum clr_callback_slot at, uintptr_t a, uintptr_t b, uintptr_t c)
{
    enum { SEARCH_FUNCTION_ENTER = 55 };
    bool of_exception = at >= CLR_CB_EXCEPTION_THROWN && at <= CLR_CB_EXCEPTION_CATCHER_LEAVE;
    if (of_exception && !(fake_asked.mask_low & CLR_MONITOR_EXCEPTIONS)) {
        return CLR_OK; // no listener
    }
    CHECK(!fake_native_stack || (int)at != SEARCH_FUNCTION_ENTER);
    return call(callback, (unsigned)at, a, b, c);
}

bool fake_run(void (*body)(void), unsigned seconds)
{
    (void)entry_point();
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        (void)signal(SIGSEGV, SIG_DFL); // cmocka would continue with the next test in this child
        (void)signal(SIGBUS, SIG_DFL);
        (void)signal(SIGILL, SIG_DFL); // a false assertion
        (void)alarm(seconds);
        body();
        _exit(0);
    }
    int status = -1;
    char socket[64];
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    session_path(child, socket, sizeof socket);
    (void)unlink(socket); // not every test has one
    if (WIFSIGNALED(status)) {
        (void)fprintf(stderr, "the child was ended by signal %d\n", WTERMSIG(status));
    }
    return status == 0;
}

// -- The program ------------------------------------------------------------------------------------------------------

static uint8_t *read_file(const char *path, size_t *size)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) != 0) {
        FAIL("cannot open %s", path);
    }
    *size = (size_t)status.st_size;
    uint8_t *bytes = calloc(1, *size);
    CHECK(bytes && read(fd, bytes, *size) == (ssize_t)*size);
    (void)close(fd); // only read
    return bytes;
}

static void find_bodies(struct fake_module *module)
{
    module->method_count = metadata_rows(&module->metadata, TABLE_METHOD_DEF);
    module->methods = calloc(module->method_count + 1, sizeof *module->methods);
    CHECK(module->methods);
    for (uint32_t row = 1; row <= module->method_count; row++) {
        struct fake_method *method = &module->methods[row - 1];
        struct metadata_method about;
        struct bytes il;
        size_t size;
        for (unsigned i = 0; i < FAKE_INSTANCES; i++) {
            method->instances[i] = (struct fake_function){module, TOKEN(TABLE_METHOD_DEF, row)};
        }
        CHECK(metadata_method(&module->metadata, TOKEN(TABLE_METHOD_DEF, row), &about));
        if (about.rva && image_at(&module->image, about.rva, &il) && il_body_size(il, &size) == CLEW_OK) {
            method->il = il.at;
            method->il_size = (uint32_t)size;
        }
    }
}

struct fake_module *fake_module_new(const char *path)
{
    struct fake_module *module = calloc(1, sizeof *module);
    CHECK(module && module_count < sizeof modules / sizeof *modules);
    (void)snprintf(module->path, sizeof module->path, "%s", path);
    module->bytes = read_file(path, &module->size);
    module->flags = CLR_MODULE_DISK | CLR_MODULE_FLAT;
    CHECK_EQUAL(image_open(bytes_of(module->bytes, module->size), IMAGE_FLAT, &module->image), CLEW_OK);
    CHECK_EQUAL(metadata_open(module->image.metadata, &module->metadata), CLEW_OK);
    find_bodies(module);
    modules[module_count++] = module;
    return module;
}

uint32_t fake_rename(struct fake_module *module, const char *longer, const char *text)
{
    struct bytes strings = module->metadata.strings;
    const uint8_t *at = memmem(strings.at, bytes_left(&strings), longer, strlen(longer) + 1);
    CHECK(at && strlen(text) <= strlen(longer));
    memcpy(module->bytes + (at - module->bytes), text, strlen(text) + 1);
    return (uint32_t)(at - strings.at);
}

void fake_load_finished(struct fake_module *module)
{
    (void)fake_callback(CLR_CB_MODULE_LOAD_FINISHED, (uintptr_t)module, 0, 0);
}

void fake_unload(struct fake_module *module)
{
    (void)fake_callback(CLR_CB_MODULE_UNLOAD_STARTED, (uintptr_t)module, 0, 0);
    (void)fake_callback(CLR_CB_MODULE_UNLOAD_FINISHED, (uintptr_t)module, 0, 0);
    CHECK(!(module->flags & CLR_MODULE_COLLECTIBLE) || atomic_load(&module->metadata_objects) == 0);
    free(module->methods);
    find_bodies(module);
    module->signature_count = module->type_spec_count = module->assembly_refs = module->type_refs = 0;
    module->opened = false;
}

struct fake_module *fake_load(const char *path)
{
    struct fake_module *module = fake_module_new(path);
    fake_load_finished(module);
    return module;
}

void fake_compile(struct fake_module *module, uint32_t row, unsigned instance)
{
    (void)fake_callback(CLR_CB_JIT_COMPILATION_STARTED, fake_function(module, row, instance), 1, 0);
}

void fake_compiled(struct fake_module *module, uint32_t row, unsigned instance)
{
    (void)fake_callback(CLR_CB_JIT_COMPILATION_FINISHED, fake_function(module, row, instance), CLR_OK, 1);
}
