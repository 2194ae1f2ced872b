// Whether a recording of `-i values --uses` agrees with itself: each use must be of the value that the place was last defined
// with, unless something that is not recorded may have written it (verdict.h). Places are variables of an activation, fields of an
// object, static fields, and items of an array.
//
//     consistency FILE [EVENTS]      so many events at most; prints "COUNT KIND", and what is wrong; exit 1 if anything is
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "code.h"
#include "model/objects.h"
#include "model/sites.h"
#include "model/timeline.h"
#include "verdict.h"

enum { SHOWN_MAX = 40 };

enum holding { HOLDS_NOTHING, HOLDS_DEFINITION, HOLDS_USE, HOLDS_UNKNOWN };

// What a place holds as far as the recording says.
struct held {
    uint64_t bits; // of the value; a hash where they are more than eight bytes
    uint64_t when; // number of the event
    uint32_t size, site, turn;
    uint16_t thread;
    uint8_t holding;
    uint8_t encoding;
};

struct variables {
    struct held *held;
    uint32_t count;
    size_t room;
};

// Fields of structs in variables.
struct part {
    uint64_t field;
    uint64_t of; // the variable
    struct held held;
};

struct activation {
    struct activation *next; // free
    uint32_t turn;           // tells its values from those of the activation that had this memory before
    bool joined;             // it ran already where the recording begins
    struct variables locals, parameters;
    struct part *parts;
    uint32_t part_count;
    size_t part_room;
};

// What is asked of a site again and again.
struct known_site {
    const struct site *site;
    uint64_t field; // identity
    uint32_t facts; // of it
    uint32_t load;  // the module's number; 0: of another module, or of a generic type
    bool looked_up, taken, garbage, is_reference, wide;
};

struct sighting {
    uint64_t first, last; // events
    uint32_t same_as;     // the older number of the same object
    bool gone;            // a newer one has taken over
};

struct checker {
    struct model *model;
    struct sites *sites;
    struct objects *objects;
    struct code code;
    struct known_site *known; // by number
    uint32_t known_count;
    struct map places; // key -> index into held
    struct held *held;
    size_t held_count, held_room;
    struct sighting *sightings; // by number of the object
    uint32_t sighting_count;
    size_t sighting_room;
    struct activation *free;
    uint32_t turn;
    uint64_t events, limit, counts[VERDICT_COUNT], renumbered_at;
    uint32_t shown;
    uint64_t *explained; // by site
};

static void *must(void *memory)
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

static const struct catalog_method *method_of(const struct checker *checker, uint32_t process, uint32_t site)
{
    uint32_t index =
        catalog_find_method(&checker->model->catalog, process, sites_method(checker->sites, process, site));
    return index == CATALOG_NONE ? NULL : &checker->model->catalog.methods[index];
}

static bool is_taken(const struct code_method *method, const struct site *site)
{
    bool part = site_is_in_variable(site);
    bool local = part ? site->owner == OWNER_LOCAL : site->place == PLACE_LOCAL;
    uint64_t bit = code_bit(part ? site->owner_index : site->index);
    return !method || bit & (local ? method->locals_taken : method->parameters_taken);
}

static void look_up(struct checker *checker, struct known_site *known, uint32_t process, uint32_t number)
{
    const struct catalog_method *method = method_of(checker, process, number);
    const struct code_module *module = method ? code_module(&checker->code, process, method->record.module) : NULL;
    const struct code_method *code = method ? code_method(&checker->code, module, method->record.token) : NULL;
    const struct site *site = sites_site(checker->sites, process, number);
    const struct type *type = site ? sites_type(checker->sites, process, site->type) : NULL;
    *known = (struct known_site){.site = site, .looked_up = true, .taken = true};
    if (!site) {
        return;
    }
    known->is_reference = site->encoding == VALUE_POINTER && (!type || type->kind != TYPE_POINTER);
    known->taken = is_taken(code, site);
    known->garbage = !code || code->garbage;
    if ((site->place == PLACE_FIELD || site->place == PLACE_STATIC_FIELD) && module) {
        known->field = code_field(&module->metadata, site->index);
        known->facts = code_field_facts(&checker->code, known->field);
        // A module that was loaded twice has two of each static field.
        known->load = known->facts & FIELD_OWN && TOKEN_TABLE(site->index) == TABLE_FIELD ? module->module : 0;
    }
}

static const struct known_site *known_site(struct checker *checker, uint32_t process, uint32_t number)
{
    if (number >= checker->known_count) {
        return NULL;
    }
    struct known_site *known = &checker->known[number];
    if (!known->looked_up) {
        look_up(checker, known, process, number);
    }
    return known->site ? known : NULL;
}

// -- Objects ----------------------------------------------------------------------------------------------------------

static struct sighting *sighting(struct checker *checker, uint32_t object)
{
    while (checker->sighting_count <= object) {
        must_grow(&checker->sightings, checker->sighting_count, &checker->sighting_room, sizeof *checker->sightings);
        checker->sightings[checker->sighting_count++] = (struct sighting){0};
    }
    return &checker->sightings[object];
}

static uint32_t oldest_number(const struct checker *checker, uint32_t object)
{
    while (object < checker->sighting_count && checker->sightings[object].same_as) {
        object = checker->sightings[object].same_as;
    }
    return object;
}

// False: its object goes by a newer number since.
static bool see(struct checker *checker, uint32_t object)
{
    struct sighting *seen = sighting(checker, object);
    seen->first = seen->first ? seen->first : checker->events;
    seen->last = checker->events;
    return !seen->gone;
}

static bool same_content(const struct checker *checker, uint32_t process, uint32_t left, uint32_t right)
{
    const struct recording_object *found = objects_find(checker->objects, process, left);
    if (!found) {
        return false;
    }
    struct recording_object a = *found;
    uint64_t text = map_hash_text(a.text.at, a.text.size);
    found = objects_find(checker->objects, process, right);
    return found && found->type == a.type && found->length == a.length &&
           map_hash_text(found->text.at, found->text.size) == text;
}

// Whether the newer number can be the older one's object after a collection: nobody has seen both at a time.
static bool renumbered(struct checker *checker, uint32_t process, uint32_t older, uint32_t newer)
{
    if (older == 0 || newer == 0) {
        return false;
    }
    struct sighting *old = sighting(checker, older);
    uint64_t last = old->last;
    struct sighting *fresh = sighting(checker, newer);
    if (last >= fresh->first || fresh->same_as || !same_content(checker, process, older, newer)) {
        return false;
    }
    fresh->same_as = older;
    checker->sightings[older].gone = true;
    checker->renumbered_at = checker->events;
    return true;
}

// -- Values -----------------------------------------------------------------------------------------------------------

static uint32_t width_of(const struct site_value *value)
{
    static const uint8_t widths[] = {0, 1, 2, 1, 1, 2, 2, 4, 4, 4, 8, 8, 8, 8, 8, 8, 4};
    return value->encoding <= VALUE_OBJECT ? widths[value->encoding] : value->size;
}

static struct held hold(const struct checker *checker, const struct timeline_step *step, const struct site_value *value,
                        enum holding holding)
{
    struct held held = {.when = checker->events,
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

static bool same_bits(const struct held *left, const struct held *right)
{
    uint32_t size = left->size < right->size ? left->size : right->size;
    bool small = left->size <= sizeof left->bits && right->size <= sizeof right->bits;
    uint64_t mask = size >= sizeof left->bits || !small ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
    return (small || left->size == right->size) && ((left->bits ^ right->bits) & mask) == 0;
}

static bool same_value(const struct checker *checker, const struct held *left, const struct held *right)
{
    if (left->encoding == VALUE_OBJECT && right->encoding == VALUE_OBJECT) {
        return oldest_number(checker, (uint32_t)left->bits) == oldest_number(checker, (uint32_t)right->bits);
    }
    return same_bits(left, right);
}

// -- Places -----------------------------------------------------------------------------------------------------------

static struct activation *activation_of(struct checker *checker, const struct timeline_step *step)
{
    if (!step->frame) {
        return NULL;
    }
    if (!step->frame->number) {
        struct activation *fresh = checker->free;
        if (fresh) {
            checker->free = fresh->next;
        } else {
            fresh = must(calloc(1, sizeof *fresh));
        }
        fresh->turn = ++checker->turn;
        fresh->part_count = 0;
        fresh->joined = step->kind != TIMELINE_BEGIN;
        step->frame->number = (uint64_t)(uintptr_t)fresh;
    }
    return (struct activation *)(uintptr_t)step->frame->number;
}

static void forget_activation(struct checker *checker, struct stream_frame *frame)
{
    struct activation *gone = (struct activation *)(uintptr_t)frame->number;
    if (gone) {
        gone->next = checker->free;
        checker->free = gone;
        frame->number = 0;
    }
}

static struct held *variable(struct variables *variables, uint32_t number, uint32_t turn)
{
    while (variables->count <= number) {
        must_grow(&variables->held, variables->count, &variables->room, sizeof *variables->held);
        variables->held[variables->count++] = (struct held){0};
    }
    struct held *held = &variables->held[number];
    if (held->turn != turn) {
        *held = (struct held){.turn = turn};
    }
    return held;
}

static uint64_t variable_key(enum site_owner owner, uint32_t number)
{
    return (uint64_t)owner << 32 | number;
}

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

static struct held *shared_place(struct checker *checker, uint64_t owner, uint64_t what)
{
    const uint64_t identity[] = {owner, what};
    uint64_t key = map_hash_text(identity, sizeof identity), index;
    if (!map_get(&checker->places, key, &index)) {
        index = checker->held_count;
        must_grow(&checker->held, checker->held_count, &checker->held_room, sizeof *checker->held);
        checker->held[checker->held_count++] = (struct held){0};
        must(map_put(&checker->places, key, index) ? checker : NULL);
    }
    return &checker->held[index];
}

// The object that `this` is; 0: it is a reference to a struct, or unknown.
static uint32_t this_object(struct activation *activation)
{
    struct held *held = activation ? variable(&activation->parameters, 0, activation->turn) : NULL;
    return held && held->holding == HOLDS_DEFINITION && held->encoding == VALUE_OBJECT ? (uint32_t)held->bits : 0;
}

static struct held *field_place(struct checker *checker, const struct known_site *known, struct activation *activation,
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
    return object && known->field ? shared_place(checker, oldest_number(checker, object), known->field) : NULL;
}

// NULL: it cannot be told which place it is.
static struct held *place_of(struct checker *checker, const struct timeline_step *step, const struct known_site *known,
                             struct activation *activation, const struct site_value *value)
{
    const uint64_t items = 1, statics = 2; // no object has 0 for a number
    switch (known->site->place) {
    case PLACE_LOCAL:
        return activation ? variable(&activation->locals, known->site->index, activation->turn) : NULL;
    case PLACE_PARAMETER:
        return activation ? variable(&activation->parameters, known->site->index, activation->turn) : NULL;
    case PLACE_FIELD:
        return field_place(checker, known, activation, value);
    case PLACE_STATIC_FIELD: {
        uint64_t thread = known->facts & FIELD_THREAD_STATIC ? step->thread->thread : 0;
        return known->field ? shared_place(checker, statics << 32 | thread << 40 | known->load, known->field) : NULL;
    }
    case PLACE_ITEM: {
        uint32_t array = known->site->owner == OWNER_OBJECT ? oldest_number(checker, value->owner_object) : 0;
        return array ? shared_place(checker, items << 33 | array, (uint64_t)(uint32_t)value->item) : NULL;
    }
    default:
        return NULL;
    }
}

// Of a field in a variable: all of the variable. Of a variable: none.
static const struct held *whole_of(const struct known_site *known, struct activation *activation)
{
    enum site_owner owner = known->site->owner;
    if (!activation || known->site->place != PLACE_FIELD || (owner != OWNER_LOCAL && owner != OWNER_PARAMETER)) {
        return NULL;
    }
    return variable(owner == OWNER_LOCAL ? &activation->locals : &activation->parameters, known->site->owner_index,
                    activation->turn);
}

// When a part of the variable was last written.
static uint64_t newest_part(const struct known_site *known, const struct activation *activation)
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

// -- Verdicts ---------------------------------------------------------------------------------------------------------

static enum verdict explain_field(const struct known_site *known)
{
    if (!(known->facts & FIELD_OWN) || known->facts & FIELD_NOT_WOVEN) {
        return VERDICT_OTHER_CODE;
    }
    if (known->facts & FIELD_ADDRESS_TAKEN) {
        return VERDICT_ADDRESS_TAKEN;
    }
    bool shared = known->site->place == PLACE_STATIC_FIELD && known->facts & FIELD_GENERIC;
    return shared ? VERDICT_GENERIC_STATIC : VERDICT_WRONG;
}

static enum verdict explain_place(const struct known_site *known)
{
    switch (known->site->place) {
    case PLACE_LOCAL:
    case PLACE_PARAMETER:
        return known->taken ? VERDICT_ADDRESS_TAKEN : VERDICT_WRONG;
    case PLACE_ITEM:
        return VERDICT_ARRAY;
    default:
        return site_is_in_variable(known->site) ? (known->taken ? VERDICT_ADDRESS_TAKEN : VERDICT_WRONG)
                                                : explain_field(known);
    }
}

static enum verdict explain(struct checker *checker, const struct timeline_step *step, const struct known_site *known,
                            const struct held *was, const struct held *is)
{
    bool variable = known->site->place == PLACE_LOCAL || known->site->place == PLACE_PARAMETER;
    bool objects = was->encoding == VALUE_OBJECT && is->encoding == VALUE_OBJECT;
    enum verdict verdict = explain_place(known);
    if (known->is_reference) {
        return VERDICT_MOVED;
    }
    if (verdict != VERDICT_WRONG) {
        return verdict;
    }
    if (!variable && was->thread != is->thread) {
        return VERDICT_OTHER_THREAD;
    }
    if (was->encoding == VALUE_STRUCT && was->when < checker->renumbered_at) {
        return VERDICT_RENUMBERED; // perhaps of a reference in it
    }
    // What nothing else can have written is the same object.
    bool same = objects && renumbered(checker, step->thread->process, oldest_number(checker, (uint32_t)was->bits),
                                      (uint32_t)is->bits);
    return same ? VERDICT_RENUMBERED : VERDICT_WRONG;
}

// A local that nothing has defined is zero.
static enum verdict judge_undefined(const struct known_site *known, const struct activation *activation,
                                    const struct held *is)
{
    if (known->site->place != PLACE_LOCAL || activation->joined || known->garbage || is->size > sizeof is->bits) {
        return VERDICT_FIRST;
    }
    return is->bits == 0 ? VERDICT_ZERO : known->taken ? VERDICT_ADDRESS_TAKEN : VERDICT_WRONG;
}

static enum verdict judge(struct checker *checker, const struct timeline_step *step, const struct known_site *known,
                          struct activation *activation, const struct held *was, const struct held *is)
{
    const struct held *whole = whole_of(known, activation);
    if (is->holding == HOLDS_UNKNOWN || was->holding == HOLDS_UNKNOWN) {
        return VERDICT_NOT_CAPTURED;
    }
    if ((whole && whole->when > was->when) || (activation && newest_part(known, activation) > was->when)) {
        return VERDICT_PART;
    }
    if (was->holding == HOLDS_NOTHING) {
        return judge_undefined(known, activation, is);
    }
    return same_value(checker, was, is) ? VERDICT_EQUAL : explain(checker, step, known, was, is);
}

// -- Telling ----------------------------------------------------------------------------------------------------------

static void print_site(const struct checker *checker, uint32_t process, uint32_t number)
{
    static const char *const places[] = {"", "local", "parameter", "field", "static", "item", "*", "result"};
    const struct catalog_method *method = method_of(checker, process, number);
    const struct site *site = sites_site(checker->sites, process, number);
    printf("%.*s IL_%04x line %u: %s %u %.*s", method ? (int)method->record.name.size : 1,
           method ? method->record.name.at : "?", site->il_offset, site->start_line, places[site->place], site->index,
           (int)site->name.size, site->name.at);
}

static void tell_wrong(struct checker *checker, const struct timeline_step *step, const struct held *was,
                       const struct held *is)
{
    if (checker->shown++ >= SHOWN_MAX) {
        return;
    }
    printf("wrong, event %llu: ", (unsigned long long)checker->events);
    print_site(checker, step->thread->process, step->site);
    printf(" is %llx (%u bytes), thread %u", (unsigned long long)is->bits, is->size, is->thread);
    if (was->holding != HOLDS_NOTHING) {
        printf("; was %llx by ", (unsigned long long)was->bits);
        print_site(checker, step->thread->process, was->site);
        printf(", thread %u, event %llu", was->thread, (unsigned long long)was->when);
    }
    putchar('\n');
}

// -- Events -----------------------------------------------------------------------------------------------------------

static void see_objects(struct checker *checker, const struct timeline_step *step, const struct known_site *known,
                        const struct site_value *value)
{
    uint32_t numbers[] = {known->site->owner == OWNER_OBJECT ? value->owner_object : 0,
                          value->encoding == VALUE_OBJECT ? value->cells[0] : 0};
    for (size_t i = 0; i < 2; i++) {
        if (numbers[i] && !see(checker, numbers[i])) {
            checker->counts[VERDICT_WRONG]++;
            printf("wrong, event %llu: object %u had got another number: ", (unsigned long long)checker->events,
                   numbers[i]);
            print_site(checker, step->thread->process, step->site);
            putchar('\n');
        }
    }
}

static void take_use(struct checker *checker, const struct timeline_step *step, const struct known_site *known,
                     struct activation *activation, const struct site_value *value)
{
    struct held is = hold(checker, step, value, HOLDS_USE);
    struct held *place = place_of(checker, step, known, activation, value);
    enum verdict verdict = VERDICT_NO_PLACE;
    if (place) {
        struct held was = *place;
        verdict = judge(checker, step, known, activation, &was, &is);
        if (verdict == VERDICT_WRONG) {
            tell_wrong(checker, step, &was, &is);
        }
        if (verdict != VERDICT_EQUAL) {
            is.turn = place->turn;
            *place = is;
        }
    }
    checker->counts[verdict]++;
    if (verdict >= VERDICT_ADDRESS_TAKEN) {
        checker->explained[step->site]++;
    }
}

static void take_definition(struct checker *checker, const struct timeline_step *step, const struct known_site *known,
                            struct activation *activation, const struct site_value *value)
{
    struct held *place = place_of(checker, step, known, activation, value);
    if (place) {
        struct held now = hold(checker, step, value, HOLDS_DEFINITION);
        now.turn = place->turn;
        *place = now;
    }
}

static enum clew_error take_site(struct checker *checker, const struct timeline_step *step)
{
    const struct known_site *known = known_site(checker, step->thread->process, step->site);
    struct site_value value;
    if (++checker->events > checker->limit) {
        return CLEW_NOT_FOUND;
    }
    if (!known || known->site->kind == SITE_STATEMENT || known->site->kind == SITE_RESULT ||
        sites_take(checker->sites, step->thread->process, known->site, step->cells, step->cells_left, &value) ==
            UINT32_MAX) {
        return CLEW_OK;
    }
    struct activation *activation = activation_of(checker, step);
    see_objects(checker, step, known, &value);
    if (known->site->kind == SITE_USE) {
        take_use(checker, step, known, activation, &value);
    } else if (known->site->kind != SITE_ALLOCATION) {
        take_definition(checker, step, known, activation, &value);
    }
    return CLEW_OK;
}

static enum clew_error take_step(void *context, const struct timeline_step *step)
{
    struct checker *checker = context;
    switch (step->kind) {
    case TIMELINE_BEGIN:
        (void)activation_of(checker, step);
        return CLEW_OK;
    case TIMELINE_END:
        forget_activation(checker, step->frame);
        return CLEW_OK;
    case TIMELINE_SITE:
        return take_site(checker, step);
    default:
        return CLEW_OK;
    }
}

// -- The program ------------------------------------------------------------------------------------------------------

static enum clew_error open_all(struct checker *checker, const char *path)
{
    CLEW_TRY(model_load(path, &(struct model_options){.names_only = true}, &checker->model));
    CLEW_TRY(sites_load(path, &checker->sites));
    CLEW_TRY(objects_open(path, &checker->objects));
    const struct catalog *catalog = &checker->model->catalog;
    for (uint32_t i = 0; i < catalog->not_woven_count; i++) {
        const struct recording_not_woven *method = &catalog->not_woven[i];
        must(code_add_not_woven(&checker->code, method->process, method->module, method->token) ? checker : NULL);
    }
    for (uint32_t i = 0; i < catalog->module_count; i++) {
        const struct recording_module *module = &catalog->modules[i];
        char *name = must(strndup(module->path.at, module->path.size));
        if (module->flags & MODEL_MODULE_IN_SCOPE) {
            must(code_add_module(&checker->code, module->process, module->module, name) ? checker : NULL);
        }
        free(name);
    }
    checker->known_count = sites_end(checker->sites, 1);
    checker->known = must(calloc(checker->known_count + (size_t)1, sizeof *checker->known));
    checker->explained = must(calloc(checker->known_count + (size_t)1, sizeof *checker->explained));
    return CLEW_OK;
}

static void tell_explained(const struct checker *checker)
{
    for (uint32_t number = 0; number < checker->known_count; number++) {
        if (checker->explained[number]) {
            printf("%12llu at ", (unsigned long long)checker->explained[number]);
            print_site(checker, 1, number);
            putchar('\n');
        }
    }
}

int main(int count, char **words)
{
    static const char *const names[] = {
#define X(constant, name, cause) name,
        VERDICTS(X)
#undef X
    };
    struct checker checker = {.limit = count > 2 ? strtoull(words[2], NULL, 10) : UINT64_MAX};
    if (count < 2) {
        fprintf(stderr, "usage: consistency FILE [EVENTS]\n");
        return 2;
    }
    enum clew_error error = open_all(&checker, words[1]);
    if (error == CLEW_OK) {
        error = timeline_run(words[1],
                             &(struct timeline_options){.to = UINT64_MAX, .step = take_step, .context = &checker});
    }
    if (error != CLEW_OK && checker.events <= checker.limit) {
        fprintf(stderr, "consistency: %s: %s\n", words[1], clew_error_sentence(error));
        return 2;
    }
    if (count > 3) {
        tell_explained(&checker);
    }
    printf("%llu events\n", (unsigned long long)checker.events);
    for (int i = 0; i < VERDICT_COUNT; i++) {
        printf("%llu %s\n", (unsigned long long)checker.counts[i], names[i]);
    }
    return checker.counts[VERDICT_WRONG] ? 1 : 0;
}
