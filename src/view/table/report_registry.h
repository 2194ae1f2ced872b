// The reports of a recording: one registry for the verbs `report` and `export` and for the page.
#ifndef CLEW_VIEW_REPORT_REGISTRY_H
#define CLEW_VIEW_REPORT_REGISTRY_H

#include "view/json/json.h"
#include "view/table/table_rows.h"

// What a report is made from. It decides which part of the recording a user can choose for it.
enum report_base {
    REPORT_OF_TREES,  // the model's call trees: a range and threads are chosen when the model is loaded
    REPORT_OF_FILE,   // a pass over the file: it is known for the whole recording only
    REPORT_OF_EVENTS, // a pass over the streams, without the model's trees; too long for anything but a file
};

// Options that some reports take. The others refuse them.
enum report_option {
    REPORT_TOP = 1 << 0,
    REPORT_SORT = 1 << 1,         // by own, cpu, total or calls
    REPORT_SORT_METHODS = 1 << 2, // by what methods alone have: min, mean, max, name
    REPORT_MIN_TIME = 1 << 3,
    REPORT_DEPTH = 1 << 4,
    REPORT_THREADS = 1 << 5,
    REPORT_SOURCES = 1 << 6,   // it prints sources
    REPORT_PHYSICAL = 1 << 7,  // it shows what async methods called, or counts them
    REPORT_ROOT = 1 << 8,      // it shows activations of chosen methods
    REPORT_METHODS = 1 << 9,   // it shows paths or methods of call trees, of which some can be chosen
    REPORT_COVERAGE = 1 << 11, // it can list methods beside files
    REPORT_OF = 1 << 10,       // it is about chosen methods, and shows nothing without them
};

// A report. What is NULL is made from its table.
struct report {
    const char *name;          // for --by
    uint32_t takes;            // enum report_option
    const struct table *table; // NULL: it has none
    enum clew_error (*text)(const struct view *view, struct model *model);
    enum clew_error (*json)(const struct view *view, struct model *model, struct json *json); // members
    enum report_base base;
    uint32_t needs;                           // one of these instruments; 0: any
    const char *instrument;                   // one that has it; NULL: any
    const char *lacks;                        // what a recording without it does not have; NULL: the name
    bool (*known)(const struct model *model); // whether the model has it; NULL: if the instruments do
    bool bare;                                // as text it is nothing but its format: caveats go to stderr
    bool threads_apart;                       // as a file it has each thread's tree
    bool on_page;                             // the page has it although it is no table
};

// All reports, in the order in which help lists them; the first is the default. The last has no name.
extern const struct report reports[];
// NULL: there is none of that name.
const struct report *report_named(struct text name);
// Whether the recording has the instruments for it.
bool report_has(const struct report *report, const struct model *model);

// Who has a report: the verb `report`; the verb `export`, whose files are tables; the page, which gets the JSON of tables.
enum report_place { REPORT_PRINTED, REPORT_IN_FILES, REPORT_ON_PAGE };
bool report_is(const struct report *report, enum report_place place);
// Appends the names of those: "methods (default), hot or lines". `standard` is the default; NULL: none is named so.
void report_list(struct buffer *into, enum report_place place, const struct report *standard);

// Appends the names of those that take the option. Returns their number.
uint32_t report_list_takers(struct buffer *into, uint32_t option);

// Prints a report to view->out, as text or as JSON, which doc/json.md defines. Errors of writing show in ferror() there.
// NOTHING_RECORDED: the recording has nothing for it. Otherwise NO_MEMORY and those of reading the recording.
enum clew_error report_text(const struct report *report, const struct view *view, struct model *model);
enum clew_error report_json(const struct report *report, const struct view *view, struct model *model);

#endif
