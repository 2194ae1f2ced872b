#include "weave/operations/awaited.h"

#include "il/stack.h"

struct method_reference awaited_called_by(const struct metadata *metadata, const struct il_instruction *at)
{
    struct method_reference called = {.name = {"", 0}};
    if (at->opcode == IL_CALL || at->opcode == IL_CALLVIRT) {
        (void)names_method_reference(metadata, (uint32_t)at->operand.integer, &called);
    }
    return called;
}

const struct il_instruction *awaited_previous(const struct il_body *body, const struct il_instruction *at)
{
    do {
        bool entered = at->target || at == body->originals;
        at = entered ? NULL : at - 1;
    } while (at && (at->opcode == IL_NOP || il_opcodes[at->opcode].flow == IL_FLOW_PREFIX));
    bool passes = at && (il_opcodes[at->opcode].flow == IL_FLOW_NEXT || il_opcodes[at->opcode].flow == IL_FLOW_CALL);
    return passes ? at : NULL;
}

// The instruction in front of those that push the value which `at` pops first. NULL: not known, as where one of them calls.
static const struct il_instruction *before_argument(const struct il_body *body, const struct il_instruction *at)
{
    for (int wanted = 1; wanted > 0;) {
        at = awaited_previous(body, at);
        if (!at || il_opcodes[at->opcode].pops == IL_VARIES || il_opcodes[at->opcode].pushes == IL_VARIES) {
            return NULL;
        }
        wanted += il_opcodes[at->opcode].pops - il_opcodes[at->opcode].pushes;
    }
    return awaited_previous(body, at);
}

// The instruction that computed what `at` pushes: compilers keep it in a local in between, as to call a struct's method, and
// may push other values before they load it.
static const struct il_instruction *through_local(const struct il_body *body, const struct il_instruction *at)
{
    uint32_t kept, loaded;
    enum il_opcode opcode = at ? il_family(at, &loaded) : IL_NOP;
    const struct il_instruction *store = opcode == IL_LDLOC || opcode == IL_LDLOCA ? awaited_previous(body, at) : NULL;
    while (store && il_opcodes[store->opcode].pops == 0 && il_opcodes[store->opcode].flow == IL_FLOW_NEXT) {
        store = awaited_previous(body, store);
    }
    return store && il_family(store, &kept) == IL_STLOC && kept == loaded ? awaited_previous(body, store) : at;
}

uint32_t awaited_call(const struct il_body *body, const struct metadata *metadata, const struct il_instruction *at)
{
    for (at = through_local(body, awaited_previous(body, at)); at; at = through_local(body, at)) {
        struct text name = awaited_called_by(metadata, at).name;
        if (text_equal(name, text_of("ConfigureAwait"))) {
            at = before_argument(body, at);
        } else if (text_equal(name, text_of("AsTask"))) {
            at = awaited_previous(body, at);
        } else { // GetResult, and Await of runtime async: the result of an await is awaited
            bool result = text_equal(name, text_of("GetResult")) || text_equal(name, text_of("Await"));
            return name.size && !result ? (uint32_t)at->operand.integer : 0;
        }
    }
    return 0;
}
