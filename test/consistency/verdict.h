// What becomes of a recorded use, and why a difference to the last definition may be right.
#ifndef CLEW_TEST_CONSISTENCY_VERDICT_H
#define CLEW_TEST_CONSISTENCY_VERDICT_H

// X(constant, name, cause). Those up to PART were not compared; those from ADDRESS_TAKEN to RENUMBERED differ for a cause that was
// looked for, in the code or in the recording; WRONG has none.
#define VERDICTS(X)                                                                                                \
    X(EQUAL, "equal", "the last definition says the same, or the last use where none came in between")             \
    X(ZERO, "zero", "nothing defined the local yet, and it is zero")                                               \
    X(FIRST, "first", "nothing was recorded of the place before")                                                  \
    X(NOT_CAPTURED, "not-captured", "this value, or the one last defined, is not in the recording")                \
    X(NO_PLACE, "no-place", "reached through an address, or a field of a struct that `this` points to")            \
    X(PART, "part", "all of a struct was written and a part is read, or the other way round")                      \
    X(ADDRESS_TAKEN, "address-taken", "the code takes the variable's or field's address")                          \
    X(OTHER_CODE, "other-code", "the field is another module's, or a method writes it that was not woven")         \
    X(OTHER_THREAD, "other-thread", "another thread defined it, and between threads the order is not exact")       \
    X(ARRAY, "array", "an array's item: Array.Copy, spans and the like write those")                               \
    X(GENERIC_STATIC, "generic-static", "a static field of a generic type exists for each instantiation")          \
    X(MOVED, "moved", "a reference into an object, which collections move")                                        \
    X(RENUMBERED, "renumbered", "the object was not seen before and the old number not since: after a collection") \
    X(WRONG, "wrong", "nothing explains it")

enum verdict {
#define X(constant, name, cause) VERDICT_##constant,
    VERDICTS(X)
#undef X
        VERDICT_COUNT
};

#endif
