// Encodes and decodes the payloads of blocks: between the structures of recording.h and bytes. Decoders do not trust
// the payload: each count is checked against the bytes that are there before memory is allocated for it. An invalid
// checksum is found earlier, so these checks matter for files of a broken or hostile writer. The layouts are described
// in doc/recording.md.
#ifndef CLEW_RECORDING_CODEC_H
#define CLEW_RECORDING_CODEC_H

#include "base/bytes.h"
#include "recording/block.h"
#include "recording/cells.h"
#include "recording/reader.h"
#include "recording/recording.h"

// The part of a text that is written: at most RECORDING_TEXT_MAX bytes, not ending inside a character.
struct text codec_cut_text(struct text text);

void codec_encode_session(struct buffer *into, const struct recording_session *session);
void codec_encode_process(struct buffer *into, const struct recording_process *process);
void codec_encode_module(struct buffer *into, const struct recording_module *module);
void codec_encode_method(struct buffer *into, const struct recording_method *method);
void codec_encode_thread(struct buffer *into, const struct recording_thread *thread);
void codec_encode_not_woven(struct buffer *into, const struct recording_not_woven *method);
void codec_encode_note(struct buffer *into, const struct recording_note *note);
void codec_encode_sites(struct buffer *into, const struct recording_sites *sites);
void codec_encode_document(struct buffer *into, const struct recording_document *document);
void codec_encode_type(struct buffer *into, const struct recording_value_type *type);
void codec_encode_compiled(struct buffer *into, const struct recording_compiled *compiled);
void codec_encode_points(struct buffer *into, const struct recording_points *points);
void codec_encode_exception(struct buffer *into, const struct recording_exception *exception);
void codec_encode_async(struct buffer *into, const struct recording_async *async);
void codec_encode_source(struct buffer *into, const struct recording_source *source);
void codec_encode_end(struct buffer *into, const struct recording_end *end, uint64_t index_offset);

// Texts are borrowed from the payload. Bytes behind the last known field are ignored, and missing fields read as 0 or empty:
// later versions append fields.
bool codec_decode_session(struct bytes payload, struct recording_session *out);
bool codec_decode_source(const struct block_header *header, struct bytes payload, struct recording_source *out);
bool codec_decode_end(struct bytes payload, struct recording_end *out, uint64_t *index_offset);
// Fills in the union's member for the type; false when malformed, or when the type is not a definition. PATHS have a decoder
// of their own.
bool codec_decode_definition(enum recording_type type, struct bytes body, struct recording_record *out);
enum { // 1 << type of the records in DEFINITIONS blocks
    CODEC_DEFINITIONS = 1u << RECORDING_PROCESS | 1u << RECORDING_MODULE | 1u << RECORDING_METHOD |
                        1u << RECORDING_THREAD | 1u << RECORDING_NOT_WOVEN | 1u << RECORDING_NOTE |
                        1u << RECORDING_SITES | 1u << RECORDING_DOCUMENT | 1u << RECORDING_TYPE |
                        1u << RECORDING_ASYNC | 1u << RECORDING_PATHS | 1u << RECORDING_EXCEPTION |
                        1u << RECORDING_COMPILED | 1u << RECORDING_POINTS
};
bool codec_is_definition(uint64_t type);

// One framed record of a DEFINITIONS block.
struct codec_definition {
    uint64_t type;
    uint64_t number;
    struct bytes body;
};
// No writer reaches this number. A larger one is refused: a writer that continues the file would overflow behind it.
#define CODEC_NUMBER_MAX ((uint64_t)INT64_MAX)
// `expected`: the number of the record before + 1. Records store the difference to it, mostly 0.
void codec_encode_framed(struct buffer *into, const struct codec_definition *definition, uint64_t expected);
bool codec_decode_framed(struct bytes *payload, uint64_t expected, struct codec_definition *out);

// Whether the header of a block of this type, and its index entry, count statements and values.
static inline bool codec_counts_sites(uint32_t type, uint32_t flags)
{
    return type == RECORDING_EVENTS && flags & BLOCK_SITES;
}
// `sites`: the BLOCK_SITES flag of the INDEX block. Without it no entry counts statements and values.
void codec_encode_index_entry(struct buffer *into, const struct recording_block *entry,
                              const struct recording_block *before);
bool codec_decode_index_entry(struct bytes *payload, const struct recording_block *before, bool sites,
                              struct recording_block *out);
// The index entry for the block at offset.
struct recording_block codec_index_entry(const struct block_header *header, uint64_t offset);

// One INDEX block of several, as the last one lists it.
struct codec_index_part {
    uint64_t size;   // of the INDEX block, header included
    uint32_t count;  // entries
    uint64_t begins; // offset of the first block that it lists
    // Of the EVENTS blocks that it lists: the earliest and the latest clock. UINT64_MAX and 0 if it lists none.
    uint64_t first_clock, last_clock;
};
enum { CODEC_INDEX_PART_LEAST = 5 }; // bytes of an encoded one
void codec_encode_index_part(struct buffer *into, const struct codec_index_part *part,
                             const struct codec_index_part *before);
bool codec_decode_index_part(struct bytes *payload, const struct codec_index_part *before,
                             struct codec_index_part *out);

// Offsets in a payload where its columns end. The writer compresses each column as a block of its own, with its own tables.
struct codec_splits {
    size_t at[16];
    size_t count;
};

// encode_events.c, decode_events.c

// Buffers of the encoder, reused from block to block, so that it allocates nothing once they are large enough.
// Zero-initialise.
struct codec_columns {
    struct buffer column[COLUMNS_WITH_SITES];
    struct buffer steps; // uint64_t: differences of clocks
    struct cell_table sites;
    struct buffer met; // uint32_t: the sites of the block encoded last, in the order of first occurrence
};
void codec_columns_free(struct codec_columns *columns);
// Adds to the header what sites and boxes need. MALFORMED when one is not in `layouts` (NULL: none are), or the cells
// are not exactly what its events have; UNSUPPORTED when words do not fit.
enum clew_error codec_encode_events(struct buffer *into, const struct recording_events *events,
                                    const struct site_layouts *layouts, struct codec_columns *scratch,
                                    struct codec_splits *splits, struct block_header *header);

// codec_boxes.c: encodes the contents of the boxes that the events refer to. MALFORMED when an event's box has no recorded
// content, or bytes of it are missing.
enum clew_error codec_encode_boxes(struct buffer *into, const struct recording_events *events);

// nodes.c, codec_objects.c

void codec_encode_nodes(struct buffer *into, const struct recording_tree *tree, uint32_t first, uint32_t count,
                        struct codec_splits *splits);

// tree_changes.c
void codec_encode_changes(struct buffer *into, const struct recording_tree_changes *changes,
                          struct codec_splits *splits);

// codec_throws.c
void codec_encode_throws(struct buffer *into, const struct recording_throws *throws, struct codec_splits *splits);

// codec_runs.c
void codec_encode_paths(struct buffer *into, const struct recording_paths *paths);
// `count` of the runs, from `first` on.
void codec_encode_runs(struct buffer *into, const struct recording_runs *runs, uint32_t first, uint32_t count,
                       struct codec_splits *splits);

// Numbers of objects and their texts: header->count of them; adds to the header what links need. Counters, which ascend by
// site.
void codec_encode_objects(struct buffer *into, const struct recording_object *objects, struct codec_splits *splits,
                          struct block_header *header);
void codec_encode_counters(struct buffer *into, const struct recording_counter *counters, uint32_t count,
                           struct codec_splits *splits);

// Arrays that hold the decoded block, reused for the next one. Zero-initialise.
struct codec_arrays {
    struct recording_event *events;
    size_t events_room;
    uint32_t *open, *stacks;
    size_t open_room, stacks_room;
    uint64_t *open_clock;
    size_t open_clock_room;
    uint64_t *open_number;
    size_t open_number_room;
    uint64_t *open_serial;
    size_t open_serial_room;
    struct recording_node *nodes;
    size_t nodes_room;
    uint32_t *cells;
    size_t cells_room;
    struct recording_object *objects;
    size_t objects_room;
    struct recording_counter *counters;
    size_t counters_room;
    struct recording_node_change *changes;
    size_t changes_room;
    struct recording_throw *throws;
    size_t throws_room;
    struct recording_path *paths;
    size_t paths_room;
    struct recording_run *runs;
    size_t runs_room;
    struct recording_latency *latencies;
    size_t latencies_room;
    struct recording_box *boxes;
    size_t boxes_room;
    uint32_t *box_cells;
    size_t box_cells_room;
    struct recording_site_set *site_sets;
    size_t site_sets_room;
    uint32_t *site_groups;
    size_t site_groups_room;
    struct cell_table sites;
    bool without_payloads;                 // AT_SITE events are decoded without theirs
    const struct recording_search *search; // NULL: events are decoded; else they are only searched
};
void codec_arrays_free(struct codec_arrays *arrays);
// Makes *array at least count elements long, and never NULL. False when memory runs out.
bool codec_grow(void **array, size_t *have, size_t count, size_t size);
#define CODEC_GROW(array, have, count) codec_grow((void **)&(array), &(have), (count), sizeof *(array))

// The decoders return OK, DAMAGED or NO_MEMORY. The result borrows from `arrays` and the payload.
enum clew_error codec_decode_events(const struct block_header *header, struct bytes payload,
                                    struct codec_arrays *arrays, struct recording_events *out);
// Decodes the boxes of a block with out->count events, from the front of the payload.
enum clew_error codec_decode_boxes(struct bytes *payload, struct codec_arrays *arrays, struct recording_events *out);
// Appends a part's nodes; out->count is how many came before, 0 before the first part. The array has them but the first
// `dropped`.
enum clew_error codec_decode_nodes(const struct block_header *header, struct bytes payload, struct codec_arrays *arrays,
                                   uint32_t dropped, struct recording_tree *out, uint32_t *total);
enum clew_error codec_decode_changes(const struct block_header *header, struct bytes payload,
                                     struct codec_arrays *arrays, struct recording_tree_changes *out);
enum clew_error codec_decode_paths(struct bytes body, struct codec_arrays *arrays, struct recording_paths *out);
// Appends a part's runs; out->count is how many came before, 0 before the first part.
enum clew_error codec_decode_runs(const struct block_header *header, struct bytes payload, struct codec_arrays *arrays,
                                  struct recording_runs *out);
enum clew_error codec_decode_throws(const struct block_header *header, struct bytes payload,
                                    struct codec_arrays *arrays, struct recording_throws *out);
enum clew_error codec_decode_objects(const struct block_header *header, struct bytes payload,
                                     struct codec_arrays *arrays, struct recording_objects *out);
// The block is at `offset` in the file.
enum clew_error codec_decode_site_sets(const struct block_header *header, uint64_t offset, struct bytes payload,
                                       struct codec_arrays *arrays, struct recording_site_sets *out);
enum clew_error codec_decode_counters(const struct block_header *header, struct bytes payload,
                                      struct codec_arrays *arrays, struct recording_counters *out);

#endif
