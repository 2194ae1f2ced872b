// The outcomes of comparing a recorded use with the last definition of its place.
#ifndef CLEW_TEST_CONSISTENCY_OUTCOME_H
#define CLEW_TEST_CONSISTENCY_OUTCOME_H

// X(constant, name, cause). Uses up to PART were not compared. Uses from ADDRESS_TAKEN to RENUMBERED differ, for a cause that
// was found in the code or in the recording. WRONG differs without a cause.
#define OUTCOMES(X)                                                                                         \
    X(EQUAL, "equal", "equal to the last definition, or to the last use if there was no definition since")  \
    X(ZERO, "zero", "the local is not defined yet, and is zero")                                            \
    X(FIRST, "first", "the first event of the place")                                                       \
    X(NOT_CAPTURED, "not-captured", "this value, or that of the last definition, was not captured")         \
    X(NO_PLACE, "no-place", "reached through an address, or a field of a struct that `this` points to")     \
    X(PART, "part", "a struct was written and a part is read, or the reverse")                              \
    X(ADDRESS_TAKEN, "address-taken", "the code takes the variable's or field's address")                   \
    X(OTHER_CODE, "other-code", "the field is in another module, or a method that was not woven writes it") \
    X(OTHER_THREAD, "other-thread", "another thread defined it; the order between threads is not exact")    \
    X(ARRAY, "array", "an array item, which Array.Copy, spans and the like can write")                      \
    X(GENERIC_STATIC, "generic-static", "a static field of a generic type exists for each instantiation")   \
    X(MOVED, "moved", "a reference into an object, which collections can move")                             \
    X(RENUMBERED, "renumbered", "after a collection, the object got a new number")                          \
    X(WRONG, "wrong", "no known cause")

enum outcome {
#define X(constant, name, cause) OUTCOME_##constant,
    OUTCOMES(X)
#undef X
        OUTCOME_COUNT
};

#endif
