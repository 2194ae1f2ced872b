#include "weave/operations/starts.h"

#include "metadata/names/names.h"

enum { AHEAD_MAX = 64 }; // instructions between a delegate and the call that gets it
enum { ACCESS = 7, METHOD_ASSEMBLY = 3, METHOD_VIRTUAL = 0x40 }; // ECMA-335 II.23.1.10, II.23.1.15
enum { TYPE_PUBLIC = 1, TYPE_NESTED_PUBLIC = 2, TYPE_NESTED_FAMILY = 4, TYPE_NESTED_FAMILY_OR_ASSEMBLY = 7 };

// What runs a delegate later, by itself.
struct starter {
    const char *space, *type, *member;
};

static const struct starter starters[] = {
    {"System.Threading.Tasks", "Task", "Run"},
    {"System.Threading.Tasks", "Task", ".ctor"},
    {"System.Threading.Tasks", "Task`1", ".ctor"},
    {"System.Threading.Tasks", "Task", "ContinueWith"},
    {"System.Threading.Tasks", "Task`1", "ContinueWith"},
    {"System.Threading.Tasks", "TaskFactory", "StartNew"},
    {"System.Threading.Tasks", "TaskFactory`1", "StartNew"},
    {"System.Threading.Tasks", "Parallel", "For"},
    {"System.Threading.Tasks", "Parallel", "ForAsync"},
    {"System.Threading.Tasks", "Parallel", "ForEach"},
    {"System.Threading.Tasks", "Parallel", "ForEachAsync"},
    {"System.Threading", "Thread", ".ctor"},
    {"System.Threading", "ThreadPool", "QueueUserWorkItem"},
    {"System.Threading", "ThreadPool", "UnsafeQueueUserWorkItem"},
    {"System.Threading", "ThreadPool", "RegisterWaitForSingleObject"},
    {"System.Threading", "Timer", ".ctor"},
    {"System.Timers", "Timer", "add_Elapsed"},
    {"System.Threading", "CancellationToken", "Register"},
    {"System.Threading", "CancellationToken", "UnsafeRegister"},
};

static struct text string(const struct metadata *metadata, uint32_t type, unsigned column)
{
    return metadata_string(metadata, metadata_column(metadata, TABLE_TYPE_REF, TOKEN_ROW(type), column));
}

static bool calls_method(const struct il_instruction *at)
{
    return at->opcode == IL_CALL || at->opcode == IL_CALLVIRT || at->opcode == IL_NEWOBJ;
}

static bool is_starter(const struct metadata *metadata, const struct il_instruction *at)
{
    struct method_reference called;
    if (!calls_method(at) || !names_method_reference(metadata, (uint32_t)at->operand.integer, &called) ||
        TOKEN_TABLE(called.type) != TABLE_TYPE_REF) {
        return false;
    }
    struct text space = string(metadata, called.type, TYPE_REF_NAMESPACE);
    struct text type = string(metadata, called.type, TYPE_REF_NAME);
    for (size_t i = 0; i < sizeof starters / sizeof *starters; i++) {
        if (text_equal(called.name, text_of(starters[i].member)) && text_equal(type, text_of(starters[i].type)) &&
            text_equal(space, text_of(starters[i].space))) {
            return true;
        }
    }
    return false;
}

// How many slots an instruction takes from the stack. UINT32_MAX: not known.
static uint32_t taken(const struct il_scope *scope, const struct il_instruction *at)
{
    struct il_method called;
    if (il_opcodes[at->opcode].pops != IL_VARIES) {
        return (uint32_t)il_opcodes[at->opcode].pops;
    }
    if (!calls_method(at) || il_method_of(scope, (uint32_t)at->operand.integer, &called) != CLEW_OK) {
        return UINT32_MAX;
    }
    return called.signature.parameter_count + (called.signature.has_this && at->opcode != IL_NEWOBJ);
}

// The instruction behind those that keep a new delegate in a static field for the next time, to which the paths lead that have
// found it there.
static const struct il_instruction *behind_cached(const struct il_instruction *at)
{
    return at->opcode == IL_DUP && at[1].opcode == IL_STSFLD ? at + 2 : at;
}

// Follows the delegate from its creation on: whatever other paths lead to the instructions on its way, it comes along.
bool weave_starts(const struct metadata *metadata, const struct il_scope *scope, const struct il_stacks *stacks,
                  const struct il_instruction *at)
{
    const struct il_instruction *end = stacks->body->end;
    if (at->opcode != IL_LDFTN || at + 2 >= end || at[1].opcode != IL_NEWOBJ || at[1].target ||
        !il_reached(stacks, at + 2)) {
        return false;
    }
    uint32_t depth = il_stack_before(stacks, at + 2)->depth; // of the delegate
    const struct il_instruction *first = behind_cached(at + 2);
    for (const struct il_instruction *next = first; next < end && next < first + AHEAD_MAX; next++) {
        enum il_flow flow = il_opcodes[next->opcode].flow;
        const struct il_slot *stack = il_reached(stacks, next) ? il_stack_before(stacks, next) : NULL;
        uint32_t count = taken(scope, next);
        if (!stack || stack->depth < depth || count == UINT32_MAX) {
            return false;
        }
        if (count > stack->depth - depth) {
            return is_starter(metadata, next);
        }
        if (flow != IL_FLOW_NEXT && flow != IL_FLOW_CALL && flow != IL_FLOW_PREFIX) {
            return false;
        }
    }
    return false;
}

uint32_t weave_delegated(const struct metadata *metadata, const struct il_instruction *at)
{
    struct method_reference method;
    bool loads = at->opcode == IL_LDFTN || at->opcode == IL_LDVIRTFTN;
    return loads && names_method_reference(metadata, (uint32_t)at->operand.integer, &method) ? method.token : 0;
}

static bool is_visible(const struct metadata *metadata, uint32_t type)
{
    for (; type; type = metadata_enclosing_type(metadata, type)) {
        uint32_t access = metadata_column(metadata, TABLE_TYPE_DEF, TOKEN_ROW(type), TYPE_DEF_FLAGS) & ACCESS;
        if (access != TYPE_PUBLIC && access != TYPE_NESTED_PUBLIC && access != TYPE_NESTED_FAMILY &&
            access != TYPE_NESTED_FAMILY_OR_ASSEMBLY) {
            return false;
        }
    }
    return true;
}

bool weave_is_reachable(const struct metadata *metadata, uint32_t method_token)
{
    uint32_t flags = metadata_column(metadata, TABLE_METHOD_DEF, TOKEN_ROW(method_token), METHOD_DEF_FLAGS);
    uint32_t access = flags & ACCESS;
    bool visible = access > METHOD_ASSEMBLY || access == 0;
    return flags & METHOD_VIRTUAL || (visible && is_visible(metadata, metadata_method_owner(metadata, method_token)));
}
