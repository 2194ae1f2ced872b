// A program that reads its own IL gets it from the runtime, which knows only the body that the agent has set. The two methods
// of the core library that ask the runtime, GetMethodBody of RuntimeMethodInfo and of RuntimeConstructorInfo, get a new end:
// it asks the agent for the original of the body, and corrects the object that the runtime made.
//
// The object cannot be made from the original right away: the runtime would have to take the original back for a while, and a
// compilation meanwhile would lose the method's probes.
//
// The new end needs no additions to the metadata of the core library, which would take time and memory in every program, and
// which other threads read meanwhile. Its fields and methods are in the same module; for its locals and for the call of the
// agent it takes signatures that the core library has for something else. A core library in which one of the methods looks
// different is left as it is, and the program sees the agent's body.
#include "agent/rewrite/reflected.h"

#include <stddef.h>
#include <stdlib.h>

#include "agent/rewrite/bodies.h"
#include "agent/rewrite/reflected_core.h"
#include "agent/session/agent.h"
#include "il/verify.h"

// -- The original, as managed code reads it ---------------------------------------------------------------------------

struct clause {
    int32_t index; // -1: no more clauses
    int32_t try_offset, try_length, handler_offset, handler_length, filter_offset;
};

struct original_body {
    const uint8_t *il;
    int32_t size, max_stack, init_locals, locals_token, local_count;
    struct clause clauses[]; // and one with index -1
};

static struct clause clause_of(const struct il_region *region, uint32_t index)
{
    return (struct clause){
        .index = (int32_t)index,
        .try_offset = (int32_t)region->try_start->offset,
        .try_length = (int32_t)(region->try_end->offset - region->try_start->offset),
        .handler_offset = (int32_t)region->handler_start->offset,
        .handler_length = (int32_t)(region->handler_end->offset - region->handler_start->offset),
        .filter_offset = region->kind == IL_FILTER ? (int32_t)region->filter_start->offset : 0,
    };
}

static struct original_body *read_original(const struct module *module, const struct module_body *body)
{
    struct arena arena = {0};
    struct il_tokens tokens = {&module->metadata, NULL, NULL};
    struct il_body decoded;
    struct original_body *out = NULL;
    uint32_t locals;
    if (il_decode(body->original, &arena, &decoded) == CLEW_OK &&
        il_local_count(&tokens, decoded.locals_token, &locals) == CLEW_OK) {
        out = malloc(sizeof *out + (decoded.region_count + 1) * sizeof *out->clauses);
    }
    if (out) {
        *out = (struct original_body){
            .il = body->original.at + decoded.header_size,
            .size = (int32_t)decoded.code_size,
            .max_stack = decoded.max_stack,
            .init_locals = decoded.init_locals,
            .locals_token = (int32_t)decoded.locals_token,
            .local_count = (int32_t)locals,
        };
        for (uint32_t i = 0; i < decoded.region_count; i++) {
            out->clauses[i] = clause_of(&decoded.regions[i], i);
        }
        out->clauses[decoded.region_count].index = -1;
    }
    arena_free(&arena);
    return out;
}

// The agent's body of a method, if the runtime has it.
static struct module_body *current_body(const struct module *module, uint32_t token)
{
    const uint8_t *il;
    uint32_t size;
    return clr_failed(info_get_il(agent.info, module->id, token, &il, &size)) ? NULL : body_find(module, token, il);
}

// The original of a method whose body the agent has replaced. NULL: it has not, or somebody replaced that body in turn.
static struct original_body *original_of(const struct module *module, uint32_t token)
{
    struct module_body *body = current_body(module, token);
    if (!body) {
        return NULL;
    }
    struct original_body *known = atomic_load_explicit(&body->as_read, memory_order_acquire), *fresh;
    if (known || (fresh = read_original(module, body)) == NULL) {
        return known;
    }
    if (atomic_compare_exchange_strong_explicit(&body->as_read, &known, fresh, memory_order_acq_rel,
                                                memory_order_acquire)) {
        return fresh;
    }
    free(fresh); // another thread was faster
    return known;
}

// The new end calls this function, with GC transition and outside of a callback. *at: the method's handle, which the runtime
// calls a FunctionID here; then its struct original_body. The object that asked keeps the method's module loaded. Takes no
// lock, since a forked child may call it.
static int32_t find_original(void **at)
{
    uint32_t token;
    struct module *module = module_of_function((clr_id)*at, &token);
    struct original_body *original = module ? original_of(module, token) : NULL;
    *at = original;
    return original != NULL;
}

// -- The new end ------------------------------------------------------------------------------------------------------

// What the methods look like in runtimes 8 to 10, and in 11. Both are `body = Get(this, ReflectedType); if (body != null)
// body._methodBase = this; return body;`.
static bool has_known_shape(const struct il_body *body, const struct reflected_core *core)
{
    static const enum il_opcode shapes[][12] = {
        {IL_LDARG_0, IL_LDARG_0, IL_CALL, IL_CALL, IL_STLOC_0, IL_LDLOC_0, IL_BRFALSE_S, IL_LDLOC_0, IL_LDARG_0,
         IL_STFLD, IL_LDLOC_0, IL_RET},
        {IL_LDARG_0, IL_LDARG_0, IL_CALL, IL_CALL, IL_DUP, IL_DUP, IL_BRTRUE_S, IL_POP, IL_RET, IL_LDARG_0, IL_STFLD,
         IL_RET},
    };
    for (size_t shape = 0; shape < sizeof shapes / sizeof *shapes; shape++) {
        const struct il_instruction *at = body->first;
        size_t i = 0;
        while (i < 12 && at->opcode == shapes[shape][i] &&
               (at->opcode != IL_STFLD || at->operand.integer == core->method)) {
            at = at->next;
            i++;
        }
        if (i == 12 && at == body->end && body->region_count == 0) {
            return true;
        }
    }
    return false;
}

struct end {
    struct il_body *body;
    struct il_instruction *place; // new instructions go in front of it
    const struct reflected_core *core;
    bool failed;
};

static struct il_instruction *put(struct end *end, struct il_instruction *fresh)
{
    if (fresh) {
        il_insert_before(end->body, end->place, fresh);
    }
    end->failed |= !fresh;
    return fresh;
}

static struct il_instruction *add(struct end *end, enum il_opcode opcode, int64_t operand)
{
    return put(end, il_new(end->body, opcode, operand));
}

static void add_branch(struct end *end, enum il_opcode opcode, struct il_instruction *target)
{
    if (target) { // NULL: memory has run out
        (void)put(end, il_new_branch(end->body, opcode, target));
    }
}

static void load_body(struct end *end)
{
    (void)add(end, IL_LDLOC, end->core->reference);
}

// The address of what is at this offset behind the pointer.
static void load_address(struct end *end, size_t offset)
{
    (void)add(end, IL_LDLOC, end->core->pointer);
    (void)add(end, IL_LDC_I4, (int64_t)offset);
    (void)add(end, IL_ADD, 0);
}

static void load_number(struct end *end, size_t offset)
{
    load_address(end, offset);
    (void)add(end, IL_LDIND_I4, 0);
}

static void advance(struct end *end, size_t size)
{
    load_address(end, size);
    (void)add(end, IL_STLOC, end->core->pointer);
}

// Replaces the object on the stack by the address of a field of it. The JIT lets no other class load or store private fields.
// RawData.Data is where the fields of an object begin; the core library has it for this.
static void to_field(struct end *end, uint32_t offset)
{
    enum { FIRST_FIELD = sizeof(uintptr_t) }; // behind the method table
    (void)add(end, IL_LDFLDA, end->core->raw);
    (void)add(end, IL_LDC_I4, (int64_t)offset - FIRST_FIELD);
    (void)add(end, IL_ADD, 0);
}

static void load_array(struct end *end, uint32_t field)
{
    load_body(end);
    to_field(end, field);
    (void)add(end, IL_LDIND_REF, 0);
}

// Stores a new array of the length at `length` in a field of the body.
static void new_array(struct end *end, uint32_t field, uint32_t type, size_t length)
{
    load_body(end);
    to_field(end, field);
    load_number(end, length);
    (void)add(end, IL_NEWARR, type);
    (void)add(end, IL_STIND_REF, 0);
}

static void set_il(struct end *end)
{
    new_array(end, end->core->il, end->core->byte, offsetof(struct original_body, size));
    load_array(end, end->core->il);
    (void)add(end, IL_LDC_I4, 0);
    (void)add(end, IL_LDELEMA, end->core->byte);
    load_address(end, offsetof(struct original_body, il));
    (void)add(end, IL_LDIND_I, 0);
    load_number(end, offsetof(struct original_body, size));
    (void)add(end, IL_UNALIGNED, 1);
    (void)add(end, IL_CPBLK, 0);
}

// The agent adds locals behind those of the original.
static void set_variables(struct end *end)
{
    load_array(end, end->core->variables);
    new_array(end, end->core->variables, end->core->variable, offsetof(struct original_body, local_count));
    load_array(end, end->core->variables);
    load_number(end, offsetof(struct original_body, local_count));
    (void)add(end, IL_CALL, end->core->copy);
}

static void set_number(struct end *end, uint32_t field, size_t offset, enum il_opcode store)
{
    load_body(end);
    to_field(end, field);
    load_number(end, offset);
    (void)add(end, store, 0);
}

static void set_numbers(struct end *end)
{
    const struct reflected_core *core = end->core;
    set_number(end, core->locals_token, offsetof(struct original_body, locals_token), IL_STIND_I4);
    set_number(end, core->max_stack, offsetof(struct original_body, max_stack), IL_STIND_I4);
    set_number(end, core->init_locals, offsetof(struct original_body, init_locals), IL_STIND_I1);
}

// The pointer walks over the clauses.
static void set_clauses(struct end *end, struct il_instruction *done)
{
    const struct reflected_core *core = end->core;
    const struct {
        uint32_t field;
        size_t offset;
    } numbers[] = {
        {core->try_offset, offsetof(struct clause, try_offset)},
        {core->try_length, offsetof(struct clause, try_length)},
        {core->handler_offset, offsetof(struct clause, handler_offset)},
        {core->handler_length, offsetof(struct clause, handler_length)},
        {core->filter_offset, offsetof(struct clause, filter_offset)},
    };
    advance(end, offsetof(struct original_body, clauses));
    struct il_instruction *next = add(end, IL_LDLOC, core->pointer);
    (void)add(end, IL_LDIND_I4, 0);
    (void)add(end, IL_LDC_I4, 0);
    add_branch(end, IL_BLT, done);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        load_array(end, core->clauses);
        load_number(end, offsetof(struct clause, index));
        (void)add(end, IL_LDELEM_REF, 0);
        to_field(end, numbers[i].field);
        load_number(end, numbers[i].offset);
        (void)add(end, IL_STIND_I4, 0);
    }
    advance(end, sizeof(struct clause));
    add_branch(end, IL_BR, next);
}

// Asks the agent for the original, or returns what the runtime made.
static void ask(struct end *end, struct il_instruction *done)
{
    load_body(end);
    add_branch(end, IL_BRFALSE, done);
    load_body(end);
    (void)add(end, IL_LDARG, 0);
    (void)add(end, IL_STFLD, end->core->method);
    (void)add(end, IL_LDARG, 0);
    (void)add(end, IL_LDFLD, end->core->handle);
    (void)add(end, IL_STLOC, end->core->pointer);
    (void)add(end, IL_LDLOCA, end->core->pointer);
    (void)add(end, IL_CONV_U, 0);
    (void)add(end, IL_LDC_I8, (int64_t)(uintptr_t)find_original);
    (void)add(end, IL_CONV_I, 0);
    (void)add(end, IL_CALLI, end->core->call);
    add_branch(end, IL_BRFALSE, done);
}

// Inserts the new end behind the call of the runtime, which leaves the body on the stack. The old end is never reached.
static bool insert_end(struct il_body *body, const struct reflected_core *core)
{
    enum { DEEPEST = 8 }; // or less
    struct end end = {body, body->first->next->next->next->next, core, false};
    struct il_instruction *done = add(&end, IL_LDLOC, core->reference);
    (void)add(&end, IL_RET, 0);
    if (!done) {
        return false;
    }
    end.place = done;
    (void)add(&end, IL_STLOC, core->reference);
    ask(&end, done);
    set_il(&end);
    set_variables(&end);
    set_numbers(&end);
    set_clauses(&end, done);
    body->locals_token = core->locals;
    body->max_stack = DEEPEST;
    return !end.failed;
}

// -- The two methods --------------------------------------------------------------------------------------------------
// Each precompiled method of the program is looked up here before its first run, so the lookup may not touch metadata.

static struct module *core_of_reader(clr_id function, uint32_t *token)
{
    struct module *module = module_of_function(function, token);
    return module && *token && (*token == module->body_readers[0] || *token == module->body_readers[1]) ? module : NULL;
}

bool reflected_is_reader(clr_id function)
{
    uint32_t token = 0;
    return core_of_reader(function, &token) != NULL;
}

static bool change(struct body_owner *owner)
{
    struct arena arena = {0};
    struct buffer encoded = {0};
    struct il_body body;
    struct reflected_core core;
    const uint8_t *header;
    uint32_t size;
    if (clr_failed(info_get_il(agent.info, owner->module->id, owner->token, &header, &size))) {
        return false;
    }
    owner->original = bytes_of(header, size);
    bool done = il_decode(owner->original, &arena, &body) == CLEW_OK &&
                reflected_core_find(owner->module, owner->token, &core) && has_known_shape(&body, &core) &&
                insert_end(&body, &core) && il_encode(&body, &encoded) == CLEW_OK && body_is_valid(owner, &body) &&
                body_hand_over(owner, &body, &encoded, NULL) == CLEW_OK;
    buffer_free(&encoded);
    arena_free(&arena);
    return done;
}

bool reflected_compile(clr_id function)
{
    struct body_owner owner = {.function = function};
    owner.module = core_of_reader(function, &owner.token);
    return owner.module && (current_body(owner.module, owner.token) || change(&owner));
}
