// Items of the core library's collections: calls of their methods that set or add one are definitions of an item. The owner, the
// index or key and the item are arguments of the call, and the event follows the call, so that a call which throws has none.
// Where no argument is the index, it is that of the newest item, which the collection's count gives.
#include "base/assert.h"
#include "metadata/keys.h"
#include "metadata/names/names.h"
#include "weave/plan/planner.h"

enum item_key {
    KEY_INDEX,  // an int32 index
    KEY_ANY,    // of a dictionary
    KEY_NEWEST, // no argument: the item with the highest index
};

struct item_method {
    const char *space, *type, *name;
    enum item_key key;
    uint32_t
        count_at; // KEY_NEWEST: offset of the count in the object, next to which nothing is read but the array at ITEMS_AT
};

// Where CoreCLR places the fields of these classes: first the one reference, to the array with the items, then the integers as
// declared, unchanged from version 8 to 11. probe_sites.c compares the count with the length of the array.
enum { LIST_COUNT_AT = 16, STACK_COUNT_AT = 16, QUEUE_COUNT_AT = 24 };

#define GENERIC "System.Collections.Generic"

static const struct item_method methods[] = {
    {GENERIC, "List`1", "set_Item", KEY_INDEX, 0},
    {GENERIC, "List`1", "Insert", KEY_INDEX, 0},
    {GENERIC, "List`1", "Add", KEY_NEWEST, LIST_COUNT_AT},
    {GENERIC, "Stack`1", "Push", KEY_NEWEST, STACK_COUNT_AT},
    {GENERIC, "Queue`1", "Enqueue", KEY_NEWEST, QUEUE_COUNT_AT},
    {GENERIC, "Dictionary`2", "set_Item", KEY_ANY, 0},
    {GENERIC, "Dictionary`2", "Add", KEY_ANY, 0},
    {GENERIC, "SortedDictionary`2", "set_Item", KEY_ANY, 0},
    {GENERIC, "SortedDictionary`2", "Add", KEY_ANY, 0},
    {GENERIC, "SortedList`2", "set_Item", KEY_ANY, 0},
    {GENERIC, "SortedList`2", "Add", KEY_ANY, 0},
    {"System.Collections.Concurrent", "ConcurrentDictionary`2", "set_Item", KEY_ANY, 0},
    {"System.Collections", "ArrayList", "set_Item", KEY_INDEX, 0},
    {"System.Collections", "ArrayList", "Insert", KEY_INDEX, 0},
    {"System.Collections", "Hashtable", "set_Item", KEY_ANY, 0},
    {"System.Collections", "Hashtable", "Add", KEY_ANY, 0},
};

static struct text string(const struct metadata *metadata, enum metadata_table table, uint32_t row, unsigned column)
{
    return metadata_string(metadata, metadata_column(metadata, table, row, column));
}

// Whether a reference to a type leads to an assembly of the framework: the layouts that the table relies on are known of
// its types alone, and any program may name an assembly like that.
static bool is_of_framework(const struct metadata *metadata, uint32_t type)
{
    uint32_t scope = metadata_decode(CODED_RESOLUTION_SCOPE,
                                     metadata_column(metadata, TABLE_TYPE_REF, TOKEN_ROW(type), TYPE_REF_SCOPE));
    if (TOKEN_TABLE(scope) != TABLE_ASSEMBLY_REF) {
        return false;
    }
    struct text name = string(metadata, TABLE_ASSEMBLY_REF, TOKEN_ROW(scope), ASSEMBLY_REF_NAME);
    bool named = text_starts(name, "System.") || text_equal(name, text_of("mscorlib")) ||
                 text_equal(name, text_of("netstandard"));
    return named && key_of_reference(metadata, TOKEN_ROW(scope)) == KEY_FRAMEWORK;
}

static const struct item_method *find_method(const struct metadata *metadata, uint32_t token)
{
    struct method_reference called;
    if (!names_method_reference(metadata, token, &called) || TOKEN_TABLE(called.type) != TABLE_TYPE_REF) {
        return NULL;
    }
    uint32_t row = TOKEN_ROW(called.type);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        if (text_equal(called.name, text_of(methods[i].name)) &&
            text_equal(string(metadata, TABLE_TYPE_REF, row, TYPE_REF_NAME), text_of(methods[i].type)) &&
            text_equal(string(metadata, TABLE_TYPE_REF, row, TYPE_REF_NAMESPACE), text_of(methods[i].space))) {
            return is_of_framework(metadata, called.type) ? &methods[i] : NULL;
        }
    }
    return NULL;
}

// An item by its key: a number of at most 32 bits, which the event has as it is, or a reference, of which it has the object's
// number. Any other key is not recorded, and waits in a local if that can take it, which is cleared if it may hold references.
// False: none can.
static bool choose_key(struct planner *planner, struct il_type type, enum il_kind on_stack, struct request *request)
{
    static const uint8_t object[] = {ELEMENT_OBJECT};
    struct value key = planner_value(planner, type);
    struct operands *operands = &request->operands;
    if (key.encoding >= VALUE_BOOLEAN && key.encoding <= VALUE_U4 && on_stack == IL_INT32) {
        request->location.place = PLACE_KEY;
        request->location.index = key.type;
        operands->spills |= SPILL_INDEX;
        return true;
    }
    operands->rank = 1;
    if (key.encoding == VALUE_OBJECT) {
        request->location.place = PLACE_KEY_OBJECT;
        request->location.index = key.type;
        operands->index_from = INDEX_OF_KEY;
        operands->key = bytes_of(object, sizeof object);
        return true;
    }
    operands->index_from = INDEX_UNKNOWN;
    operands->key = key.signature;
    bool may_refer = key.encoding == VALUE_TYPED || key.has_references;
    operands->key_token = may_refer ? key.token : 0;
    return bytes_left(&key.signature) > 0 && (!may_refer || key.token);
}

static void leave_out(struct request *request, enum site_reason reason)
{
    request->location = (struct location){.place = PLACE_INDIRECT};
    request->operands = (struct operands){.spills = SPILL_NOTHING};
    planner_leave_out(&request->value, reason);
}

static void plan_item(struct planner *planner, const struct il_method *method, const struct item_method *item)
{
    const struct il_slot *top = il_stack_before(&planner->stacks, planner->at), *key = top->below;
    uint32_t keys = item->key != KEY_NEWEST;
    struct bytes rest = method->signature.parameters;
    struct il_type first = il_method_parameter(&planner->scope, method, &rest);
    struct il_type type = keys ? il_method_parameter(&planner->scope, method, &rest) : first;
    struct request request = {.kind = SITE_DEFINITION,
                              .moment = MOMENT_AFTER,
                              .location = {.place = PLACE_ITEM, .owner = OWNER_OBJECT},
                              .name = {.holder = il_slot_at(top, 1 + keys)},
                              .value = planner_value(planner, type),
                              .source = {.kind = FROM_SPILL},
                              .operands = {.spills = SPILL_OWNER | SPILL_VALUE,
                                           .owner = IL_OBJECT,
                                           .index = IL_INT32,
                                           .value = top->type.kind,
                                           .count_at = item->count_at}};
    bool fits = true;
    if (item->key == KEY_INDEX) {
        request.operands.spills |= SPILL_INDEX;
    } else if (item->key == KEY_ANY) {
        fits = choose_key(planner, first, key->type.kind, &request);
    } else {
        request.operands.index_from = INDEX_NEWEST;
    }
    if (keys && planner_is_secret(planner, planner->at, key)) {
        leave_out(&request, REASON_REDACTED);
    } else if (!fits || request.value.encoding == VALUE_NONE) {
        leave_out(&request, request.value.reason ? request.value.reason : REASON_UNKNOWN);
    }
    planner_request(planner, &request);
}

void planner_collection(struct planner *planner, const struct il_method *method)
{
    const struct il_instruction *at = planner->at;
    bool calls = at->opcode == IL_CALL || at->opcode == IL_CALLVIRT;
    const struct item_method *item =
        calls ? find_method(planner->method->metadata, (uint32_t)at->operand.integer) : NULL;
    uint32_t arguments = item && item->key != KEY_NEWEST ? 2 : 1;
    if (!item || !method->signature.has_this || method->signature.parameter_count != arguments) {
        return;
    }
    if (il_slot_at(il_stack_before(&planner->stacks, at), arguments)->type.kind == IL_OBJECT) {
        plan_item(planner, method, item);
    }
}

// -- Addresses of items -----------------------------------------------------------------------------------------------
// The indexer of a span returns the address of an item, `ldelema` takes that of an item of an array, and a store goes through it,
// or through that of a field in the item: `counts[2]++`, `rows[i].Count = 1`. A call that gets it may store there, too. What the
// index was is known only where the address is made, so it is copied to a local.

static bool is_span_indexer(const struct planner *planner, const struct il_instruction *at)
{
    struct method_reference called;
    const struct metadata *metadata = planner->method->metadata;
    if (at->opcode != IL_CALL || !names_method_reference(metadata, (uint32_t)at->operand.integer, &called) ||
        TOKEN_TABLE(called.type) != TABLE_TYPE_REF || !text_equal(called.name, text_of("get_Item"))) {
        return false;
    }
    uint32_t row = TOKEN_ROW(called.type);
    const struct il_slot *top = il_stack_before(&planner->stacks, at);
    return text_equal(string(metadata, TABLE_TYPE_REF, row, TYPE_REF_NAME), text_of("Span`1")) &&
           text_equal(string(metadata, TABLE_TYPE_REF, row, TYPE_REF_NAMESPACE), text_of("System")) &&
           top->type.kind == IL_INT32 && planner_may_insert_before(planner, at);
}

static bool takes_address(const struct planner *planner, const struct il_instruction *at)
{
    const struct il_slot *top = il_stack_before(&planner->stacks, at);
    return at->opcode == IL_LDELEMA && top->type.kind == IL_INT32 && planner_may_insert_before(planner, at);
}

// The instruction that has made the address of the item which the place at `address` is, or is in; NULL: there is none.
static const struct il_instruction *item_of(const struct planner *planner, const struct il_slot *address)
{
    for (uint32_t i = 0; i < CHAIN_MAX && address && address->producer; i++) {
        const struct il_instruction *from = address->producer;
        if (from->opcode != IL_LDFLDA || address->type.kind != IL_REFERENCE) {
            return is_span_indexer(planner, from) || takes_address(planner, from) ? from : NULL;
        }
        address = il_stack_before(&planner->stacks, from);
    }
    return NULL;
}

void planner_mark_indexed(struct planner *planner, const struct il_slot *address)
{
    const struct il_instruction *item = item_of(planner, address);
    if (item) {
        planner->indexed[il_index(planner->body, item)] = true;
    }
}

// The address that an instruction stores through, or to a field of what is there; NULL: it is no such store.
static const struct il_slot *stored_through(const struct planner *planner, const struct il_instruction *at)
{
    bool stores = at->opcode == IL_STOBJ || at->opcode == IL_STIND_I || at->opcode == IL_STFLD ||
                  (at->opcode >= IL_STIND_REF && at->opcode <= IL_STIND_R8);
    if ((!stores && at->opcode != IL_INITOBJ) || !il_reached(&planner->stacks, at)) {
        return NULL;
    }
    return il_slot_at(il_stack_before(&planner->stacks, at), stores);
}

void planner_find_indexed(struct planner *planner)
{
    for (struct il_instruction *at = planner->body->first; at != planner->body->end; at++) {
        planner_mark_indexed(planner, stored_through(planner, at));
    }
}

// One for each depth of the stack, so that the indices of addresses that are on the stack at the same time have different locals.
static uint32_t index_local(struct planner *planner, const struct il_instruction *from)
{
    const struct il_slot *address = il_stack_before(&planner->stacks, from + 1);
    return planner_local_of_kind(planner, ROLE_SPAN_INDEX + address->depth, IL_INT32);
}

void planner_save_index(struct planner *planner)
{
    uint32_t local = index_local(planner, planner->at);
    struct insertion copy = {.at = il_index(planner->body, planner->at),
                             .moment = MOMENT_BEFORE,
                             .op_count = 2,
                             .ops = {op_local(IL_STLOC, local), op_local(IL_LDLOC, local)}};
    planner_add_insertion(planner, &copy);
}

void planner_use_index(struct planner *planner, const struct il_slot *address, struct request *request)
{
    const struct il_instruction *item = item_of(planner, address);
    struct location *location = &request->location;
    if (!item || !planner->indexed[il_index(planner->body, item)] || location->owner != OWNER_ADDRESS) {
        return;
    }
    CLEW_ASSERT(location->place == PLACE_INDIRECT || location->place == PLACE_FIELD);
    location->place = location->place == PLACE_FIELD ? PLACE_ITEM_FIELD : PLACE_SPAN_ITEM;
    request->operands.index_from = INDEX_SAVED;
    request->operands.saved = index_local(planner, item);
}
