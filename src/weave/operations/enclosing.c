// Which bodies of methods of runtime async are put into a try, and what that needs: a local for the result, since only `leave`
// goes out of a try, and it empties the stack.
#include <string.h>

#include "il/type.h"
#include "weave/operations/runs.h"

// `jmp` and `tail.` may not be in a try. The runtime refuses them in such a method anyway.
static bool may_be_in_try(const struct il_body *body)
{
    for (const struct il_instruction *at = body->originals; at != body->end; at++) {
        if (at->opcode == IL_JMP || at->opcode == IL_TAIL) {
            return false;
        }
    }
    return true;
}

static bool awaits_outside_of_try(const struct weave_runs *runs)
{
    for (uint32_t i = 0; i < runs->count; i++) {
        if (runs->points[i].kind == RUN_POINT_AWAIT && !runs->points[i].surely_tried) {
            return true;
        }
    }
    return false;
}

bool weave_sees_ends(const struct weave_runs *runs)
{
    return runs->enclosed || !awaits_outside_of_try(runs);
}

static bool add_result(struct il_body *body, struct bytes result, struct weave_runs *runs)
{
    static const uint8_t run_and_mark[] = {ELEMENT_I, ELEMENT_BY_REFERENCE, ELEMENT_U1};
    size_t size = bytes_left(&result);
    uint8_t *locals = arena_alloc(body->arena, sizeof run_and_mark + size);
    if (!locals) {
        return false;
    }
    memcpy(locals, run_and_mark, sizeof run_and_mark);
    memcpy(locals + sizeof run_and_mark, result.at, size);
    runs->result = result;
    runs->locals = bytes_of(locals, sizeof run_and_mark + size);
    return true;
}

bool weave_enclose(struct il_body *body, const struct metadata *metadata, uint32_t method_token,
                   struct weave_runs *runs)
{
    struct il_scope scope;
    if (!weave_is_suspended(runs) || !awaits_outside_of_try(runs) || !may_be_in_try(body)) {
        return true;
    }
    if (il_scope_open(metadata, method_token, body->locals_token, NULL, body->arena, &scope) != CLEW_OK) {
        return false;
    }
    runs->enclosed = true;
    return bytes_left(&scope.result.signature) == 0 || add_result(body, scope.result.signature, runs);
}
