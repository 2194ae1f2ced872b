// Which lines of the source ran, of all that have code: the sequence points that a recording lists, with the counts of their
// statements. Methods that never ran are among them.
//
// Lines are counted as coverlet counts them: a statement counts for each of its lines. Of a line that a statement within another
// statement has (a lambda in a call of several lines), only the inner one counts.
#ifndef CLEW_MODEL_COVERAGE_H
#define CLEW_MODEL_COVERAGE_H

#include "base/arena.h"
#include "model/model.h"
#include "model/sites.h"
#include "trace/method_points.h"

// A sequence point, and how often its statement ran.
struct coverage_point {
    struct point at;
    uint32_t method, file; // indices
    uint64_t count;
    bool counted; // the method was instrumented, and the point has a site
};

// A method of a module in scope, whatever its type arguments.
struct coverage_method {
    const struct recording_module *module; // one of its loads
    uint32_t token, kind, flags;           // enum method_kind, enum method_flag
    struct text name;
    struct text class;       // that has it in the source, with `/` between nested ones
    uint32_t first, count;   // of its points
    uint32_t lines, covered; // of the source
    bool woven;              // it was compiled, and instrumented
    bool unknown;            // it could not be instrumented: whether it ran is not known, and no line counts
};

// A source file, as the symbols name it.
struct coverage_file {
    struct text path;
    uint32_t first, count;   // of its points, in by_file
    uint32_t lines, covered; // with code; of these, those that ran
};

struct coverage {
    struct arena texts;
    struct coverage_file *files; // by path
    size_t file_count, file_room;
    struct coverage_method *methods; // by name
    size_t method_count, method_room;
    struct coverage_point *points; // of one method after the other, by IL offset
    size_t point_count, point_room;
    uint32_t *by_file;       // indices of points, by file and place in it
    uint64_t lines, covered; // of all files
    uint32_t unknown;        // methods that could not be instrumented
    uint32_t without;        // modules in scope whose symbols were not found, or not read to their end
    struct recording_health health;
};

// A line with code, and how often statements on it ran. It belongs to the innermost of them; of several that begin together, to that
// of the first method.
struct coverage_line {
    uint32_t line, method, file;
    uint64_t hits;
};
struct coverage_lines {
    struct coverage_line *lines; // ascending
    size_t count;
};

// Whether the recording has sequence points.
bool coverage_known(const struct model *model);
// Reads the recording in two or three passes. The result borrows from the model. UNSUPPORTED: it has more lines than any program.
// The caller calls coverage_free() also after an error.
enum clew_error coverage_load(const struct model *model, const struct sites *sites, struct coverage *out);
void coverage_free(struct coverage *coverage);

// The lines of a file, or of a method alone. The caller frees out->lines. NO_MEMORY and UNSUPPORTED are the only errors.
enum clew_error coverage_lines_of_file(const struct coverage *coverage, const struct coverage_file *file,
                                       struct coverage_lines *out);
enum clew_error coverage_lines_of_method(const struct coverage *coverage, const struct coverage_method *method,
                                         struct coverage_lines *out);

#endif
