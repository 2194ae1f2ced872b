#include "weave/operations/runs.h"

#include "base/assert.h"
#include "il/stack.h"
#include "metadata/names/names.h"
#include "metadata/tables/signature.h"

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

static uint32_t member_owner(const struct search *search, uint32_t token)
{
    if (TOKEN_TABLE(token) == TABLE_METHOD_SPEC) {
        token = metadata_decode(CODED_METHOD_DEF_OR_REF, column(search, token, METHOD_SPEC_METHOD));
    }
    switch (TOKEN_TABLE(token)) {
    case TABLE_MEMBER_REF:
        return names_definition(search->metadata,
                                metadata_decode(CODED_MEMBER_REF_PARENT, column(search, token, MEMBER_REF_PARENT)));
    case TABLE_METHOD_DEF:
        return metadata_method_owner(search->metadata, token);
    default:
        return metadata_field_owner(search->metadata, token);
    }
}

static struct text member_name(const struct search *search, uint32_t token)
{
    if (TOKEN_TABLE(token) == TABLE_METHOD_SPEC) {
        token = metadata_decode(CODED_METHOD_DEF_OR_REF, column(search, token, METHOD_SPEC_METHOD));
    }
    switch (TOKEN_TABLE(token)) {
    case TABLE_MEMBER_REF:
        return string(search, column(search, token, MEMBER_REF_NAME));
    case TABLE_METHOD_DEF:
        return string(search, column(search, token, METHOD_DEF_NAME));
    case TABLE_FIELD:
        return string(search, column(search, token, FIELD_NAME));
    default:
        return (struct text){"", 0};
    }
}

static struct text type_name(const struct search *search, uint32_t type)
{
    bool known = TOKEN_TABLE(type) == TABLE_TYPE_DEF || TOKEN_TABLE(type) == TABLE_TYPE_REF;
    struct text name = known ? string(search, column(search, type, TYPE_NAME)) : (struct text){"", 0};
    for (size_t i = 0; i < name.size; i++) {
        if (name.at[i] == '`') { // the number of type parameters
            name.size = i;
        }
    }
    return name;
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

static bool is_state(const struct search *search, uint32_t field)
{
    static const char *const names[] = {"<>1__state", "$State", resumption_point};
    return IS_ANY(member_name(search, field), names) && member_owner(search, field) == search->owner;
}

static struct bytes field_type(const struct search *search, uint32_t token)
{
    bool reference = TOKEN_TABLE(token) == TABLE_MEMBER_REF;
    struct bytes type = {0},
                 blob = metadata_blob(search->metadata,
                                      column(search, token, reference ? MEMBER_REF_SIGNATURE : FIELD_SIGNATURE));
    return signature_field(blob, &type) == CLEW_OK ? type : (struct bytes){0};
}

static void note_builder(struct search *search, uint32_t field)
{
    static const char *const names[] = {"<>t__builder", "$Builder", "MethodBuilder", "<>v__promiseOfValueOrEnd"};
    uint32_t type = IS_ANY(member_name(search, field), names) ? names_class_of(field_type(search, field)) : 0;
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
    static const char *const names[] = {"AsyncTaskMethodBuilder", "AsyncValueTaskMethodBuilder",
                                        "AsyncVoidMethodBuilder", "PoolingAsyncValueTaskMethodBuilder"};
    for (uint32_t i = 0; i < search->builder_count; i++) {
        uint32_t type = search->builders[i];
        struct text space = string(search, column(search, type, TYPE_NAMESPACE));
        if (TOKEN_TABLE(type) != TABLE_TYPE_REF || !IS_ANY(type_name(search, type), names) ||
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
    return a == b || (references && text_equal(type_name(search, a), type_name(search, b)) &&
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

static bool calls(const struct il_instruction *at)
{
    return at->opcode == IL_CALL || at->opcode == IL_CALLVIRT;
}

// The call whose result is awaited: the last one in front of the GetAwaiter that precedes the store of the state.
static void name_awaited(const struct search *search, uint32_t at, struct weave_run_point *point)
{
    static const char *const adapters[] = {"ConfigureAwait", "AsTask", "WithCancellation"};
    bool found = false;
    while (at-- > 0) {
        const struct il_instruction *call = &search->body->originals[at];
        struct text name = calls(call) ? member_name(search, token_of(call)) : (struct text){"", 0};
        if (!found) {
            found = text_equal(name, text_of("GetAwaiter"));
        } else if (name.size && !IS_ANY(name, adapters)) {
            point->owner = type_name(search, member_owner(search, token_of(call)));
            point->method = name;
            return;
        } else if (call->opcode == IL_STFLD || il_opcodes[call->opcode].flow != IL_FLOW_NEXT) {
            if (!name.size) {
                return; // it awaits what a variable or field has
            }
        }
    }
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
        name_awaited(search, at, point);
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
    int64_t state;
    note_builder(search, token_of(instruction));
    if (!is_state(search, token_of(instruction))) {
        return;
    }
    search->new_at_0 = text_equal(member_name(search, token_of(instruction)), text_of(resumption_point));
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
    uint32_t token = token_of(&search->body->originals[at]);
    struct text name = member_name(search, token);
    bool result = text_equal(name, text_of("SetResult")), exception = text_equal(name, text_of("SetException"));
    if ((result || exception) && is_builder(search, member_owner(search, token))) {
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
