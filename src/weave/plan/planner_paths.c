// Paths: what the source calls the part of a value that an instruction assigns, as in `v.In.A = 9` or `rows[i].Count = 1`.
// The event may have a larger value, the field `In` of `v`, or one whose owner is an address. The address is followed back
// through the instructions that pushed it, to the variable or static field that it starts from.
#include <string.h>

#include "base/assert.h"
#include "metadata/names/names_tuple.h"
#include "weave/plan/planner.h"

// From the innermost name to the outermost.
struct path {
    struct text names[CHAIN_MAX];
    uint32_t count;
    bool known;
};

static void add(struct path *path, struct text name)
{
    path->known = path->known && name.size > 0 && path->count < CHAIN_MAX;
    if (path->known) {
        path->names[path->count++] = name;
    }
}

// The items of a tuple from the eighth on are in a tuple within it, which the source does not name.
static bool is_rest(const struct planner *planner, uint32_t token)
{
    enum { REST = 8 };
    return names_tuple_item(planner->method->metadata, token) == REST;
}

static void add_field(const struct planner *planner, uint32_t token, const struct il_slot *holder, struct path *path)
{
    if (!is_rest(planner, token)) {
        add(path, planner_field_name(planner, token, holder));
    }
}

// The owner of the item whose address a call returns: of a span, by its indexer, or of an array with several dimensions, by the
// method that the runtime has for that. NULL: it is no such call.
static const struct il_slot *owner_of_call(const struct planner *planner, const struct il_instruction *call)
{
    struct il_method method;
    if ((call->opcode != IL_CALL && call->opcode != IL_CALLVIRT) ||
        il_method_of(&planner->scope, (uint32_t)call->operand.integer, &method) != CLEW_OK ||
        !method.signature.has_this || il_method_result(&planner->scope, &method).kind != IL_REFERENCE) {
        return NULL;
    }
    struct bytes owner = method.owner.signature;
    bool array = bytes_left(&owner) > 0 && *owner.at == ELEMENT_ARRAY && text_equal(method.name, text_of("Address"));
    bool item = array || text_equal(method.name, text_of("get_Item"));
    return item ? il_slot_at(il_stack_before(&planner->stacks, call), method.signature.parameter_count) : NULL;
}

// The pointer from which arithmetic makes another one into the same memory. NULL: it is another computation.
static const struct il_slot *pointer_of(const struct planner *planner, const struct il_instruction *add)
{
    const struct il_slot *top = il_stack_before(&planner->stacks, add);
    if (add->opcode != IL_ADD) {
        return NULL;
    }
    return top->below->type.kind == IL_NATIVE ? top->below : top->type.kind == IL_NATIVE ? top : NULL;
}

// The name of the place that the instruction loads, stores or takes the address of. Returns the slot from which the path goes
// on; NULL: it begins here, or is not known.
static const struct il_slot *add_producer(const struct planner *planner, const struct il_instruction *producer,
                                          struct path *path)
{
    const struct il_slot *top = il_stack_before(&planner->stacks, producer);
    uint32_t number = 0;
    enum site_place place = planner_place_of(producer, &number);
    switch (place) {
    case PLACE_FIELD:
        add_field(planner, number, top, path);
        return top;
    case PLACE_LOCAL:
    case PLACE_PARAMETER:
    case PLACE_STATIC_FIELD:
        add(path, planner_name(planner, place, number).text);
        return NULL;
    default:
        break;
    }
    if (producer->opcode == IL_CONV_U && top->type.kind == IL_REFERENCE) { // a pointer to a variable
        return top;
    }
    bool item = producer->opcode == IL_LDELEMA || producer->opcode == IL_LDELEM_REF;
    const struct il_slot *owner = item ? il_slot_at(top, 1) : owner_of_call(planner, producer);
    owner = owner ? owner : pointer_of(planner, producer);
    add(path, owner ? text_of("[]") : (struct text){0});
    return owner;
}

static struct path follow(const struct planner *planner, const struct request *request)
{
    struct path path = {.known = true};
    const struct il_slot *slot = request->through;
    if (request->through_field) {
        add_field(planner, request->through_field, slot, &path);
    }
    while (slot && path.known && !planner_is_this(planner, slot)) {
        if (!slot->producer) {
            path.known = false;
            break;
        }
        slot = add_producer(planner, slot->producer, &path);
    }
    return path;
}

// Joins the names from `from` down to the innermost.
static size_t join(const struct path *path, uint32_t from, char *into)
{
    size_t size = 0;
    for (uint32_t i = from; i-- > 0;) {
        struct text name = path->names[i];
        if (size && *name.at != '[') {
            into[size++] = '.';
        }
        memcpy(into + size, name.at, name.size);
        size += name.size;
    }
    return size;
}

static size_t room_for(const struct path *path)
{
    size_t size = 0;
    for (uint32_t i = 0; i < path->count; i++) {
        size += 1 + path->names[i].size;
    }
    return size;
}

void planner_path(struct planner *planner, const struct request *request, struct site *site)
{
    struct path path = request->through ? follow(planner, request) : (struct path){0};
    bool in_variable = site_is_in_variable(site);
    // Names of what the event says anyway.
    uint32_t outer = in_variable ? (is_rest(planner, site->index) ? 1 : 2) : request->name.place != PLACE_NONE;
    if (!path.known || path.count <= outer || request->name.alias) {
        return;
    }
    char *text = arena_alloc(planner->body->arena, room_for(&path));
    if (!text) {
        planner->failed = true;
        return;
    }
    site->path_part = in_variable ? (uint32_t)join(&path, path.count - outer, text) : 0;
    site->path = (struct text){text, join(&path, path.count, text)};
}
