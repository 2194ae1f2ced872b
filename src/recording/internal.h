// Shared by the parts of the writer: writer.c makes the file and its blocks, records.c their payloads, resume.c
// continues the file of a dead writer, parts.c begins a new file. Functions with two underscores are called by these
// files alone.
#ifndef CLEW_RECORDING_INTERNAL_H
#define CLEW_RECORDING_INTERNAL_H

#include "base/map.h"
#include "recording/block.h"
#include "recording/codec.h"
#include "recording/definitions.h"
#include "recording/index_writer.h"
#include "recording/site_layouts.h"
#include "recording/site_set_writer.h"
#include "recording/writer.h"

// Where the next blocks of a thread continue.
struct stream {
    uint32_t process;
    uint64_t position, sequence; // of its EVENTS
    uint64_t newest;             // offset of the newest of them
    uint64_t trees;              // sequence of its next TREE
    bool started;                // has EVENTS
};

// `size` is where the next block goes. After a failed write `failed` is set and nothing more is written.
struct recording_writer {
    int fd;
    enum clew_error failed; // the first failed write, for ever after
    uint64_t size, salt;
    bool ended; // the file goes on after `size`, by INDEX and END; they give way to the next block
    struct ZSTD_CCtx_s *zstd;
    struct buffer session; // its payload, for copies
    struct buffer gathered;
    uint32_t gathered_count;
    uint64_t numbered; // definitions so far: the number of the next
    struct definitions definitions;
    uint64_t copy_every, copy_at; // bytes between copies; file size that asks for the next
    struct buffer body, payload, block;
    struct codec_columns columns;
    struct codec_splits splits; // of payload
    struct map stream_of;       // process << 32 | thread: position in streams
    struct stream *streams;
    size_t stream_count, stream_room;
    struct map layouts_of; // process: position in layouts
    struct site_layouts *layouts;
    size_t layouts_count, layouts_room;
    struct index_writer index;
    struct site_set_writer site_sets;
};

// writer.c
enum clew_error writer__new(struct recording_writer **out);
void writer__free(struct recording_writer *writer);
// Comes before each large block: writes the gathered definitions, and copies of all when they are due.
enum clew_error writer__prepare(struct recording_writer *writer);
// An empty payload to be filled.
struct buffer *writer__payload(struct recording_writer *writer);
// Completes the header, appends the block, and lists it in the index.
enum clew_error writer__block(struct recording_writer *writer, struct block_header header,
                              const struct buffer *payload);
// Gathers the sites of the EVENTS block that was just written at `offset`.
void writer__learn_block_sites(struct recording_writer *writer, uint64_t offset, uint32_t process);
// Appends a block of another file as it is stored there.
enum clew_error writer__stored_block(struct recording_writer *writer, const struct block_header *header,
                                     const struct buffer *stored);
// Appends an index and END.
enum clew_error writer__end(struct recording_writer *writer, const struct recording_end *end);
// Repeats SESSION and all definitions that are valid.
enum clew_error writer__repeat_definitions(struct recording_writer *writer);
// Lists the block at `offset` in the index, unless it is of a type that the index does not list.
void writer__index_block(struct recording_writer *writer, const struct block_header *header, uint64_t offset);
// Completes a part of the index that is due. Not between the parts of a tree, which resume.c may have to remove together.
enum clew_error writer__split_index(struct recording_writer *writer);
// Takes the definition whose body was just encoded into writer->body.
enum clew_error writer__gather(struct recording_writer *writer, enum recording_type type);

// records.c
// The thread's stream, made when new; NULL when memory runs out.
struct stream *writer__stream(struct recording_writer *writer, uint32_t process, uint32_t thread);
// Remembers the payload layouts of these sites. Sites that cannot be decoded count as not defined.
enum clew_error writer__learn_sites(struct recording_writer *writer, const struct recording_sites *sites);
// The same for an encoded definition of any type; only sites need it.
enum clew_error writer__learn_definition(struct recording_writer *writer, const struct codec_definition *definition);

#endif
