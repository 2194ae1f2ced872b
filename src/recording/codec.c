// Payloads of small records: session, definitions, index entries, end.
#include "recording/codec.h"

#include <math.h>
#include <string.h>

static_assert(RECORDING_EXCEPTIONS < 32, "a type is a bit of 32");

struct text codec_cut_text(struct text text)
{
    if (text.size > RECORDING_TEXT_MAX) {
        text.size = RECORDING_TEXT_MAX;
        while (text.size > 0 && ((uint8_t)text.at[text.size] & 0xc0) == 0x80) {
            text.size--;
        }
    }
    return text;
}

static void put_text(struct buffer *into, struct text text)
{
    buffer_sized_text(into, codec_cut_text(text));
}

// Reads the fields of a body in order. Fields behind its end read as 0 or empty: the writer was older than them.
struct fields {
    struct bytes left;
    bool malformed;
};

static uint64_t take_u64(struct fields *fields)
{
    uint64_t value = 0;
    if (bytes_left(&fields->left) > 0 && !bytes_varint(&fields->left, &value)) {
        fields->malformed = true;
    }
    return value;
}

static uint32_t take_u32(struct fields *fields)
{
    uint64_t value = take_u64(fields);
    if (value > UINT32_MAX) {
        fields->malformed = true;
    }
    return (uint32_t)value;
}

// Borrowed from the payload.
static struct text take_text(struct fields *fields)
{
    struct text text = {"", 0};
    if (bytes_left(&fields->left) > 0 && !bytes_sized_text(&fields->left, &text)) {
        fields->malformed = true;
    }
    return text;
}

// The last field of a body: what was not stated takes no room.
static void put_flags(struct buffer *into, uint32_t flags)
{
    if (flags) {
        buffer_varint(into, flags);
    }
}

static void put_blob(struct buffer *into, struct bytes blob)
{
    buffer_varint(into, bytes_left(&blob));
    buffer_append(into, blob.at, bytes_left(&blob));
}

static struct bytes take_blob(struct fields *fields)
{
    struct bytes blob = {fields->left.at, fields->left.at};
    uint64_t size = take_u64(fields);
    if (!bytes_take(&fields->left, size, &blob)) {
        fields->malformed = true;
    }
    return blob;
}

// A rate of a clock; 0 for bits that are not a possible rate: NaN, infinity, negative.
static double take_rate(struct fields *fields)
{
    uint64_t bits = 0;
    double rate;
    if (bytes_left(&fields->left) > 0 && !bytes_u64(&fields->left, &bits)) {
        fields->malformed = true;
    }
    memcpy(&rate, &bits, sizeof rate);
    return isfinite(rate) && rate > 0 ? rate : 0;
}

static void put_rate(struct buffer *into, double rate)
{
    uint64_t bits;
    memcpy(&bits, &rate, sizeof bits);
    buffer_u64(into, bits);
}

void codec_encode_session(struct buffer *into, const struct recording_session *session)
{
    put_text(into, session->version);
    put_text(into, session->command);
    put_text(into, session->folder);
    put_text(into, session->host);
    put_text(into, session->scope);
    buffer_varint(into, (uint64_t)session->clock);
    put_rate(into, session->clock_hz);
    buffer_varint(into, session->started_realtime_ns);
    buffer_varint(into, session->started_clock);
    buffer_varint(into, session->instruments);
    buffer_varint(into, session->flags);
    buffer_varint(into, session->depth_max);
    if (session->part) {
        buffer_varint(into, session->part);
    }
}

bool codec_decode_session(struct bytes payload, struct recording_session *out)
{
    struct fields fields = {payload, false};
    out->version = take_text(&fields);
    out->command = take_text(&fields);
    out->folder = take_text(&fields);
    out->host = take_text(&fields);
    out->scope = take_text(&fields);
    uint64_t clock = take_u64(&fields);
    out->clock = clock > CLOCK_KIND_NONE ? CLOCK_KIND_NONE : (enum clock_kind)clock;
    double hz = take_rate(&fields);
    out->clock_hz = hz > 0 ? hz : 1e9;
    out->started_realtime_ns = take_u64(&fields);
    out->started_clock = take_u64(&fields);
    out->instruments = take_u32(&fields);
    out->flags = take_u32(&fields);
    out->depth_max = take_u32(&fields);
    out->part = take_u32(&fields);
    return !fields.malformed;
}

void codec_encode_process(struct buffer *into, const struct recording_process *process)
{
    buffer_varint(into, process->process);
    buffer_varint(into, process->os_id);
    buffer_varint(into, (uint64_t)process->state);
    buffer_svarint(into, process->exit_status);
    put_text(into, process->command);
    put_text(into, process->runtime);
    buffer_varint(into, process->started_clock);
    buffer_varint(into, process->ended_clock);
    buffer_varint(into, process->dynamic_methods);
    buffer_varint(into, process->pauses);
    buffer_varint(into, process->paused_ns);
    buffer_varint(into, process->lost);
    buffer_varint(into, process->threads_refused);
    buffer_varint(into, process->probe_ps);
    buffer_varint(into, process->probe_own_ps);
    buffer_varint(into, process->over_cap);
    put_rate(into, process->clock_hz);
    buffer_varint(into, (uint64_t)process->exit_known);
    buffer_varint(into, process->allocated);
    for (unsigned i = 0; i < PROBE_KINDS; i++) {
        buffer_varint(into, process->site_ps[i]);
    }
    buffer_varint(into, process->unlinked);
    buffer_varint(into, process->compiled);
    buffer_varint(into, process->compiled_ns);
    buffer_varint(into, process->refused);
    buffer_varint(into, process->refused_ns);
    buffer_varint(into, process->woven_ns);
    uint64_t last[] = {process->unhandled, process->failed_fast, process->left_out};
    size_t count = sizeof last / sizeof *last;
    while (count > 0 && last[count - 1] == 0) { // what was not stated takes no room
        count--;
    }
    for (size_t i = 0; i < count; i++) {
        buffer_varint(into, last[i]);
    }
}

static void decode_process(struct fields *fields, struct recording_process *out)
{
    out->process = take_u32(fields);
    out->os_id = take_u32(fields);
    uint64_t state = take_u64(fields);
    out->state = state > PROCESS_CUT ? PROCESS_CUT : (enum process_state)state;
    uint64_t status = take_u64(fields);
    out->exit_status = (int32_t)(uint32_t)(status >> 1 ^ (~(status & 1) + 1));
    out->command = take_text(fields);
    out->runtime = take_text(fields);
    out->started_clock = take_u64(fields);
    out->ended_clock = take_u64(fields);
    out->dynamic_methods = take_u64(fields);
    out->pauses = take_u64(fields);
    out->paused_ns = take_u64(fields);
    out->lost = take_u64(fields);
    out->threads_refused = take_u64(fields);
    out->probe_ps = take_u64(fields);
    out->probe_own_ps = take_u64(fields);
    out->over_cap = take_u64(fields) != 0;
    out->clock_hz = take_rate(fields);
    uint64_t known = take_u64(fields);
    out->exit_known = known > RECORDING_EXIT_UNKNOWN ? RECORDING_EXIT_UNKNOWN : (enum recording_exit_known)known;
    out->allocated = take_u64(fields);
    for (unsigned i = 0; i < PROBE_KINDS; i++) {
        out->site_ps[i] = take_u64(fields);
    }
    out->unlinked = take_u64(fields);
    out->compiled = take_u64(fields);
    out->compiled_ns = take_u64(fields);
    out->refused = take_u64(fields);
    out->refused_ns = take_u64(fields);
    out->woven_ns = take_u64(fields);
    out->unhandled = take_u32(fields);
    out->failed_fast = take_u32(fields);
    out->left_out = take_u64(fields);
}

static void take_mvid(struct fields *fields, uint8_t out[16])
{
    struct bytes mvid;
    if (bytes_take(&fields->left, 16, &mvid)) {
        memcpy(out, mvid.at, 16);
    } else {
        fields->malformed = true;
    }
}

void codec_encode_module(struct buffer *into, const struct recording_module *module)
{
    buffer_varint(into, module->process);
    buffer_varint(into, module->module);
    buffer_varint(into, module->flags);
    buffer_append(into, module->mvid, sizeof module->mvid);
    put_text(into, module->name);
    put_text(into, module->path);
    put_text(into, module->reason);
}

static void decode_module(struct fields *fields, struct recording_module *out)
{
    out->process = take_u32(fields);
    out->module = take_u32(fields);
    out->flags = take_u32(fields);
    take_mvid(fields, out->mvid);
    out->name = take_text(fields);
    out->path = take_text(fields);
    out->reason = take_text(fields);
}

void codec_encode_method(struct buffer *into, const struct recording_method *method)
{
    buffer_varint(into, method->process);
    buffer_varint(into, method->method);
    buffer_varint(into, method->module);
    buffer_varint(into, method->token);
    buffer_varint(into, method->kind);
    put_text(into, method->name);
    if (method->started_by) {
        buffer_varint(into, method->flags);
    }
    put_flags(into, method->started_by ? method->started_by : method->flags);
}

static void decode_method(struct fields *fields, struct recording_method *out)
{
    out->process = take_u32(fields);
    out->method = take_u32(fields);
    out->module = take_u32(fields);
    out->token = take_u32(fields);
    out->kind = take_u32(fields);
    out->name = take_text(fields);
    out->flags = take_u32(fields);
    out->started_by = take_u32(fields);
}

void codec_encode_thread(struct buffer *into, const struct recording_thread *thread)
{
    buffer_varint(into, thread->process);
    buffer_varint(into, thread->thread);
    buffer_varint(into, thread->os_id);
    put_text(into, thread->name);
    buffer_varint(into, thread->started_clock);
    buffer_varint(into, thread->ended_clock);
    buffer_varint(into, thread->cpu_user_ns);
    buffer_varint(into, thread->cpu_kernel_ns);
    buffer_varint(into, thread->lost);
}

static void decode_thread(struct fields *fields, struct recording_thread *out)
{
    out->process = take_u32(fields);
    out->thread = take_u32(fields);
    out->os_id = take_u32(fields);
    out->name = take_text(fields);
    out->started_clock = take_u64(fields);
    out->ended_clock = take_u64(fields);
    out->cpu_user_ns = take_u64(fields);
    out->cpu_kernel_ns = take_u64(fields);
    out->lost = take_u64(fields);
}

void codec_encode_not_woven(struct buffer *into, const struct recording_not_woven *method)
{
    buffer_varint(into, method->process);
    buffer_varint(into, method->module);
    buffer_varint(into, method->token);
    put_text(into, method->name);
    put_text(into, method->reason);
}

static void decode_not_woven(struct fields *fields, struct recording_not_woven *out)
{
    out->process = take_u32(fields);
    out->module = take_u32(fields);
    out->token = take_u32(fields);
    out->name = take_text(fields);
    out->reason = take_text(fields);
}

void codec_encode_note(struct buffer *into, const struct recording_note *note)
{
    buffer_varint(into, note->process);
    put_text(into, note->text);
}

static void decode_note(struct fields *fields, struct recording_note *out)
{
    out->process = take_u32(fields);
    out->text = take_text(fields);
}

void codec_encode_sites(struct buffer *into, const struct recording_sites *sites)
{
    buffer_varint(into, sites->process);
    buffer_varint(into, sites->first);
    buffer_varint(into, sites->method);
    put_blob(into, sites->blob);
    if (bytes_left(&sites->roles) > 0) {
        put_blob(into, sites->roles);
    }
}

static void decode_sites(struct fields *fields, struct recording_sites *out)
{
    out->process = take_u32(fields);
    out->first = take_u32(fields);
    out->method = take_u32(fields);
    out->blob = take_blob(fields);
    out->roles = take_blob(fields);
}

void codec_encode_document(struct buffer *into, const struct recording_document *document)
{
    buffer_varint(into, document->process);
    buffer_varint(into, document->document);
    buffer_varint(into, document->module);
    buffer_varint(into, document->hash_kind);
    put_text(into, document->path);
    put_blob(into, document->hash);
    put_flags(into, document->language);
}

static void decode_document(struct fields *fields, struct recording_document *out)
{
    out->process = take_u32(fields);
    out->document = take_u32(fields);
    out->module = take_u32(fields);
    out->hash_kind = take_u32(fields);
    out->path = take_text(fields);
    out->hash = take_blob(fields);
    out->language = take_u32(fields);
}

void codec_encode_type(struct buffer *into, const struct recording_value_type *type)
{
    buffer_varint(into, type->process);
    buffer_varint(into, type->type);
    buffer_varint(into, type->module);
    buffer_varint(into, type->token);
    put_blob(into, type->blob);
    put_flags(into, type->flags);
}

static void decode_type(struct fields *fields, struct recording_value_type *out)
{
    out->process = take_u32(fields);
    out->type = take_u32(fields);
    out->module = take_u32(fields);
    out->token = take_u32(fields);
    out->blob = take_blob(fields);
    out->flags = take_u32(fields);
}

void codec_encode_async(struct buffer *into, const struct recording_async *async)
{
    buffer_varint(into, async->process);
    buffer_varint(into, async->body);
    buffer_varint(into, async->kickoff);
    put_blob(into, async->awaits);
    if (bytes_left(&async->lines) > 0) {
        buffer_varint(into, async->flags);
        put_blob(into, async->lines);
    } else {
        put_flags(into, async->flags);
    }
}

static void decode_async(struct fields *fields, struct recording_async *out)
{
    out->process = take_u32(fields);
    out->body = take_u32(fields);
    out->kickoff = take_u32(fields);
    out->awaits = take_blob(fields);
    out->flags = take_u32(fields);
    out->lines = take_blob(fields);
}

void codec_encode_exception(struct buffer *into, const struct recording_exception *exception)
{
    buffer_varint(into, exception->process);
    buffer_varint(into, exception->exception);
    buffer_varint(into, exception->type);
    buffer_varint(into, exception->flags);
    buffer_varint(into, exception->length);
    put_text(into, exception->message);
}

static void decode_exception(struct fields *fields, struct recording_exception *out)
{
    out->process = take_u32(fields);
    out->exception = take_u32(fields);
    out->type = take_u32(fields);
    out->flags = take_u32(fields);
    out->length = take_u32(fields);
    out->message = take_text(fields);
}

void codec_encode_compiled(struct buffer *into, const struct recording_compiled *compiled)
{
    buffer_varint(into, compiled->process);
    buffer_varint(into, compiled->module);
    buffer_varint(into, compiled->token);
    buffer_varint(into, compiled->flags);
    buffer_varint(into, compiled->ns);
    buffer_varint(into, compiled->kind);
    put_text(into, compiled->name);
}

static void decode_compiled(struct fields *fields, struct recording_compiled *out)
{
    out->process = take_u32(fields);
    out->module = take_u32(fields);
    out->token = take_u32(fields);
    out->flags = take_u32(fields);
    out->ns = take_u64(fields);
    out->kind = take_u32(fields);
    out->name = take_text(fields);
}

void codec_encode_points(struct buffer *into, const struct recording_points *points)
{
    buffer_append(into, points->mvid, sizeof points->mvid);
    buffer_varint(into, points->flags);
    put_blob(into, points->documents);
    put_blob(into, points->methods);
}

static void decode_points(struct fields *fields, struct recording_points *out)
{
    take_mvid(fields, out->mvid);
    out->flags = take_u32(fields);
    out->documents = take_blob(fields);
    out->methods = take_blob(fields);
}

bool codec_is_definition(uint64_t type)
{
    return type < 32 && CODEC_DEFINITIONS >> type & 1;
}

bool codec_decode_definition(enum recording_type type, struct bytes body, struct recording_record *out)
{
    struct fields fields = {body, false};
    out->type = type;
    switch (type) {
    case RECORDING_PROCESS:
        decode_process(&fields, &out->process);
        break;
    case RECORDING_MODULE:
        decode_module(&fields, &out->module);
        break;
    case RECORDING_METHOD:
        decode_method(&fields, &out->method);
        break;
    case RECORDING_THREAD:
        decode_thread(&fields, &out->thread);
        break;
    case RECORDING_NOT_WOVEN:
        decode_not_woven(&fields, &out->not_woven);
        break;
    case RECORDING_NOTE:
        decode_note(&fields, &out->note);
        break;
    case RECORDING_SITES:
        decode_sites(&fields, &out->sites);
        break;
    case RECORDING_DOCUMENT:
        decode_document(&fields, &out->document);
        break;
    case RECORDING_TYPE:
        decode_type(&fields, &out->value_type);
        break;
    case RECORDING_ASYNC:
        decode_async(&fields, &out->async);
        break;
    case RECORDING_EXCEPTION:
        decode_exception(&fields, &out->exception);
        break;
    case RECORDING_COMPILED:
        decode_compiled(&fields, &out->compiled);
        break;
    case RECORDING_POINTS:
        decode_points(&fields, &out->points);
        break;
    default:
        return false;
    }
    return !fields.malformed;
}

void codec_encode_framed(struct buffer *into, const struct codec_definition *definition, uint64_t expected)
{
    size_t size = bytes_left(&definition->body);
    buffer_varint(into, definition->type);
    buffer_svarint(into, (int64_t)(definition->number - expected));
    buffer_varint(into, size);
    buffer_append(into, definition->body.at, size);
}

bool codec_decode_framed(struct bytes *payload, uint64_t expected, struct codec_definition *out)
{
    int64_t step;
    uint64_t size;
    if (!bytes_varint(payload, &out->type) || !bytes_svarint(payload, &step) || !bytes_varint(payload, &size) ||
        !bytes_take(payload, size, &out->body)) {
        return false;
    }
    out->number = expected + (uint64_t)step;
    return out->number <= CODEC_NUMBER_MAX;
}

void codec_encode_source(struct buffer *into, const struct recording_source *source)
{
    buffer_varint(into, (uint64_t)source->state);
    buffer_sized_text(into, source->text);
    buffer_varint(into, source->same.process);
    buffer_varint(into, source->same.module);
    buffer_varint(into, source->same.document);
}

bool codec_decode_source(const struct block_header *header, struct bytes payload, struct recording_source *out)
{
    struct fields fields = {payload, false};
    uint64_t state = take_u64(&fields);
    state = state > SOURCE_SAME ? SOURCE_MISSING : state;
    *out = (struct recording_source){
        .of = {header->process, (uint32_t)header->first_clock, (uint32_t)header->last_clock},
        .state = (enum source_state)state,
    };
    out->text = take_text(&fields);
    out->same.process = take_u32(&fields);
    out->same.module = take_u32(&fields);
    out->same.document = take_u32(&fields);
    return !fields.malformed && header->first_clock <= UINT32_MAX && header->last_clock <= UINT32_MAX;
}

void codec_encode_end(struct buffer *into, const struct recording_end *end, uint64_t index_offset)
{
    static const uint8_t zeroes[6];
    buffer_u64(into, end->ended_clock);
    buffer_u64(into, end->events);
    buffer_u64(into, end->lost);
    buffer_u32(into, end->processes);
    buffer_u32(into, end->threads);
    buffer_u64(into, index_offset);
    buffer_u8(into, end->complete);
    buffer_u8(into, end->repaired);
    buffer_append(into, zeroes, sizeof zeroes);
}

bool codec_decode_end(struct bytes payload, struct recording_end *out, uint64_t *index_offset)
{
    uint8_t complete, repaired = 0;
    bool whole = bytes_u64(&payload, &out->ended_clock) && bytes_u64(&payload, &out->events) &&
                 bytes_u64(&payload, &out->lost) && bytes_u32(&payload, &out->processes) &&
                 bytes_u32(&payload, &out->threads) && bytes_u64(&payload, index_offset) &&
                 bytes_u8(&payload, &complete);
    out->complete = whole && complete != 0;
    out->repaired = whole && bytes_u8(&payload, &repaired) && repaired != 0;
    return whole;
}
