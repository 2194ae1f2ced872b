// Asks for documents of the recording at `path` (recording_path.h), as the server does. Include it in one file per program.
#ifndef CLEW_TEST_PAGE_ASKED_H
#define CLEW_TEST_PAGE_ASKED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../made_recording.h"
#include "../recording_path.h"
#include "view/page/page.h"

#undef text_of // names of documents are not foreign text

static struct page *asked_page;
static char *asked_json; // the last answer
static unsigned asked_status;

static inline void page_begin(void)
{
    must(page_open(path, NULL, &asked_page));
}

static inline void page_end(void)
{
    page_close(asked_page);
    free(asked_json);
    asked_page = NULL;
    asked_json = NULL;
}

// Returns the document, or the refusal's sentence. Valid until the next question.
static inline const char *ask(const char *name, const char *query)
{
    struct page_answer answer = {0};
    size_t size;
    free(asked_json);
    asked_json = NULL;
    FILE *out = open_memstream(&asked_json, &size);
    if (!out) {
        exit(1);
    }
    page_document(asked_page, text_of(name), text_of(query), out, &answer);
    asked_status = answer.status;
    if (answer.status != 200) {
        page_answer_write(&answer, out);
    }
    page_answer_free(&answer);
    (void)fclose(out);
    return asked_json;
}

static inline bool has(const char *json, const char *part)
{
    return strstr(json, part) != NULL;
}

#endif
