// Checks for code in a child process, where cmocka's do not work: they report what was wrong and end the child.
#ifndef CLEW_FAKECLR_CHECK_H
#define CLEW_FAKECLR_CHECK_H

#include <stdio.h>
#include <unistd.h>

#define FAIL(...)                                             \
    do {                                                      \
        (void)fprintf(stderr, "%s:%d: ", __FILE__, __LINE__); \
        (void)fprintf(stderr, __VA_ARGS__);                   \
        (void)fputc('\n', stderr);                            \
        _exit(1);                                             \
    } while (0)

#define CHECK(condition)            \
    do {                            \
        if (!(condition)) {         \
            FAIL("%s", #condition); \
        }                           \
    } while (0)

#define CHECK_EQUAL(a, b)                                                     \
    do {                                                                      \
        long long left_ = (long long)(a), right_ = (long long)(b);            \
        if (left_ != right_) {                                                \
            FAIL("%s is %lld, not %s, which is %lld", #a, left_, #b, right_); \
        }                                                                     \
    } while (0)

#endif
