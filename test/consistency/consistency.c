// Checks that a recording of `-i values --uses` is consistent: each use must have the value of the last definition of its
// place, unless code that is not recorded may have written to it (outcome.h). Places are variables of an activation, fields of
// an object, static fields, and items of an array.
//
//     consistency FILE [EVENTS]      reads at most EVENTS events; prints "COUNT OUTCOME" lines, and the uses that are wrong;
//                                    exits with 1 if there are any
#include <stdio.h>
#include <stdlib.h>

#include "outcome.h"
#include "places.h"

enum { SHOWN_MAX = 40 };

struct checker {
    struct places places;
    uint64_t limit; // of events
    uint64_t counts[OUTCOME_COUNT];
    uint32_t shown;
    uint64_t *explained; // by site
};

// -- Outcomes ---------------------------------------------------------------------------------------------------------

// Causes that other code may have written the field.
static enum outcome explain_field(const struct known_site *known)
{
    if (!(known->facts & FIELD_OWN) || known->facts & FIELD_NOT_WOVEN) {
        return OUTCOME_OTHER_CODE;
    }
    if (known->facts & FIELD_ADDRESS_TAKEN) {
        return OUTCOME_ADDRESS_TAKEN;
    }
    bool shared = known->site->place == PLACE_STATIC_FIELD && known->facts & FIELD_GENERIC;
    return shared ? OUTCOME_GENERIC_STATIC : OUTCOME_WRONG;
}

// Causes by the kind of place: an address that is taken, array items, fields.
static enum outcome explain_place(const struct known_site *known)
{
    switch (known->site->place) {
    case PLACE_LOCAL:
    case PLACE_PARAMETER:
        return known->taken ? OUTCOME_ADDRESS_TAKEN : OUTCOME_WRONG;
    case PLACE_ITEM:
        return OUTCOME_ARRAY;
    default:
        return site_is_in_variable(known->site) ? (known->taken ? OUTCOME_ADDRESS_TAKEN : OUTCOME_WRONG)
                                                : explain_field(known);
    }
}

// The cause of a difference between the last definition and a use. Causes that hold for all values of the place come first.
static enum outcome explain(struct checker *checker, const struct event_step *step, const struct known_site *known,
                            const struct held *was, const struct held *is)
{
    bool variable = known->site->place == PLACE_LOCAL || known->site->place == PLACE_PARAMETER;
    bool objects = was->encoding == VALUE_OBJECT && is->encoding == VALUE_OBJECT;
    enum outcome outcome = explain_place(known);
    if (known->is_reference) {
        return OUTCOME_MOVED;
    }
    if (outcome != OUTCOME_WRONG) {
        return outcome;
    }
    if (!variable && was->thread != is->thread) {
        return OUTCOME_OTHER_THREAD;
    }
    if (was->encoding == VALUE_STRUCT && was->when < checker->places.renumbered_at) {
        return OUTCOME_RENUMBERED; // a reference in it may have a new number
    }
    // If no other code can have written it, both numbers are of the same object.
    bool same =
        objects && places_renumbered(&checker->places, step->thread->process,
                                     places_oldest_number(&checker->places, (uint32_t)was->bits), (uint32_t)is->bits);
    return same ? OUTCOME_RENUMBERED : OUTCOME_WRONG;
}

// A local that is not defined yet must be zero.
static enum outcome judge_undefined(const struct known_site *known, const struct activation *activation,
                                    const struct held *is)
{
    if (known->site->place != PLACE_LOCAL || activation->joined || known->garbage || is->size > sizeof is->bits) {
        return OUTCOME_FIRST;
    }
    return is->bits == 0 ? OUTCOME_ZERO : known->taken ? OUTCOME_ADDRESS_TAKEN : OUTCOME_WRONG;
}

// Compares a use with the last event of its place. A part of a struct that is newer than the whole, or a whole that is newer than
// the part, cannot be compared.
static enum outcome judge(struct checker *checker, const struct event_step *step, const struct known_site *known,
                          struct activation *activation, const struct held *was, const struct held *is)
{
    const struct held *whole = places_whole(known, activation);
    if (is->holding == HOLDS_UNKNOWN || was->holding == HOLDS_UNKNOWN) {
        return OUTCOME_NOT_CAPTURED;
    }
    if ((whole && whole->when > was->when) || (activation && places_newest_part(known, activation) > was->when)) {
        return OUTCOME_PART;
    }
    if (was->holding == HOLDS_NOTHING) {
        return judge_undefined(known, activation, is);
    }
    return places_same_value(&checker->places, was, is) ? OUTCOME_EQUAL : explain(checker, step, known, was, is);
}

// -- Reporting --------------------------------------------------------------------------------------------------------

static void print_site(const struct checker *checker, uint32_t process, uint32_t number)
{
    static const char *const places[] = {"", "local", "parameter", "field", "static", "item", "*", "result"};
    const struct catalog_method *method = places_method(&checker->places, process, number);
    const struct site *site = sites_site(checker->places.sites, process, number);
    printf("%.*s IL_%04x line %u: %s %u %.*s", method ? (int)method->record.name.size : 1,
           method ? method->record.name.at : "?", site->il_offset, site->start_line, places[site->place], site->index,
           (int)site->name.size, site->name.at);
}

// Prints the first wrong uses with both values and sites.
static void report_wrong(struct checker *checker, const struct event_step *step, const struct held *was,
                         const struct held *is)
{
    if (checker->shown++ >= SHOWN_MAX) {
        return;
    }
    printf("wrong, event %llu: ", (unsigned long long)checker->places.events);
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

// Notes the objects that an event names. An object number that a newer one replaced must not occur again.
static void see_objects(struct checker *checker, const struct event_step *step, const struct known_site *known,
                        const struct site_value *value)
{
    uint32_t numbers[] = {known->site->owner == OWNER_OBJECT ? value->owner_object : 0,
                          value->encoding == VALUE_OBJECT ? value->cells[0] : 0};
    for (size_t i = 0; i < 2; i++) {
        if (numbers[i] && !places_see(&checker->places, numbers[i])) {
            checker->counts[OUTCOME_WRONG]++;
            printf("wrong, event %llu: object %u had got another number: ", (unsigned long long)checker->places.events,
                   numbers[i]);
            print_site(checker, step->thread->process, step->site);
            putchar('\n');
        }
    }
}

// Judges a use, and then takes its value as the last known one, so that one missed write does not count twice.
static void take_use(struct checker *checker, const struct event_step *step, const struct known_site *known,
                     struct activation *activation, const struct site_value *value)
{
    struct held is = places_hold(&checker->places, step, value, HOLDS_USE);
    struct held *place = places_find(&checker->places, step, known, activation, value);
    enum outcome outcome = OUTCOME_NO_PLACE;
    if (place) {
        struct held was = *place;
        outcome = judge(checker, step, known, activation, &was, &is);
        if (outcome == OUTCOME_WRONG) {
            report_wrong(checker, step, &was, &is);
        }
        if (outcome != OUTCOME_EQUAL) {
            is.epoch = place->epoch;
            *place = is;
        }
    }
    checker->counts[outcome]++;
    if (outcome >= OUTCOME_ADDRESS_TAKEN) {
        checker->explained[step->site]++;
    }
}

// A definition replaces the last known value of its place.
static void take_definition(struct checker *checker, const struct event_step *step, const struct known_site *known,
                            struct activation *activation, const struct site_value *value)
{
    struct held *place = places_find(&checker->places, step, known, activation, value);
    if (place) {
        struct held now = places_hold(&checker->places, step, value, HOLDS_DEFINITION);
        now.epoch = place->epoch;
        *place = now;
    }
}

// Handles the event of a site. Statements and results have no place to compare.
static enum clew_error take_site(struct checker *checker, const struct event_step *step)
{
    const struct known_site *known = places_site(&checker->places, step->thread->process, step->site);
    struct site_value value;
    if (++checker->places.events > checker->limit) {
        return CLEW_NOT_FOUND;
    }
    if (!known || known->site->kind == SITE_STATEMENT || known->site->kind == SITE_RESULT ||
        sites_take(checker->places.sites, step->thread->process, known->site, step->cells, step->cells_left, &value) ==
            UINT32_MAX) {
        return CLEW_OK;
    }
    struct activation *activation = places_activation(&checker->places, step);
    see_objects(checker, step, known, &value);
    if (known->site->kind == SITE_USE) {
        take_use(checker, step, known, activation, &value);
    } else if (known->site->kind != SITE_ALLOCATION) {
        take_definition(checker, step, known, activation, &value);
    }
    return CLEW_OK;
}

static enum clew_error take_step(void *context, const struct event_step *step)
{
    struct checker *checker = context;
    switch (step->kind) {
    case STEP_BEGIN:
        (void)places_activation(&checker->places, step);
        return CLEW_OK;
    case STEP_END:
        places_forget(&checker->places, step->frame);
        return CLEW_OK;
    case STEP_SITE:
        return take_site(checker, step);
    default:
        return CLEW_OK;
    }
}

// -- The program ------------------------------------------------------------------------------------------------------

// Prints the sites with explained differences, to look for causes by hand.
static void report_explained(const struct checker *checker)
{
    for (uint32_t number = 0; number < checker->places.known_count; number++) {
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
        OUTCOMES(X)
#undef X
    };
    struct checker checker = {.limit = count > 2 ? strtoull(words[2], NULL, 10) : UINT64_MAX};
    if (count < 2) {
        fprintf(stderr, "usage: consistency FILE [EVENTS]\n");
        return 2;
    }
    enum clew_error error = places_open(&checker.places, words[1]);
    if (error == CLEW_OK) {
        checker.explained = must(calloc(checker.places.known_count + (size_t)1, sizeof *checker.explained));
        error = timeline_run(checker.places.recording,
                             &(struct timeline_options){.to = UINT64_MAX, .step = take_step, .context = &checker});
    }
    if (error != CLEW_OK && checker.places.events <= checker.limit) {
        fprintf(stderr, "consistency: %s: %s\n", words[1], clew_error_sentence(error));
        return 2;
    }
    if (count > 3) {
        report_explained(&checker);
    }
    printf("%llu events\n", (unsigned long long)checker.places.events);
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        printf("%llu %s\n", (unsigned long long)checker.counts[i], names[i]);
    }
    free(checker.explained);
    places_close(&checker.places);
    return checker.counts[OUTCOME_WRONG] ? 1 : 0;
}
