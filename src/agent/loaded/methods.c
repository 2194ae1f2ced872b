// The state of each method, one word by MethodDef row, changed by compare-and-exchange without a lock.
#include "agent/loaded/methods.h"

#include <stdlib.h>
#include <time.h>

#include "agent/loaded/modules.h"
#include "agent/session/agent.h"
#include "agent/session/locks.h"
#include "agent/session/report.h"
#include "base/locked.h"
#include "trace/instrument.h"

static_assert((int)METHOD_NUMBERS == (int)METHOD_FIRST_REAL, "the state of a recorded method is its number");

static _Atomic uint32_t *state_of(struct module *module, uint32_t token)
{
    uint32_t row = TOKEN_ROW(token);
    return module->methods && row >= 1 && row <= module->method_count ? &module->methods[row - 1] : NULL;
}

bool method_take(struct module *module, uint32_t token)
{
    _Atomic uint32_t *state = state_of(module, token);
    if (!state) {
        return false;
    }
    uint32_t seen = METHOD_NEW;
    while (
        !atomic_compare_exchange_weak_explicit(state, &seen, METHOD_BUSY, memory_order_acq_rel, memory_order_acquire)) {
        if (seen != METHOD_BUSY && seen != METHOD_NEW) {
            return false;
        }
        if (seen == METHOD_BUSY) {
            const struct timespec pause = {.tv_nsec =
                                               20000}; // 20 us; rare: two threads compile the same method at once
            (void)nanosleep(&pause, NULL);
        }
        seen = METHOD_NEW;
    }
    return true;
}

void method_decided(struct module *module, uint32_t token, uint32_t state)
{
    CLEW_ASSERT(state_of(module, token) && *state_of(module, token) == METHOD_BUSY &&
                "this thread has claimed it by method_take()");
    CLEW_ASSERT(state == METHOD_LEFT || state == METHOD_TINY || state >= METHOD_NUMBERS);
    atomic_store_explicit(state_of(module, token), state, memory_order_release);
}

static struct text view(const struct buffer *buffer)
{
    return (struct text){(const char *)buffer->data, buffer->size};
}

struct method_start *method_start(struct module *module, uint32_t token)
{
    CLEW_ASSERT_LOCKED(&module->lock);
    uint32_t row = TOKEN_ROW(token);
    if (!module->starts) {
        module->starts = calloc(module->method_count + 1u, sizeof *module->starts);
    }
    return module->starts && row >= 1 && row <= module->method_count ? &module->starts[row - 1] : NULL;
}

// The number of the definition; 0 when memory runs out.
static uint32_t define(struct module *module, uint32_t token, uint32_t known)
{
    struct buffer name = {0};
    struct method_name about = {0};
    if (!module_names(module) || names_method(module->names, token, &name, &about) != CLEW_OK || name.failed) {
        about = (struct method_name){0};
        buffer_clear(&name);
        buffer_printf(&name, "%.*s.method %08x", (int)module->assembly.size, module->assembly.at, token);
    }
    if (name.failed) {
        buffer_free(&name);
        return 0;
    }
    uint32_t number = known ? known : atomic_fetch_add_explicit(&agent.next_method, 1, memory_order_relaxed);
    struct method_start *start = module->starts ? method_start(module, token) : NULL;
    uint32_t by = start ? start->by : METHOD_START_UNKNOWN;
    (void)report_definition(&(struct ring_definition){
        .type = RING_DEFINE_METHOD,
        .module = module->number,
        .method = number,
        .token = token,
        .kind = (uint32_t)about.kind,
        .flags = about.flags,
        .number = by == METHOD_START_NONE ? 0 : by,
        .name = view(&name),
    });
    buffer_free(&name);
    if (start) {
        start->number = number;
    }
    return number;
}

uint32_t method_define(struct module *module, uint32_t token)
{
    CLEW_ASSERT_LOCKED(&module->lock);
    return define(module, token, 0);
}

void method_define_again(struct module *module, uint32_t token)
{
    CLEW_ASSERT_LOCKED(&module->lock);
    const struct method_start *start = method_start(module, token);
    _Atomic uint32_t *state = state_of(module, token);
    uint32_t decided = state ? atomic_load_explicit(state, memory_order_acquire) : 0;
    uint32_t number = start && start->number      ? start->number
                      : decided >= METHOD_NUMBERS ? decided & RING_METHOD_NUMBER
                                                  : 0;
    if (number) {
        (void)define(module, token, number);
    }
}

uint32_t method_marked(uint32_t number, uint32_t instruments)
{
    CLEW_ASSERT(number >= METHOD_FIRST_REAL && number <= RING_METHOD_NUMBER);
    bool only_calls = agent.instruments & INSTRUMENT_TREE && !(instruments & INSTRUMENT_TREE);
    bool only_tree = agent.instruments & INSTRUMENT_STREAMS && !(instruments & INSTRUMENT_STREAMS);
    return number | (only_calls ? RING_METHOD_NOT_IN_TREE : 0) | (only_tree ? RING_METHOD_NOT_IN_CALLS : 0);
}

enum method_kind method_name(struct module *module, uint32_t token, struct buffer *name)
{
    struct method_name about = {0};
    lock_take(&module->lock, LOCK_MODULE);
    if (module_names(module) && names_method(module->names, token, name, &about) != CLEW_OK) {
        about = (struct method_name){0};
        buffer_clear(name);
    }
    lock_release(&module->lock, LOCK_MODULE);
    return about.kind;
}

bool method_is_named(struct module *module, uint32_t token)
{
    const _Atomic uint32_t *state = state_of(module, token);
    if (state && atomic_load_explicit(state, memory_order_acquire) >= METHOD_TINY) {
        return true; // by its definition
    }
    uint32_t row = TOKEN_ROW(token);
    lock_take(&module->lock, LOCK_MODULE);
    bool known = module->named && row <= metadata_rows(&module->metadata, TABLE_METHOD_DEF);
    bool named = known && module->named[row / 8] >> row % 8 & 1;
    lock_release(&module->lock, LOCK_MODULE);
    return named;
}

void method_set_named(struct module *module, uint32_t token)
{
    uint32_t row = TOKEN_ROW(token), rows = metadata_rows(&module->metadata, TABLE_METHOD_DEF);
    lock_take(&module->lock, LOCK_MODULE);
    if (!module->named) {
        module->named = calloc(rows / 8 + 1, 1);
    }
    if (module->named && row <= rows) {
        module->named[row / 8] |= (uint8_t)(1u << row % 8);
    }
    lock_release(&module->lock, LOCK_MODULE);
}

void method_not_woven(struct module *module, uint32_t token, const char *reason)
{
    struct buffer name = {0};
    (void)method_name(module, token, &name); // without one, the collector shows the token
    (void)report_definition(&(struct ring_definition){
        .type = RING_DEFINE_NOT_WOVEN,
        .module = module->number,
        .token = token,
        .name = view(&name),
        .reason = text_of(reason),
    });
    buffer_free(&name);
}

uint32_t method_number(clr_id function)
{
    uint32_t token;
    struct module *module = module_of_function(function, &token);
    _Atomic uint32_t *state = module ? state_of(module, token) : NULL;
    uint32_t number = state ? atomic_load_explicit(state, memory_order_acquire) : 0;
    return number >= METHOD_NUMBERS ? number : 0;
}

bool method_is_async(const struct module *module, uint32_t token)
{
    struct metadata_method method;
    return metadata_method(&module->metadata, token, &method) && method.impl_flags & METHOD_ASYNC;
}

bool method_makes_tail_calls(clr_id function)
{
    uint32_t token;
    const struct module *module = module_of_function(function, &token);
    return module && module->tail_calls == token;
}
