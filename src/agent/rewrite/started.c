#include "agent/rewrite/started.h"

#include "agent/loaded/methods.h"
#include "agent/session/agent.h"
#include "agent/session/locks.h"
#include "base/locked.h"
#include "weave/operations/starts.h"

// Whether only delegates call a method, or recorded code: of a lambda and a local function all code that knows it is recorded
// with it. Where patterns leave parts of a module out, those may call any other method.
static bool is_enclosed(struct module *module, uint32_t token)
{
    struct buffer name = {0};
    struct method_name about = {0};
    bool whole = agent.scope.count == 0;
    bool named = !whole && module_names(module) && names_method(module->names, token, &name, &about) == CLEW_OK;
    buffer_free(&name);
    return (whole || (named && (about.kind == METHOD_KIND_LAMBDA || about.kind == METHOD_KIND_LOCAL))) &&
           !weave_is_reachable(&module->metadata, token);
}

static void note(struct module *module, uint32_t token, bool starts, uint32_t number)
{
    bool exact = starts && is_enclosed(module, token);
    struct method_start *start = method_start(module, token);
    if (!start) {
        return; // memory ran out, and nothing is known of any method
    }
    uint32_t before = start->by;
    uint32_t by = exact ? number : METHOD_START_NONE;
    if (before == METHOD_START_UNKNOWN) {
        start->by = by;
    } else if (before != METHOD_START_NONE && before != by) {
        start->by = exact ? METHOD_START_SEVERAL : METHOD_START_NONE;
    }
    if (start->by != before) {
        method_define_again(module, token);
    }
}

void started_note(struct module *module, struct il_body *body, uint32_t token, uint32_t number)
{
    CLEW_ASSERT_LOCKED(&module->lock);
    struct il_scope scope;
    struct il_stacks stacks;
    bool known = false, tried = false;
    for (const struct il_instruction *at = body->originals; at != body->end; at++) {
        uint32_t delegated = weave_delegated(&module->metadata, at);
        if (delegated && !tried) {
            tried = true;
            known = il_scope_open(&module->metadata, token, body->locals_token, NULL, body->arena, &scope) == CLEW_OK &&
                    il_stacks(body, &scope, &stacks) == CLEW_OK;
        }
        if (delegated) {
            note(module, delegated, known && weave_starts(&module->metadata, &scope, &stacks, at), number);
        }
    }
}
