// Perfetto's trace format (perfetto.dev, "Synthetic Track Event"): a sequence of packets, each a field of the outermost
// message. Every process and thread has a track; each call is a slice on its thread's; names, and the places of methods in
// the source, are written once and referred to by number.
#include "base/assert.h"
#include "view/export/export_calls.h"
#include "view/export/export_formats.h"
#include "view/export/export_proto.h"

// Numbers of fields in trace_packet.proto and those that it includes, and values of enums.
enum {
    TRACE_PACKET = 1,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_TRACK_DESCRIPTOR = 60,
    FLAG_STATE_CLEARED = 1,
    FLAG_NEEDS_STATE = 2,
    EVENT_TYPE = 9,
    EVENT_NAME_NUMBER = 10,
    EVENT_TRACK = 11,
    EVENT_CATEGORY_NUMBERS = 3,
    EVENT_ARGUMENTS = 4,
    EVENT_NAME = 23,
    EVENT_LOCATION_NUMBER = 34,
    EVENT_FLOWS = 47,
    EVENT_FLOWS_ENDED = 48,
    TYPE_BEGIN = 1,
    TYPE_END = 2,
    TYPE_INSTANT = 3,
    INTERNED_CATEGORIES = 1,
    INTERNED_NAMES = 2,
    INTERNED_LOCATIONS = 4,
    NAME_NUMBER = 1,
    NAME_NAME = 2,
    LOCATION_FILE = 2,
    LOCATION_FUNCTION = 3,
    LOCATION_LINE = 4,
    ARGUMENT_BOOL = 2,
    ARGUMENT_UINT = 3,
    ARGUMENT_NAME = 10,
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_THREAD = 4,
    TRACK_PARENT = 5,
    PROCESS_PID = 1,
    PROCESS_NAME = 6,
    THREAD_PID = 1,
    THREAD_TID = 2,
    THREAD_NAME = 5,
};
enum { SEQUENCE = 1, CATEGORY = 1, WRITE_AT = 1 << 16 };

// The state of writing. A method's name has the number of its canonical index + 1.
struct perfetto {
    struct export *export;
    struct buffer out, packet, event, scratch, interned;
    struct export_said said;
    struct map names; // canonical methods whose names are written
    bool begun;       // the first packet of the sequence is written
};

static enum clew_error write_out(struct perfetto *perfetto, size_t above)
{
    if (perfetto->out.failed) {
        return CLEW_NO_MEMORY;
    }
    if (perfetto->out.size > above) {
        (void)fwrite(perfetto->out.data, 1, perfetto->out.size, perfetto->export->out);
        buffer_clear(&perfetto->out);
    }
    return ferror(perfetto->export->out) ? CLEW_IO : CLEW_OK;
}

// Begins the packet in `packet`.
static void open_packet(struct perfetto *perfetto)
{
    buffer_clear(&perfetto->packet);
    proto_varint(&perfetto->packet, PACKET_SEQUENCE, SEQUENCE);
    proto_varint(&perfetto->packet, PACKET_SEQUENCE_FLAGS,
                 perfetto->begun ? FLAG_NEEDS_STATE : FLAG_STATE_CLEARED | FLAG_NEEDS_STATE);
    perfetto->begun = true;
}

static enum clew_error close_packet(struct perfetto *perfetto)
{
    proto_message(&perfetto->out, TRACE_PACKET, &perfetto->packet);
    return write_out(perfetto, WRITE_AT);
}

// -- Tracks -----------------------------------------------------------------------------------------------------------

// Identifies a track; thread 0 is the process itself.
static uint64_t track_of(uint32_t process, uint32_t thread)
{
    return (uint64_t)process << 32 | thread;
}

// System numbers may have been used again, and then two would share a track: clew's own are unique. Perfetto wants numbers
// of threads that are unique over all processes.
static uint32_t number_of(const struct perfetto *perfetto, uint32_t process, uint32_t thread)
{
    bool several = perfetto->export->model->catalog.process_count > 1;
    return several ? (process << 20 | (thread & 0xFFFFF)) & INT32_MAX : thread;
}

static enum clew_error write_process(struct perfetto *perfetto, uint32_t process)
{
    struct buffer track = {0}, name = {0};
    export_process_title(&name, perfetto->export, process);
    buffer_clear(&perfetto->scratch);
    proto_varint(&perfetto->scratch, PROCESS_PID, process);
    proto_text(&perfetto->scratch, PROCESS_NAME, text_in(&name));
    proto_varint(&track, TRACK_UUID, track_of(process, 0));
    proto_message(&track, TRACK_PROCESS, &perfetto->scratch);
    open_packet(perfetto);
    proto_message(&perfetto->packet, PACKET_TRACK_DESCRIPTOR, &track);
    buffer_free(&track);
    buffer_free(&name);
    return close_packet(perfetto);
}

static enum clew_error write_thread(struct perfetto *perfetto, uint32_t process, uint32_t thread)
{
    struct buffer track = {0}, name = {0};
    export_thread_title(&name, perfetto->export, process, thread);
    buffer_clear(&perfetto->scratch);
    proto_varint(&perfetto->scratch, THREAD_PID, process);
    proto_varint(&perfetto->scratch, THREAD_TID, number_of(perfetto, process, thread));
    proto_text(&perfetto->scratch, THREAD_NAME, text_in(&name));
    proto_varint(&track, TRACK_UUID, track_of(process, thread));
    proto_varint(&track, TRACK_PARENT, track_of(process, 0));
    proto_message(&track, TRACK_THREAD, &perfetto->scratch);
    open_packet(perfetto);
    proto_message(&perfetto->packet, PACKET_TRACK_DESCRIPTOR, &track);
    buffer_free(&track);
    buffer_free(&name);
    return close_packet(perfetto);
}

static enum clew_error describe_tracks(struct perfetto *perfetto, const struct export_event *event)
{
    if (!export_was_said(&perfetto->said, event->process, 0)) {
        CLEW_TRY(write_process(perfetto, event->process));
    }
    if (!export_was_said(&perfetto->said, event->process, event->thread)) {
        CLEW_TRY(write_thread(perfetto, event->process, event->thread));
    }
    return perfetto->said.failed ? CLEW_NO_MEMORY : CLEW_OK;
}

// -- Names ------------------------------------------------------------------------------------------------------------

static void intern(struct perfetto *perfetto, uint32_t kind, uint64_t number, struct text name)
{
    buffer_clear(&perfetto->scratch);
    proto_varint(&perfetto->scratch, NAME_NUMBER, number);
    proto_text(&perfetto->scratch, NAME_NAME, name);
    proto_message(&perfetto->interned, kind, &perfetto->scratch);
}

static void intern_location(struct perfetto *perfetto, uint64_t number, struct text name, struct method_place place)
{
    CLEW_ASSERT(number > 0 && place.document);
    buffer_clear(&perfetto->scratch);
    proto_varint(&perfetto->scratch, NAME_NUMBER, number);
    proto_text(&perfetto->scratch, LOCATION_FILE, place.document->path);
    proto_text(&perfetto->scratch, LOCATION_FUNCTION, name);
    proto_varint(&perfetto->scratch, LOCATION_LINE, place.line);
    proto_message(&perfetto->interned, INTERNED_LOCATIONS, &perfetto->scratch);
}

// Adds the name of a method to the packet when it is new, and the only category before the first one.
static void intern_method(struct perfetto *perfetto, uint32_t canonical)
{
    struct method_place place = export_place_of(perfetto->export, canonical);
    struct text name = export_name(perfetto->export, canonical);
    uint64_t found;
    if (map_get(&perfetto->names, canonical, &found)) {
        return;
    }
    buffer_clear(&perfetto->interned);
    if (perfetto->names.count == 0) {
        intern(perfetto, INTERNED_CATEGORIES, CATEGORY, text_of("clew"));
    }
    intern(perfetto, INTERNED_NAMES, (uint64_t)canonical + 1, name);
    if (place.document) {
        intern_location(perfetto, (uint64_t)canonical + 1, name, place);
    }
    proto_message(&perfetto->packet, PACKET_INTERNED, &perfetto->interned);
    perfetto->out.failed = perfetto->out.failed || !map_put(&perfetto->names, canonical, 1);
}

// -- Events -----------------------------------------------------------------------------------------------------------

static void append_argument(struct perfetto *perfetto, const char *name, uint32_t kind, uint64_t value)
{
    buffer_clear(&perfetto->scratch);
    proto_text(&perfetto->scratch, ARGUMENT_NAME, text_of(name));
    proto_varint(&perfetto->scratch, kind, value);
    proto_message(&perfetto->event, EVENT_ARGUMENTS, &perfetto->scratch);
}

static void describe_begin(struct perfetto *perfetto, const struct export_event *event)
{
    proto_varint(&perfetto->event, EVENT_CATEGORY_NUMBERS, CATEGORY);
    proto_varint(&perfetto->event, EVENT_NAME_NUMBER, (uint64_t)event->method + 1);
    if (export_place_of(perfetto->export, event->method).document) {
        proto_varint(&perfetto->event, EVENT_LOCATION_NUMBER, (uint64_t)event->method + 1);
    }
    if (event->call) {
        append_argument(perfetto, "call", ARGUMENT_UINT, event->call);
    }
    if (event->cut) {
        append_argument(perfetto, "began_earlier", ARGUMENT_BOOL, 1);
    }
    if (event->call && export_is_run(perfetto->export, event->process, event->recorded)) {
        proto_fixed64(&perfetto->event, EVENT_FLOWS, export_wait(event->process, event->call));
    }
}

// Arrows (flows) are drawn from slice to slice. A run of an async method begins one, since it may end before it is known that it
// waits; it belongs to the slice wherever on it the arrow is mentioned, so a run that continues another ends that one's arrow
// at its own end, which is always behind the other's beginning.
static void describe_end(struct perfetto *perfetto, const struct export_event *event)
{
    if (event->resumed) {
        proto_fixed64(&perfetto->event, EVENT_FLOWS_ENDED, export_wait(event->process, event->resumed));
    }
    if (event->unwound || event->cut) {
        append_argument(perfetto, event->unwound ? "exception" : "end_not_seen", ARGUMENT_BOOL, 1);
    }
}

static void describe_lost(struct perfetto *perfetto, const struct export_event *event)
{
    proto_text(&perfetto->event, EVENT_NAME, text_of("events lost"));
    append_argument(perfetto, "lost", ARGUMENT_UINT, event->lost);
}

static enum clew_error take_event(void *context, const struct export_event *event)
{
    static const uint32_t types[] = {
        [EXPORT_BEGIN] = TYPE_BEGIN, [EXPORT_END] = TYPE_END, [EXPORT_LOST] = TYPE_INSTANT};
    struct perfetto *perfetto = context;
    CLEW_ASSERT((uint32_t)event->kind < sizeof types / sizeof *types);
    CLEW_TRY(describe_tracks(perfetto, event));
    open_packet(perfetto);
    proto_varint(&perfetto->packet, PACKET_TIMESTAMP, export_ns(perfetto->export, event->clock));
    buffer_clear(&perfetto->event);
    proto_varint(&perfetto->event, EVENT_TYPE, types[event->kind]);
    proto_varint(&perfetto->event, EVENT_TRACK, track_of(event->process, event->thread));
    if (event->kind == EXPORT_BEGIN) {
        intern_method(perfetto, event->method);
        describe_begin(perfetto, event);
    } else if (event->kind == EXPORT_END) {
        describe_end(perfetto, event);
    } else {
        describe_lost(perfetto, event);
    }
    proto_message(&perfetto->packet, PACKET_TRACK_EVENT, &perfetto->event);
    return close_packet(perfetto);
}

static enum clew_error write_perfetto(struct export *export)
{
    struct perfetto perfetto = {.export = export};
    enum clew_error error = export_calls(export, NULL, take_event, &perfetto);
    error = error == CLEW_OK ? write_out(&perfetto, 0) : error;
    buffer_free(&perfetto.out);
    buffer_free(&perfetto.packet);
    buffer_free(&perfetto.event);
    buffer_free(&perfetto.scratch);
    buffer_free(&perfetto.interned);
    map_free(&perfetto.said.known);
    map_free(&perfetto.names);
    return error;
}

const struct export_format export_perfetto = {.name = "perfetto",
                                              .suffix = ".perfetto-trace",
                                              .binary = true,
                                              .needs_calls = true,
                                              .needs_times = true,
                                              .write = write_perfetto};
