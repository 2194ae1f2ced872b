// See sites.h. Definitions are looked up by number, in arrays of their process.
#include "model/sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/assert.h"
#include "base/map.h"
#include "metadata/names/names_recorded.h"
#include "model/document_table.h"
#include "recording/reader.h"
#include "trace/payload.h"

// Items by number. While numbers are dense they are indices into the array `near`. If definitions are missing, or a
// damaged number is far above the others, items go to `far` in order of definition and are found through a map. So
// memory grows with the number of definitions, whatever their numbers are.
struct numbered {
    char *near;
    uint32_t near_count; // size of `near`; unused entries are zero
    size_t near_room;
    char *far;
    uint32_t *far_numbers; // by index in `far`
    uint32_t far_count;
    size_t far_room, far_numbers_room;
    struct map far_places; // by number
    uint32_t defined;
};

enum { NEAR_ALWAYS = 4096 }; // numbers below this are always near

// The sites of one method. There can be 10^5 sites, of which a view of a short time looks at few: they are decoded when one
// of them is first looked up.
struct method_sites {
    uint32_t first, count; // numbers
    uint32_t method;
    struct sites_statement first_statement; // number 0: none
    bool decoded;
    struct bytes blob;  // whole: it has decoded before
    struct bytes roles; // of the sites (sites_encode_roles()); may be fewer
    struct site *sites; // room for them
};

// The definitions of one process. Numbers of different processes are unrelated.
struct process_sites {
    uint32_t process;
    struct numbered sites;      // uint32_t: index in sites->methods, plus 1; 0: not defined
    struct numbered types;      // struct type; number 0: not defined
    struct numbered exceptions; // struct recording_exception; process 0: not defined
};

struct sites {
    struct arena arena;
    struct arena decoded; // apart: most of it is never touched, so that it takes no memory
    struct recording_health health;
    struct process_sites *processes;
    uint32_t process_count;
    size_t process_room;
    struct map process_map; // number -> index
    struct method_sites *methods;
    uint32_t method_count;
    size_t method_room;
    struct document_table documents;
};

static struct process_sites *find_process(const struct sites *sites, uint32_t process)
{
    uint64_t index;
    if (sites->process_count > 0 && sites->processes[0].process == process) { // most recordings have one process
        return &sites->processes[0];
    }
    return map_get(&sites->process_map, process, &index) ? &sites->processes[index] : NULL;
}

// Finds or adds the process; NULL when memory runs out.
static struct process_sites *make_process(struct sites *sites, uint32_t process)
{
    struct process_sites *found = find_process(sites, process);
    if (found || !array_grow(&sites->processes, sites->process_count, &sites->process_room, sizeof *sites->processes) ||
        !map_put(&sites->process_map, process, sites->process_count)) {
        return found;
    }
    found = &sites->processes[sites->process_count++];
    *found = (struct process_sites){.process = process};
    return found;
}

// -- Items by number --------------------------------------------------------------------------------------------------

// Extends `near` up to `number` with zeroed items.
static bool reach(struct numbered *items, size_t size, uint32_t number)
{
    while (items->near_count <= number) {
        if (!array_grow(&items->near, items->near_count, &items->near_room, size)) {
            return false;
        }
        memset(items->near + items->near_count * size, 0, size);
        items->near_count++;
    }
    return true;
}

static bool add_far(struct numbered *items, size_t size, uint32_t number)
{
    if (!array_grow(&items->far, items->far_count, &items->far_room, size) ||
        !array_grow(&items->far_numbers, items->far_count, &items->far_numbers_room, sizeof *items->far_numbers) ||
        !map_put(&items->far_places, number, items->far_count)) {
        return false;
    }
    items->far_numbers[items->far_count++] = number;
    return true;
}

static void *find_item(const struct numbered *items, size_t size, uint32_t number)
{
    uint64_t place;
    if (items->far_count > 0 && map_get(&items->far_places, number, &place)) {
        CLEW_ASSERT(place < items->far_count);
        return items->far + place * size;
    }
    return number < items->near_count ? items->near + number * size : NULL;
}

// Stores an item. False when memory runs out. An item in `far` stays there even if its number becomes near.
static bool put_item(struct numbered *items, size_t size, uint32_t number, const void *item)
{
    bool near = number < items->near_count || number / 4 < items->defined || number < NEAR_ALWAYS;
    uint64_t place;
    bool is_far = items->far_count > 0 && map_get(&items->far_places, number, &place);
    if (!is_far && !(near ? reach(items, size, number) : add_far(items, size, number))) {
        return false;
    }
    CLEW_ASSERT(find_item(items, size, number) && "there is room for it now");
    memcpy(find_item(items, size, number), item, size);
    items->defined++;
    return true;
}

static void free_items(struct numbered *items)
{
    free(items->near);
    free(items->far);
    free(items->far_numbers);
    map_free(&items->far_places);
}

// -- Definitions ------------------------------------------------------------------------------------------------------

// Counts the sites that the blob has before the first that does not decode, and up to the highest number.
static struct method_sites count_sites(const struct recording_sites *record)
{
    struct method_sites method = {.first = record->first, .method = record->method};
    struct bytes bytes = record->blob;
    struct site site, previous = {0};
    uint32_t number = record->first;
    for (; bytes_left(&bytes) > 0 && number >= record->first && site_decode(&bytes, &previous, &site); number++) {
        bool statement = site.kind == SITE_STATEMENT && site.start_line;
        if (statement && !method.first_statement.number) {
            method.first_statement = (struct sites_statement){number, site.document};
        }
        previous = site;
    }
    method.count = number - record->first;
    return method;
}

// Keeps the sites of one method. They are numbered consecutively from record->first. Those that were defined before under
// the same numbers are replaced.
static enum clew_error add_sites(struct sites *sites, const struct recording_sites *record)
{
    struct process_sites *process = make_process(sites, record->process);
    size_t size = bytes_left(&record->blob);
    if (!process || !array_grow(&sites->methods, sites->method_count, &sites->method_room, sizeof *sites->methods)) {
        return CLEW_NO_MEMORY;
    }
    struct method_sites *method = &sites->methods[sites->method_count];
    char *blob = arena_text(&sites->arena, (const char *)record->blob.at, size);
    size_t known = bytes_left(&record->roles);
    char *roles = arena_text(&sites->arena, (const char *)record->roles.at, known);
    *method = count_sites(record);
    method->sites = arena_alloc(&sites->decoded, (size_t)method->count * sizeof *method->sites);
    if (!blob || !roles || !method->sites) {
        return CLEW_NO_MEMORY;
    }
    method->blob = bytes_of(blob, size);
    method->roles = bytes_of(roles, known);
    uint32_t entry = record->method ? ++sites->method_count : 0;
    for (uint32_t i = 0; i < method->count; i++) {
        if (!put_item(&process->sites, sizeof entry, record->first + i, &entry)) {
            return CLEW_NO_MEMORY;
        }
    }
    return CLEW_OK;
}

// The blob is copied, because the decoded type borrows its texts.
static enum clew_error add_type(struct sites *sites, const struct recording_value_type *record)
{
    struct process_sites *process = make_process(sites, record->process);
    size_t size = bytes_left(&record->blob);
    char *blob = process ? arena_text(&sites->arena, (const char *)record->blob.at, size) : NULL;
    struct type type;
    if (!blob) {
        return CLEW_NO_MEMORY;
    }
    enum clew_error error = type_decode(bytes_of(blob, size), &sites->arena, &type);
    if (error == CLEW_MALFORMED || type.number != record->type) {
        return CLEW_OK;
    }
    type.flags = record->flags | (record->flags & TYPE_FLAG_STATED ? 0 : recorded_type_flags(&type));
    bool kept = error == CLEW_OK && put_item(&process->types, sizeof type, type.number, &type);
    return kept ? CLEW_OK : CLEW_NO_MEMORY;
}

static enum clew_error add_exception(struct sites *sites, const struct recording_exception *record)
{
    struct process_sites *process = make_process(sites, record->process);
    struct recording_exception exception = *record;
    exception.message.at = arena_text(&sites->arena, record->message.at, record->message.size);
    bool kept = process && exception.message.at &&
                put_item(&process->exceptions, sizeof exception, exception.exception, &exception);
    return kept ? CLEW_OK : CLEW_NO_MEMORY;
}

// Reads sites, types, exceptions and documents in one pass. Nothing else in the file is looked at.
static enum clew_error read_all(struct sites *sites, struct recording_reader *reader)
{
    const uint32_t types =
        1u << RECORDING_SITES | 1u << RECORDING_TYPE | 1u << RECORDING_DOCUMENT | 1u << RECORDING_EXCEPTION;
    struct recording_record record;
    enum clew_error error;
    CLEW_TRY(recording_rewind_listed(reader));
    while ((error = recording_next(reader, types, &record)) == CLEW_OK) {
        if (record.type == RECORDING_SITES) {
            error = add_sites(sites, &record.sites);
        } else if (record.type == RECORDING_TYPE) {
            error = add_type(sites, &record.value_type);
        } else if (record.type == RECORDING_EXCEPTION) {
            error = add_exception(sites, &record.exception);
        } else {
            error = document_table_add(&sites->documents, &record.document);
        }
        CLEW_TRY(error);
    }
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}

enum clew_error sites_load(struct recording *recording, struct sites **out)
{
    struct recording_reader *reader;
    struct sites *sites = calloc(1, sizeof *sites);
    if (!sites) {
        return CLEW_NO_MEMORY;
    }
    enum clew_error error = recording_new_reader(recording, &reader);
    if (error == CLEW_OK) {
        error = read_all(sites, reader);
        sites->health = recording_health(reader);
        recording_close_reader(reader);
    }
    if (error != CLEW_OK) {
        sites_free(sites);
        return error;
    }
    *out = sites;
    return CLEW_OK;
}

void sites_free(struct sites *sites)
{
    for (uint32_t i = 0; sites && i < sites->process_count; i++) {
        free_items(&sites->processes[i].sites);
        free_items(&sites->processes[i].types);
        free_items(&sites->processes[i].exceptions);
    }
    if (sites) {
        free(sites->processes);
        map_free(&sites->process_map);
        free(sites->methods);
        document_table_fini(&sites->documents);
        arena_free(&sites->arena);
        arena_free(&sites->decoded);
        free(sites);
    }
}

// -- Finding ----------------------------------------------------------------------------------------------------------

// NULL: not defined.
static struct method_sites *method_of(const struct sites *sites, uint32_t process, uint32_t site)
{
    const struct process_sites *found = find_process(sites, process);
    const uint32_t *entry = found ? find_item(&found->sites, sizeof *entry, site) : NULL;
    CLEW_ASSERT(!entry || *entry <= sites->method_count);
    return entry && *entry ? &sites->methods[*entry - 1] : NULL;
}

// They have decoded before, so they do now.
static void decode(struct method_sites *method)
{
    struct bytes bytes = method->blob;
    static const struct site none;
    for (uint32_t i = 0; i < method->count; i++) {
        bool whole = site_decode(&bytes, i ? &method->sites[i - 1] : &none, &method->sites[i]);
        CLEW_ASSERT(whole && "the sites of the method were counted");
        (void)whole;
    }
    sites_decode_roles(method->roles, method->sites, method->count);
    for (uint32_t i = 0; i < method->count; i++) {
        struct site *site = &method->sites[i];
        site->role = site->role == VARIABLE_UNKNOWN ? recorded_role(site) : site->role;
    }
    method->decoded = true;
}

const struct site *sites_site(const struct sites *sites, uint32_t process, uint32_t site)
{
    struct method_sites *method = method_of(sites, process, site);
    if (method && !method->decoded) {
        decode(method);
    }
    CLEW_ASSERT(!method || site - method->first < method->count);
    return method ? &method->sites[site - method->first] : NULL;
}

uint32_t sites_method(const struct sites *sites, uint32_t process, uint32_t site)
{
    const struct method_sites *method = method_of(sites, process, site);
    return method ? method->method : 0;
}

bool sites_first_statement(const struct sites *sites, uint32_t process, uint32_t site, struct sites_statement *out)
{
    const struct method_sites *method = method_of(sites, process, site);
    *out = method ? method->first_statement : (struct sites_statement){0};
    return out->number != 0;
}

const struct recording_exception *sites_exception(const struct sites *sites, uint32_t process, uint64_t exception)
{
    const struct process_sites *found = exception && exception <= UINT32_MAX ? find_process(sites, process) : NULL;
    const struct recording_exception *known =
        found ? find_item(&found->exceptions, sizeof *known, (uint32_t)exception) : NULL;
    return known && known->process ? known : NULL;
}

const struct type *sites_type(const struct sites *sites, uint32_t process, uint32_t type)
{
    const struct process_sites *found = find_process(sites, process);
    const struct type *known = found ? find_item(&found->types, sizeof *known, type) : NULL;
    return known && known->number ? known : NULL;
}

const struct recording_document *sites_document(const struct sites *sites, uint32_t process, uint32_t module,
                                                uint32_t document)
{
    return document_table_find(&sites->documents, process, module, document);
}

uint32_t sites_count(const struct sites *sites, uint32_t process)
{
    const struct process_sites *found = find_process(sites, process);
    return found ? found->sites.near_count + found->sites.far_count : 0;
}

uint32_t sites_number(const struct sites *sites, uint32_t process, uint32_t place)
{
    const struct process_sites *found = find_process(sites, process);
    uint32_t near = found ? found->sites.near_count : 0;
    CLEW_ASSERT(place < sites_count(sites, process));
    return place < near ? place : found->sites.far_numbers[place - near];
}

const struct recording_health *sites_health(const struct sites *sites)
{
    return &sites->health;
}

// -- Payloads ---------------------------------------------------------------------------------------------------------

// Resolves a type parameter: the event carries the number of the actual type and the size of the value.
static uint32_t take_typed(const struct sites *sites, uint32_t process, const uint32_t *cells, uint32_t left,
                           struct site_value *out)
{
    if (left < 2 || left - 2 < payload_whole_cells(cells[1])) {
        return UINT32_MAX;
    }
    const struct type *type = sites_type(sites, process, cells[0]);
    out->type = cells[0];
    out->size = cells[1];
    out->encoding = type && out->size ? type->encoding : VALUE_NONE;
    if (out->encoding == VALUE_NONE) {
        bool known = type && (type->kind != TYPE_REF_STRUCT || type->size > STRUCT_SIZE_MAX);
        out->reason = known ? REASON_TOO_LARGE : REASON_UNKNOWN; // also for a ref struct whose class was not found
    }
    out->cells = cells + 2;
    return 2 + payload_whole_cells(cells[1]);
}

uint32_t sites_take(const struct sites *sites, uint32_t process, const struct site *site, const uint32_t *cells,
                    uint32_t left, struct site_value *out)
{
    uint32_t fixed = payload_cells(site), at = 0;
    *out = (struct site_value){.encoding = site->encoding,
                               .reason = site->reason,
                               .type = site->type,
                               .size = site->size,
                               .tuple_names = site->tuple_names};
    if (fixed > left) {
        return UINT32_MAX;
    }
    if (site->owner == OWNER_OBJECT) {
        out->owner_object = cells[at++];
    } else if (site->owner == OWNER_ADDRESS) {
        out->owner_address = cells[at] | (uint64_t)cells[at + 1] << 32;
        at += 2;
    }
    if (payload_has_index(site)) {
        out->key = cells + at;
        out->item = (int32_t)cells[at++];
    }
    CLEW_ASSERT(at <= fixed);
    out->cells = cells + at;
    if (site->encoding != VALUE_TYPED) {
        out->size = site->encoding == VALUE_STRUCT ? site->size : (fixed - at) * 4;
        return fixed;
    }
    uint32_t typed = take_typed(sites, process, cells + at, left - at, out);
    return typed == UINT32_MAX ? UINT32_MAX : at + typed;
}

struct site_value sites_key(const struct sites *sites, uint32_t process, const struct site *site,
                            const struct site_value *value)
{
    const struct type *type = sites_type(sites, process, site->index);
    bool known = type && type->encoding >= VALUE_BOOLEAN && type->encoding <= VALUE_U4;
    CLEW_ASSERT((site->place == PLACE_KEY || site->place == PLACE_KEY_OBJECT) && value->key);
    struct site_value key = {.type = site->index, .cells = value->key, .size = sizeof *value->key};
    key.encoding = site->place == PLACE_KEY_OBJECT ? VALUE_OBJECT : known ? type->encoding : VALUE_I4;
    return key;
}
