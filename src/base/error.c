#include "base/error.h"

#include <assert.h>
#include <stdbool.h>

static const struct {
    int status;
    const char *sentence;
} errors[] = {
#define X(code, status, sentence) [CLEW_##code] = {status, sentence},
    CLEW_ERRORS(X)
#undef X
};

static_assert(sizeof errors / sizeof *errors == CLEW_REFUSED + 1, "CLEW_ERRORS names each error of clew/error.h");

const char *clew_error_sentence(enum clew_error error)
{
    bool known = (unsigned)error < sizeof errors / sizeof *errors && errors[error].sentence;
    return known ? errors[error].sentence : "unknown error";
}

int clew_error_status(enum clew_error error)
{
    return errors[error].status;
}
