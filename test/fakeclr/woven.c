#include "woven.h"

#include <alloca.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "il/body.h"
#include "il/verify.h"
#include "memory.h"
#include "metadata/names/names.h"
#include "metadata/tables/signature.h"
#include "ring/walk.h"
#include "session.h"

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
    } else if (before->opcode == IL_LDC_I4_0) {
        SET(out->wait, target);
    } else {
        CHECK(before->opcode == IL_LDLOC_S || before->opcode == IL_LDLOC);
        SET(out->restate, target);
        out->restates++;
    }
}

// Whether the body begins as async bodies do whose runs are linked: method, `this`.state, shape.
static bool begins_run(const struct il_body *body, uint32_t *number)
{
    const struct il_instruction *method = body->first, *state = method->next->next;
    *number = (uint32_t)method->operand.integer;
    return method->opcode == IL_LDC_I4 && method->next->opcode == IL_LDARG_S && state->opcode == IL_LDFLD &&
           *number & RING_METHOD_RUNS;
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
    if (begins_run(&body, &out->number)) {
        out->is_run = true;
        out->number &= ~(uint32_t)RING_METHOD_RUNS;
        arena_free(&arena);
        return true;
    }
    out->number = 0;
    for (const struct il_instruction *at = body.first; at != body.end; at = at->next) {
        take_probe(out, &body, at);
        returns += at->opcode == IL_RET;
    }
    bool any = out->enter || out->enter_keep || out->leave || out->restate;
    if (any) {
        CHECK(out->number >= METHOD_FIRST_REAL);
        CHECK(body.region_count ? out->enter_keep && !out->enter : out->enter && !out->enter_keep);
        CHECK_EQUAL(out->restates, body.region_count);
        CHECK_EQUAL(out->exits, returns); // the corpus has no jmp and no tail calls
    }
    arena_free(&arena);
    return any;
}

uint32_t woven_body_of(const struct fake_module *module, uint32_t row)
{
    struct names *names = names_new(&module->metadata);
    uint32_t body = names ? names_body(names, TOKEN(TABLE_METHOD_DEF, row)) : 0;
    names_free(names);
    return body;
}

void woven_methods(struct fake_module *module, bool with_handlers, struct woven *out, uint32_t count)
{
    uint32_t found = 0;
    for (uint32_t row = 1; found < count && row <= module->method_count; row++) {
        fake_compile(module, row, 0);
        fake_compiled(module, row, 0);
        if (woven_read(module, row, &out[found])) {
            found += !out[found].is_run && (out[found].enter_keep != NULL) == with_handlers && out[found].exits > 0;
        }
    }
    CHECK_EQUAL(found, count);
}

// -- Calls of itself --------------------------------------------------------------------------------------------------

// The newest method that takes `this` alone and returns nothing: few tests reach as far.
static uint32_t row_of_action(const struct fake_module *module)
{
    struct il_method_shape shape;
    uint32_t row = module->method_count;
    while (row > 0 && (!module->methods[row - 1].il ||
                       il_shape(&module->metadata, TOKEN(TABLE_METHOD_DEF, row), &shape) != CLEW_OK ||
                       shape.returns_value || shape.argument_count != 1)) {
        row--;
    }
    CHECK(row > 0);
    return row;
}

// The calls with the method's number, in the order of the code.
static void take_in_order(struct woven *out, const struct il_body *body, uintptr_t *targets, uint32_t count)
{
    uint32_t found = 0;
    for (const struct il_instruction *at = body->first; at != body->end; at = at->next) {
        uintptr_t target;
        const struct il_instruction *before;
        if (is_probe(at, &target, &before) && before->opcode == IL_LDC_I4) {
            CHECK(found < count);
            targets[found++] = target;
            out->number = (uint32_t)before->operand.integer;
        } else if (is_probe(at, &target, &before)) {
            SET(out->wait, target);
        }
    }
    CHECK_EQUAL(found, count);
}

void woven_calling_itself(struct fake_module *module, struct woven *out)
{
    uint32_t row = row_of_action(module), token = TOKEN(TABLE_METHOD_DEF, row);
    static uint8_t il[] = {0x2 | 11 << 2, 0x16, 0x2C, 7, 0x02, 0x28, 0, 0, 0, 0, 0x2A, 0x2A}; // a tiny header
    struct arena arena = {0};
    struct il_body body;
    uintptr_t targets[4];
    memcpy(il + 6, &token, sizeof token);
    module->methods[row - 1].il = il;
    module->methods[row - 1].il_size = sizeof il;
    fake_compile(module, row, 0);
    fake_compiled(module, row, 0);
    *out = (struct woven){.module = module, .row = row, .exits = 2};
    const struct fake_method *woven = &module->methods[row - 1];
    CHECK_EQUAL(il_decode(bytes_of(woven->il, woven->il_size), &arena, &body), CLEW_OK);
    take_in_order(out, &body, targets, 4);
    arena_free(&arena);
    SET(out->arrive, targets[0]);
    SET(out->enter, targets[1]);
    SET(out->depart, targets[2]);
    SET(out->leave, targets[3]);
}

// Calls a probe from a frame of its own, which returns to the same place whatever the probe.
__attribute__((noinline)) static void probe_from_frame(const struct woven *method, bool arrives)
{
    volatile uintptr_t frame = (uintptr_t)__builtin_frame_address(0); // so that it has one
    (void)frame;
    if (arrives) {
        method->arrive(method->number);
    } else {
        (void)method->depart(method->number);
    }
    frame = 0; // not the last act: no call may take the place of this frame
}

// Runs a probe that far down in the stack, wherever the test itself is. AddressSanitizer would round what is allocated
// there, and the same frame would not be at the same place for each caller.
__attribute__((noinline, no_sanitize("address"))) static void run_at(const struct woven *method, uint32_t frame,
                                                                     bool arrives)
{
    enum { FRAME_SIZE = 4096, ROOM = 1 << 16 };
    static uintptr_t top;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    top = top ? top : here - ROOM;
    volatile char *between = alloca(here - (top - (uintptr_t)frame * FRAME_SIZE));
    *between = 0;
    memory_watched = true;
    probe_from_frame(method, arrives);
    memory_watched = false;
}

void woven_arrive(const struct woven *method, uint32_t frame)
{
    run_at(method, frame, true);
    (void)woven_enter(method);
}

void woven_depart(const struct woven *method, uint32_t frame)
{
    run_at(method, frame, false);
}

// -- Running them -----------------------------------------------------------------------------------------------------

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

// -- Sites ------------------------------------------------------------------------------------------------------------

// The result and the parameters of a signature that the agent made, without the modifier of the calling convention.
static struct bytes made_call(const struct fake_module *module, uint32_t token)
{
    uint32_t made = TOKEN_ROW(token) - metadata_rows(&module->metadata, TABLE_STAND_ALONE_SIG) - 1, modifier;
    uint8_t convention, count;
    CHECK(made < module->signature_count);
    struct bytes blob = bytes_of(module->signatures[made].blob, module->signatures[made].size);
    CHECK(bytes_u8(&blob, &convention) && bytes_u8(&blob, &count));
    CHECK_EQUAL(convention, SIGNATURE_UNMANAGED);
    if (*blob.at == ELEMENT_MODIFIER_OPTIONAL) {
        CHECK(bytes_skip(&blob, 1) && bytes_compressed(&blob, &modifier));
    }
    CHECK_EQUAL(bytes_left(&blob), (size_t)count + 1);
    return blob;
}

static bool is_call(struct bytes call, const char *elements)
{
    return bytes_left(&call) == strlen(elements) && memcmp(call.at, elements, strlen(elements)) == 0;
}

static void take_site_probe(struct woven_sites *out, const struct fake_module *module, const struct il_instruction *at)
{
    uintptr_t target;
    const struct il_instruction *before;
    if (!is_probe(at, &target, &before)) {
        return;
    }
    struct bytes call = made_call(module, (uint32_t)at->operand.integer);
    if (is_call(call, "\x18\x08\x08\x08")) { // run_begin, the first probe of its body
        out->is_run = true;
    } else if (is_call(call, "\x18\x08")) {
        out->has_context = out->is_run; // run_context; else enter_keep
    } else if (is_call(call, "\x18\x08\x18")) {
        SET(out->enter_context, target);
        out->has_context = true;
    } else if (is_call(call, "\x05\x08") && out->enter_context) { // else it asks at entry, too
        SET(out->leave, target);
    } else if (is_call(call, "\x05\x18") && !out->is_run) { // else it may be run_end
        SET(out->room, target);
    } else if (is_call(call, "\x01\x18\x08\x18\x08\x18")) {
        memcpy(&out->site_bits_or_at, &target, sizeof target);
    } else if (is_call(call, "\x01\x02")) {
        SET(out->wait, target);
    }
}

// All definitions of the method's sites, which follow each other.
static void take_definitions(struct woven_sites *out)
{
    uint32_t count;
    const struct told *all = session_told(&count);
    for (uint32_t i = 0; i < count; i++) {
        struct bytes blob = bytes_of(all[i].blob.data, all[i].blob.size);
        struct bytes roles = bytes_of(all[i].roles.data, all[i].roles.size);
        struct site previous = {0};
        if (all[i].type != RING_DEFINE_SITES || all[i].method != out->number) {
            continue;
        }
        out->first = out->first ? out->first : all[i].number;
        CHECK_EQUAL(all[i].number, out->first + out->count);
        uint32_t first = out->count;
        while (bytes_left(&blob) > 0) {
            out->sites = realloc(out->sites, (out->count + 1) * sizeof *out->sites);
            CHECK(out->sites && site_decode(&blob, &previous, &out->sites[out->count]));
            previous = out->sites[out->count];
            out->count++;
        }
        sites_decode_roles(roles, out->sites + first, out->count - first);
    }
}

static void check_lengths(const struct woven_sites *sites)
{
    for (uint32_t i = 0; i < sites->count; i++) {
        const struct site *site = &sites->sites[i];
        uint16_t length = ring_event_lengths(session_ring)[sites->first + i];
        CHECK_EQUAL(length, event_length_of(site));
        CHECK(site->statement == 0 ||
              (site->statement >= sites->first && site->statement < sites->first + sites->count));
    }
}

// Numbers of sites are constants: inline in the heads of events, or arguments of calls.
static void check_numbers(const struct woven_sites *sites, const struct il_body *body)
{
    uint8_t *seen = calloc(sites->count, 1);
    for (const struct il_instruction *at = body->first; at != body->end; at = at->next) {
        uint64_t number = (uint64_t)at->operand.integer;
        bool digit = at->opcode >= IL_LDC_I4_0 && at->opcode <= IL_LDC_I4_8;
        bool constant = digit || at->opcode == IL_LDC_I4 || at->opcode == IL_LDC_I4_S || at->opcode == IL_LDC_I8;
        number = digit ? (uint64_t)(at->opcode - IL_LDC_I4_0) : number;
        uint64_t site = number - sites->first, head = (number >> 2) - sites->first;
        if (constant && site < sites->count) {
            seen[site] = 1;
        }
        if (constant && (number & 3) == RING_EVENT_SITE && head < sites->count) {
            seen[head] = 1;
        }
    }
    for (uint32_t i = 0; i < sites->count; i++) {
        CHECK(seen[i]);
    }
    free(seen);
}

bool woven_sites_read(struct fake_module *module, uint32_t row, struct woven_sites *out)
{
    struct arena arena = {0};
    struct il_body body;
    const struct fake_method *method = &module->methods[row - 1];
    const struct told *told = session_find(RING_DEFINE_METHOD, 0, TOKEN(TABLE_METHOD_DEF, row));
    *out = (struct woven_sites){0};
    if (!method->il || !told) {
        return false;
    }
    out->number = told->method;
    take_definitions(out);
    CHECK_EQUAL(il_decode(bytes_of(method->il, method->il_size), &arena, &body), CLEW_OK);
    for (const struct il_instruction *at = body.first; at != body.end; at = at->next) {
        take_site_probe(out, module, at);
    }
    if (out->has_context) {
        check_lengths(out);
        check_numbers(out, &body);
    }
    arena_free(&arena);
    return out->has_context;
}

void woven_sites_free(struct woven_sites *sites)
{
    free(sites->sites);
    *sites = (struct woven_sites){0};
}
