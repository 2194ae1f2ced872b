// Reads the records of an open recording (recording/handle.h): in a pass forward, block by block, or one by the offset of
// its block. Each reader has one decoded block of its pass in memory, and the one that it read by offset last. Damaged
// stretches are skipped to the next valid block and counted; a file that was cut at any byte can be read up to there.
// The model is the main user of this interface.
#ifndef CLEW_RECORDING_READER_H
#define CLEW_RECORDING_READER_H

#include "recording/handle.h"

// Not thread-safe. Several readers of one handle do not disturb each other.
struct recording_reader;

// A reader of an open recording, before its first block. NO_MEMORY.
enum clew_error recording_new_reader(struct recording *recording, struct recording_reader **out);
// Opens the file for this reader alone, which closes it. Errors are those of recording_open() too.
enum clew_error recording_open_reader(const char *path, struct recording_reader **out);
void recording_close_reader(struct recording_reader *reader);
// The handle that it reads.
struct recording *recording_of(const struct recording_reader *reader);

struct recording_record {
    enum recording_type type;
    uint64_t offset; // of its block in the file
    union {
        struct recording_process process;
        struct recording_module module;
        struct recording_method method;
        struct recording_thread thread;
        struct recording_not_woven not_woven;
        struct recording_tree tree;
        struct recording_tree_changes changes;
        struct recording_runs runs;
        struct recording_exception exception;
        struct recording_compiled compiled;
        struct recording_points points;
        struct recording_throws throws;
        struct recording_events events;
        struct recording_note note;
        struct recording_sites sites;
        struct recording_document document;
        struct recording_value_type value_type;
        struct recording_async async;
        struct recording_paths paths;
        struct recording_objects objects;
        struct recording_source source;
        struct recording_counters counters;
        struct recording_site_sets site_sets;
        struct recording_end end;
    };
};

// Reads the next record whose bit (1 << type) is in `types`; other blocks are skipped without being decoded or checked.
// NOT_FOUND at the end of the file. The record borrows from the reader until the next call.
enum clew_error recording_next(struct recording_reader *reader, uint32_t types, struct recording_record *out);
// Hands each of these records to `take`, in the order of the file, and adds what the pass has found to *health. Ends early with an
// error of `take`.
typedef enum clew_error recording_takes(void *context, const struct recording_record *record);
enum clew_error recording_each(struct recording *recording, uint32_t types, recording_takes *take, void *context,
                               struct recording_health *health);
// From now on, recording_next() skips the EVENTS blocks of threads for which this returns false. It neither reads nor
// checks them. NULL: it skips none.
typedef bool recording_wants(void *context, uint32_t process, uint32_t thread);
void recording_want_events(struct recording_reader *reader, recording_wants *wants, void *context);
// From now on, AT_SITE events come with their sites alone, without payloads: cell_count is 0. That takes a third of the time.
void recording_want_no_payloads(struct recording_reader *reader);
// From now on, EVENTS come with the activations that are open where they begin, and instead of events with `found`: whether
// one of these or of the calls that begin later is of a method that is searched for, or there are other events than entries, exits
// and sites. That takes a fourth of the time. The caller keeps the search, and may change it between two blocks.
void recording_want_calls_of(struct recording_reader *reader, const struct recording_search *search);
// From now on, `take` gets the nodes of each tree part by part, in order, so that they are never all in memory. The record
// then has their number alone. If a part is damaged or missing, those before it were passed on. An error of `take` is
// returned. NULL: the record has the nodes.
typedef enum clew_error recording_takes_nodes(void *context, const struct recording_node *nodes, uint32_t count);
void recording_want_tree_parts(struct recording_reader *reader, recording_takes_nodes *take, void *context);
// Begins a new pass at the first block (offset 0) or at the block at `offset`; blocks appended since are seen. A pass that
// begins in the middle gets later definitions and, with the next full copy in the file, all earlier ones.
enum clew_error recording_rewind(struct recording_reader *reader, uint64_t offset);
// The same at the first block, for a pass that visits only what it is asked for: it finds the blocks through the index, and
// looks at no others, not even at their headers. So it costs the same however much else is in the file, and knows of no damage
// but that of the blocks that it reads, and what recording_index_health() says.
enum clew_error recording_rewind_listed(struct recording_reader *reader);

// Reads one record by the offset of its block, which the index states. DAMAGED when no valid block of that type is there.
// Does not disturb the pass of the reader, nor its health. The record borrows from the reader until the next call of this
// function.
enum clew_error recording_read(struct recording_reader *reader, uint64_t offset, enum recording_type type,
                               struct recording_record *out);

// A whole pass that verifies the checksum of each block, without decoding payloads. Afterwards recording_health() counts all
// damage in the file, except for errors inside a payload whose checksum is right (a broken writer made them).
enum clew_error recording_check(struct recording_reader *reader);
// The same, and decodes each payload. NO_MEMORY and IO end it early.
enum clew_error recording_verify(struct recording_reader *reader);

// The health that the current pass has found so far. Payloads of types that the caller does not read are not checked, except
// for SESSION, INDEX and END.
struct recording_health recording_health(const struct recording_reader *reader);
// Adds the result of a pass to `all`. Each pass checks only the types that it reads, so the worst of each figure counts.
static inline void recording_meet(struct recording_health *all, const struct recording_health *pass)
{
    all->ended |= pass->ended;
    all->damaged = pass->damaged > all->damaged ? pass->damaged : all->damaged;
    all->damaged_bytes = pass->damaged_bytes > all->damaged_bytes ? pass->damaged_bytes : all->damaged_bytes;
    all->cut_bytes = pass->cut_bytes > all->cut_bytes ? pass->cut_bytes : all->cut_bytes;
    all->unknown = pass->unknown > all->unknown ? pass->unknown : all->unknown;
}
// Whether a checksum or a length was wrong. A file that was cut is not damaged.
static inline bool recording_is_damaged(const struct recording_health *health)
{
    return health->damaged > 0;
}

#endif
