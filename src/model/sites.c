// See sites.h. Everything is found by number in arrays of its process.
#include "model/sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/map.h"
#include "recording/reader.h"

enum { SITES_MAX = 1 << 28 }; // what a damaged number may make us reserve

struct site_entry {
    struct site site;
    uint32_t method; // 0: not defined
};

struct process_sites {
    uint32_t process;
    struct site_entry *sites; // by number
    uint32_t site_count;
    size_t site_room;
    struct type *types; // by number; number 0: not defined
    uint32_t type_count;
    size_t type_room;
};

struct sites {
    struct arena arena;
    struct process_sites *processes;
    uint32_t process_count;
    size_t process_room;
    struct recording_document *documents;
    uint32_t document_count;
    size_t document_room;
    struct map document_map; // hash of process, module and number -> index
};

static struct process_sites *find_process(const struct sites *sites, uint32_t process)
{
    for (uint32_t i = 0; i < sites->process_count; i++) {
        if (sites->processes[i].process == process) {
            return &sites->processes[i];
        }
    }
    return NULL;
}

static struct process_sites *make_process(struct sites *sites, uint32_t process)
{
    struct process_sites *found = find_process(sites, process);
    if (found || !array_grow(&sites->processes, sites->process_count, &sites->process_room, sizeof *sites->processes)) {
        return found;
    }
    found = &sites->processes[sites->process_count++];
    *found = (struct process_sites){.process = process};
    return found;
}

// Makes room up to `number`, zeroed.
static bool reach(void *items, uint32_t *count, size_t *room, size_t size, uint32_t number)
{
    while (*count <= number) {
        if (!array_grow(items, *count, room, size)) {
            return false;
        }
        memset(*(char **)items + (size_t)*count * size, 0, size);
        ++*count;
    }
    return true;
}

static bool keep(struct sites *sites, struct text *text)
{
    char *copy = arena_text(&sites->arena, text->at, text->size);
    text->at = copy;
    return copy != NULL;
}

static enum clew_error add_sites(struct sites *sites, const struct recording_sites *record)
{
    struct process_sites *process = make_process(sites, record->process);
    struct bytes bytes = record->blob;
    struct site previous = {0};
    if (!process) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t number = record->first; bytes_left(&bytes) > 0 && number < SITES_MAX; number++) {
        struct site site;
        if (!site_decode(&bytes, &previous, &site)) {
            return CLEW_OK; // what stands before is good
        }
        previous = site;
        if (!keep(sites, &site.name) || !keep(sites, &site.owner_name) || !keep(sites, &site.tuple_names) ||
            !reach(&process->sites, &process->site_count, &process->site_room, sizeof *process->sites, number)) {
            return CLEW_NO_MEMORY;
        }
        process->sites[number] = (struct site_entry){site, record->method};
    }
    return CLEW_OK;
}

// The blob is copied: a type borrows its texts from it.
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
    if (error == CLEW_MALFORMED || type.number != record->type || record->type >= SITES_MAX) {
        return CLEW_OK;
    }
    if (error != CLEW_OK ||
        !reach(&process->types, &process->type_count, &process->type_room, sizeof *process->types, type.number)) {
        return CLEW_NO_MEMORY;
    }
    process->types[type.number] = type;
    return CLEW_OK;
}

static uint64_t document_key(uint32_t process, uint32_t module, uint32_t document)
{
    const uint32_t identity[] = {process, module, document, 0};
    return map_hash_text(identity, sizeof identity);
}

static enum clew_error add_document(struct sites *sites, const struct recording_document *record)
{
    struct recording_document document = *record;
    size_t hash = bytes_left(&record->hash);
    char *copy = arena_text(&sites->arena, (const char *)record->hash.at, hash);
    if (!copy || !keep(sites, &document.path) ||
        !array_grow(&sites->documents, sites->document_count, &sites->document_room, sizeof *sites->documents) ||
        !map_put(&sites->document_map, document_key(record->process, record->module, record->document),
                 sites->document_count)) {
        return CLEW_NO_MEMORY;
    }
    document.hash = bytes_of(copy, hash);
    sites->documents[sites->document_count++] = document;
    return CLEW_OK;
}

static enum clew_error read_all(struct sites *sites, struct recording_reader *reader)
{
    const uint32_t types = 1u << RECORDING_SITES | 1u << RECORDING_TYPE | 1u << RECORDING_DOCUMENT;
    struct recording_record record;
    enum clew_error error;
    while ((error = recording_next(reader, types, &record)) == CLEW_OK) {
        if (record.type == RECORDING_SITES) {
            error = add_sites(sites, &record.sites);
        } else if (record.type == RECORDING_TYPE) {
            error = add_type(sites, &record.value_type);
        } else {
            error = add_document(sites, &record.document);
        }
        CLEW_TRY(error);
    }
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}

enum clew_error sites_load(const char *path, struct sites **out)
{
    struct recording_reader *reader;
    struct sites *sites = calloc(1, sizeof *sites);
    if (!sites) {
        return CLEW_NO_MEMORY;
    }
    enum clew_error error = recording_open(path, &reader);
    if (error == CLEW_OK) {
        error = read_all(sites, reader);
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
        free(sites->processes[i].sites);
        free(sites->processes[i].types);
    }
    if (sites) {
        free(sites->processes);
        free(sites->documents);
        map_free(&sites->document_map);
        arena_free(&sites->arena);
        free(sites);
    }
}

// -- Finding ----------------------------------------------------------------------------------------------------------

static const struct site_entry *entry_of(const struct sites *sites, uint32_t process, uint32_t site)
{
    const struct process_sites *found = find_process(sites, process);
    bool defined = found && site < found->site_count && found->sites[site].method;
    return defined ? &found->sites[site] : NULL;
}

const struct site *sites_site(const struct sites *sites, uint32_t process, uint32_t site)
{
    const struct site_entry *entry = entry_of(sites, process, site);
    return entry ? &entry->site : NULL;
}

uint32_t sites_method(const struct sites *sites, uint32_t process, uint32_t site)
{
    const struct site_entry *entry = entry_of(sites, process, site);
    return entry ? entry->method : 0;
}

const struct type *sites_type(const struct sites *sites, uint32_t process, uint32_t type)
{
    const struct process_sites *found = find_process(sites, process);
    return found && type < found->type_count && found->types[type].number ? &found->types[type] : NULL;
}

const struct recording_document *sites_document(const struct sites *sites, uint32_t process, uint32_t module,
                                                uint32_t document)
{
    uint64_t index;
    return map_get(&sites->document_map, document_key(process, module, document), &index) ? &sites->documents[index]
                                                                                          : NULL;
}

uint32_t sites_end(const struct sites *sites, uint32_t process)
{
    const struct process_sites *found = find_process(sites, process);
    return found ? found->site_count : 0;
}

// -- Payloads ---------------------------------------------------------------------------------------------------------

// What a type parameter stood for: its number and its bytes come with the event.
static uint32_t take_typed(const struct sites *sites, uint32_t process, const uint32_t *cells, uint32_t left,
                           struct site_value *out)
{
    if (left < 2 || left - 2 < site_whole_cells(cells[1])) {
        return UINT32_MAX;
    }
    const struct type *type = sites_type(sites, process, cells[0]);
    out->type = cells[0];
    out->size = cells[1];
    out->encoding = type && out->size ? type->encoding : VALUE_NONE;
    if (out->encoding == VALUE_NONE) {
        bool known = type && (type->kind != TYPE_REF_STRUCT || type->size > STRUCT_SIZE_MAX);
        out->reason = known ? REASON_TOO_LARGE : REASON_UNKNOWN; // of a ref struct whose class was not to be found, too
    }
    out->cells = cells + 2;
    return 2 + site_whole_cells(cells[1]);
}

uint32_t sites_take(const struct sites *sites, uint32_t process, const struct site *site, const uint32_t *cells,
                    uint32_t left, struct site_value *out)
{
    uint32_t fixed = site_cells(site), at = 0;
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
    if (site->place == PLACE_ITEM) {
        out->item = (int32_t)cells[at++];
    }
    out->cells = cells + at;
    if (site->encoding != VALUE_TYPED) {
        out->size = site->encoding == VALUE_STRUCT ? site->size : (fixed - at) * 4;
        return fixed;
    }
    uint32_t typed = take_typed(sites, process, cells + at, left - at, out);
    return typed == UINT32_MAX ? UINT32_MAX : at + typed;
}
