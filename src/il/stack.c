// The abstract interpreter behind il_stacks(). It keeps one stack for each instruction: the merge of those with which paths
// arrive there. An instruction is interpreted again whenever its stack has lost a type or a producer, until nothing changes.
//
// This ends, since a slot can only become weaker: it loses its producer, its type, then its kind. It is also quick,
// since stacks share their lower slots: a merge stops at the first slot that both have. WORK_LIMIT stops bodies that
// are made to be slow.
#include "il/stack.h"

#include <string.h>

#include "base/assert.h"

// How many merges of slots and transfers of control a body may take.
enum { WORK_LIMIT = 1 << 24 };

struct interpreter {
    const struct il_body *body;
    const struct il_scope *scope;
    struct il_stacks *stacks;
    bool *try_starts, *queued;
    uint32_t *pending; // instructions to be interpreted (again), as a stack
    uint32_t pending_count;
    uint32_t work;
};

static const struct il_type unknown;

const struct il_slot *il_slot_at(const struct il_slot *stack, uint32_t down)
{
    while (stack && down--) {
        stack = stack->below;
    }
    return stack;
}

// The variants of an instruction for a variable: with the number in the opcode, in one byte, in two.
enum il_opcode il_family(const struct il_instruction *instruction, uint32_t *number)
{
    static const struct {
        enum il_opcode first, last, short_form, family;
    } families[] = {
        {IL_LDARG_0, IL_LDARG_3, IL_LDARG_S, IL_LDARG}, {IL_LDLOC_0, IL_LDLOC_3, IL_LDLOC_S, IL_LDLOC},
        {IL_STLOC_0, IL_STLOC_3, IL_STLOC_S, IL_STLOC}, {IL_END, IL_END, IL_LDARGA_S, IL_LDARGA},
        {IL_END, IL_END, IL_STARG_S, IL_STARG},         {IL_END, IL_END, IL_LDLOCA_S, IL_LDLOCA},
    };
    enum il_opcode opcode = instruction->opcode;
    for (unsigned i = 0; i < sizeof families / sizeof *families; i++) {
        if (opcode >= families[i].first && opcode <= families[i].last) {
            *number = (uint32_t)(opcode - families[i].first);
            return families[i].family;
        }
        if (opcode == families[i].short_form || opcode == families[i].family) {
            *number = (uint32_t)instruction->operand.integer;
            return families[i].family;
        }
    }
    return opcode;
}

// -- Stacks -----------------------------------------------------------------------------------------------------------

// Signatures are compared as bytes: the same type may have two signatures (through a TypeRef and a TypeDef), and then counts
// as two types.
static bool same_type(struct il_type a, struct il_type b)
{
    size_t size = bytes_left(&a.signature);
    return a.kind == b.kind && size == bytes_left(&b.signature) &&
           (size == 0 || a.signature.at == b.signature.at || memcmp(a.signature.at, b.signature.at, size) == 0);
}

// Different types of one kind leave the kind; int32 and native int meet as native int (ECMA-335 III.1.8.1.3); for all
// others the kind is unknown too.
static struct il_type merge_types(struct il_type a, struct il_type b)
{
    if (same_type(a, b)) {
        return a;
    }
    if (a.kind == b.kind) {
        return (struct il_type){.kind = a.kind};
    }
    bool integers = (a.kind == IL_INT32 || a.kind == IL_NATIVE) && (b.kind == IL_INT32 || b.kind == IL_NATIVE);
    return integers ? (struct il_type){.kind = IL_NATIVE} : unknown;
}

static bool is_weaker(const struct il_slot *a, const struct il_slot *b)
{
    return a->producer != b->producer || !same_type(a->type, b->type);
}

static struct il_slot merge_slots(const struct il_slot *a, const struct il_slot *b)
{
    CLEW_ASSERT(a->depth == b->depth);
    return (struct il_slot){.depth = a->depth,
                            .type = merge_types(a->type, b->type),
                            .producer = a->producer == b->producer ? a->producer : NULL};
}

static struct il_slot *new_slot(struct interpreter *at, const struct il_slot *content)
{
    struct il_slot *slot = arena_alloc(at->scope->arena, sizeof *slot);
    if (slot) {
        *slot = *content;
    }
    return slot;
}

static uint32_t depth_of(const struct il_slot *stack)
{
    return stack ? stack->depth : 0;
}

// Merges a stack of equal depth into *stack, which then has the types and producers that hold for both. *changed: it
// has lost some.
static enum clew_error merge(struct interpreter *at, const struct il_slot **stack, const struct il_slot *other,
                             bool *changed)
{
    const struct il_slot *a = *stack, *b = other;
    for (*changed = false; a != b && !*changed; a = a->below, b = b->below) {
        struct il_slot both = merge_slots(a, b);
        *changed = is_weaker(a, &both);
        at->work++;
    }
    if (!*changed) {
        return CLEW_OK;
    }
    const struct il_slot **link = stack;
    for (a = *stack, b = other; a != b; a = a->below, b = b->below) {
        struct il_slot both = merge_slots(a, b);
        struct il_slot *fresh = new_slot(at, &both);
        if (!fresh) {
            return CLEW_NO_MEMORY;
        }
        *link = fresh;
        link = &fresh->below;
        at->work++;
    }
    *link = a;
    return at->work < WORK_LIMIT ? CLEW_OK : CLEW_UNSUPPORTED;
}

// Each instruction is in the queue at most once, so that the queue has room for all of them.
static void queue(struct interpreter *at, uint32_t index)
{
    CLEW_ASSERT(index < at->body->instruction_count && at->pending_count <= at->body->instruction_count);
    if (!at->queued[index]) {
        at->queued[index] = true;
        at->pending[at->pending_count++] = index;
    }
}

// Control arrives at `target` with this stack.
static enum clew_error reach(struct interpreter *at, const struct il_instruction *target, const struct il_slot *stack)
{
    if (target == at->body->end) {
        return CLEW_MALFORMED;
    }
    uint32_t index = il_index(at->body, target);
    bool changed = true;
    if (!at->stacks->reached[index]) {
        at->stacks->reached[index] = true;
        at->stacks->before[index] = stack;
    } else if (depth_of(at->stacks->before[index]) != depth_of(stack)) {
        return CLEW_MALFORMED;
    } else {
        CLEW_TRY(merge(at, &at->stacks->before[index], stack, &changed));
    }
    if (changed) {
        queue(at, index);
    }
    return ++at->work < WORK_LIMIT ? CLEW_OK : CLEW_UNSUPPORTED;
}

static enum clew_error push(struct interpreter *at, const struct il_slot **stack, struct il_type type,
                            const struct il_instruction *producer)
{
    struct il_slot content = {.below = *stack, .depth = depth_of(*stack) + 1, .type = type, .producer = producer};
    struct il_slot *slot = new_slot(at, &content);
    *stack = slot;
    return slot ? CLEW_OK : CLEW_NO_MEMORY;
}

// -- Results of instructions ------------------------------------------------------------------------------------------

static struct il_type of_kind(enum il_kind kind)
{
    return (struct il_type){.kind = kind};
}

static struct il_type of_element(uint8_t element)
{
    static const uint8_t elements[] = {0,          1,          ELEMENT_BOOLEAN, ELEMENT_CHAR, ELEMENT_I1,
                                       ELEMENT_U1, ELEMENT_I2, ELEMENT_U2,      ELEMENT_I4,   ELEMENT_U4,
                                       ELEMENT_I8, ELEMENT_U8, ELEMENT_R4,      ELEMENT_R8,   ELEMENT_STRING};
    CLEW_ASSERT(element < sizeof elements);
    return il_type_of(bytes_of(&elements[element], 1));
}

static bool is_pointer(struct il_type type)
{
    return type.kind == IL_NATIVE && bytes_left(&type.signature) > 0 && *type.signature.at == ELEMENT_POINTER;
}

static bool is_reference(struct il_type type)
{
    return type.kind == IL_OBJECT || type.kind == IL_REFERENCE;
}

static bool adds(enum il_opcode opcode)
{
    return opcode == IL_ADD || opcode == IL_ADD_OVF || opcode == IL_ADD_OVF_UN;
}

static bool subtracts(enum il_opcode opcode)
{
    return opcode == IL_SUB || opcode == IL_SUB_OVF || opcode == IL_SUB_OVF_UN;
}

// An address keeps its type if an integer is added or subtracted; an integer minus an address is an integer. The JIT
// compiles all other arithmetic too, but the kind of the result depends on where the address is from; even of two
// addresses, the difference need not be an integer, as it is in ECMA-335 III.1.5.
static struct il_type of_addresses(enum il_opcode opcode, struct il_type a, struct il_type b)
{
    bool integer_a = a.kind == IL_INT32 || a.kind == IL_NATIVE, integer_b = b.kind == IL_INT32 || b.kind == IL_NATIVE;
    if (a.kind == IL_REFERENCE && integer_b && (adds(opcode) || subtracts(opcode))) {
        return a;
    }
    if (b.kind == IL_REFERENCE && integer_a) {
        return adds(opcode) ? b : subtracts(opcode) ? of_kind(IL_NATIVE) : unknown;
    }
    return unknown;
}

// On 64-bit machines the JIT converts an int32 implicitly where the other operand is wider.
static struct il_type arithmetic(enum il_opcode opcode, struct il_type a, struct il_type b)
{
    if (is_reference(a) || is_reference(b)) {
        return of_addresses(opcode, a, b);
    }
    if (is_pointer(a) != is_pointer(b)) {
        return is_pointer(a) ? a : b;
    }
    if (a.kind == IL_VALUE || b.kind == IL_VALUE) { // an enum
        return a.kind == b.kind ? unknown : of_kind(a.kind == IL_VALUE ? b.kind : a.kind);
    }
    static const enum il_kind widest_first[] = {IL_UNKNOWN, IL_FLOAT64, IL_FLOAT32, IL_NATIVE, IL_INT64};
    for (unsigned i = 0; i < sizeof widest_first / sizeof *widest_first; i++) {
        if (a.kind == widest_first[i] || b.kind == widest_first[i]) {
            return of_kind(widest_first[i]);
        }
    }
    return of_kind(IL_INT32);
}

// `conv.i` and `conv.u`: the address of a reference keeps the type of its target.
static struct il_type as_pointer(const struct il_scope *scope, struct il_type type)
{
    if (type.kind == IL_REFERENCE) {
        return il_pointer_of(scope, type.signature);
    }
    return is_pointer(type) ? type : of_kind(IL_NATIVE);
}

// The kind of the result of opcodes that determine it alone.
static enum il_kind plain_kind(enum il_opcode opcode)
{
    switch (opcode) {
    case IL_CONV_I8:
    case IL_CONV_U8:
    case IL_CONV_OVF_I8:
    case IL_CONV_OVF_U8:
    case IL_CONV_OVF_I8_UN:
    case IL_CONV_OVF_U8_UN:
    case IL_LDC_I8:
        return IL_INT64;
    case IL_CONV_OVF_I:
    case IL_CONV_OVF_U:
    case IL_CONV_OVF_I_UN:
    case IL_CONV_OVF_U_UN:
    case IL_LDLEN:
    case IL_LDFTN:
    case IL_LDVIRTFTN:
    case IL_LOCALLOC:
        return IL_NATIVE;
    case IL_CONV_R4:
    case IL_LDC_R4:
        return IL_FLOAT32;
    case IL_CONV_R8:
    case IL_CONV_R_UN:
    case IL_LDC_R8:
        return IL_FLOAT64;
    case IL_LDTOKEN:
    case IL_ARGLIST:
    case IL_MKREFANY:
    case IL_REFANYTYPE:
        return IL_VALUE;
    case IL_LDNULL:
        return IL_OBJECT;
    default: // constants, comparisons, sizes, conversions to 32 bits or fewer
        return IL_INT32;
    }
}

// For `ldind` and `ldelem` whose opcode names the type. Their opcodes follow each other in the same order.
static struct il_type loaded(enum il_opcode opcode)
{
    static const uint8_t elements[] = {ELEMENT_I1, ELEMENT_U1, ELEMENT_I2, ELEMENT_U2, ELEMENT_I4,
                                       ELEMENT_U4, ELEMENT_I8, ELEMENT_I,  ELEMENT_R4, ELEMENT_R8};
    CLEW_ASSERT((opcode >= IL_LDELEM_I1 ? opcode - IL_LDELEM_I1 : opcode - IL_LDIND_I1) < (int)sizeof elements);
    uint8_t element = elements[opcode >= IL_LDELEM_I1 ? opcode - IL_LDELEM_I1 : opcode - IL_LDIND_I1];
    return element == ELEMENT_I ? of_kind(IL_NATIVE) : of_element(element);
}

static struct il_type loaded_object(struct il_type content)
{
    return content.kind == IL_OBJECT ? content : of_kind(IL_OBJECT);
}

static struct il_type variable(const struct il_type *variables, uint32_t count, uint32_t number)
{
    return number < count ? variables[number] : unknown;
}

// The address of a field; if its owner is at a pointer, it may be in unmanaged memory.
static struct il_type address_within(struct il_type content, struct il_type value)
{
    return content.kind == IL_NATIVE ? of_kind(IL_NATIVE) : il_reference_to(value);
}

static struct il_type as_object(struct il_type type)
{
    return type.kind == IL_OBJECT ? type : of_kind(IL_OBJECT);
}

// The type of the object or struct that `newobj` pushes.
static struct il_type created(const struct il_scope *scope, uint32_t token)
{
    struct il_method method;
    return il_method_of(scope, token, &method) == CLEW_OK ? method.owner : unknown;
}

// The result of arithmetic, comparisons, conversions and typed loads, of the opcode and its operands alone.
static struct il_type computed(enum il_opcode opcode, struct il_type top, struct il_type second)
{
    if ((opcode >= IL_ADD && opcode <= IL_XOR) || (opcode >= IL_ADD_OVF && opcode <= IL_SUB_OVF_UN)) {
        return arithmetic(opcode, second, top);
    }
    if ((opcode >= IL_LDIND_I1 && opcode <= IL_LDIND_R8) || (opcode >= IL_LDELEM_I1 && opcode <= IL_LDELEM_R8)) {
        return loaded(opcode);
    }
    return of_kind(plain_kind(opcode));
}

// The result of an instruction that pushes one value, except calls and `dup`. `top` and `second` are its operands.
static struct il_type pushed(const struct il_scope *scope, const struct il_instruction *instruction, struct il_type top,
                             struct il_type second)
{
    uint32_t number = (uint32_t)instruction->operand.integer;
    enum il_opcode opcode = il_family(instruction, &number);
    switch (opcode) {
    case IL_LDARG:
        return variable(scope->arguments, scope->argument_count, number);
    case IL_LDLOC:
        return variable(scope->locals, scope->local_count, number);
    case IL_LDARGA:
        return il_reference_to(variable(scope->arguments, scope->argument_count, number));
    case IL_LDLOCA:
        return il_reference_to(variable(scope->locals, scope->local_count, number));
    case IL_LDFLD:
    case IL_LDSFLD:
        return il_type_of_field(scope, number);
    case IL_LDFLDA:
        return address_within(top, il_type_of_field(scope, number));
    case IL_LDSFLDA:
        return il_reference_to(il_type_of_field(scope, number));
    case IL_LDELEMA:
    case IL_UNBOX:
    case IL_REFANYVAL:
        return il_reference_to(il_type_of_token(scope, number));
    case IL_LDOBJ:
    case IL_LDELEM:
    case IL_UNBOX_ANY:
        return il_type_of_token(scope, number);
    case IL_LDELEM_REF:
        return loaded_object(il_item_of(second));
    case IL_LDIND_REF:
        return loaded_object(top.kind == IL_REFERENCE ? il_type_of(top.signature) : unknown);
    case IL_LDSTR:
        return of_element(ELEMENT_STRING);
    case IL_CASTCLASS:
    case IL_ISINST:
    case IL_BOX:
        return as_object(il_type_of_token(scope, number));
    case IL_NEWARR:
        return il_array_of(scope, il_type_of_token(scope, number));
    case IL_NEWOBJ:
        return created(scope, number);
    case IL_SHL:
    case IL_SHR:
    case IL_SHR_UN:
        return is_reference(second) ? unknown : of_kind(second.kind);
    case IL_CONV_I:
    case IL_CONV_U:
        return as_pointer(scope, top);
    case IL_NEG:
    case IL_NOT:
    case IL_CKFINITE:
        return is_reference(top) ? unknown : of_kind(top.kind);
    default:
        return computed(opcode, top, second);
    }
}

// -- Steps ------------------------------------------------------------------------------------------------------------

static enum clew_error pop(const struct il_slot **stack, uint32_t count)
{
    for (; count; count--) {
        if (!*stack) {
            return CLEW_MALFORMED;
        }
        *stack = (*stack)->below;
    }
    return CLEW_OK;
}

// A call pops its arguments, the function pointer of `calli`, and `this`, except for `newobj`, which pushes the new object.
static enum clew_error pass_call(struct interpreter *at, const struct il_instruction *call,
                                 const struct il_slot **stack)
{
    struct il_method method;
    CLEW_TRY(il_method_of(at->scope, (uint32_t)call->operand.integer, &method));
    bool creates = call->opcode == IL_NEWOBJ;
    CLEW_TRY(pop(stack, method.signature.parameter_count + (call->opcode == IL_CALLI)));
    if (creates) {
        return push(at, stack, method.owner, call);
    }
    CLEW_TRY(pop(stack, method.signature.has_this));
    return method.signature.returns_value ? push(at, stack, il_method_result(at->scope, &method), call) : CLEW_OK;
}

// The copy has the producer of the original: it is the same value.
static enum clew_error pass_dup(struct interpreter *at, const struct il_slot **stack)
{
    const struct il_slot *top = *stack;
    return top ? push(at, stack, top->type, top->producer) : CLEW_MALFORMED;
}

static enum clew_error pass(struct interpreter *at, const struct il_instruction *instruction,
                            const struct il_slot **stack)
{
    const struct il_opcode_info *info = &il_opcodes[instruction->opcode];
    if (info->flow == IL_FLOW_CALL) {
        return pass_call(at, instruction, stack);
    }
    if (instruction->opcode == IL_DUP) {
        return pass_dup(at, stack);
    }
    if (instruction->opcode == IL_LEAVE || instruction->opcode == IL_LEAVE_S) {
        *stack = NULL;
        return CLEW_OK;
    }
    if (info->pops == IL_VARIES) { // `ret`: nothing follows
        return CLEW_OK;
    }
    const struct il_slot *before = *stack;
    CLEW_TRY(pop(stack, (uint32_t)info->pops));
    if (info->pushes == 0) {
        return CLEW_OK;
    }
    struct il_type top = info->pops > 0 ? before->type : unknown;
    struct il_type second = info->pops > 1 ? before->below->type : unknown;
    return push(at, stack, pushed(at->scope, instruction, top, second), instruction);
}

// An exception can leave a try at any instruction, and empties the stack: handlers start with the exception, or nothing. The
// producer of an exception is not an instruction.
static enum clew_error reach_handlers(struct interpreter *at, const struct il_instruction *try_start)
{
    at->work += at->body->region_count;
    for (uint32_t i = 0; i < at->body->region_count; i++) {
        const struct il_region *region = &at->body->regions[i];
        if (region->try_start != try_start) {
            continue;
        }
        const struct il_slot *stack = NULL;
        if (region->kind == IL_CATCH || region->kind == IL_FILTER) {
            struct il_type caught =
                region->kind == IL_CATCH ? il_type_of_token(at->scope, region->type_token) : unknown;
            CLEW_TRY(push(at, &stack, as_object(caught), NULL));
        }
        CLEW_TRY(reach(at, region->handler_start, stack));
        if (region->kind == IL_FILTER) {
            CLEW_TRY(reach(at, region->filter_start, stack));
        }
    }
    return CLEW_OK;
}

// Interprets one instruction, and passes its stack on to all instructions that may come next.
static enum clew_error follow(struct interpreter *at, uint32_t index)
{
    const struct il_instruction *instruction = &at->body->originals[index];
    const struct il_slot *stack = at->stacks->before[index];
    if (at->try_starts[index]) {
        CLEW_TRY(reach_handlers(at, instruction));
    }
    CLEW_TRY(pass(at, instruction, &stack));
    if (il_is_branch(instruction->opcode)) {
        CLEW_TRY(reach(at, instruction->operand.branch, stack));
    } else if (instruction->opcode == IL_SWITCH) {
        for (uint32_t i = 0; i < instruction->operand.table.count; i++) {
            CLEW_TRY(reach(at, instruction->operand.table.targets[i], stack));
        }
    }
    enum il_flow flow = il_opcodes[instruction->opcode].flow;
    bool goes_on = flow != IL_FLOW_BRANCH && flow != IL_FLOW_RETURN && flow != IL_FLOW_THROW;
    return goes_on ? reach(at, instruction + 1, stack) : CLEW_OK;
}

enum clew_error il_stacks(const struct il_body *body, const struct il_scope *scope, struct il_stacks *out)
{
    size_t count = body->instruction_count;
    struct arena *arena = scope->arena;
    CLEW_ASSERT(count == (size_t)(body->end - body->originals) && "nothing has been inserted");
    struct interpreter at = {.body = body, .scope = scope, .stacks = out};
    *out = (struct il_stacks){.body = body};
    out->before = arena_alloc(arena, (count + 1) * sizeof *out->before);
    out->reached = arena_alloc(arena, count + 1);
    at.try_starts = arena_alloc(arena, count + 1);
    at.queued = arena_alloc(arena, count + 1);
    at.pending = arena_alloc(arena, (count + 1) * sizeof *at.pending);
    if (!out->before || !out->reached || !at.try_starts || !at.queued || !at.pending) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = 0; i < body->region_count; i++) {
        at.try_starts[il_index(body, body->regions[i].try_start)] = true;
    }
    CLEW_TRY(reach(&at, body->first, NULL));
    while (at.pending_count) {
        uint32_t index = at.pending[--at.pending_count];
        at.queued[index] = false;
        CLEW_TRY(follow(&at, index));
    }
    return CLEW_OK;
}
