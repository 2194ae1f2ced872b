// Every error that crosses a folder border, with the exit status it ends the CLI with and the sentence a user reads.
// A function that can fail returns enum clew_error and hands its value out through its last parameter.
#ifndef CLEW_BASE_ERROR_H
#define CLEW_BASE_ERROR_H

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

enum clew_error {
#define X(code, status, sentence) CLEW_##code,
    CLEW_ERRORS(X)
#undef X
};

// The user's sentence, without a full stop; never NULL.
const char *clew_error_sentence(enum clew_error error);

// The CLI's exit status for this error.
int clew_error_status(enum clew_error error);

#define CLEW_TRY(call)                       \
    do {                                     \
        enum clew_error try_error_ = (call); \
        if (try_error_ != CLEW_OK) {         \
            return try_error_;               \
        }                                    \
    } while (0)

#endif
