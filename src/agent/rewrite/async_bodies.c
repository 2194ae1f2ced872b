#include "agent/rewrite/async_bodies.h"

#include "agent/loaded/methods.h"
#include "agent/probe/probe_links.h"
#include "agent/session/agent.h"
#include "agent/session/locks.h"
#include "agent/session/report.h"
#include "base/locked.h"
#include "trace/await.h"
#include "trace/instrument.h"
#include "weave/operations/original.h"

// Clew's number of a method that is recorded; 0: it is not.
static uint32_t recorded_number(const struct module *module, uint32_t token)
{
    uint32_t row = TOKEN_ROW(token);
    uint32_t state = module->methods && row >= 1 && row <= module->method_count
                         ? atomic_load_explicit(&module->methods[row - 1], memory_order_acquire)
                         : 0;
    return state >= METHOD_NUMBERS ? state & RING_METHOD_NUMBER : 0;
}

// The kind of the method, and its kick-off. Most methods have another name.
static enum method_kind kind_of(struct module *module, uint32_t token, uint32_t *kickoff)
{
    struct metadata_method method;
    enum method_kind kind = METHOD_KIND_PLAIN;
    CLEW_ASSERT_LOCKED(&module->lock);
    if (metadata_method(&module->metadata, token, &method) && text_equal(method.name, text_of("MoveNext")) &&
        module_names(module)) {
        *kickoff = names_kickoff(module->names, metadata_method_owner(&module->metadata, token), &kind);
        kind = *kickoff ? kind : METHOD_KIND_PLAIN;
    }
    return kind;
}

uint32_t async_method_of(struct module *module, uint32_t token)
{
    uint32_t kickoff = 0;
    return kind_of(module, token, &kickoff) == METHOD_KIND_ASYNC ? kickoff : 0;
}

// Whether a first run can stand for the kick-off as well. It does where nothing else of the program can run in the kick-off,
// and where its own events are not asked for.
static bool stands_for_kickoff(const struct weave_runs *runs, uint32_t instruments)
{
    return runs->shape & RUN_SHAPE_PLAIN && !(runs->shape & RUN_SHAPE_ITERATOR) &&
           !(instruments & INSTRUMENT_STREAMS) && !(agent.instruments & INSTRUMENT_STREAMS);
}

static bool find_runs(struct module *module, uint32_t token, bool iterator, const struct il_body *body,
                      struct weave_runs *out)
{
    return weave_needs_local(body) && weave_find_runs(body, &module->metadata, token, iterator, out);
}

// The body of a kick-off that has an attribute which names it; 0: it is none, or has none.
static uint32_t body_of(struct module *module, uint32_t kickoff)
{
    struct bytes value;
    lock_take(&module->lock, LOCK_MODULE);
    bool named = metadata_attribute(&module->metadata, kickoff, "System.Runtime.CompilerServices",
                                    "AsyncStateMachineAttribute", &value) &&
                 module_names(module);
    uint32_t body = named ? names_body(module->names, kickoff) : 0;
    lock_release(&module->lock, LOCK_MODULE);
    return body;
}

bool async_kickoff_stays(struct module *module, uint32_t token, uint32_t instruments)
{
    struct arena arena = {0};
    struct il_body body;
    struct weave_runs runs;
    const uint8_t *header;
    uint32_t size, of = body_of(module, token);
    bool stays = of && !clr_failed(info_get_il(agent.info, module->id, of, &header, &size)) &&
                 il_decode(bytes_of(header, size), &arena, &body) == CLEW_OK &&
                 find_runs(module, of, false, &body, &runs) && stands_for_kickoff(&runs, instruments);
    arena_free(&arena);
    return stays;
}

// The number of the kick-off, which gets one if it has no probes.
static uint32_t kickoff_number(struct module *module, uint32_t kickoff, uint32_t instruments, struct async_body *out)
{
    uint32_t number = recorded_number(module, kickoff);
    out->starts = !number && stands_for_kickoff(&out->runs, instruments) && names_body(module->names, kickoff);
    return out->starts ? method_define(module, kickoff) : number;
}

bool async_body_find(struct module *module, uint32_t token, uint32_t instruments, const struct il_body *body,
                     struct async_body *out)
{
    uint32_t kickoff = 0;
    enum method_kind kind = kind_of(module, token, &kickoff);
    bool iterator = kind == METHOD_KIND_ASYNC_ITERATOR;
    *out = (struct async_body){0};
    if ((kind != METHOD_KIND_ASYNC && !iterator) || !find_runs(module, token, iterator, body, &out->runs)) {
        return false;
    }
    out->kickoff = iterator ? 0 : kickoff_number(module, kickoff, instruments, out);
    out->runs.shape |= out->starts ? RUN_SHAPE_STARTS : 0;
    out->runs.cancelled_token = module->cancelled;
    return iterator || out->kickoff;
}

static void append_place(struct module *module, struct buffer *into, const struct weave_run_point *point)
{
    struct buffer what = {0};
    bool named = point->awaited && module_names(module) && names_call(module->names, point->awaited, &what) == CLEW_OK;
    await_encode(into, &(struct await){.state = point->state,
                                       .offset = point->offset,
                                       .what = {(const char *)what.data, named ? what.size : 0}});
    buffer_free(&what);
}

bool async_body_define(struct module *module, const struct async_body *body, uint32_t marked)
{
    uint32_t number = marked & RING_METHOD_NUMBER;
    CLEW_ASSERT_LOCKED(&module->lock);
    struct buffer places = {0};
    for (uint32_t i = 0; i < body->runs.count; i++) {
        enum weave_run_point_kind kind = body->runs.points[i].kind;
        if (kind == RUN_POINT_WAIT || kind == RUN_POINT_AWAIT) {
            append_place(module, &places, &body->runs.points[i]);
        }
    }
    bool suspended = weave_is_suspended(&body->runs), exact = agent.exact_ends && weave_sees_ends(&body->runs);
    bool defined = suspended ? links_define_suspended(marked) : links_define(number, body->starts ? 0 : body->kickoff);
    uint32_t flags = (body->starts ? ASYNC_FLAG_STARTS : 0) | (suspended ? ASYNC_FLAG_SUSPENDED : 0) |
                     (suspended && exact ? ASYNC_FLAG_EXACT : 0);
    if (defined) {
        (void)report_definition(&(struct ring_definition){.type = RING_DEFINE_ASYNC,
                                                          .method = number,
                                                          .number = body->kickoff,
                                                          .flags = flags,
                                                          .blob = bytes_of(places.data, places.size)});
    }
    buffer_free(&places);
    return defined;
}
