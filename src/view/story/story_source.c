// See story_source.h.
#include "view/story/story_source.h"

#include "base/assert.h"
#include "model/source_text.h"

// Limits for a statement of several lines: characters in total, and lines to look at.
enum { JOINED_MAX = 100, LINES_MAX = 1000 };

// The part of a source line that belongs to the statement.
static struct text part_of(const struct replay_context *context, const struct recording_document *document,
                           const struct site *site, uint32_t line)
{
    struct text whole = sources_line(context->sources, document, line);
    size_t start = line == site->start_line ? source_text_offset(whole, site->start_column) : 0;
    size_t end = line == site->end_line ? source_text_offset(whole, site->end_column) : whole.size;
    bool inside = end <= whole.size && start < end;
    return text_trimmed(inside ? (struct text){whole.at + start, end - start} : whole);
}

void story_source(const struct replay_context *context, const struct event_step *step, const struct site *site,
                  struct buffer *into)
{
    const struct recording_document *document = replay_document(context, step, site);
    if (!site->start_line) {
        buffer_printf(into, "IL_%04x", site->il_offset);
        return;
    }
    size_t begun = into->size;
    uint32_t lines = document ? sources_line_count(context->sources, document) : 0;
    uint32_t last = site->end_line < lines ? site->end_line : lines;
    for (uint32_t line = site->start_line; line <= last && !into->failed; line++) {
        struct text part = part_of(context, document, site, line);
        CLEW_ASSERT(into->size >= begun);
        bool first = line == site->start_line;
        if (!first && (into->size - begun + part.size > JOINED_MAX || line - site->start_line >= LINES_MAX)) {
            buffer_text(into, " ...");
            return;
        }
        buffer_text(into, first || !part.size ? "" : " ");
        buffer_append(into, part.at, part.size);
    }
}
