// The sites, objects and places of a recording, and the value of each place after the events so far.
#ifndef CLEW_TEST_CONSISTENCY_PLACES_H
#define CLEW_TEST_CONSISTENCY_PLACES_H

#include "base/map.h"
#include "code.h"
#include "model/events/timeline.h"
#include "model/model.h"
#include "model/objects.h"
#include "model/sites.h"

enum holding { HOLDS_NOTHING, HOLDS_DEFINITION, HOLDS_USE, HOLDS_UNKNOWN };

// The last known value of a place.
struct held {
    uint64_t bits; // of the value; a hash if it has more than eight bytes
    uint64_t when; // number of the event
    uint32_t size, site, epoch;
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
    struct activation *next; // in the list of free activations
    struct activation *made; // in the list of all activations
    uint32_t epoch;          // distinguishes its values from those of the activation that used this memory before
    bool joined;             // it ran already when the recording began
    struct variables locals, parameters;
    struct part *parts;
    uint32_t part_count;
    size_t part_room;
};

// Facts about a site that are needed for each event.
struct known_site {
    const struct site *site;
    uint64_t field; // identity
    uint32_t facts; // enum field_fact of the field
    uint32_t load;  // the module's number; 0: of another module, or of a generic type
    bool looked_up, taken, garbage, is_reference;
};

struct sighting {
    uint64_t first, last; // events
    uint32_t same_as;     // the older number of the same object
    bool gone;            // a newer number replaced it
};

struct places {
    struct recording *recording;
    struct model *model;
    struct sites *sites;
    struct objects *objects;
    struct code code;
    struct known_site *known; // by number
    uint32_t known_count;
    struct map index; // place that activations share -> index in held
    struct held *held;
    size_t held_count, held_room;
    struct sighting *sightings; // by number of the object
    uint32_t sighting_count;
    size_t sighting_room;
    struct activation *free, *made;
    uint32_t epoch;
    uint64_t events; // so far
    uint64_t renumbered_at;
};

// Ends the program if memory is NULL.
void *must(void *memory);

enum clew_error places_open(struct places *places, const char *path);
void places_close(struct places *places);

// NULL: the site is not defined.
const struct known_site *places_site(struct places *places, uint32_t process, uint32_t number);
const struct catalog_method *places_method(const struct places *places, uint32_t process, uint32_t site);

// Notes that an event names the object. False: a newer number replaced this one.
bool places_see(struct places *places, uint32_t object);
uint32_t places_oldest_number(const struct places *places, uint32_t object);
// Whether the newer number can be that of the older one's object after a collection: the events show them at different times.
bool places_renumbered(struct places *places, uint32_t process, uint32_t older, uint32_t newer);

struct held places_hold(const struct places *places, const struct event_step *step, const struct site_value *value,
                        enum holding holding);
bool places_same_value(const struct places *places, const struct held *left, const struct held *right);

// The activation of the step's frame, created if needed. NULL: the step is in no frame.
struct activation *places_activation(struct places *places, const struct event_step *step);
void places_forget(struct places *places, struct stream_frame *frame);

// NULL: the place is not known.
struct held *places_find(struct places *places, const struct event_step *step, const struct known_site *known,
                         struct activation *activation, const struct site_value *value);
// For a field in a variable, the whole variable; otherwise NULL.
const struct held *places_whole(const struct known_site *known, struct activation *activation);
// The event that last wrote a part of the variable; 0: none, or the site has no variable.
uint64_t places_newest_part(const struct known_site *known, const struct activation *activation);

#endif
