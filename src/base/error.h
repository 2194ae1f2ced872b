// All errors that functions of one folder return to another, with the exit status of the CLI and the sentence for the user.
// A function that can fail returns enum clew_error and stores its result through its last parameter, which is unspecified on
// failure unless the function states more.
#ifndef CLEW_BASE_ERROR_H
#define CLEW_BASE_ERROR_H

// The enum itself, and clew_error_sentence(), are declared for the users of libclew, too.
#include <clew/error.h>

#define CLEW_ERRORS(X)                                                              \
    X(OK, 0, "no error")                                                            \
    X(NO_MEMORY, 1, "there is not enough memory")                                   \
    X(IO, 1, "reading or writing failed")                                           \
    X(NOT_FOUND, 2, "there is no such file")                                        \
    X(USAGE, 2, "the command line is not understood")                               \
    X(BUSY, 2, "it is still being recorded")                                        \
    X(NOTHING_RECORDED, 4, "nothing was recorded")                                  \
    X(NOT_RECORDING, 5, "the file is not a clew recording")                         \
    X(NEWER_RECORDING, 5, "the recording was written by a newer clew; update clew") \
    X(DAMAGED, 5, "the recording is damaged; what could be read was shown")         \
    X(MALFORMED, 1, "the image or its metadata is malformed")                       \
    X(UNSUPPORTED, 1, "this construct is not understood")                           \
    X(REFUSED, 1, "the runtime refused the call")

// The CLI's exit status for this error.
int clew_error_status(enum clew_error error);

// Returns the error from the calling function if the call fails.
#define CLEW_TRY(call)                       \
    do {                                     \
        enum clew_error try_error_ = (call); \
        if (try_error_ != CLEW_OK) {         \
            return try_error_;               \
        }                                    \
    } while (0)

#endif
