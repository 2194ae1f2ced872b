// The documents `files` and `source`: the source with counts and times. Source text comes from the recording alone.
#include "base/assert.h"
#include "model/lines.h"
#include "trace/instrument.h"
#include "view/json/json_rows.h"
#include "view/page/page_documents.h"
#include "view/report/report_lines.h"

// Whether statements were counted. With values alone there are the places of statements and no counts.
static bool counted(const struct page *page)
{
    return page->model->session.instruments & (INSTRUMENT_LINES | INSTRUMENT_STATEMENTS);
}

// The sums of one file.
struct sum {
    uint64_t count, own;
};

static const char *state_name(enum source_state state)
{
    static const char *const names[] = {"verified", "missing", "differs", "too_large", "unchecked"};
    static_assert(sizeof names / sizeof *names == SOURCE_SAME, "a name for each state but SAME");
    CLEW_ASSERT(state < SOURCE_SAME && "sources_state() says what it is the same as");
    return names[state];
}

static void write_file(struct page *page, struct json *json, uint32_t number, const struct sum *sum)
{
    const struct recording_document *document = page->places.documents[number];
    uint32_t lines = sources_line_count(page->sources, document);
    json_line(json);
    json_open(json, '{');
    json_member_u64(json, "document", number);
    json_member_text(json, "path", document->path);
    json_member_text(json, "state", text_of(state_name(sources_state(page->sources, document))));
    json_member_maybe(json, "lines", lines, lines > 0);
    json_member_maybe(json, "count", sum->count, counted(page));
    json_member_maybe(json, "own_ns", model_ns(page->model, sum->own), page->lines.has_time);
    json_close(json, '}');
}

// Loads what both documents need, or refuses, since the recording has no source.
static enum clew_error need_files(struct page *page, struct page_answer *answer)
{
    CLEW_TRY(page_need_places(page));
    if (page->places.count == 0) {
        page_refuse(answer, 422, "this recording has no lines of the source");
        page_cure_record(answer, page->model, "lines");
        return CLEW_OK;
    }
    CLEW_TRY(page_need_sources(page));
    return page_need_lines(page);
}

static void write_done(const struct page *page, struct json *json)
{
    double done = page_lines_done(page);
    json_member_bool(json, "exact", done == 1);
    if (done < 1) {
        json_share_member(json, "done", done);
    }
}

enum clew_error page_files(struct page *page, const struct page_query *query, struct json *json,
                           struct page_answer *answer)
{
    (void)query; // it has no parameters
    CLEW_TRY(need_files(page, answer));
    if (answer->status != 200) {
        return CLEW_OK;
    }
    struct buffer room = {0};
    struct sum *sums = (struct sum *)(void *)buffer_extend(&room, page->places.count * sizeof *sums);
    if (!sums) {
        return CLEW_NO_MEMORY;
    }
    memset(sums, 0, page->places.count * sizeof *sums);
    for (size_t i = 0; i < page->lines.count; i++) {
        uint32_t number = page_places_number(&page->places, page->lines.rows[i].document);
        if (number * sizeof *sums < room.size) { // others are not listed
            sums[number].count += page->lines.rows[i].count;
            sums[number].own += page->lines.rows[i].own;
        }
    }
    write_done(page, json);
    json_key(json, "files");
    json_open(json, '[');
    for (uint32_t i = 0; i * sizeof *sums < room.size; i++) {
        write_file(page, json, i, &sums[i]);
    }
    json_close(json, ']');
    buffer_free(&room);
    return CLEW_OK;
}

static void write_row(struct page *page, struct json *json, const struct line_row *row)
{
    uint32_t method = catalog_find_method(&page->model->catalog, row->process, row->method);
    json_line(json);
    json_open(json, '{');
    json_member_u64(json, "line", row->site->start_line);
    json_member_u64(json, "column", row->site->start_column);
    json_member_u64(json, "end_line", row->site->end_line);
    json_member_u64(json, "end_column", row->site->end_column);
    json_member_maybe(json, "count", row->count, counted(page));
    json_member_maybe(json, "own_ns", model_ns(page->model, row->own), page->lines.has_time);
    json_key(json, "method");
    if (method == CATALOG_NONE) {
        json_null(json);
    } else {
        json_text(json, page->model->catalog.methods[method].record.name);
    }
    json_close(json, '}');
}

static void write_text(struct page *page, struct json *json, const struct recording_document *document)
{
    uint32_t count = sources_line_count(page->sources, document);
    json_key(json, "text");
    if (count == 0) {
        json_null(json);
        json_member_text(json, "why", text_of(lines_no_source(sources_state(page->sources, document))));
        return;
    }
    json_open(json, '[');
    for (uint32_t line = 1; line <= count; line++) {
        json_text(json, sources_line(page->sources, document, line));
    }
    json_close(json, ']');
    json_key(json, "why");
    json_null(json);
}

enum clew_error page_source(struct page *page, const struct page_query *query, struct json *json,
                            struct page_answer *answer)
{
    bool bad = false;
    uint32_t number = (uint32_t)page_query_number(query, "document", PAGE_NO_DOCUMENT, UINT32_MAX, &bad);
    CLEW_TRY(need_files(page, answer));
    if (answer->status != 200) {
        return CLEW_OK;
    }
    if (bad || number >= page->places.count) {
        page_refuse(answer, 404, "there is no source with this number");
        buffer_text(&answer->cure, "The document files lists the numbers.");
        return CLEW_OK;
    }
    const struct recording_document *document = page->places.documents[number];
    write_done(page, json);
    json_member_text(json, "path", document->path);
    write_text(page, json, document);
    json_key(json, "lines");
    json_open(json, '[');
    for (size_t i = 0; i < page->lines.count; i++) {
        if (page_places_number(&page->places, page->lines.rows[i].document) == number) {
            write_row(page, json, &page->lines.rows[i]);
        }
    }
    json_close(json, ']');
    return CLEW_OK;
}
