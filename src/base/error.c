#include "base/error.h"

static const struct {
    int status;
    const char *sentence;
} errors[] = {
#define X(code, status, sentence) {status, sentence},
    CLEW_ERRORS(X)
#undef X
};

const char *clew_error_sentence(enum clew_error error)
{
    return errors[error].sentence;
}

int clew_error_status(enum clew_error error)
{
    return errors[error].status;
}
