#include "woven.h"

#include <string.h>

#include "check.h"
#include "il/body.h"
#include "memory.h"
#include "ring/ring.h"

// The call that `at`, a calli, makes, when it is a probe: ldc.i8 TARGET, conv.i, calli.
static bool is_probe(const struct il_instruction *at, uintptr_t *target, const struct il_instruction **before)
{
    if (at->opcode != IL_CALLI || at->previous->opcode != IL_CONV_I || at->previous->previous->opcode != IL_LDC_I8) {
        return false;
    }
    *target = (uintptr_t)at->previous->previous->operand.integer;
    *before = at->previous->previous->previous;
    return true;
}

#define SET(into, value)                                                \
    do {                                                                \
        uintptr_t was_ = 0, is_ = (value);                              \
        memcpy(&was_, &(into), sizeof was_);                            \
        CHECK(!was_ || was_ == is_); /* one function a kind of probe */ \
        memcpy(&(into), &is_, sizeof is_);                              \
    } while (0)

static void take_entry(struct woven *out, const struct il_instruction *call, const struct il_instruction *number,
                       uintptr_t target)
{
    out->number = (uint32_t)number->operand.integer;
    bool kept = call->next->opcode == IL_STLOC_S || call->next->opcode == IL_STLOC;
    if (kept) {
        SET(out->enter_keep, target);
    } else {
        SET(out->enter, target);
    }
}

static void take_probe(struct woven *out, const struct il_body *body, const struct il_instruction *call)
{
    uintptr_t target;
    const struct il_instruction *before;
    if (!is_probe(call, &target, &before)) {
        return;
    }
    if (before == body->first && before->opcode == IL_LDC_I4) {
        take_entry(out, call, before, target);
    } else if (before->opcode == IL_LDC_I4) {
        CHECK_EQUAL(before->operand.integer, out->number);
        SET(out->leave, target);
        out->exits++;
    } else if (before->opcode == IL_BRFALSE_S) {
        SET(out->wait, target);
    } else {
        CHECK(before->opcode == IL_LDLOC_S || before->opcode == IL_LDLOC);
        SET(out->restate, target);
        out->restates++;
    }
}

bool woven_read(struct fake_module *module, uint32_t row, struct woven *out)
{
    struct arena arena = {0};
    struct il_body body;
    const struct fake_method *method = &module->methods[row - 1];
    *out = (struct woven){.module = module, .row = row};
    if (!method->il) {
        return false;
    }
    CHECK_EQUAL(il_decode(bytes_of(method->il, method->il_size), &arena, &body), CLEW_OK);
    uint32_t returns = 0;
    for (const struct il_instruction *at = body.first; at != body.end; at = at->next) {
        take_probe(out, &body, at);
        returns += at->opcode == IL_RET;
    }
    bool any = out->enter || out->enter_keep || out->leave || out->restate;
    if (any) {
        CHECK(out->number >= RING_METHOD_FIRST_REAL);
        CHECK(body.region_count ? out->enter_keep && !out->enter : out->enter && !out->enter_keep);
        CHECK_EQUAL(out->restates, body.region_count);
        CHECK_EQUAL(out->exits, returns); // the corpus has no jmp and no tail calls
    }
    arena_free(&arena);
    return any;
}

void woven_methods(struct fake_module *module, bool with_handlers, struct woven *out, uint32_t count)
{
    uint32_t found = 0;
    for (uint32_t row = 1; found < count && row <= module->method_count; row++) {
        fake_compile(module, row, 0);
        if (woven_read(module, row, &out[found])) {
            found += (out[found].enter_keep != NULL) == with_handlers && out[found].exits > 0;
        }
    }
    CHECK_EQUAL(found, count);
}

uintptr_t woven_enter(const struct woven *method)
{
    uintptr_t activation = 0;
    memory_watched = true;
    if (method->enter_keep) {
        activation = method->enter_keep(method->number);
    } else if (method->enter(method->number)) {
        method->wait();
    }
    memory_watched = false;
    return activation;
}

void woven_leave(const struct woven *method)
{
    memory_watched = true;
    if (method->leave(method->number) && method->wait) {
        method->wait();
    }
    memory_watched = false;
}

void woven_restate(const struct woven *method, uintptr_t activation)
{
    memory_watched = true;
    method->restate(activation);
    memory_watched = false;
}
