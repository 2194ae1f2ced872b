// See embedded.h. The page is our own, but a build of it decides how its elements are written, so they are found as
// browsers find them: a tag's name in any case, and `</script` ends a script.
#include "serve/embedded.h"

#include <sha2.h>
#include <strings.h>

#include "base/assert.h"
#include "serve/base64.h"

extern const char clew_page_begin[] __attribute__((visibility("hidden")));
extern const char clew_page_end[] __attribute__((visibility("hidden")));

struct text embedded_page(void)
{
    CLEW_ASSERT((uintptr_t)clew_page_end > (uintptr_t)clew_page_begin);
    return (struct text){clew_page_begin, (size_t)(clew_page_end - clew_page_begin)};
}

static bool starts_with(struct text text, const char *word)
{
    size_t size = strlen(word);
    return text.size >= size && strncasecmp(text.at, word, size) == 0;
}

static struct text skip(struct text text, size_t size)
{
    return (struct text){text.at + size, text.size - size};
}

// The text from the next place that starts with `word`; empty: there is none.
static struct text find(struct text text, const char *word)
{
    while (text.size > 0 && !starts_with(text, word)) {
        const char *next = memchr(text.at + 1, *word, text.size - 1);
        text = next ? skip(text, (size_t)(next - text.at)) : skip(text, text.size);
    }
    return text;
}

// Takes the next script element off the front: its attributes, and its content. False: there is none.
static bool take_script(struct text *page, struct text *attributes, struct text *content)
{
    struct text tag = find(*page, "<script");
    struct text open = find(tag, ">");
    struct text close = find(open, "</script");
    if (close.size == 0) {
        return false;
    }
    *attributes = (struct text){tag.at, (size_t)(open.at - tag.at)};
    *content = (struct text){open.at + 1, (size_t)(close.at - open.at) - 1};
    *page = skip(close, 1);
    return true;
}

static bool holds_data(struct text attributes)
{
    return find(attributes, "id=\"clew-data\"").size > 0;
}

void embedded_policy(struct buffer *into, struct text page)
{
    struct text attributes, content;
    buffer_text(into, "default-src 'none'; script-src");
    unsigned scripts = 0;
    while (take_script(&page, &attributes, &content)) {
        uint8_t digest[SHA256_DIGEST_LENGTH];
        SHA2_CTX context;
        if (holds_data(attributes)) {
            continue;
        }
        SHA256Init(&context);
        SHA256Update(&context, (const uint8_t *)content.at, content.size);
        SHA256Final(digest, &context);
        buffer_text(into, " 'sha256-");
        base64_append(into, digest, sizeof digest);
        buffer_text(into, "'");
        scripts++;
    }
    buffer_text(into, scripts ? "" : " 'none'");
    buffer_text(into, "; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; "
                      "form-action 'none'; frame-ancestors 'none'");
}

bool embedded_data_place(struct text page, struct text *before, struct text *after)
{
    struct text rest = page, attributes, content;
    while (take_script(&rest, &attributes, &content)) {
        if (holds_data(attributes)) {
            const char *end = content.at + content.size;
            *before = (struct text){page.at, (size_t)(content.at - page.at)};
            *after = (struct text){end, (size_t)(page.at + page.size - end)};
            return true;
        }
    }
    return false;
}
