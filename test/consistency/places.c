// See places.h. Places are variables of an activation, fields of an object, static fields, and items of an array.
#include "places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void *must(void *memory)
{
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return memory;
}

static void must_grow(void *items, size_t count, size_t *room, size_t size)
{
    must(array_grow(items, count, room, size) ? items : NULL);
}

// -- Sites ------------------------------------------------------------------------------------------------------------

const struct catalog_method *places_method(const struct places *places, uint32_t process, uint32_t site)
{
    uint32_t index = catalog_find_method(&places->model->catalog, process, sites_method(places->sites, process, site));
    return index == CATALOG_NONE ? NULL : &places->model->catalog.methods[index];
}

// Whether the code takes the address of the variable. Methods without a readable body count as if they did.
static bool is_taken(const struct code_method *method, const struct site *site)
{
    bool part = site_is_in_variable(site);
    bool local = part ? site->owner == OWNER_LOCAL : site->place == PLACE_LOCAL;
    uint64_t bit = code_bit(part ? site->owner_index : site->index);
    return !method || bit & (local ? method->locals_taken : method->parameters_taken);
}

// Collects the facts about a site once: whether its variable's address is taken, the identity of its field.
static void look_up(struct places *places, struct known_site *known, uint32_t process, uint32_t number)
{
    const struct catalog_method *method = places_method(places, process, number);
    const struct code_module *module = method ? code_module(&places->code, process, method->record.module) : NULL;
    const struct code_method *code = method ? code_method(&places->code, module, method->record.token) : NULL;
    const struct site *site = sites_site(places->sites, process, number);
    const struct type *type = site ? sites_type(places->sites, process, site->type) : NULL;
    *known = (struct known_site){.site = site, .looked_up = true, .taken = true};
    if (!site) {
        return;
    }
    known->is_reference = site->encoding == VALUE_POINTER && (!type || type->kind != TYPE_POINTER);
    known->taken = is_taken(code, site);
    known->garbage = !code || code->garbage;
    if ((site->place == PLACE_FIELD || site->place == PLACE_STATIC_FIELD) && module) {
        known->field = code_field(&module->metadata, site->index);
        known->facts = code_field_facts(&places->code, known->field);
        // If a module is loaded twice, each load has its own static fields.
        known->load = known->facts & FIELD_OWN && TOKEN_TABLE(site->index) == TABLE_FIELD ? module->module : 0;
    }
}

const struct known_site *places_site(struct places *places, uint32_t process, uint32_t number)
{
    if (number >= places->known_count) {
        return NULL;
    }
    struct known_site *known = &places->known[number];
    if (!known->looked_up) {
        look_up(places, known, process, number);
    }
    return known->site ? known : NULL;
}

// -- Objects ----------------------------------------------------------------------------------------------------------

static struct sighting *sighting(struct places *places, uint32_t object)
{
    while (places->sighting_count <= object) {
        must_grow(&places->sightings, places->sighting_count, &places->sighting_room, sizeof *places->sightings);
        places->sightings[places->sighting_count++] = (struct sighting){0};
    }
    return &places->sightings[object];
}

uint32_t places_oldest_number(const struct places *places, uint32_t object)
{
    while (object < places->sighting_count && places->sightings[object].same_as) {
        object = places->sightings[object].same_as;
    }
    return object;
}

bool places_see(struct places *places, uint32_t object)
{
    struct sighting *seen = sighting(places, object);
    seen->first = seen->first ? seen->first : places->events;
    seen->last = places->events;
    return !seen->gone;
}

// Whether two numbers have the same type, length and text, as far as the recording describes them.
static bool same_content(const struct places *places, uint32_t process, uint32_t left, uint32_t right)
{
    const struct recording_object *found = objects_find(places->objects, process, left);
    if (!found) {
        return false;
    }
    struct recording_object a = *found;
    uint64_t text = map_hash_text(a.text.at, a.text.size);
    found = objects_find(places->objects, process, right);
    return found && found->type == a.type && found->length == a.length &&
           map_hash_text(found->text.at, found->text.size) == text;
}

bool places_renumbered(struct places *places, uint32_t process, uint32_t older, uint32_t newer)
{
    if (older == 0 || newer == 0) {
        return false;
    }
    struct sighting *old = sighting(places, older);
    uint64_t last = old->last;
    struct sighting *fresh = sighting(places, newer);
    if (last >= fresh->first || fresh->same_as || !same_content(places, process, older, newer)) {
        return false;
    }
    fresh->same_as = older;
    places->sightings[older].gone = true;
    places->renumbered_at = places->events;
    return true;
}

// -- Values -----------------------------------------------------------------------------------------------------------

// Bytes of a value.
static uint32_t width_of(const struct site_value *value)
{
    static const uint8_t widths[] = {0, 1, 2, 1, 1, 2, 2, 4, 4, 4, 8, 8, 8, 8, 8, 8, 4};
    return value->encoding <= VALUE_OBJECT ? widths[value->encoding] : value->size;
}

struct held places_hold(const struct places *places, const struct event_step *step, const struct site_value *value,
                        enum holding holding)
{
    struct held held = {.when = places->events,
                        .size = width_of(value),
                        .site = step->site,
                        .thread = (uint16_t)step->thread->thread,
                        .holding = value->encoding == VALUE_NONE ? HOLDS_UNKNOWN : (uint8_t)holding,
                        .encoding = (uint8_t)value->encoding};
    if (held.size <= sizeof held.bits) {
        memcpy(&held.bits, value->cells, held.size);
    } else {
        held.bits = map_hash_text(value->cells, held.size);
    }
    return held;
}

// Compares as many bytes as both values have: an event may record a narrower type than the place has.
static bool same_bits(const struct held *left, const struct held *right)
{
    uint32_t size = left->size < right->size ? left->size : right->size;
    bool small = left->size <= sizeof left->bits && right->size <= sizeof right->bits;
    uint64_t mask = size >= sizeof left->bits || !small ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
    return (small || left->size == right->size) && ((left->bits ^ right->bits) & mask) == 0;
}

bool places_same_value(const struct places *places, const struct held *left, const struct held *right)
{
    if (left->encoding == VALUE_OBJECT && right->encoding == VALUE_OBJECT) {
        return places_oldest_number(places, (uint32_t)left->bits) ==
               places_oldest_number(places, (uint32_t)right->bits);
    }
    return same_bits(left, right);
}

// -- Places -----------------------------------------------------------------------------------------------------------

struct activation *places_activation(struct places *places, const struct event_step *step)
{
    if (!step->frame) {
        return NULL;
    }
    if (!step->frame->number) {
        struct activation *fresh = places->free;
        if (fresh) {
            places->free = fresh->next;
        } else {
            fresh = must(calloc(1, sizeof *fresh));
            fresh->made = places->made;
            places->made = fresh;
        }
        fresh->epoch = ++places->epoch;
        fresh->part_count = 0;
        fresh->joined = step->kind != STEP_BEGIN;
        step->frame->number = (uint64_t)(uintptr_t)fresh;
    }
    return (struct activation *)(uintptr_t)step->frame->number;
}

void places_forget(struct places *places, struct stream_frame *frame)
{
    struct activation *gone = (struct activation *)(uintptr_t)frame->number;
    if (gone) {
        gone->next = places->free;
        places->free = gone;
        frame->number = 0;
    }
}

// The last value of a local or parameter. Memory of activations is used again, so older epochs are reset.
static struct held *variable(struct variables *variables, uint32_t number, uint32_t epoch)
{
    while (variables->count <= number) {
        must_grow(&variables->held, variables->count, &variables->room, sizeof *variables->held);
        variables->held[variables->count++] = (struct held){0};
    }
    struct held *held = &variables->held[number];
    if (held->epoch != epoch) {
        *held = (struct held){.epoch = epoch};
    }
    return held;
}

static uint64_t variable_key(enum site_owner owner, uint32_t number)
{
    return (uint64_t)owner << 32 | number;
}

// The last value of a field of the struct in a variable.
static struct held *part_of(struct activation *activation, const struct known_site *known)
{
    uint64_t of = variable_key(known->site->owner, known->site->owner_index);
    for (uint32_t i = 0; i < activation->part_count; i++) {
        if (activation->parts[i].field == known->field && activation->parts[i].of == of) {
            return &activation->parts[i].held;
        }
    }
    must_grow(&activation->parts, activation->part_count, &activation->part_room, sizeof *activation->parts);
    activation->parts[activation->part_count] = (struct part){.field = known->field, .of = of};
    return &activation->parts[activation->part_count++].held;
}

// The last value of a place that several activations share: a field of an object, a static field, an item.
static struct held *shared_place(struct places *places, uint64_t owner, uint64_t what)
{
    const uint64_t identity[] = {owner, what};
    uint64_t key = map_hash_text(identity, sizeof identity), index;
    if (!map_get(&places->index, key, &index)) {
        index = places->held_count;
        must_grow(&places->held, places->held_count, &places->held_room, sizeof *places->held);
        places->held[places->held_count++] = (struct held){0};
        must(map_put(&places->index, key, index) ? places : NULL);
    }
    return &places->held[index];
}

// The object number of `this`; 0: `this` is a reference to a struct, or not known.
static uint32_t this_object(struct activation *activation)
{
    struct held *held = activation ? variable(&activation->parameters, 0, activation->epoch) : NULL;
    return held && held->holding == HOLDS_DEFINITION && held->encoding == VALUE_OBJECT ? (uint32_t)held->bits : 0;
}

// The last value of a field, by its owner: a variable, `this`, or an object.
static struct held *field_place(struct places *places, const struct known_site *known, struct activation *activation,
                                const struct site_value *value)
{
    uint32_t object = 0;
    switch (known->site->owner) {
    case OWNER_LOCAL:
    case OWNER_PARAMETER:
        return activation ? part_of(activation, known) : NULL;
    case OWNER_THIS:
        object = this_object(activation);
        break;
    case OWNER_OBJECT:
        object = value->owner_object;
        break;
    default:
        break;
    }
    return object && known->field ? shared_place(places, places_oldest_number(places, object), known->field) : NULL;
}

struct held *places_find(struct places *places, const struct event_step *step, const struct known_site *known,
                         struct activation *activation, const struct site_value *value)
{
    const uint64_t items = 1, statics = 2; // object numbers begin with 1
    switch (known->site->place) {
    case PLACE_LOCAL:
        return activation ? variable(&activation->locals, known->site->index, activation->epoch) : NULL;
    case PLACE_PARAMETER:
        return activation ? variable(&activation->parameters, known->site->index, activation->epoch) : NULL;
    case PLACE_FIELD:
        return field_place(places, known, activation, value);
    case PLACE_STATIC_FIELD: {
        uint64_t thread = known->facts & FIELD_THREAD_STATIC ? step->thread->thread : 0;
        return known->field ? shared_place(places, statics << 32 | thread << 40 | known->load, known->field) : NULL;
    }
    case PLACE_ITEM: {
        uint32_t array = known->site->owner == OWNER_OBJECT ? places_oldest_number(places, value->owner_object) : 0;
        return array ? shared_place(places, items << 33 | array, (uint64_t)(uint32_t)value->item) : NULL;
    }
    default:
        return NULL;
    }
}

const struct held *places_whole(const struct known_site *known, struct activation *activation)
{
    enum site_owner owner = known->site->owner;
    if (!activation || known->site->place != PLACE_FIELD || (owner != OWNER_LOCAL && owner != OWNER_PARAMETER)) {
        return NULL;
    }
    return variable(owner == OWNER_LOCAL ? &activation->locals : &activation->parameters, known->site->owner_index,
                    activation->epoch);
}

uint64_t places_newest_part(const struct known_site *known, const struct activation *activation)
{
    uint64_t newest = 0;
    enum site_place place = known->site->place;
    if (place != PLACE_LOCAL && place != PLACE_PARAMETER) {
        return 0;
    }
    uint64_t of = variable_key(place == PLACE_LOCAL ? OWNER_LOCAL : OWNER_PARAMETER, known->site->index);
    for (uint32_t i = 0; i < activation->part_count; i++) {
        const struct part *part = &activation->parts[i];
        bool written = part->held.holding == HOLDS_DEFINITION || part->held.holding == HOLDS_UNKNOWN;
        if (written && part->of == of && part->held.when > newest) {
            newest = part->held.when;
        }
    }
    return newest;
}

// -- All --------------------------------------------------------------------------------------------------------------

enum clew_error places_open(struct places *places, const char *path)
{
    CLEW_TRY(recording_open(path, &places->recording));
    CLEW_TRY(model_load(places->recording, &(struct model_options){.names_only = true}, &places->model));
    CLEW_TRY(sites_load(places->recording, &places->sites));
    CLEW_TRY(objects_open(places->recording, &places->objects));
    const struct catalog *catalog = &places->model->catalog;
    for (uint32_t i = 0; i < catalog->not_woven_count; i++) {
        const struct recording_not_woven *method = &catalog->not_woven[i];
        must(code_add_not_woven(&places->code, method->process, method->module, method->token) ? places : NULL);
    }
    for (uint32_t i = 0; i < catalog->module_count; i++) {
        const struct recording_module *module = &catalog->modules[i];
        char *name = must(strndup(module->path.at, module->path.size));
        if (module->flags & MODULE_IN_SCOPE) {
            must(code_add_module(&places->code, module->process, module->module, name) ? places : NULL);
        }
        free(name);
    }
    places->known_count = sites_count(places->sites, 1);
    places->known = must(calloc(places->known_count + (size_t)1, sizeof *places->known));
    return CLEW_OK;
}

void places_close(struct places *places)
{
    while (places->made) {
        struct activation *made = places->made;
        places->made = made->made;
        free(made->locals.held);
        free(made->parameters.held);
        free(made->parts);
        free(made);
    }
    free(places->held);
    free(places->sightings);
    free(places->known);
    map_free(&places->index);
    code_fini(&places->code);
    objects_close(places->objects);
    sites_free(places->sites);
    model_free(places->model);
    recording_free(places->recording);
}
