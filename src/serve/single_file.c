// See single_file.h. Each document is made and compressed by itself first, which shows how large it will be; all of them
// are then compressed together.
#include "serve/single_file.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "serve/base64.h"
#include "serve/embedded.h"
#include "view/json/json.h"

enum {
    PIECE = 3 << 14, // bytes that are written at a time; a multiple of 3, for base64
    SOURCES_MAX = 10000,
    STORIES_MAX = 512,  // threads with a story
    STORY_MOST = 8000,  // rows of one thread, if there are few threads
    STORY_LEAST = 125,  // rows of one thread, however many there are
    STORY_ROWS = 64000, // of all threads together
};

// A document that is to be in the file.
struct item {
    char *key;
    char *body; // JSON; NULL: left out
    size_t size;
    uint64_t packed;               // bytes that it takes in the file
    const struct measure *measure; // what makes it smaller; NULL: nothing does
    uint32_t amount;
};

// A parameter of a document on which its size depends.
struct measure {
    const char *parameter;
    uint32_t first, least; // its default, and the least that is of use
    const char *sentence;  // says how much is there
};

static const struct measure nodes_of_tree = {"nodes", 200000, 500,
                                             "The call tree shows the %u paths with the most time."};
static const struct measure nodes_of_threads = {"nodes", 200000, 500,
                                                "The call tree of each thread shows the %u paths with the most time."};
static const struct measure nodes_of_physical = {
    "nodes", 200000, 500, "The physical view of the call tree shows the %u paths with the most time."};
static const struct measure levels = {"depth", 40, 2, "The timeline shows the %u outermost levels of calls."};
// One sentence describes all threads.
static const struct measure rows_of_story = {"count", STORY_MOST, STORY_LEAST,
                                             "Story and Values have the first %u events of each thread."};

struct items {
    struct item *list;
    size_t count, room;
    size_t stories_left_out; // threads beyond STORIES_MAX
};

// -- Making documents -------------------------------------------------------------------------------------------------

static uint64_t in_base64(uint64_t bytes)
{
    return (bytes + 2) / 3 * 4;
}

// How many bytes a text takes in the file, when it is compressed alone.
static enum clew_error packed_size(const char *body, size_t size, uint64_t *out)
{
    uint8_t piece[1 << 14];
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)body}; // zlib does not write there
    uint64_t packed = 0;
    if (deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        return CLEW_NO_MEMORY;
    }
    int state = Z_OK;
    for (size_t left = size; state == Z_OK;) {
        size_t step = left < 1 << 30 ? left : 1 << 30;
        stream.avail_in += stream.avail_in ? 0 : (uInt)step;
        left -= stream.avail_in == step ? step : 0;
        stream.next_out = piece;
        stream.avail_out = sizeof piece;
        state = deflate(&stream, left ? Z_NO_FLUSH : Z_FINISH);
        packed += sizeof piece - stream.avail_out;
    }
    (void)deflateEnd(&stream);
    *out = in_base64(packed);
    return CLEW_OK;
}

// Makes a document. *body is NULL if the recording does not give it; *status says why.
static enum clew_error make(struct page *page, const char *key, char **body, size_t *size, unsigned *status)
{
    struct page_answer answer = {0};
    struct text name = text_of(key), query = {0};
    const char *mark = strchr(key, '?');
    if (mark) {
        query = text_of(mark + 1);
        name.size = (size_t)(mark - key);
    }
    *body = NULL;
    FILE *out = open_memstream(body, size);
    if (!out) {
        return CLEW_NO_MEMORY;
    }
    page_document(page, name, query, out, &answer);
    bool failed = fclose(out) != 0 || !*body;
    if (failed || answer.status != 200) {
        free(*body);
        *body = NULL;
    }
    *status = answer.status;
    page_answer_free(&answer);
    return failed ? CLEW_NO_MEMORY : CLEW_OK;
}

// Makes the document of a key, of the item's amount if it has a measure.
static enum clew_error make_measured(struct page *page, const struct item *item, char **body, size_t *size,
                                     unsigned *status)
{
    char key[64];
    if (!item->measure) {
        return make(page, item->key, body, size, status);
    }
    (void)snprintf(key, sizeof key, "%s%c%s=%u", item->key, strchr(item->key, '?') ? '&' : '?',
                   item->measure->parameter, item->amount);
    return make(page, key, body, size, status);
}

static enum clew_error add(struct items *items, struct page *page, const char *key, const struct measure *measure,
                           uint32_t amount, bool *there)
{
    unsigned status;
    struct item item = {.key = strdup(key), .measure = measure, .amount = amount};
    enum clew_error error = item.key ? make_measured(page, &item, &item.body, &item.size, &status) : CLEW_NO_MEMORY;
    *there = error == CLEW_OK && (item.body || status == 500); // an error of reading: it counts as left out
    if (*there && !array_grow(&items->list, items->count, &items->room, sizeof *items->list)) {
        error = CLEW_NO_MEMORY;
    }
    if (error == CLEW_OK && item.body) {
        error = packed_size(item.body, item.size, &item.packed);
    }
    if (error != CLEW_OK || !*there) {
        free(item.key);
        free(item.body);
        return error;
    }
    items->list[items->count++] = item;
    return CLEW_OK;
}

// The first part of each thread's story. The more threads there are, the shorter it is.
static enum clew_error add_stories(struct items *items, struct page *page)
{
    enum clew_error error = CLEW_OK;
    uint32_t threads = page_threads(page), count = threads < STORIES_MAX ? threads : STORIES_MAX;
    size_t rows = STORY_ROWS / (count ? count : 1);
    uint32_t amount = rows > STORY_MOST ? STORY_MOST : rows < STORY_LEAST ? STORY_LEAST : (uint32_t)rows;
    items->stories_left_out = threads - count;
    for (uint32_t i = 0; i < count && error == CLEW_OK; i++) {
        const struct page_thread thread = page_thread(page, i);
        char key[64];
        bool there;
        (void)snprintf(key, sizeof key, "story?thread=%u%%3A%u", thread.process, thread.thread);
        error = add(items, page, key, &rows_of_story, amount, &there);
    }
    return error;
}

// Documents of times are made of summaries, and those of sources of counts, which are all wanted here.
static enum clew_error read_all(struct page *page)
{
    static const char *const keys[] = {"strip", "files"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char *body;
        size_t size;
        unsigned status;
        CLEW_TRY(make(page, keys[i], &body, &size, &status));
        free(body);
    }
    while (page_work(page)) {
    }
    return CLEW_OK;
}

// The other view of the call tree, and the sums of its methods, where the recording has both.
static enum clew_error add_physical(struct items *items, struct page *page)
{
    bool there;
    if (!page_is_logical(page)) {
        return CLEW_OK;
    }
    CLEW_TRY(add(items, page, "tree?view=physical", &nodes_of_physical, nodes_of_physical.first, &there));
    return add(items, page, "report?by=methods&lines=0&view=physical", NULL, 0, &there);
}

// All that the views of the page ask for at first.
static enum clew_error add_all(struct items *items, struct page *page)
{
    static const char *const keys[] = {
        "session",
        "report?by=methods&lines=0",
        "report?by=modules",
        "report?by=requests",
        "report?by=threads",
        "report?by=allocations",
        "report?by=exceptions",
        "report?by=lines",
        "strip?width=1000",
        "files",
        "variables",
    };
    bool there;
    CLEW_TRY(read_all(page));
    CLEW_TRY(add(items, page, "tree", &nodes_of_tree, nodes_of_tree.first, &there));
    CLEW_TRY(add(items, page, "tree?apart=1", &nodes_of_threads, nodes_of_threads.first, &there));
    CLEW_TRY(add_physical(items, page));
    CLEW_TRY(add(items, page, "timeline", &levels, levels.first, &there));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        CLEW_TRY(add(items, page, keys[i], NULL, 0, &there));
    }
    CLEW_TRY(add_stories(items, page));
    there = true;
    for (unsigned i = 0; i < SOURCES_MAX && there; i++) {
        char key[32];
        (void)snprintf(key, sizeof key, "source?document=%u", i);
        CLEW_TRY(add(items, page, key, NULL, 0, &there));
    }
    return CLEW_OK;
}

// -- Making them fit --------------------------------------------------------------------------------------------------

// The document to make smaller next: the largest but `session`, which is always there; NULL: there is no other.
static struct item *largest(struct items *items)
{
    struct item *found = NULL;
    for (size_t i = 0; i < items->count; i++) {
        struct item *item = &items->list[i];
        bool may_go = item->body && strcmp(item->key, "session") != 0;
        found = may_go && (!found || item->packed > found->packed) ? item : found;
    }
    return found;
}

// A smaller document under the same key.
static enum clew_error shrink(struct page *page, struct item *item)
{
    char *body;
    size_t size;
    unsigned status;
    item->amount /= 4;
    CLEW_TRY(make_measured(page, item, &body, &size, &status));
    if (body) {
        free(item->body);
        item->body = body;
        item->size = size;
    }
    return body ? packed_size(body, size, &item->packed) : CLEW_OK;
}

static void leave_out(struct item *item)
{
    free(item->body);
    item->body = NULL;
    item->packed = 0;
}

// Says what the reader does not find on the page without a document. `key`: it begins with one of these.
static void describe_missing(const char *key, struct buffer *cut)
{
    static const struct {
        const char *begins, *sentence;
    } parts[] = {
        {"tree?apart", "The call trees of single threads are left out: threads cannot be shown apart or chosen."},
        {"tree?view", "The physical view of the call tree is left out."},
        {"tree", "The call tree, of which the flame graph is made, is left out."},
        {"timeline", "The calls of the timeline are left out."},
        {"strip", "The picture of the session over time is left out."},
        {"report?by=methods&lines=0&view", "The table of methods of the physical view is left out."},
        {"report?by=methods", "The table of methods is left out."},
        {"report?by=modules", "The table of modules is left out."},
        {"report?by=requests", "The table of requests is left out."},
        {"report?by=threads", "The table of threads is left out."},
        {"report?by=allocations", "The table of allocations is left out."},
        {"report?by=exceptions", "The table of exceptions is left out."},
        {"report?by=lines", "The table of statements is left out."},
        {"files", "The list of source files is left out."},
        {"variables", "The list of variables is left out."},
    };
    const char *sentence = "A part of the page is left out.";
    for (size_t i = sizeof parts / sizeof *parts; i-- > 0;) {
        sentence = text_starts(text_of(key), parts[i].begins) ? parts[i].sentence : sentence;
    }
    buffer_printf(cut, "%s\n", sentence);
}

static enum clew_error fit(struct items *items, struct page *page, uint64_t most)
{
    for (;;) {
        uint64_t sum = embedded_page().size;
        for (size_t i = 0; i < items->count; i++) {
            sum += items->list[i].packed;
        }
        struct item *item = sum > most ? largest(items) : NULL;
        if (!item) {
            return CLEW_OK;
        }
        if (item->measure && item->amount / 4 >= item->measure->least) {
            CLEW_TRY(shrink(page, item));
        } else {
            leave_out(item);
        }
    }
}

static void describe_measure(const struct measure *measure, uint32_t amount, struct buffer *cut)
{
    struct text sentence = text_of(measure->sentence);
    const char *place = strstr(measure->sentence, "%u");
    CLEW_ASSERT(place && "the sentence says how much");
    size_t before = (size_t)(place - sentence.at);
    buffer_append(cut, sentence.at, before);
    buffer_printf(cut, "%u", amount);
    buffer_append(cut, place + 2, sentence.size - before - 2);
    buffer_text(cut, "\n");
}

// Whether a story ends before its thread's events do: `more` is the document's last member.
static bool story_ends_early(const struct item *item)
{
    return text_ends((struct text){item->body, item->size}, "\"more\": true}\n");
}

// The stories of all threads in two sentences.
static void describe_stories(const struct items *items, struct buffer *cut)
{
    size_t left_out = items->stories_left_out;
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i < items->count; i++) {
        const struct item *item = &items->list[i];
        if (item->measure == &rows_of_story) {
            left_out += !item->body;
            least = item->body && story_ends_early(item) && item->amount < least ? item->amount : least;
        }
    }
    if (least != UINT32_MAX) {
        describe_measure(&rows_of_story, least, cut);
    }
    if (left_out) {
        buffer_printf(cut, "Story and Values have nothing of %zu thread%s.\n", left_out, left_out == 1 ? "" : "s");
    }
}

// One sentence for each document that is smaller than it should be, or missing.
static void describe(const struct items *items, struct buffer *cut)
{
    unsigned sources = 0;
    for (size_t i = 0; i < items->count; i++) {
        const struct item *item = &items->list[i];
        if (item->measure == &rows_of_story) {
            continue;
        }
        if (!item->body && strncmp(item->key, "source?", 7) == 0) {
            sources++;
        } else if (!item->body) {
            describe_missing(item->key, cut);
        } else if (item->measure && item->amount < item->measure->first) {
            describe_measure(item->measure, item->amount, cut);
        }
    }
    describe_stories(items, cut);
    if (sources) {
        buffer_printf(cut, "%u source files are left out.\n", sources);
    }
}

// -- Writing ----------------------------------------------------------------------------------------------------------

// What has been compressed and not yet written.
struct packing {
    z_stream stream;
    FILE *out;
    uint8_t piece[PIECE];
    struct buffer digits;
};

static void write_piece(struct packing *packing, size_t size)
{
    buffer_clear(&packing->digits);
    base64_append(&packing->digits, packing->piece, size);
    (void)fwrite(packing->digits.data, 1, packing->digits.size, packing->out); // errors show in ferror()
    packing->stream.next_out = packing->piece;
    packing->stream.avail_out = PIECE;
}

// Compresses a text; the pieces but the last are whole, as base64 needs it.
static void pack(struct packing *packing, const char *text, size_t size, int flush)
{
    int state = Z_OK;
    do {
        size_t step = size < 1 << 30 ? size : 1 << 30;
        packing->stream.next_in = (Bytef *)(uintptr_t)text; // zlib does not write there
        packing->stream.avail_in = (uInt)step;
        do {
            state = deflate(&packing->stream, size == step ? flush : Z_NO_FLUSH);
            if (packing->stream.avail_out == 0) {
                write_piece(packing, PIECE);
            }
        } while (packing->stream.avail_in > 0 || (flush == Z_FINISH && state == Z_OK));
        text += step;
        size -= step;
    } while (size > 0);
    CLEW_ASSERT((state == Z_OK || state == Z_STREAM_END || state == Z_BUF_ERROR) && "the stream is in order");
}

static void pack_text(struct packing *packing, struct text text)
{
    pack(packing, text.at, text.size, Z_NO_FLUSH);
}

// {"documents": {KEY: DOCUMENT, ...}, "cut": [SENTENCE, ...]}
static void pack_all(struct packing *packing, const struct items *items, struct text cut)
{
    bool more = false;
    struct text line;
    pack_text(packing, text_of("{\"documents\": {"));
    for (size_t i = 0; i < items->count; i++) {
        const struct item *item = &items->list[i];
        if (item->body) { // keys are ours: nothing in them is escaped
            pack_text(packing, text_of(more ? ",\"" : "\""));
            pack_text(packing, text_of(item->key));
            pack_text(packing, text_of("\": "));
            pack_text(packing, (struct text){item->body, item->size});
            more = true;
        }
    }
    pack_text(packing, text_of("}, \"cut\": ["));
    for (more = false; text_take_line(&cut, &line); more = true) {
        pack_text(packing, text_of(more ? ",\"" : "\""));
        pack_text(packing, line);
        pack_text(packing, text_of("\""));
    }
    pack(packing, "]}", 2, Z_FINISH);
}

static enum clew_error write_file(const struct items *items, struct text cut, FILE *out)
{
    struct text before, after;
    struct packing *packing = calloc(1, sizeof *packing);
    if (!packing || !embedded_data_place(embedded_page(), &before, &after)) {
        free(packing);
        return packing ? CLEW_UNSUPPORTED : CLEW_NO_MEMORY;
    }
    packing->out = out;
    packing->stream.next_out = packing->piece;
    packing->stream.avail_out = PIECE;
    bool begun = deflateInit2(&packing->stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) == Z_OK;
    if (begun) {
        (void)fwrite(before.at, 1, before.size, out); // errors show in ferror()
        pack_all(packing, items, cut);
        write_piece(packing, PIECE - packing->stream.avail_out);
        (void)fwrite(after.at, 1, after.size, out);
        (void)deflateEnd(&packing->stream);
    }
    bool failed = !begun || packing->digits.failed;
    buffer_free(&packing->digits);
    free(packing);
    return failed ? CLEW_NO_MEMORY : CLEW_OK;
}

enum clew_error single_file_write(struct page *page, uint64_t most, FILE *out, struct buffer *cut)
{
    struct items items = {0};
    enum clew_error error = add_all(&items, page);
    error = error == CLEW_OK ? fit(&items, page, most) : error;
    if (error == CLEW_OK) {
        describe(&items, cut);
        error = cut->failed ? CLEW_NO_MEMORY : write_file(&items, text_in(cut), out);
    }
    for (size_t i = 0; i < items.count; i++) {
        free(items.list[i].key);
        free(items.list[i].body);
    }
    free(items.list);
    return error;
}
