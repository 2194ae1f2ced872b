// A module with a type of every kind, laid out in memory, and the texts that tests compare what was recorded with.
//
//   class C { int f; string s; Point p; C next; bool b; double d; string secret; static int sf; static Point sp; }
//   struct Point { int x; int y; }   struct Line { Point a; Point b; }   struct Big { object o; int n; }   enum E
#ifndef CLEW_TEST_MADE_WORLD_H
#define CLEW_TEST_MADE_WORLD_H

#include <stdio.h>

#include "../il/made_metadata.h"
#include "interpreter.h"

// Tokens, which follow from the order in made_world().
enum {
    OBJECT_REF = 0x01000001,
    VALUE_TYPE_REF,
    ENUM_REF,
    HELPERS_REF, // AsyncHelpers
    TASK_REF,
    TASK_OF_REF,    // Task`1
    CONFIGURED_REF, // a struct that ConfigureAwait returns
    POINT = 0x02000002,
    LINE,
    BIG,
    ENUM,
    CLASS,
    POINT_X = 0x04000001,
    POINT_Y,
    LINE_A,
    LINE_B,
    BIG_O,
    BIG_N,
    CLASS_F,
    CLASS_S,
    CLASS_P,
    CLASS_NEXT,
    CLASS_B,
    CLASS_D,
    CLASS_SECRET,
    CLASS_SF,
    CLASS_SP,
    POINT_CTOR = 0x06000001, // Point(int, int)
    POINT_SUM,               // int Point.Sum()
    CLASS_CTOR,              // C()
    CLASS_GET,               // int C.Get()
    MAIN,                    // static void Main()
    ADD,                     // static int Add(int, string)
    GENERIC,                 // static void Generic<T>(T)
    CALLS_REF,               // static void Ref(ref int): adds 1
    CALLS_OUT,               // static int Out(out int): 42, returns 1
    CALLS_IN,                // static void In(in int)
    MAKE,                    // static Point Make()
    WHERE,                   // static ref int Where(ref int)
    TAKES,                   // static void Takes(Point)
    BOTH,                    // static void Both(ref int, ref int): 1 and 2
    FILL,                    // static void Fill(object, object)
    GENERIC_REF_STRUCT,      // static void GenericRefStruct<T>(T) where T : allows ref struct
    LATER,                   // static async Task Later()
    LATER_INT,               // static async Task<int> LaterInt(int)
    LATER_OF,                // static async Task<T> LaterOf<T>(T)
    GET_TASK,                // static Task GetTask()
    GET_TASK_OF,             // static Task<int> GetTaskOf(object)
    ALL_LOCALS = 0x11000001, // L0 int, L1 string, L2 Point, L3 Line, L4 Big, L5 E, L6 int&, L7 double, L8 C, L9 int[],
                             // L10 float, L11 bool, L12 long, L13 Point[], L14 int[,], L15 byte*
    GENERIC_LOCALS,          // L0 T
    REFERENCE_LOCALS,        // L0 C, L1 C&, L2 Line, L3 int&, L4 C&
    ASYNC_LOCALS,            // L0 int, L1 Configured, L2 Task, L3 Point
    MATRIX = 0x1B000001,     // int[,]
    PARAMETER_TYPE,          // !!0
    MATRIX_SET = 0x0A000001, // void int[,].Set(int, int, int)
    MATRIX_GET,              // int int[,].Get(int, int)
    ELSEWHERE_REF,           // static void Elsewhere(ref int), in another assembly
    MATRIX_CTOR,             // int[,](int, int)
    AWAIT,                   // static void AsyncHelpers.Await(Task)
    AWAIT_OF,                // static T AsyncHelpers.Await<T>(Task<T>)
    AWAIT_CONFIGURED,        // static void AsyncHelpers.Await(Configured)
    AWAIT_AWAITER_OF,        // static void AsyncHelpers.AwaitAwaiter<T>(T)
    ENTRY_POINT,             // static void AsyncHelpers.HandleAsyncEntryPoint(Task)
    SUSPEND,                 // static void AsyncHelpers.Suspend(), which there is none
    CONFIGURE,               // Configured Task.ConfigureAwait(bool)
    GET_AWAITER,             // Configured Task.GetAwaiter()
    POINT_LATER,             // Task Point.Later()
    LATER_BOTH,              // static Task LaterBoth(ref int, ref int), in another assembly
    AWAIT_INT = 0x2B000001,
    AWAIT_AWAITER,
};

// Signatures name types by TypeDefOrRef: row << 2.
#define POINT_SIG 0x11, 2 << 2
#define LINE_SIG 0x11, 3 << 2
#define BIG_SIG 0x11, 4 << 2
#define ENUM_SIG 0x11, 5 << 2
#define CLASS_SIG 0x12, 6 << 2
#define TASK_SIG 0x12, 5 << 2 | 1
#define TASK_OF_SIG(...) 0x15, 0x12, 6 << 2 | 1, 1, __VA_ARGS__
#define CONFIGURED_SIG 0x11, 7 << 2 | 1

static struct made_metadata world_module;

// What runtime async needs: behind all other rows of its tables.
static inline void made_async_methods(struct made_metadata *made)
{
    made_async_method(made, "Later", SIG(0x00, 0, TASK_SIG));
    made_async_method(made, "LaterInt", SIG(0x00, 1, TASK_OF_SIG(0x08), 0x08));
    made_async_method(made, "LaterOf", SIG(0x10, 1, 1, TASK_OF_SIG(0x1E, 0), 0x1E, 0));
    made_method(made, "GetTask", SIG(0x00, 0, TASK_SIG));
    made_method(made, "GetTaskOf", SIG(0x00, 1, TASK_OF_SIG(0x08), 0x1C));
}

static inline void made_async_members(struct made_metadata *made)
{
    made_signature_row(made, TABLE_STAND_ALONE_SIG, SIG(0x07, 4, 0x08, CONFIGURED_SIG, TASK_SIG, POINT_SIG));
    made_member(made, HELPERS_REF, "Await", SIG(0x00, 1, 0x01, TASK_SIG));
    made_member(made, HELPERS_REF, "Await", SIG(0x10, 1, 1, 0x1E, 0, TASK_OF_SIG(0x1E, 0)));
    made_member(made, HELPERS_REF, "Await", SIG(0x00, 1, 0x01, CONFIGURED_SIG));
    made_member(made, HELPERS_REF, "AwaitAwaiter", SIG(0x10, 1, 1, 0x01, 0x1E, 0));
    made_member(made, HELPERS_REF, "HandleAsyncEntryPoint", SIG(0x00, 1, 0x01, TASK_SIG));
    made_member(made, HELPERS_REF, "Suspend", SIG(0x00, 0, 0x01));
    made_member(made, TASK_REF, "ConfigureAwait", SIG(0x20, 1, CONFIGURED_SIG, 0x02));
    made_member(made, TASK_REF, "GetAwaiter", SIG(0x20, 0, CONFIGURED_SIG));
    made_member(made, POINT, "Later", SIG(0x20, 0, TASK_SIG));
    made_member(made, OBJECT_REF, "LaterBoth", SIG(0x00, 2, TASK_SIG, 0x10, 0x08, 0x10, 0x08));
    made_method_spec(made, AWAIT_OF, SIG(0x0A, 1, 0x08));
    made_method_spec(made, AWAIT_AWAITER_OF, SIG(0x0A, 1, CONFIGURED_SIG));
}

static inline void made_world(void)
{
    struct made_metadata *made = &world_module;
    made_begin(made);
    made_type_ref(made, "System", "Object");
    made_type_ref(made, "System", "ValueType");
    made_type_ref(made, "System", "Enum");
    made_type_ref(made, "System.Runtime.CompilerServices", "AsyncHelpers");
    made_type_ref(made, "System.Threading.Tasks", "Task");
    made_type_ref(made, "System.Threading.Tasks", "Task`1");
    made_type_ref(made, "System.Runtime.CompilerServices", "Configured");
    made_type_def(made, "Point", VALUE_TYPE_REF);
    made_field(made, "x", SIG(6, 0x08));
    made_field(made, "y", SIG(6, 0x08));
    made_method(made, ".ctor", SIG(0x20, 2, 0x01, 0x08, 0x08));
    made_method(made, "Sum", SIG(0x20, 0, 0x08));
    made_type_def(made, "Line", VALUE_TYPE_REF);
    made_field(made, "a", SIG(6, POINT_SIG));
    made_field(made, "b", SIG(6, POINT_SIG));
    made_type_def(made, "Big", VALUE_TYPE_REF);
    made_field(made, "o", SIG(6, 0x1C));
    made_field(made, "n", SIG(6, 0x08));
    made_type_def(made, "E", ENUM_REF);
    made_type_def(made, "C", OBJECT_REF);
    made_field(made, "f", SIG(6, 0x08));
    made_field(made, "s", SIG(6, 0x0E));
    made_field(made, "p", SIG(6, POINT_SIG));
    made_field(made, "next", SIG(6, CLASS_SIG));
    made_field(made, "b", SIG(6, 0x02));
    made_field(made, "d", SIG(6, 0x0D));
    made_field(made, "secret", SIG(6, 0x0E));
    made_field(made, "sf", SIG(6, 0x08));
    made_field(made, "sp", SIG(6, POINT_SIG));
    made_method(made, ".ctor", SIG(0x20, 0, 0x01));
    made_method(made, "Get", SIG(0x20, 0, 0x08));
    made_method(made, "Main", SIG(0x00, 0, 0x01));
    made_method(made, "Add", SIG(0x00, 2, 0x08, 0x08, 0x0E));
    made_method(made, "Generic", SIG(0x10, 1, 1, 0x01, 0x1E, 0));
    made_method(made, "Ref", SIG(0x00, 1, 0x01, 0x10, 0x08));
    made_method(made, "Out", SIG(0x00, 1, 0x08, 0x10, 0x08));
    made_parameter(made, 2, 1);
    made_method(made, "In", SIG(0x00, 1, 0x01, 0x10, 0x08));
    made_parameter(made, 1, 1);
    made_method(made, "Make", SIG(0x00, 0, POINT_SIG));
    made_method(made, "Where", SIG(0x00, 1, 0x10, 0x08, 0x10, 0x08));
    made_method(made, "Takes", SIG(0x00, 1, 0x01, POINT_SIG));
    made_method(made, "Both", SIG(0x00, 2, 0x01, 0x10, 0x08, 0x10, 0x08));
    made_method(made, "Fill", SIG(0x00, 2, 0x01, 0x1C, 0x1C));
    made_method(made, "GenericRefStruct", SIG(0x10, 1, 1, 0x01, 0x1E, 0));
    made_async_methods(made);
    made_signature_row(made, TABLE_STAND_ALONE_SIG,
                       SIG(0x07, 16, 0x08, 0x0E, POINT_SIG, LINE_SIG, BIG_SIG, ENUM_SIG, 0x10, 0x08, 0x0D, CLASS_SIG,
                           0x1D, 0x08, 0x0C, 0x02, 0x0A, 0x1D, POINT_SIG, 0x14, 0x08, 2, 0, 0, 0x0F, 0x05));
    made_signature_row(made, TABLE_STAND_ALONE_SIG, SIG(0x07, 1, 0x1E, 0));
    made_signature_row(made, TABLE_STAND_ALONE_SIG,
                       SIG(0x07, 5, CLASS_SIG, 0x10, CLASS_SIG, LINE_SIG, 0x10, 0x08, 0x10, CLASS_SIG));
    uint32_t matrix = made_signature_row(made, TABLE_TYPE_SPEC, SIG(0x14, 0x08, 2, 0, 0));
    made_signature_row(made, TABLE_TYPE_SPEC, SIG(0x1E, 0));
    made_member(made, matrix, "Set", SIG(0x20, 3, 0x01, 0x08, 0x08, 0x08));
    made_member(made, matrix, "Get", SIG(0x20, 2, 0x08, 0x08, 0x08));
    made_member(made, OBJECT_REF, "Elsewhere", SIG(0x00, 1, 0x01, 0x10, 0x08));
    made_member(made, matrix, ".ctor", SIG(0x20, 2, 0x01, 0x08, 0x08));
    made_async_members(made);
    made_generic_parameter(made, 0, 0, (uint16_t)(TOKEN_ROW(GENERIC) << 1 | 1));
    made_generic_parameter(made, 0, 0x20, (uint16_t)(TOKEN_ROW(GENERIC_REF_STRUCT) << 1 | 1));
    made_generic_parameter(made, 0, 0, (uint16_t)(TOKEN_ROW(LATER_OF) << 1 | 1));
    made_open(made);
}

// -- In memory --------------------------------------------------------------------------------------------------------

static void *objects[64];
static unsigned object_count;
static uint8_t statics[32];
static uint32_t *world_current; // another activation after each call of Out
static uint64_t *world_tick;    // moved on by 10 in each call of In; may be NULL

static inline void *new_object(void)
{
    objects[object_count] = calloc(1, 256);
    return objects[object_count++];
}

static inline void free_objects(void)
{
    while (object_count) {
        free(objects[--object_count]);
    }
}

static inline void *world_create(uint32_t token)
{
    (void)token;
    return new_object();
}

static inline uint32_t world_size_of_token(uint32_t token)
{
    switch (token) {
    case POINT:
        return 8;
    case LINE:
    case BIG:
        return 16;
    default: // E, type parameters (of int), arrays of int
        return 4;
    }
}

static inline uint32_t world_size(struct bytes signature)
{
    return *signature.at == ELEMENT_VALUE_TYPE ? world_size_of_token(TOKEN(TABLE_TYPE_DEF, signature.at[1] >> 2u)) : 4;
}

static inline uint8_t *world_field(uint32_t token, uint8_t *owner, struct bytes *type)
{
    static const uint8_t offsets[] = {[POINT_X & 0xFF] = 0,       [POINT_Y & 0xFF] = 4,  [LINE_A & 0xFF] = 0,
                                      [LINE_B & 0xFF] = 8,        [BIG_O & 0xFF] = 0,    [BIG_N & 0xFF] = 8,
                                      [CLASS_F & 0xFF] = 8,       [CLASS_S & 0xFF] = 16, [CLASS_P & 0xFF] = 24,
                                      [CLASS_NEXT & 0xFF] = 32,   [CLASS_B & 0xFF] = 40, [CLASS_D & 0xFF] = 48,
                                      [CLASS_SECRET & 0xFF] = 56, [CLASS_SF & 0xFF] = 0, [CLASS_SP & 0xFF] = 8};
    struct bytes blob = metadata_blob(&world_module.metadata, metadata_column(&world_module.metadata, TABLE_FIELD,
                                                                              TOKEN_ROW(token), FIELD_SIGNATURE));
    (void)signature_field(blob, type);
    return (owner ? owner : statics) + offsets[token & 0xFF];
}

static inline struct cell world_call(uint32_t token, struct cell *arguments)
{
    int32_t *first = (int32_t *)(uintptr_t)integer_of(arguments[0]);
    struct cell point = {.size = 8};
    switch (token) {
    case POINT_CTOR:
        first[0] = (int32_t)integer_of(arguments[1]);
        first[1] = (int32_t)integer_of(arguments[2]);
        return cell_of(0);
    case CALLS_REF:
    case ELSEWHERE_REF:
        *first += 1;
        return cell_of(0);
    case CALLS_OUT:
        *world_current = CURRENT + 1;
        *(first ? first : &(int32_t){0}) = 42;
        return cell_of(1);
    case BOTH:
        *first = 1;
        *(int32_t *)(uintptr_t)integer_of(arguments[1]) = 2;
        return cell_of(0);
    case WHERE:
        return arguments[0];
    case CALLS_IN:
        *(world_tick ? world_tick : &(uint64_t){0}) += 10;
        return cell_of(0);
    case LATER:
        *(world_tick ? world_tick : &(uint64_t){0}) += 100;
        return cell_of(0);
    case AWAIT:
        *(world_tick ? world_tick : &(uint64_t){0}) += 1000;
        return cell_of(0);
    case MAKE:
        memcpy(point.bytes, (int32_t[]){3, 4}, 8);
        return point;
    case MATRIX_SET:
        first[4 + 10 * integer_of(arguments[1]) + integer_of(arguments[2])] = (int32_t)integer_of(arguments[3]);
        return cell_of(0);
    case MATRIX_GET:
        return cell_of(first[4 + 10 * integer_of(arguments[1]) + integer_of(arguments[2])]);
    default: // Get, Sum, Add
        return cell_of(0);
    }
}

static bool awaits_suspend; // whether all do
static bool awaits_throw;   // the same

static inline bool is_await(uint32_t token)
{
    return token == AWAIT || token == AWAIT_INT || token == AWAIT_CONFIGURED || token == AWAIT_AWAITER;
}

static inline bool world_suspends(uint32_t token)
{
    return awaits_suspend && is_await(token);
}

static inline bool world_throws(uint32_t token)
{
    return awaits_throw && is_await(token);
}

static const struct world made_layout = {world_size,   world_size_of_token, world_field, world_call,
                                         world_create, world_suspends,      world_throws};

// -- Questions --------------------------------------------------------------------------------------------------------

static struct made_types world_types;

static bool
    wide_structs; // whether all structs have more fields than the JIT takes apart, and go by their types' numbers

static inline void world_type(void *context, struct bytes signature, struct weave_type *type)
{
    (void)context;
    type->number = *signature.at;
    if (*signature.at == ELEMENT_VALUE_TYPE) {
        uint32_t token = TOKEN(TABLE_TYPE_DEF, signature.at[1] >> 2u);
        type->encoding = token == ENUM ? VALUE_I4 : VALUE_STRUCT;
        type->size = token == ENUM ? 0 : world_size_of_token(token);
        type->has_references = token == BIG;
        if (wide_structs && token != ENUM) {
            type->encoding = VALUE_TYPED;
            type->by_number = type->wide = true;
        }
    }
}

static uint32_t secret_local = UINT32_MAX;  // the local that is called `secret`
static uint32_t unnamed_local = UINT32_MAX; // the local that the source has no name for
static bool unnamed_locals;                 // none has one, except for `secret`

static inline struct weave_name world_name(void *context, enum site_place place, uint32_t index, uint32_t offset,
                                           uint32_t next)
{
    (void)context, (void)offset, (void)next;
    if (place == PLACE_FIELD || place == PLACE_STATIC_FIELD) {
        uint32_t name = metadata_column(&world_module.metadata, TABLE_FIELD, TOKEN_ROW(index), FIELD_NAME);
        return (struct weave_name){metadata_string(&world_module.metadata, name), VARIABLE_PLAIN};
    }
    bool local = place == PLACE_LOCAL;
    return (struct weave_name){.text = local && index == secret_local                        ? text_of("secret")
                                       : local && (index == unnamed_local || unnamed_locals) ? (struct text){0}
                                                                                             : text_of("named")};
}

static bool secret_result; // whether results of methods are secret

static inline bool world_redacted(void *context, enum site_place place, uint32_t index, struct text name,
                                  struct bytes signature)
{
    (void)context, (void)index, (void)signature;
    return text_equal(name, text_of("secret")) || (place == PLACE_RESULT && secret_result);
}

static const struct weave_queries world_queries = {.context = &world_types,
                                                   .name = world_name,
                                                   .redacted = world_redacted,
                                                   .type = world_type,
                                                   .type_token = made_token};

// -- Texts ------------------------------------------------------------------------------------------------------------

static inline void tell_object(struct buffer *log, const void *object)
{
    for (unsigned i = 0; i < object_count; i++) {
        if (objects[i] == object) {
            buffer_printf(log, "o%u", i + 1);
            return;
        }
    }
    buffer_text(log, object ? "o?" : "null");
}

static inline void *pointer_at(const uint8_t *at)
{
    void *pointer;
    memcpy(&pointer, at, sizeof pointer);
    return pointer;
}

static inline void tell_value(struct buffer *log, const struct site *site, const uint8_t *at)
{
    static const char *const reasons[] = {"?", "redacted", "too large", "unknown", "unsafe"};
    float r4;
    double r8;
    switch (site->encoding) {
    case VALUE_NONE:
        buffer_printf(log, "<%s>", reasons[site->reason]);
        break;
    case VALUE_OBJECT:
        tell_object(log, pointer_at(at));
        break;
    case VALUE_POINTER:
        buffer_text(log, pointer_at(at) ? "&" : "nowhere");
        break;
    case VALUE_R4:
        memcpy(&r4, at, 4);
        buffer_printf(log, "%gf", (double)r4);
        break;
    case VALUE_R8:
        memcpy(&r8, at, 8);
        buffer_printf(log, "%g", r8);
        break;
    case VALUE_I8:
        buffer_printf(log, "%lldL", (long long)(intptr_t)pointer_at(at));
        break;
    case VALUE_STRUCT:
        buffer_text(log, "{");
        if (site->size == 16 && site->type == ELEMENT_VALUE_TYPE && pointer_at(at) > (void *)4096 && object_count > 0 &&
            pointer_at(at) == objects[0]) { // a Big
            tell_object(log, pointer_at(at));
            buffer_printf(log, ",%d}", (int32_t)read_u32(at + 8));
            break;
        }
        for (uint32_t i = 0; i < site->size; i += 4) {
            buffer_printf(log, "%s%d", i ? "," : "", (int32_t)read_u32(at + i));
        }
        buffer_text(log, "}");
        break;
    default: // integers of 32 bits or fewer; a type parameter, instantiated as int; a wide struct: all of them are Points
        if (wide_structs && site->encoding == VALUE_TYPED) {
            buffer_printf(log, "{%d,%d}", (int32_t)read_u32(at), (int32_t)read_u32(at + 4));
            break;
        }
        buffer_printf(log, "%d", (int32_t)read_u32(at));
        break;
    }
}

static inline void tell_field(struct buffer *log, uint32_t token)
{
    struct text name = world_name(NULL, PLACE_FIELD, token, 0, 0).text;
    buffer_printf(log, "%.*s", (int)name.size, name.at);
}

static inline void tell_place(struct buffer *log, const struct site *site, const uint8_t *owner, uint32_t index)
{
    switch (site->owner) {
    case OWNER_THIS:
        buffer_text(log, "this.");
        break;
    case OWNER_OBJECT:
        tell_object(log, pointer_at(owner));
        buffer_text(log, site->place == PLACE_ITEM ? "" : ".");
        break;
    case OWNER_ADDRESS:
        buffer_text(log, pointer_at(owner) ? "@." : "nowhere.");
        break;
    case OWNER_LOCAL:
    case OWNER_PARAMETER:
        buffer_printf(log, "%c%u.", site->owner == OWNER_LOCAL ? 'L' : 'P', site->owner_index);
        break;
    default:
        break;
    }
    switch (site->place) {
    case PLACE_LOCAL:
    case PLACE_PARAMETER:
        buffer_printf(log, "%c%u", site->place == PLACE_LOCAL ? 'L' : 'P', site->index);
        break;
    case PLACE_FIELD:
    case PLACE_STATIC_FIELD:
        tell_field(log, site->index);
        break;
    case PLACE_ITEM:
        buffer_printf(log, "[%u]", index);
        break;
    case PLACE_INDIRECT:
        buffer_text(log, "*");
        break;
    case PLACE_SPAN_ITEM:
        buffer_printf(log, "*[%u]", index);
        break;
    case PLACE_ITEM_FIELD:
        buffer_printf(log, "[%u].", index);
        tell_field(log, site->index);
        break;
    default:
        break;
    }
}

void interpreter_tell(struct run *run, uint32_t number, const uint8_t *owner, uint32_t index, const uint8_t *value)
{
    static const char *const before[] = {"#", "", "", "in ", "returns ", "new "};
    const struct site *site = &run->plan->sites[number];
    buffer_text(run->log, before[site->kind]);
    if (site->kind == SITE_STATEMENT) {
        buffer_printf(run->log, "%x ", site->il_offset);
        return;
    }
    tell_place(run->log, site, owner, index);
    buffer_text(run->log, site->kind == SITE_USE                                         ? "->"
                          : site->kind == SITE_DEFINITION || site->kind == SITE_ARGUMENT ? "="
                                                                                         : "");
    tell_value(run->log, site, value);
    buffer_text(run->log, " ");
}

#endif
