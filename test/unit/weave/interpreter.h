// Runs a woven body: enough of ECMA-335 III to see what its probes write, without a runtime. Variables, objects and the
// thread's ring are ordinary memory, so that the probes' own loads, stores and native calls do what they will do in a
// program. Values of any size travel on the stack as their bytes. `leave` is a branch, no
// finally runs, and calls throw to the first region around them. Behind a fault handler the method ends.
#ifndef CLEW_TEST_INTERPRETER_H
#define CLEW_TEST_INTERPRETER_H

#include <stdlib.h>

#include "trace/payload.h"
#include "weaving.h"

enum {
    VALUE_SIZE = 48,
    STACK_PLACES = 64,
    VARIABLES = 64,
    RING_SIZE = 4096,
    STEPS_MAX = 100000,
    OBJECT_HEADER = 8,
    CURRENT = 5,
    LOW = 4096
};

struct cell {
    uint8_t bytes[VALUE_SIZE];
    uint32_t size; // of a struct; 8 of anything else
};

// How the test's module is laid out.
struct world {
    uint32_t (*size)(struct bytes signature);       // of a type
    uint32_t (*size_of_token)(uint32_t type_token); // of one that an instruction names
    // Where a field is, from the object's start or the struct's; its type. A static field: where it is at all.
    uint8_t *(*field)(uint32_t token, uint8_t *owner, struct bytes *type);
    struct cell (*call)(uint32_t token, struct cell *arguments); // a method of the program; top of the stack last
    void *(*create)(uint32_t token);                             // newarr, newobj, box: an object
    // Whether the method was suspended in a call, and continues on the other thread; and whether the call throws.
    bool (*suspends)(uint32_t token);
    bool (*throws)(uint32_t token);
};

struct run {
    const struct world *world;
    const struct il_scope *scope;
    const struct il_body *body;
    struct cell stack[STACK_PLACES];
    uint32_t depth;
    _Alignas(16) uint8_t arguments[VARIABLES][VALUE_SIZE], locals[VARIABLES][VALUE_SIZE];
    struct {
        uint64_t at, limit;
        uint32_t current;
    } context;
    uint8_t ring[RING_SIZE];
    uint32_t room; // that checks leave free: the ring ends so many bytes behind `limit`
    bool tight;    // and no more than that, ever
    struct weave_lines lines;
    struct weave_line counters[16], outside;
    struct weave_lines other_lines;                      // of the other thread, to which suspended methods go
    struct weave_line other_counters[32], other_outside; // elsewhere, seen from the counters, than on the first thread
    bool is_other;
    uint32_t first_local; // of the weaver's
    bool thrown;          // by the last call
    uint32_t held;        // objects that such locals kept alive when the method was suspended
    uint64_t tick, clock;
    // The events recorded so far, as text, and the end in the ring of those that the text has.
    struct buffer *log;
    const struct weave_plan *plan;
    uint64_t told;
    bool failed;
};

void interpreter_tell(struct run *run, uint32_t site, const uint8_t *owner, uint32_t index, const uint8_t *value);

static inline struct cell cell_of(int64_t value)
{
    struct cell cell = {.size = 8};
    memcpy(cell.bytes, &value, 8);
    return cell;
}

static inline int64_t integer_of(struct cell cell)
{
    int64_t value;
    memcpy(&value, cell.bytes, 8);
    return value;
}

static inline void push_cell(struct run *run, struct cell cell)
{
    if (run->depth == STACK_PLACES) {
        run->failed = true;
        return;
    }
    run->stack[run->depth++] = cell;
}

static inline void push_integer(struct run *run, int64_t value)
{
    push_cell(run, cell_of(value));
}

static inline struct cell pop_cell(struct run *run)
{
    if (run->depth == 0) {
        run->failed = true;
        return cell_of(0);
    }
    return run->stack[--run->depth];
}

static inline int64_t pop_integer(struct run *run)
{
    return integer_of(pop_cell(run));
}

static inline uint8_t *pop_address(struct run *run)
{
    return (uint8_t *)(uintptr_t)pop_integer(run);
}

// -- Memory -----------------------------------------------------------------------------------------------------------

static inline uint32_t size_of(const struct run *run, struct bytes signature)
{
    switch (il_type_of(signature).kind) {
    case IL_INT32:
        switch (*signature.at) {
        case ELEMENT_BOOLEAN:
        case ELEMENT_I1:
        case ELEMENT_U1:
            return 1;
        case ELEMENT_CHAR:
        case ELEMENT_I2:
        case ELEMENT_U2:
            return 2;
        default:
            return 4;
        }
    case IL_FLOAT32:
        return 4;
    case IL_VALUE:
        return *signature.at == ELEMENT_TYPED_REFERENCE ? 16 : run->world->size(signature);
    default:
        return 8;
    }
}

static inline bool is_signed(struct bytes signature)
{
    uint8_t element = *signature.at;
    return element == ELEMENT_I1 || element == ELEMENT_I2 || element == ELEMENT_I4 || element == ELEMENT_VALUE_TYPE;
}

static inline struct cell load(const uint8_t *address, uint32_t size, bool sign)
{
    struct cell cell = {.size = size > 8 ? size : 8};
    memcpy(cell.bytes, address, size);
    if (size < 8 && sign && address[size - 1] & 0x80) {
        memset(cell.bytes + size, 0xFF, 8 - size);
    }
    return cell;
}

static inline struct cell load_typed(const struct run *run, const uint8_t *address, struct bytes signature)
{
    return load(address, size_of(run, signature), is_signed(signature));
}

static inline struct bytes variable_type(const struct run *run, bool local, uint32_t number)
{
    static const uint8_t reference[] = {ELEMENT_I};
    struct il_type type = local ? run->scope->locals[number] : run->scope->arguments[number];
    return type.kind == IL_REFERENCE || bytes_left(&type.signature) == 0 ? bytes_of(reference, 1) : type.signature;
}

// -- Probes -----------------------------------------------------------------------------------------------------------

// Adds to the text the inline events that have been written to the ring since.
static inline void tell_ring(struct run *run)
{
    while (run->told < run->context.at) {
        const uint8_t *at = (const uint8_t *)(uintptr_t)run->told;
        uint32_t head = read_u32(at);
        uint32_t number = (head >> 2) - FIRST_SITE;
        if ((head & 3) != 2 || number >= run->plan->count) {
            run->failed = true;
            return;
        }
        const struct site *site = &run->plan->sites[number];
        const uint8_t *owner = at + 4, *value = owner + (site->owner == OWNER_ADDRESS ? 8 : 0);
        bool indexed = payload_has_index(site);
        interpreter_tell(run, number, owner, indexed ? read_u32(value) : 0, value + (indexed ? 4 : 0));
        run->told += 4 * (1 + payload_cells(site));
    }
}

static inline void tell_native(struct run *run, uintptr_t target)
{
    bool behind = target == all_targets.site_behind;
    bool sized = behind || target == all_targets.site_typed || target == all_targets.site_sized;
    int64_t size = sized ? pop_integer(run) : 0;
    struct cell value = pop_cell(run);
    uint32_t index = (uint32_t)pop_integer(run);
    uint8_t *owner = pop_address(run);
    uint32_t number = (uint32_t)pop_integer(run) - FIRST_SITE;
    run->failed = run->failed || pop_address(run) != (uint8_t *)&run->context || number >= run->plan->count;
    if (run->failed) {
        return;
    }
    tell_ring(run);
    uint8_t *address = (uint8_t *)(uintptr_t)integer_of(value);
    address = behind ? *(uint8_t **)(void *)address : address;
    const struct site *site = &run->plan->sites[number];
    uint8_t *holder = site->owner == OWNER_ADDRESS ? (uint8_t *)&owner : owner;
    if (target == all_targets.site_bits) {
        interpreter_tell(run, number, holder, index, value.bytes);
    } else if (target == all_targets.site_at || target == all_targets.site_sized || behind) {
        interpreter_tell(run, number, holder, index, address);
        run->failed |= sized && size <= 0;
    } else {
        run->failed = size <= 0 || size > (int64_t)sizeof value.bytes;
        interpreter_tell(run, number, holder, index, *(uint8_t **)(void *)address); // of a TypedReference
    }
}

static inline void enter(struct run *run, uintptr_t target)
{
    uint8_t *store = pop_address(run);
    uintptr_t activation = 0xAC71, lines = (uintptr_t)(run->is_other ? &run->other_lines : &run->lines);
    struct weave_line *counters = run->is_other ? run->other_counters : run->counters;
    (void)pop_integer(run);
    if (store) {
        memcpy(store, target == all_targets.enter_context ? &activation : &lines, 8);
    }
    push_integer(run, target == all_targets.enter_context ? (intptr_t)&run->context : (intptr_t)counters);
}

enum { RUN = 0xAC72, MARK = 0xAC73 };

static inline bool call_await_probe(struct run *run, uintptr_t target)
{
    if (target < all_targets.await_enter || target > all_targets.await_leave) {
        return false;
    }
    tell_ring(run);
    int64_t last = pop_integer(run), first = target == all_targets.await_begin ? pop_integer(run) : 0;
    if (target == all_targets.await_begin) {
        buffer_printf(run->log, "await%u ", (unsigned)first & ~(unsigned)RUN_AWAIT_TRIED);
        run->failed = run->failed || last != RUN;
    } else if (target == all_targets.await_end || target == all_targets.await_handler) {
        buffer_text(run->log, last ? "at-once " : "resumed ");
        run->failed =
            run->failed || pop_integer(run) != RUN || pop_integer(run) != METHOD_NUMBER || (last && last != MARK);
    } else if (target == all_targets.await_leave) {
        buffer_text(run->log, "leaves ");
        run->failed = run->failed || last != RUN;
    }
    push_integer(run, target == all_targets.await_begin ? MARK : target == all_targets.await_leave ? 0 : RUN);
    return true;
}

// The method goes on where nothing of the thread is in its locals, and the JIT has cleared its references to anything.
static inline void suspend(struct run *run)
{
    run->is_other = true;
    for (uint32_t i = 0; i < run->scope->local_count; i++) {
        enum il_kind kind = run->scope->locals[i].kind;
        bool threads = kind == IL_NATIVE && i > run->first_local && // an address; the first one is the run
                       integer_of(load(run->locals[i], 8, false)) > LOW;
        run->held += kind == IL_OBJECT && i > run->first_local && integer_of(load(run->locals[i], 8, false));
        bool typed = kind == IL_VALUE && *run->scope->locals[i].signature.at == ELEMENT_TYPED_REFERENCE;
        if (kind == IL_REFERENCE || typed || threads) {
            memset(run->locals[i], 0, sizeof run->locals[i]);
        }
    }
}

static inline void make_room(struct run *run)
{
    run->failed = run->failed || pop_address(run) != (uint8_t *)&run->context;
    tell_ring(run);
    run->context.at = run->told = run->tight ? run->context.limit : (uintptr_t)run->ring;
    buffer_text(run->log, "room ");
    push_integer(run, 0);
}

static inline void fold_index(struct run *run)
{
    int64_t index = pop_integer(run), dimension = pop_integer(run);
    int32_t *position = (int32_t *)(void *)pop_address(run);
    run->failed = run->failed || *(void **)(void *)pop_address(run) == NULL;
    *position = (int32_t)((dimension ? *position : 0) * 10 + index);
}

static inline void call_probe(struct run *run, uintptr_t target)
{
    if (call_await_probe(run, target)) {
        return;
    }
    if (target == all_targets.enter_context || target == all_targets.enter_lines) {
        enter(run, target);
    } else if (target == all_targets.room) {
        make_room(run);
    } else if (target == all_targets.check) {
        make_room(run);
        (void)pop_integer(run);
    } else if (target == all_targets.settle) {
        run->failed = run->failed || pop_address(run) != (uint8_t *)&run->context;
        tell_ring(run);
        buffer_text(run->log, run->context.current == CURRENT ? "asks " : "settles ");
        run->context.current = CURRENT;
    } else if (target == all_targets.lines_now) {
        *(uint64_t *)(void *)pop_address(run) = run->clock += 7;
    } else if (target == all_targets.item_index) {
        fold_index(run);
    } else if (target >= all_targets.site_bits && target <= all_targets.site_typed) {
        tell_native(run, target);
    } else if (target == all_targets.site_sized || target == all_targets.site_behind) {
        tell_native(run, target);
    } else if (target == all_targets.wait) {
        (void)pop_integer(run);
        buffer_text(run->log, "wait ");
    } else {
        (void)pop_integer(run); // a method, an activation
        tell_ring(run);
        buffer_text(run->log, target == all_targets.restate ? "restate " : "");
        if (target == all_targets.leave || target == all_targets.depart || target == all_targets.finish ||
            target == all_targets.enter) {
            push_integer(run, 0);
        }
        if (target == all_targets.enter_keep) {
            push_integer(run, 0xAC71);
        } else if (target == all_targets.run_context) {
            push_integer(run, (intptr_t)&run->context);
        }
    }
}

// -- Instructions -----------------------------------------------------------------------------------------------------

static inline void run_call(struct run *run, const struct il_instruction *at)
{
    struct il_method method;
    struct cell arguments[8], result;
    uint32_t token = (uint32_t)at->operand.integer;
    if (il_method_of(run->scope, token, &method) != CLEW_OK) {
        run->failed = true;
        return;
    }
    uint32_t count = method.signature.parameter_count + (at->opcode != IL_NEWOBJ && method.signature.has_this);
    for (uint32_t i = count; i-- > 0;) {
        arguments[i] = pop_cell(run);
    }
    if (at->opcode == IL_NEWOBJ) {
        push_integer(run, (intptr_t)run->world->create(token));
        return;
    }
    result = run->world->call(token, arguments);
    run->thrown = run->world->throws(token);
    if (run->world->suspends(token)) {
        suspend(run);
    }
    if (method.signature.returns_value && !run->thrown) {
        push_cell(run, result);
    }
}

// The filter or handler of the first try block around an instruction: it gets the exception.
static inline const struct il_instruction *handler_of(struct run *run, const struct il_instruction *at)
{
    for (uint32_t i = 0; i < run->body->region_count; i++) {
        const struct il_region *region = &run->body->regions[i];
        if (at->offset >= region->try_start->offset && at->offset < region->try_end->offset) {
            run->depth = 0;
            if (region->kind != IL_FAULT) {
                push_integer(run, 0);
            }
            return region->kind == IL_FILTER ? region->filter_start : region->handler_start;
        }
    }
    run->failed = true;
    return NULL;
}

static inline const struct il_instruction *filtered_by(struct run *run, const struct il_instruction *endfilter)
{
    run->failed = run->failed || pop_integer(run) != 1;
    push_integer(run, 0); // the exception
    return endfilter->next;
}

static inline void run_arithmetic(struct run *run, enum il_opcode opcode)
{
    int64_t b = pop_integer(run), a = pop_integer(run);
    push_integer(run, opcode == IL_ADD ? a + b : opcode == IL_SUB ? a - b : a * b);
}

static inline void run_field(struct run *run, const struct il_instruction *at)
{
    struct bytes type;
    struct cell value = {0};
    enum il_opcode opcode = at->opcode;
    bool store = opcode == IL_STFLD || opcode == IL_STSFLD;
    bool is_static = opcode == IL_LDSFLD || opcode == IL_LDSFLDA || opcode == IL_STSFLD;
    if (store) {
        value = pop_cell(run);
    }
    uint8_t *owner = is_static ? NULL : pop_address(run);
    uint8_t *place = run->world->field((uint32_t)at->operand.integer, owner, &type);
    if (store) {
        memcpy(place, value.bytes, size_of(run, type));
    } else if (opcode == IL_LDFLDA || opcode == IL_LDSFLDA) {
        push_integer(run, (intptr_t)place);
    } else {
        push_cell(run, load_typed(run, place, type));
    }
}

// ldelem, ldelema and stelem of every kind: the array's items start at 16.
static inline void run_item(struct run *run, const struct il_instruction *at)
{
    static const uint8_t loads[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8}, stores[] = {8, 1, 2, 4, 8, 4, 8, 8};
    enum il_opcode opcode = at->opcode;
    bool store = opcode == IL_STELEM || (opcode >= IL_STELEM_I && opcode <= IL_STELEM_REF);
    uint32_t size = opcode >= IL_LDELEM_I1 && opcode <= IL_LDELEM_REF ? loads[opcode - IL_LDELEM_I1]
                    : opcode >= IL_STELEM_I && opcode <= IL_STELEM_REF
                        ? stores[opcode - IL_STELEM_I]
                        : run->world->size_of_token((uint32_t)at->operand.integer);
    struct cell value = {0};
    if (store) {
        value = pop_cell(run);
    }
    int64_t index = pop_integer(run);
    uint8_t *place = pop_address(run) + 16 + index * size;
    if (store) {
        memcpy(place, value.bytes, size);
    } else if (opcode == IL_LDELEMA) {
        push_integer(run, (intptr_t)place);
    } else {
        push_cell(run, load(place, size, true));
    }
}

static inline bool run_memory(struct run *run, const struct il_instruction *at)
{
    static const uint8_t loads[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8}, stores[] = {8, 1, 2, 4, 8, 4, 8};
    enum il_opcode opcode = at->opcode;
    uint32_t token = (uint32_t)at->operand.integer;
    if (opcode >= IL_LDIND_I1 && opcode <= IL_LDIND_REF) {
        bool sign = opcode == IL_LDIND_I1 || opcode == IL_LDIND_I2 || opcode == IL_LDIND_I4;
        push_cell(run, load(pop_address(run), loads[opcode - IL_LDIND_I1], sign));
    } else if ((opcode >= IL_STIND_REF && opcode <= IL_STIND_R8) || opcode == IL_STIND_I) {
        struct cell value = pop_cell(run);
        memcpy(pop_address(run), value.bytes, opcode == IL_STIND_I ? 8 : stores[opcode - IL_STIND_REF]);
    } else if (opcode == IL_LDOBJ) {
        push_cell(run, load(pop_address(run), run->world->size_of_token(token), true));
    } else if (opcode == IL_STOBJ) {
        struct cell value = pop_cell(run);
        memcpy(pop_address(run), value.bytes, run->world->size_of_token(token));
    } else if (opcode == IL_INITOBJ) {
        memset(pop_address(run), 0, run->world->size_of_token(token));
    } else if (opcode == IL_CPOBJ) {
        uint8_t *source = pop_address(run);
        memcpy(pop_address(run), source, run->world->size_of_token(token));
    } else {
        return false;
    }
    return true;
}

static inline bool run_variable(struct run *run, const struct il_instruction *at)
{
    uint32_t number = 0;
    enum il_opcode family = il_family(at, &number);
    bool local = family == IL_LDLOC || family == IL_STLOC || family == IL_LDLOCA;
    uint8_t *place = local ? run->locals[number] : run->arguments[number];
    switch (family) {
    case IL_LDLOC:
    case IL_LDARG:
        push_cell(run, load_typed(run, place, variable_type(run, local, number)));
        return true;
    case IL_STLOC:
    case IL_STARG: {
        struct cell value = pop_cell(run);
        memcpy(place, value.bytes, size_of(run, variable_type(run, local, number)));
        return true;
    }
    case IL_LDLOCA:
    case IL_LDARGA:
        push_integer(run, (intptr_t)place);
        return true;
    default:
        return false;
    }
}

static inline bool run_constant(struct run *run, const struct il_instruction *at)
{
    enum il_opcode opcode = at->opcode;
    if (opcode >= IL_LDC_I4_M1 && opcode <= IL_LDC_I4_8) {
        push_integer(run, (int64_t)opcode - IL_LDC_I4_0);
    } else if (opcode == IL_LDC_I4 || opcode == IL_LDC_I4_S || opcode == IL_LDC_I8 || opcode == IL_LDC_R4 ||
               opcode == IL_LDC_R8) {
        push_integer(run, at->operand.integer);
    } else if (opcode == IL_LDNULL || opcode == IL_LDTOKEN || opcode == IL_LDFTN) {
        push_integer(run, 0);
    } else {
        return false;
    }
    return true;
}

// Whether a conditional branch is taken.
static inline bool run_condition(struct run *run, enum il_opcode opcode)
{
    int64_t b = pop_integer(run);
    switch (il_long_branch(opcode)) {
    case IL_BRTRUE:
        return b != 0;
    case IL_BRFALSE:
        return b == 0;
    case IL_BLT_UN:
        return (uint64_t)pop_integer(run) < (uint64_t)b;
    case IL_BGE_UN:
        return (uint64_t)pop_integer(run) >= (uint64_t)b;
    case IL_BEQ:
        return pop_integer(run) == b;
    case IL_BLT:
        return pop_integer(run) < b;
    default:
        run->failed = true;
        return false;
    }
}

// The instruction after this one; NULL at the end.
static inline const struct il_instruction *run_step(struct run *run, const struct il_instruction *at)
{
    enum il_flow flow = il_opcodes[at->opcode].flow;
    if (flow == IL_FLOW_BRANCH) {
        run->depth = at->opcode == IL_LEAVE || at->opcode == IL_LEAVE_S ? 0 : run->depth;
        return at->operand.branch;
    }
    if (flow == IL_FLOW_CONDITION) {
        return run_condition(run, at->opcode) ? at->operand.branch : at->next;
    }
    if (flow == IL_FLOW_RETURN) {
        return at->opcode == IL_ENDFILTER ? filtered_by(run, at) : NULL;
    }
    if (flow == IL_FLOW_PREFIX || at->opcode == IL_NOP || run_variable(run, at) || run_constant(run, at) ||
        run_memory(run, at)) {
        return at->next;
    }
    uint32_t token = (uint32_t)at->operand.integer;
    switch (at->opcode) {
    case IL_CALLI:
        call_probe(run, (uintptr_t)pop_integer(run));
        break;
    case IL_CALL:
    case IL_CALLVIRT:
    case IL_NEWOBJ:
        run->thrown = false;
        run_call(run, at);
        if (run->thrown) {
            return handler_of(run, at);
        }
        break;
    case IL_NEWARR:
    case IL_BOX:
        (void)pop_cell(run);
        push_integer(run, (intptr_t)run->world->create(token));
        break;
    case IL_DUP: {
        struct cell top = pop_cell(run);
        push_cell(run, top);
        push_cell(run, top);
        break;
    }
    case IL_POP:
        (void)pop_cell(run);
        break;
    case IL_ADD:
    case IL_SUB:
    case IL_MUL:
        run_arithmetic(run, at->opcode);
        break;
    case IL_CONV_I4:
        push_integer(run, (int32_t)pop_integer(run));
        break;
    case IL_CONV_I:
    case IL_CONV_U:
    case IL_CONV_I8:
        break;
    case IL_MKREFANY: {
        struct cell reference = {.size = 16};
        memcpy(reference.bytes, pop_cell(run).bytes, 8);
        memcpy(reference.bytes + 8, &token, 4);
        push_cell(run, reference);
        break;
    }
    case IL_SIZEOF:
        push_integer(run, size_of(run, il_type_of_token(run->scope, token).signature));
        break;
    case IL_CEQ:
        push_integer(run, pop_integer(run) == pop_integer(run));
        break;
    default:
        if ((at->opcode >= IL_LDFLD && at->opcode <= IL_STSFLD)) {
            run_field(run, at);
        } else if (at->opcode >= IL_LDELEMA && at->opcode <= IL_STELEM) {
            run_item(run, at);
        } else {
            fprintf(stderr, "not interpreted: %s\n", il_opcodes[at->opcode].name);
            run->failed = true;
        }
    }
    return at->next;
}

static inline void interpreter_run(struct run *run)
{
    const struct il_instruction *at = run->body->first;
    for (unsigned steps = 0; at && at != run->body->end && !run->failed && steps < STEPS_MAX; steps++) {
        at = run_step(run, at);
        run->failed = run->failed || run->context.at > run->context.limit + run->room;
    }
    run->failed = run->failed || at;
    tell_ring(run);
}

#endif
