// The registry of type numbers: a hash map from keys to numbers, and the entries by number.
#include "agent/types/type_table.h"

#include <stdlib.h>
#include <string.h>

#include "agent/probe/probe_classes.h"
#include "agent/session/locks.h"
#include "agent/session/pages.h"
#include "agent/session/report.h"
#include "base/assert.h"
#include "base/locked.h"
#include "metadata/tables/signature.h"

enum { NAME_MAX_SIZE = 4096 }; // bytes of a type's name

static struct {
    pthread_mutex_t lock;
    struct map by_hash;          // hash of the key -> number
    struct type_entry **entries; // by number, in pages that exist once touched; NULL: an alias, dropped or never used
    struct buffer collectible;   // uint32_t: numbers of the collectible types
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

void type_table_lock(void)
{
    lock_take(&table.lock, LOCK_TYPES);
}

void type_table_unlock(void)
{
    lock_release(&table.lock, LOCK_TYPES);
}

static struct type_entry *entry_of(uint32_t number)
{
    CLEW_ASSERT_LOCKED(&table.lock);
    CLEW_ASSERT(number < 1u << CLASS_NUMBER_BITS && table.entries[number]);
    return table.entries[number];
}

const struct type_entry *type_entry_of(uint32_t number)
{
    return entry_of(number);
}

struct text type_name_of(uint32_t number)
{
    return number ? entry_of(number)->name : text_of("?");
}

void type_set_plain_size(uint32_t number, uint32_t plain_size)
{
    entry_of(number)->plain_size = plain_size;
    entry_of(number)->not_computed = plain_size == 0;
}

void type_set_redaction(uint32_t number, enum redacted_fields redaction)
{
    entry_of(number)->redaction = (uint8_t)redaction;
}

// -- Entries ----------------------------------------------------------------------------------------------------------

static uint64_t hash_of(const struct type_entry *entry)
{
    return map_hash_text(entry->key, entry->key_size);
}

static uint32_t find(const struct buffer *key)
{
    uint64_t number;
    CLEW_ASSERT_LOCKED(&table.lock);
    if (key->failed || !map_get(&table.by_hash, map_hash_text(key->data, key->size), &number)) {
        return 0;
    }
    // The map holds one number for each hash. A second type with the same hash takes the place of the first, which then
    // gets a new number each time that it is looked up.
    const struct type_entry *entry = entry_of((uint32_t)number);
    bool same = entry->key_size == key->size && memcmp(entry->key, key->data, key->size) == 0;
    return same ? (uint32_t)number : 0;
}

// In one block of memory with its key and its name. NULL when memory runs out.
static struct type_entry *new_entry(const struct type_candidate *candidate)
{
    const struct buffer *key = &candidate->key, *name = &candidate->name;
    struct type_entry *entry = malloc(sizeof *entry + key->size + name->size);
    char *texts = (char *)(entry + 1);
    if (!entry) {
        return NULL;
    }
    memcpy(texts, key->data, key->size);
    if (name->size) {
        memcpy(texts + key->size, name->data, name->size);
    }
    *entry = (struct type_entry){
        .key = (const uint8_t *)texts,
        .key_size = key->size,
        .name = {texts + key->size, name->size},
        .collectible = candidate->collectible,
        .kind = candidate->type.kind,
        .encoding = candidate->type.encoding,
        .module = candidate->module,
        .token = candidate->token,
    };
    return entry;
}

// Types share their numbers with the classes that probes see, so probe_classes.c gives out the numbers of both. Returns 0
// when there are none left, or no memory for the entries.
static uint32_t take_number(const struct type_candidate *candidate)
{
    if (!table.entries) {
        table.entries = pages_new(sizeof *table.entries << CLASS_NUMBER_BITS);
    }
    uint32_t given = candidate->report->number;
    return !table.entries ? 0 : given ? given : class_take_number();
}

static uint32_t add(const struct type_candidate *candidate)
{
    uint32_t number = take_number(candidate);
    CLEW_ASSERT(number < 1u << CLASS_NUMBER_BITS);
    struct type_entry *entry = number ? new_entry(candidate) : NULL;
    if (number && candidate->collectible) {
        buffer_append(&table.collectible, &number, sizeof number);
    }
    if (!entry || table.collectible.failed || !map_put(&table.by_hash, hash_of(entry), number)) {
        free(entry);
        return 0;
    }
    table.entries[number] = entry;
    return number;
}

// -- Candidates -------------------------------------------------------------------------------------------------------

void type_candidate_begin(struct type_candidate *candidate, uint8_t element, const struct type_report *report)
{
    static const struct type_report plain = {0};
    *candidate = (struct type_candidate){.report = report ? report : &plain};
    buffer_u8(&candidate->key, element);
}

void type_candidate_drop(struct type_candidate *candidate)
{
    buffer_free(&candidate->key);
    buffer_free(&candidate->name);
    free(candidate->members);
}

void type_candidate_append_name(struct type_candidate *candidate, struct text name)
{
    size_t left = candidate->name.size < NAME_MAX_SIZE ? NAME_MAX_SIZE - candidate->name.size : 0;
    buffer_append(&candidate->name, name.at, name.size < left ? name.size : left);
    CLEW_ASSERT(candidate->name.size <= NAME_MAX_SIZE);
}

static bool brings_layout(const struct type_candidate *candidate, uint32_t number)
{
    return candidate->report->layout && !entry_of(number)->has_layout;
}

uint32_t type_candidate_reported(const struct type_candidate *candidate)
{
    uint32_t number = find(&candidate->key), given = candidate->report->number;
    bool alias = given && given != number;
    return !number || alias || brings_layout(candidate, number) ? 0 : number;
}

// Without its fields if the definition is longer than the whole definition ring: the names of a struct's fields can be.
static void report(struct type_candidate *candidate, uint32_t number)
{
    enum { BESIDE_THE_BLOB = 256 };
    struct buffer blob = {0};
    struct type type = candidate->type;
    type.number = candidate->type.number = number;
    type_encode(&blob, &type);
    if (!ring_definition_fits(blob.size + BESIDE_THE_BLOB)) {
        buffer_clear(&blob);
        type.field_count = 0;
        type_encode(&blob, &type);
    }
    (void)report_definition(&(struct ring_definition){
        .type = RING_DEFINE_TYPE,
        .number = number,
        .module = candidate->module ? candidate->module->number : 0,
        .token = candidate->token,
        .flags = candidate->flags | TYPE_FLAG_STATED,
        .blob = bytes_of(blob.data, blob.size),
    });
    buffer_free(&blob);
}

static void take_layout(struct type_candidate *candidate, uint32_t number)
{
    const struct type_layout *layout = candidate->report->layout;
    struct type_entry *entry = entry_of(number);
    if (layout && entry->has_layout && layout->size != entry->size) {
        report_note("%.*s takes %u bytes in this runtime and not the computed %u: recorded values of it may be wrong",
                    (int)entry->name.size, entry->name.at, layout->size, entry->size);
    }
    if (layout) {
        candidate->type.size = layout->size;
        candidate->type.fields = layout->fields;
        candidate->type.field_count = layout->field_count;
        entry->has_layout = true;
    }
    entry->size = candidate->type.size ? candidate->type.size : entry->size;
}

uint32_t type_candidate_finish(struct type_candidate *candidate)
{
    bool failed = candidate->key.failed || candidate->name.failed;
    uint32_t known = failed ? 0 : find(&candidate->key), number = known, given = candidate->report->number;
    if (!failed && !known) {
        number = add(candidate);
    }
    if (number) {
        bool incomplete = !known || brings_layout(candidate, number);
        candidate->type.name = type_name_of(number);
        take_layout(candidate, number);
        if (incomplete) {
            report(candidate, number);
        }
        if (given && given != number) {
            report(candidate, given);
        }
    }
    type_candidate_drop(candidate);
    return number;
}

// -- Unloading --------------------------------------------------------------------------------------------------------

// Whether one of the type numbers that end a key belongs to a type that was dropped.
static bool has_dropped_part(struct bytes numbers)
{
    uint32_t part;
    while (bytes_u32(&numbers, &part)) {
        if (part && !table.entries[part]) {
            return true;
        }
    }
    return false;
}

// Whether the key refers to the module, or to a type that was dropped.
static bool depends_on(const struct type_entry *entry, const struct module *module)
{
    struct bytes key = bytes_of(entry->key, entry->key_size);
    uint8_t element = 0;
    uint32_t first = 0, token_or_row;
    (void)bytes_u8(&key, &element);
    switch (element) {
    case ELEMENT_CLASS:
    case ELEMENT_MODIFIER_OPTIONAL:
    case ELEMENT_VAR:
        (void)bytes_u32(&key, &first);
        (void)bytes_u32(&key, &token_or_row);
        return first == module->number || has_dropped_part(key);
    case ELEMENT_POINTER:
    case ELEMENT_BY_REFERENCE:
    case ELEMENT_SZARRAY:
    case ELEMENT_ARRAY:
        return bytes_u32(&key, &first) && !table.entries[first];
    default:
        return false;
    }
}

static void remove_entry(uint32_t number)
{
    struct type_entry *entry = table.entries[number];
    uint64_t hash = hash_of(entry), found;
    if (map_get(&table.by_hash, hash, &found) && found == number) {
        map_remove(&table.by_hash, hash);
    }
    table.entries[number] = NULL;
    free(entry);
}

// A type can have a lower number than a part of it, so one pass is not enough: each pass drops the types that contain a
// type dropped by the pass before, until a pass drops none.
static void remove_dependents(const struct module *module)
{
    uint32_t *numbers = (uint32_t *)(void *)table.collectible.data;
    size_t count = table.collectible.size / sizeof *numbers, before;
    do {
        before = count;
        count = 0;
        for (size_t i = 0; i < before; i++) {
            const struct type_entry *entry = table.entries[numbers[i]];
            if (entry && depends_on(entry, module)) {
                remove_entry(numbers[i]);
            } else if (entry) {
                numbers[count++] = numbers[i];
            }
        }
    } while (count != before);
    table.collectible.size = count * sizeof *numbers;
}

void type_table_forget(struct module *module)
{
    type_table_lock();
    atomic_store_explicit(&module->unloaded, true, memory_order_relaxed);
    remove_dependents(module);
    type_table_unlock();
}
