// Keeps the runtime's managed event source out of the agent's session.
//
// The runtime has two providers named Microsoft-Windows-DotNETRuntime, and a session that asks for the name gets both. The
// native one writes the events that heap/heap_objects.c needs. The other is the managed NativeRuntimeEventSource. Once
// enabled, it describes all its events by reflection before Main runs: that allocates 600 KB in the program's heap, of which
// 240 KB stay, and so collections happen at other moments than without clew.
//
// Native code enables managed providers through one method, EventPipeEventProvider.Callback, which is the same in runtimes 8
// to 10. The agent inserts a check at its start: a call with the filter of the agent's own session returns at once. Calls for
// other sessions, of an EventListener or of dotnet-trace for example, run the original code. In a runtime without this method
// the managed source is enabled as well, and everything else works.
#include "agent/events/event_source.h"

#include <stdatomic.h>
#include <uchar.h>

#include "agent/loaded/modules.h"
#include "agent/rewrite/bodies.h"
#include "agent/session/agent.h"
#include "metadata/tables/metadata_types.h"
#include "metadata/tables/signature.h"

// The runtime passes it to providers as UTF-8 with its NUL. The check compares exactly these nine bytes.
static const char16_t filter[] = u"clew-own";
enum { FILTER_SIZE = sizeof filter / sizeof *filter };
static_assert(FILTER_SIZE == sizeof(int64_t) + 1, "the check compares eight bytes and looks for a NUL");
#define FILTER_BYTES INT64_C(0x6E776F2D77656C63)

static _Atomic bool patched;

const clr_char *event_source_filter(void)
{
    return (const clr_char *)filter;
}

// void (byte*, int, byte, long, long, EVENT_FILTER_DESCRIPTOR*, void*), static.
static bool has_known_signature(const struct metadata *metadata, const struct metadata_method *method)
{
    static const uint8_t before[] = {
        0,          7,          ELEMENT_VOID, ELEMENT_POINTER, ELEMENT_U1,        ELEMENT_I4,
        ELEMENT_U1, ELEMENT_I8, ELEMENT_I8,   ELEMENT_POINTER, ELEMENT_VALUE_TYPE};
    struct bytes left = method->signature;
    uint32_t type;
    struct type_def descriptor;
    for (size_t i = 0; i < sizeof before; i++) {
        uint8_t byte;
        if (!bytes_u8(&left, &byte) || byte != before[i]) {
            return false;
        }
    }
    return bytes_compressed(&left, &type) && (type & 3) == 0 &&
           type_def_of(metadata, TOKEN(TABLE_TYPE_DEF, type >> 2), &descriptor) &&
           text_equal(descriptor.name, text_of("EVENT_FILTER_DESCRIPTOR")) && bytes_left(&left) == 2 &&
           left.at[0] == ELEMENT_POINTER && left.at[1] == ELEMENT_VOID;
}

uint32_t event_source_callback(const struct metadata *core)
{
    uint32_t type = type_def_find(core, 0, text_of("System.Diagnostics.Tracing"), text_of("EventPipeEventProvider"));
    struct metadata_range rows = {0};
    struct metadata_method method;
    if (type) {
        rows = metadata_list(core, TABLE_TYPE_DEF, TOKEN_ROW(type), TYPE_DEF_METHODS, TABLE_METHOD_DEF);
    }
    for (uint32_t row = rows.first; row < rows.end; row++) {
        uint32_t token = TOKEN(TABLE_METHOD_DEF, row);
        if (metadata_method(core, token, &method) && text_equal(method.name, text_of("Callback")) &&
            has_known_signature(core, &method)) {
            return token;
        }
    }
    return 0;
}

static struct module *callback_of(clr_id function, uint32_t *token)
{
    bool done = atomic_load_explicit(&patched, memory_order_relaxed);
    struct module *module = done ? NULL : module_of_function(function, token);
    return module && module->event_callback == *token ? module : NULL;
}

bool event_source_is_callback(clr_id function)
{
    uint32_t token = 0;
    return callback_of(function, &token) != NULL;
}

// Inserts an instruction before `original`, the method's own first instruction. Branches of the check lead to `original`.
static bool add(struct il_body *body, struct il_instruction *original, enum il_opcode opcode, int64_t operand)
{
    struct il_instruction *added = opcode == IL_BRFALSE || opcode == IL_BNE_UN ? il_new_branch(body, opcode, original)
                                                                               : il_new(body, opcode, operand);
    if (added) {
        il_insert_before(body, original, added);
    }
    return added != NULL;
}

// Inserts `if (arg5 != NULL && arg5->Size == 9 && *(long *)arg5->Ptr == FILTER_BYTES) return;`. Argument 5 points to an
// EVENT_FILTER_DESCRIPTOR: the filter's address in 64 bits, then its size in 32 bits.
static bool insert_check(struct il_body *body)
{
    enum { ARGUMENT = 5, SIZE_AT = 8 };
    static const struct {
        enum il_opcode opcode;
        int64_t operand;
    } check[] = {
        {IL_LDARG, ARGUMENT},      {IL_BRFALSE, 0}, {IL_LDARG, ARGUMENT},
        {IL_LDC_I4, SIZE_AT},      {IL_ADD, 0},     {IL_LDIND_U4, 0},
        {IL_LDC_I4, FILTER_SIZE},  {IL_BNE_UN, 0},  {IL_LDARG, ARGUMENT},
        {IL_LDIND_I8, 0},          {IL_CONV_I, 0},  {IL_LDIND_I8, 0},
        {IL_LDC_I8, FILTER_BYTES}, {IL_BNE_UN, 0},  {IL_RET, 0},
    };
    struct il_instruction *original = body->first;
    for (size_t i = 0; i < sizeof check / sizeof *check; i++) {
        if (!add(body, original, check[i].opcode, check[i].operand)) {
            return false;
        }
    }
    return true;
}

bool event_source_compile(clr_id function)
{
    struct body_owner owner = {.function = function};
    struct module *module = callback_of(function, &owner.token);
    const uint8_t *header;
    uint32_t size;
    if (!module || atomic_exchange_explicit(&patched, true, memory_order_relaxed) ||
        clr_failed(info_get_il(agent.info, module->id, owner.token, &header, &size))) {
        return false;
    }
    owner.module = module;
    owner.original = bytes_of(header, size);
    struct arena arena = {0};
    struct buffer encoded = {0};
    struct il_body body;
    // After a failure the original body runs, and the managed source is enabled.
    bool done = il_decode(owner.original, &arena, &body) == CLEW_OK && insert_check(&body) &&
                il_encode(&body, &encoded) == CLEW_OK && body_is_valid(&owner, &body) &&
                body_hand_over(&owner, &body, &encoded, NULL) == CLEW_OK;
    buffer_free(&encoded);
    arena_free(&arena);
    return done;
}
