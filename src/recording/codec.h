// Payloads of blocks: between recording.h's structures and bytes. Decoders believe nothing: they check every count
// against the bytes that are there. The layouts are described in doc/recording.md.
#ifndef CLEW_RECORDING_CODEC_H
#define CLEW_RECORDING_CODEC_H

#include "base/bytes.h"
#include "recording/block.h"
#include "recording/reader.h"
#include "recording/recording.h"

void codec_encode_session(struct buffer *into, const struct recording_session *session);
void codec_encode_process(struct buffer *into, const struct recording_process *process);
void codec_encode_module(struct buffer *into, const struct recording_module *module);
void codec_encode_method(struct buffer *into, const struct recording_method *method);
void codec_encode_thread(struct buffer *into, const struct recording_thread *thread);
void codec_encode_not_woven(struct buffer *into, const struct recording_not_woven *method);
void codec_encode_note(struct buffer *into, const struct recording_note *note);
void codec_encode_end(struct buffer *into, const struct recording_end *end, uint64_t index_offset);

// Texts are borrowed from the payload. Bytes after the last known field are ignored.
bool codec_decode_session(struct bytes payload, struct recording_session *out);
bool codec_decode_end(struct bytes payload, struct recording_end *out, uint64_t *index_offset);
// Fills the union's member of that type; false also for types that are no definitions.
bool codec_decode_definition(enum recording_type type, struct bytes body, struct recording_record *out);
bool codec_is_definition(uint64_t type);

// One framed record of a DEFINITIONS block.
struct codec_definition {
    uint64_t type;
    uint64_t number;
    struct bytes body;
};
// number: in, of the record before; expected + step comes out in the definition.
void codec_encode_framed(struct buffer *into, const struct codec_definition *definition, uint64_t expected);
bool codec_decode_framed(struct bytes *payload, uint64_t expected, struct codec_definition *out);

void codec_encode_index_entry(struct buffer *into, const struct recording_block *entry,
                              const struct recording_block *before);
bool codec_decode_index_entry(struct bytes *payload, const struct recording_block *before, struct recording_block *out);

// columns.c

// Where a payload's columns end: a hint for the compressor, which does better with tables for each.
struct codec_splits {
    size_t at[16];
    size_t count;
};

// Reused from block to block, so that nothing is allocated once they are large enough. Zero-initialise.
struct codec_columns {
    struct buffer tokens, clocks, numbers, stacks;
};
void codec_columns_free(struct codec_columns *columns);
// False when memory runs out.
bool codec_encode_events(struct buffer *into, const struct recording_events *events, struct codec_columns *scratch,
                         struct codec_splits *splits);
void codec_encode_nodes(struct buffer *into, const struct recording_tree *tree, uint32_t first, uint32_t count,
                        struct codec_splits *splits);

// Arrays that decoded blocks live in, reused. Zero-initialise.
struct codec_arrays {
    struct recording_event *events;
    size_t events_room;
    uint32_t *open, *stacks;
    size_t open_room, stacks_room;
    uint64_t *open_clock;
    size_t open_clock_room;
    struct recording_node *nodes;
    size_t nodes_room;
};
void codec_arrays_free(struct codec_arrays *arrays);

// OK, DAMAGED or NO_MEMORY.
enum clew_error codec_decode_events(const struct block_header *header, struct bytes payload,
                                    struct codec_arrays *arrays, struct recording_events *out);
// Appends a part's nodes; out->count is how many are there already, 0 before the first part.
enum clew_error codec_decode_nodes(const struct block_header *header, struct bytes payload, struct codec_arrays *arrays,
                                   struct recording_tree *out, uint32_t *total);

#endif
