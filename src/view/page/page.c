// The table of documents, and how one is made. See page.h.
#include "view/page/page.h"

#include "base/assert.h"
#include "view/page/page_documents.h"

static const struct document {
    const char *name;
    const char *keys; // its parameters, with blanks between
    page_write *write;
    bool follows; // it looks first whether the file has grown
} documents[] = {
    {"session", "", page_session, true},
    {"changes", "since", page_changes, true},
    {"files", "", page_files, false},
    {"source", "document", page_source, false},
    {"story", "at thread count direction find method", page_story, false},
    {"call", "of", page_call, false},
    {"runs", "of", page_runs, false},
    {"timeline", "from to width thread depth", page_timeline, false},
    {"strip", "width", page_strip, false},
    {"variables", "", page_variables, false},
    {"values", "name method object from to count after", page_values, false},
    {"tree", "from to thread apart nodes view", page_tree, false},
};

static const struct document *find(struct text name)
{
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        if (text_equal(name, text_of(documents[i].name))) {
            return &documents[i];
        }
    }
    return NULL;
}

// Answers what the document itself did not.
static void answer_error(struct page_answer *answer, enum clew_error error, bool cancelled)
{
    if (cancelled) {
        page_refuse(answer, 503, "nobody waits for this document any more");
        buffer_text(&answer->cure, "Ask again.");
    } else if (error == CLEW_NO_MEMORY) {
        page_refuse(answer, 500, "the document needs more memory than reading a recording may take");
        buffer_text(&answer->cure, "Ask for a shorter range of time.");
    } else if (error == CLEW_NOTHING_RECORDED) {
        page_refuse(answer, 422, "nothing of this kind was recorded");
        buffer_text(&answer->cure, "clew record --help lists the instruments.");
    } else {
        page_refuse(answer, 500, "%s", clew_error_sentence(error));
        buffer_text(&answer->cure, "clew info --verify FILE looks for damage.");
    }
}

static enum clew_error write_document(struct page *page, const struct document *document,
                                      const struct page_query *query, FILE *out, struct page_answer *answer)
{
    struct json json = {.out = out};
    json_open(&json, '{');
    CLEW_TRY(document->write(page, query, &json, answer));
    CLEW_ASSERT((json.depth == 1 || answer->status != 200) && "each bracket is closed");
    if (answer->status == 200) {
        json_close(&json, '}');
        (void)fputc('\n', out);
    }
    return CLEW_OK;
}

// `report` and the documents of the table.
static enum clew_error make(struct page *page, struct text name, const struct page_query *query, FILE *out,
                            struct page_answer *answer)
{
    const struct document *document = find(name);
    bool report = text_equal(name, text_of("report"));
    if (!document && !report) {
        page_refuse(answer, 404, "there is no document of this name");
        buffer_text(&answer->cure, "doc/serve.md lists the documents.");
        return CLEW_OK;
    }
    const char *keys = report ? "by lines view root top" : document->keys;
    const struct text *unknown = page_query_unknown(query, keys);
    if (unknown) {
        page_refuse(answer, 400, "the document %.32s has no parameter %.*s", report ? "report" : document->name,
                    (int)(unknown->size < 64 ? unknown->size : 64), unknown->at);
        buffer_text(&answer->cure, *keys ? "Its parameters are: " : "It has none.");
        buffer_text(&answer->cure, keys);
        return CLEW_OK;
    }
    if (report) {
        return page_report(page, query, out, answer);
    }
    if (document->follows) {
        page_follow(page);
    }
    return write_document(page, document, query, out, answer);
}

void page_document(struct page *page, struct text name, struct text query, FILE *out, struct page_answer *answer)
{
    struct page_query parsed = {0};
    answer->status = 200;
    enum clew_error error = CLEW_OK;
    if (!page_query_parse(&parsed, query)) {
        page_refuse(answer, 400, "the parameters are malformed");
        buffer_text(&answer->cure, "Write NAME=VALUE, percent-encoded, joined by &, each name once.");
    } else {
        error = make(page, name, &parsed, out, answer);
    }
    page_query_free(&parsed);
    if (error != CLEW_OK && answer->status == 200) {
        answer_error(answer, error, atomic_load(&page->cancelled));
    }
    if (answer->status != 200 && answer->cure.size == 0) {
        buffer_text(&answer->cure, "doc/serve.md lists the parameters and their limits.");
    }
}
