// Takes any bytes as a request to the server of `clew view`: through its checks into the documents of a recording. The first
// line is the target; further lines are fields, of which the first letter says which: h Host, o Origin, s Sec-Fetch-Site,
// c Cookie, m the method. A byte 1 is replaced by the value that the server expects there, so that requests get through.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording/writer.h"
#include "serve/guard.h"
#include "unit/made_recording.h"
#include "view/page/page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct guard guard;
static struct page *page;

static void require(bool promise)
{
    if (!promise) {
        abort();
    }
}

// One recording for all inputs, whose file is gone.
static void start(void)
{
    char path[] = "/tmp/clew-serve-fuzz-XXXXXX";
    int descriptor = mkstemp(path);
    require(descriptor >= 0 && close(descriptor) == 0 && unlink(path) == 0);
    make_sites(path);
    require(page_open(path, NULL, &page) == CLEW_OK && unlink(path) == 0);
    require(guard_begin(&guard, 8123));
}

// A copy of a line, NUL-terminated, with what the server expects for each byte 1. The caller frees it.
static char *expand(struct text line, const char *expected)
{
    struct buffer out = {0};
    for (size_t i = 0; i < line.size && line.at[i]; i++) {
        if (line.at[i] == 1) {
            buffer_text(&out, expected);
        } else {
            buffer_u8(&out, (uint8_t)line.at[i]);
        }
    }
    buffer_u8(&out, 0);
    require(!out.failed);
    return (char *)out.data;
}

static void answer(const struct guard_answer *answer)
{
    struct page_answer made = {0};
    char *body = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&body, &size);
    require(out != NULL);
    page_document(page, answer->name, answer->query, out, &made);
    require(made.status == 200 || (made.status >= 400 && made.error.size > 0 && made.cure.size > 0));
    page_answer_write(&made, out);
    page_answer_free(&made);
    require(fclose(out) == 0);
    free(body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text text = {(const char *)data, size}, line = {0};
    struct guard_request request = {.method = "GET"};
    char *fields[256] = {0}, name[32], cookie[128];
    if (!page) {
        start();
    }
    guard_cookie_name(&guard, name);
    (void)snprintf(cookie, sizeof cookie, "%s=%s", name, guard.token);
    (void)text_take_line(&text, &line);
    fields['t'] = expand(line, guard.token);
    while (text_take_line(&text, &line)) {
        uint8_t letter = line.size ? (uint8_t)*line.at : 0;
        if (letter && strchr("hoscm", letter)) {
            line = (struct text){line.at + 1, line.size - 1};
            free(fields[letter]);
            fields[letter] = expand(line, letter == 'c'   ? cookie
                                          : letter == 'o' ? "http://127.0.0.1:8123"
                                                          : "127.0.0.1:8123");
            request.hosts += letter == 'h';
        }
    }
    request.target = fields['t'];
    request.host = fields['h'];
    request.origin = fields['o'];
    request.fetch_site = fields['s'];
    request.cookie = fields['c'];
    request.method = fields['m'] ? fields['m'] : "GET";
    const struct guard_answer judged = guard_judge(&guard, &request);
    require(judged.kind != GUARD_REFUSE || (judged.status >= 400 && judged.error && judged.cure));
    if (judged.kind == GUARD_DOCUMENT) {
        require(strstr(request.cookie, guard.token) != NULL);
        answer(&judged);
    }
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        free(fields[i]);
    }
    return 0;
}
