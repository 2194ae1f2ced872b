#include "weave/operations/runs.h"

#include "base/assert.h"
#include "il/stack.h"
#include "metadata/names/names.h"
#include "metadata/names/names_variable.h"
#include "weave/operations/awaited.h"

enum { STATES_MAX = 1 << 16 };

struct search {
    const struct il_body *body;
    const struct metadata *metadata;
    uint32_t owner; // TypeDef of the state machine
    struct weave_run_point *points;
    uint32_t count, room;
    uint32_t highest;     // state
    uint32_t builders[4]; // types of the fields with a builder: TypeDef or TypeRef
    uint32_t builder_count;
    uint32_t state_field;
    bool new_at_0; // the state of a body that has not run; else -1
    bool completes, strange;
};

// -- Names ------------------------------------------------------------------------------------------------------------

static uint32_t column(const struct search *search, uint32_t token, unsigned which)
{
    return metadata_column(search->metadata, (enum metadata_table)TOKEN_TABLE(token), TOKEN_ROW(token), which);
}

static struct text string(const struct search *search, uint32_t offset)
{
    return metadata_string(search->metadata, offset);
}

static bool is_any(struct text name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (text_equal(name, text_of(names[i]))) {
            return true;
        }
    }
    return false;
}

#define IS_ANY(name, names) is_any(name, names, sizeof(names) / sizeof *(names))

static uint32_t token_of(const struct il_instruction *at)
{
    return (uint32_t)at->operand.integer;
}

// -- Fields -----------------------------------------------------------------------------------------------------------

static const char resumption_point[] = "ResumptionPoint"; // of F#

static bool is_state(const struct search *search, const struct field_reference *field)
{
    static const char *const names[] = {"<>1__state", "$State", resumption_point};
    return IS_ANY(field->name, names) && field->type == search->owner;
}

static void note_builder(struct search *search, const struct field_reference *field)
{
    static const char *const names[] = {"<>t__builder", "$Builder", "MethodBuilder", "<>v__promiseOfValueOrEnd"};
    uint32_t type = IS_ANY(field->name, names) ? names_class_of(field->signature) : 0;
    for (uint32_t i = 0; i < search->builder_count; i++) {
        type = search->builders[i] == type ? 0 : type;
    }
    if (type && search->builder_count < sizeof search->builders / sizeof *search->builders) {
        search->builders[search->builder_count++] = type;
    }
}

// Whether all builders are those of the core library, which start the body at once and run none of the program's code.
static bool builders_are_plain(const struct search *search)
{
    static const char *const names[] = {"AsyncTaskMethodBuilder",
                                        "AsyncTaskMethodBuilder`1",
                                        "AsyncValueTaskMethodBuilder",
                                        "AsyncValueTaskMethodBuilder`1",
                                        "AsyncVoidMethodBuilder",
                                        "PoolingAsyncValueTaskMethodBuilder",
                                        "PoolingAsyncValueTaskMethodBuilder`1"};
    for (uint32_t i = 0; i < search->builder_count; i++) {
        uint32_t type = search->builders[i];
        struct text space = string(search, column(search, type, TYPE_NAMESPACE));
        if (TOKEN_TABLE(type) != TABLE_TYPE_REF || !IS_ANY(string(search, column(search, type, TYPE_NAME)), names) ||
            !text_equal(space, text_of("System.Runtime.CompilerServices"))) {
            return false;
        }
    }
    return search->builder_count > 0;
}

// F# refers to the type of the field in FSharp.Core by another assembly (netstandard) than to its methods.
static bool is_same_type(const struct search *search, uint32_t a, uint32_t b)
{
    bool references = TOKEN_TABLE(a) == TABLE_TYPE_REF && TOKEN_TABLE(b) == TABLE_TYPE_REF;
    return a == b ||
           (references &&
            text_equal(string(search, column(search, a, TYPE_NAME)), string(search, column(search, b, TYPE_NAME))) &&
            text_equal(string(search, column(search, a, TYPE_NAMESPACE)),
                       string(search, column(search, b, TYPE_NAMESPACE))));
}

static bool is_builder(const struct search *search, uint32_t type)
{
    for (uint32_t i = 0; i < search->builder_count; i++) {
        if (is_same_type(search, search->builders[i], type)) {
            return true;
        }
    }
    return false;
}

// -- Awaited ----------------------------------------------------------------------------------------------------------

// The call whose result is awaited at the store of a state, as its token: the last one before GetAwaiter. 0: a variable or a
// field is awaited, or it is not known.
static uint32_t find_awaited(const struct search *search, const struct il_instruction *store)
{
    const struct il_body *body = search->body;
    const struct il_instruction *at = store;
    struct field_reference field;
    do {
        if (at == body->originals) {
            return 0;
        }
        at--;
        if (at->opcode == IL_STFLD && names_field_reference(search->metadata, token_of(at), &field) &&
            is_state(search, &field)) {
            return 0; // it belongs to another await
        }
    } while (!text_equal(awaited_called_by(search->metadata, at).name, text_of("GetAwaiter")));
    return awaited_call(body, search->metadata, at);
}

// -- Points -----------------------------------------------------------------------------------------------------------

static void add_point(struct search *search, uint32_t at, enum weave_run_point_kind kind, uint32_t state)
{
    if (search->count == search->room) {
        search->strange = true;
        return;
    }
    struct weave_run_point *point = &search->points[search->count++];
    *point =
        (struct weave_run_point){.at = at, .kind = kind, .state = state, .offset = search->body->originals[at].offset};
    if (kind == RUN_POINT_WAIT) {
        point->awaited = find_awaited(search, &search->body->originals[at]);
        search->highest = state > search->highest ? state : search->highest;
    }
}

static bool constant_of(const struct il_instruction *at, int64_t *out)
{
    if (at->opcode >= IL_LDC_I4_M1 && at->opcode <= IL_LDC_I4_8) {
        *out = (int64_t)at->opcode - IL_LDC_I4_0;
        return true;
    }
    *out = at->operand.integer;
    return at->opcode == IL_LDC_I4_S || at->opcode == IL_LDC_I4;
}

// The constant that a store of the state stores: right in front of it, or before it was kept in a local as well.
static bool stored_state(const struct il_body *body, uint32_t at, int64_t *out)
{
    uint32_t number;
    const struct il_instruction *store = &body->originals[at];
    if (at >= 1 && !store->target && constant_of(store - 1, out)) {
        return true;
    }
    return at >= 3 && !store->target && !store[-1].target && !store[-2].target && store[-2].opcode == IL_DUP &&
           il_family(store - 1, &number) == IL_STLOC && constant_of(store - 3, out);
}

static void note_field(struct search *search, uint32_t at)
{
    const struct il_instruction *instruction = &search->body->originals[at];
    struct field_reference field;
    int64_t state;
    if (!names_field_reference(search->metadata, token_of(instruction), &field)) {
        return;
    }
    note_builder(search, &field);
    if (!is_state(search, &field)) {
        return;
    }
    search->new_at_0 = text_equal(field.name, text_of(resumption_point));
    if (instruction->opcode == IL_LDFLD) {
        add_point(search, at, RUN_POINT_LOAD, 0);
        search->state_field = search->state_field ? search->state_field : token_of(instruction);
    } else if (instruction->opcode != IL_STFLD || !stored_state(search->body, at, &state) || state >= STATES_MAX) {
        search->strange = true;
    } else if (state >= (search->new_at_0 ? 1 : 0)) {
        add_point(search, at, RUN_POINT_WAIT, (uint32_t)state);
    }
}

static void note_call(struct search *search, uint32_t at)
{
    struct method_reference called = awaited_called_by(search->metadata, &search->body->originals[at]);
    bool result = text_equal(called.name, text_of("SetResult"));
    bool exception = text_equal(called.name, text_of("SetException"));
    if ((result || exception) && is_builder(search, called.type)) {
        add_point(search, at, result ? RUN_POINT_COMPLETE : RUN_POINT_FAIL, 0);
        search->completes = true;
    }
}

static void note(struct search *search, uint32_t at)
{
    switch (search->body->originals[at].opcode) {
    case IL_LDFLD:
    case IL_LDFLDA:
    case IL_STFLD:
        note_field(search, at);
        break;
    case IL_CALL:
    case IL_CALLVIRT:
        note_call(search, at);
        break;
    default:
        break;
    }
}

static uint32_t bits_of(uint32_t highest)
{
    uint32_t bits = 1;
    while (highest >> bits) {
        bits++;
    }
    return bits;
}

bool weave_find_runs(const struct il_body *body, const struct metadata *metadata, uint32_t method_token,
                     bool is_iterator, struct weave_runs *out)
{
    uint32_t count = (uint32_t)(body->end - body->originals);
    struct search search = {.body = body,
                            .metadata = metadata,
                            .owner = metadata_method_owner(metadata, method_token),
                            .room = count,
                            .points = arena_alloc(body->arena, (count + 1) * sizeof *search.points)};
    *out = (struct weave_runs){0};
    for (uint32_t i = 0; search.points && i < count; i++) {
        note(&search, i);
    }
    if (!search.points || search.strange || !search.completes || !search.state_field) {
        return false;
    }
    *out = (struct weave_runs){.points = search.points,
                               .count = search.count,
                               .state_field = search.state_field,
                               .shape = bits_of(search.highest) | (is_iterator ? RUN_SHAPE_ITERATOR : 0) |
                                        (builders_are_plain(&search) ? RUN_SHAPE_PLAIN : 0) |
                                        (search.new_at_0 ? RUN_SHAPE_NEW_AT_0 : 0)};
    return true;
}
