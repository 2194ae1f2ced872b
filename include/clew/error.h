// Errors of libclew, and how its symbols are exported.
#ifndef CLEW_PUBLIC_ERROR_H
#define CLEW_PUBLIC_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

// Symbols of the shared library. Everything else in it is hidden.
#define CLEW_API __attribute__((visibility("default")))

// What a function of this library returns. The numbers do not change within a minor version. Functions return only the
// errors that their comments name, or NO_MEMORY and IO.
enum clew_error {
    CLEW_OK = 0,
    CLEW_NO_MEMORY = 1,
    CLEW_IO = 2,               // reading failed; errno says why
    CLEW_NOT_FOUND = 3,        // there is no such file, or there are no more items
    CLEW_USAGE = 4,            // an argument has a value that this version does not know
    CLEW_BUSY = 5,             // another process writes the recording; not returned by this library
    CLEW_NOTHING_RECORDED = 6, // the recording has nothing of what was asked for
    CLEW_NOT_RECORDING = 7,    // the file is no recording
    CLEW_NEWER_RECORDING = 8,  // a newer clew wrote it, in a form that this version cannot read
    CLEW_DAMAGED = 9,          // not even the file's beginning is whole
    CLEW_MALFORMED = 10,       // an image or its metadata; not returned by this library
    CLEW_UNSUPPORTED = 11,     // the recording lacks what the question needs
    CLEW_REFUSED = 12,         // by the runtime; not returned by this library
};

// The sentence for people, in English, without a full stop. Never NULL.
CLEW_API const char *clew_error_sentence(enum clew_error error);

#ifdef __cplusplus
}
#endif

#endif
