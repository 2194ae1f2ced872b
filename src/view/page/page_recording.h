// The recording behind the documents of the room, and how a document refuses.
#ifndef CLEW_VIEW_PAGE_RECORDING_H
#define CLEW_VIEW_PAGE_RECORDING_H

#include <sys/types.h>

#include "model/events/event_blocks.h"
#include "model/events/summaries.h"
#include "model/lines.h"
#include "model/model.h"
#include "model/objects.h"
#include "model/sites.h"
#include "model/sources.h"
#include "view/json/json.h"
#include "view/page/page.h"
#include "view/page/page_places.h"
#include "view/page/page_query.h"

// The open file.
struct page {
    char *path;
    struct event_blocks events; // see page_need_events()
    struct model *model;        // of the whole session, one tree for each process
    struct sites *sites;        // NULL: not loaded
    struct sources *sources;    // NULL: not loaded
    const struct source_places *source_places;
    struct page_places places;
    struct line_counts *line_counts; // NULL: not begun
    struct lines lines;              // of what is counted
    bool has_places, has_lines;      // they are loaded; has_lines: all of them
    struct objects *objects;         // NULL: not loaded
    struct summaries *summaries;     // of blocks; NULL: not begun
    bool summarised;                 // all of them
    dev_t device;
    ino_t file;
    uint64_t seen_size;    // of the file when it was loaded
    uint64_t generation;   // from 1; counts what was loaded
    uint64_t replaced_at;  // the generation at which another file took its place; 0: never
    uint64_t load_ns;      // how long loading took
    uint64_t loaded_at;    // monotonic ns
    bool growing;          // its end is missing, and it was written to lately
    atomic_bool cancelled; // see page_cancel()
};

// A document: writes its members into the open object. An error is answered with a status of its own; with the status set,
// the result is CLEW_OK.
typedef enum clew_error page_write(struct page *page, const struct page_query *query, struct json *json,
                                   struct page_answer *answer);

// Refuses: sets the status and the error's sentence.
void page_refuse(struct page_answer *answer, unsigned status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Sets the cure: `clew record -i INSTRUMENTS -- COMMAND`.
void page_cure_record(struct page_answer *answer, const struct model *model, const char *instruments);
// Appends such a command.
void page_record_command(struct buffer *into, const struct model *model, const char *instruments);

// Lists the blocks of events that were not listed yet: page->events has them all then.
enum clew_error page_need_events(struct page *page);
// Load what is needed on first use.
enum clew_error page_need_sites(struct page *page);
enum clew_error page_need_sources(struct page *page);
enum clew_error page_need_objects(struct page *page);
// Begins summaries, and works on them for a limited time; page_work() goes on. Later documents have more of them.
enum clew_error page_need_summaries(struct page *page);
enum clew_error page_need_places(struct page *page); // with the sites
// Counts lines for a limited time, as page_need_summaries(); none if the recording has no statements.
enum clew_error page_need_lines(struct page *page);
double page_lines_done(const struct page *page); // the share of the recording that is counted, 0 to 1

#endif
