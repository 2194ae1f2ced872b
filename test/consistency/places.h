// What a recording says about sites, objects and places: which value each place holds as far as its events tell.
#ifndef CLEW_TEST_CONSISTENCY_PLACES_H
#define CLEW_TEST_CONSISTENCY_PLACES_H

#include "base/map.h"
#include "code.h"
#include "model/objects.h"
#include "model/sites.h"
#include "model/timeline.h"

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
    struct activation *made; // before it
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
    bool looked_up, taken, garbage, is_reference;
};

struct sighting {
    uint64_t first, last; // events
    uint32_t same_as;     // the older number of the same object
    bool gone;            // a newer one has taken over
};

struct places {
    struct model *model;
    struct sites *sites;
    struct objects *objects;
    struct code code;
    struct known_site *known; // by number
    uint32_t known_count;
    struct map index; // of a place that activations share -> in held
    struct held *held;
    size_t held_count, held_room;
    struct sighting *sightings; // by number of the object
    uint32_t sighting_count;
    size_t sighting_room;
    struct activation *free, *made;
    uint32_t turn;
    uint64_t events; // so far
    uint64_t renumbered_at;
};

// Ends the program without memory.
void *must(void *memory);

enum clew_error places_open(struct places *places, const char *path);
void places_close(struct places *places);

// NULL: not defined.
const struct known_site *places_site(struct places *places, uint32_t process, uint32_t number);
const struct catalog_method *places_method(const struct places *places, uint32_t process, uint32_t site);

// The object is met by this number. False: it goes by a newer one since.
bool places_see(struct places *places, uint32_t object);
uint32_t places_oldest_number(const struct places *places, uint32_t object);
// Whether the newer number can be the older one's object after a collection: nobody has seen both at a time.
bool places_renumbered(struct places *places, uint32_t process, uint32_t older, uint32_t newer);

struct held places_hold(const struct places *places, const struct timeline_step *step, const struct site_value *value,
                        enum holding holding);
bool places_same_value(const struct places *places, const struct held *left, const struct held *right);

// Of the step's frame, made at first; NULL outside of any.
struct activation *places_activation(struct places *places, const struct timeline_step *step);
void places_forget(struct places *places, struct stream_frame *frame);

// NULL: it cannot be told which place it is.
struct held *places_find(struct places *places, const struct timeline_step *step, const struct known_site *known,
                         struct activation *activation, const struct site_value *value);
// Of a field in a variable: all of the variable. Of others: NULL.
const struct held *places_whole(const struct known_site *known, struct activation *activation);
// When a part of the variable was last written; 0: never, or the site is of no variable.
uint64_t places_newest_part(const struct known_site *known, const struct activation *activation);

#endif
