// Reads a module's portable PDB: sequence points, documents, local variables and constants by scope, state machines, and the
// custom information of compilers. The agent uses it while weaving, the collector for sources.
//
// Nothing is allocated, except by pdb_document_name() into the caller's buffer, and nothing is cached; texts and bytes
// are borrowed from the PDB's content. So any number of threads may read one `struct pdb`. Tokens of methods and types
// are those of the module, and IL offsets are those of the method's body in the module, before weaving.
//
// Real PDBs contain errors: items that cannot be read are left out, and the others are returned. An index outside its table
// reads as nothing.
//
// Source of facts: "Portable PDB v1.0: Format Specification" (PortablePdb-Metadata.md of dotnet/runtime), whose section
// is named at each declaration; ECMA-335 II.24 for the layout that it shares with modules.
#ifndef CLEW_METADATA_PDB_H
#define CLEW_METADATA_PDB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/text.h"
#include "metadata/tables/metadata.h"
#include "trace/kinds.h"

enum { PDB_ID_SIZE = 20 };

struct pdb {
    struct metadata metadata;
    uint8_t id[PDB_ID_SIZE]; // "#Pdb stream": as the module's CodeView entry has it (GUID, then time stamp)
    uint32_t entry_point;    // MethodDef, or 0
    bool sorted_custom; // CustomDebugInformation is sorted as the format demands; otherwise it is searched linearly
    bool sorted_scopes; // LocalScope likewise; otherwise the nesting of scopes is unknown, and none are returned
    bool sorted_state_machines; // likewise
};

// Borrows `content`, the whole PDB uncompressed. MALFORMED unless it is a portable PDB whose tables lie within it.
enum clew_error pdb_open(struct bytes content, struct pdb *out);

struct pdb_il_range {
    uint32_t start, end; // IL offsets, the end exclusive
};

// --- Sequence points ("MethodDebugInformation Table", "Sequence Points Blob")

struct pdb_point {
    uint32_t
        il_offset; // ascends from point to point; it may not be the start of an instruction: the caller has to check
    uint32_t document;                 // row of the Document table, 0 where none is named
    bool hidden;                       // no source: it ends the range of the point before. Lines and columns are 0 then
    uint32_t start_line, end_line;     // from 1 (0 has been seen)
    uint16_t start_column, end_column; // from 1; the end is the first column that is outside
};

// The points of one method, in the order of their IL offsets. IL before the first belongs to none.
struct pdb_points {
    bool damaged; // the list ended too early, or a malformed point was left out
    // How far it has been read.
    struct bytes rest;
    uint32_t il_offset, document, document_count;
    int64_t line, column; // of the last point that is not hidden
    bool started, seen_visible;
};

// Empty for a method without points, and for a token that is no MethodDef of the module. Some 30 ns a point.
struct pdb_points pdb_points_of(const struct pdb *pdb, uint32_t method_token);
bool pdb_points_next(struct pdb_points *points, struct pdb_point *out);

// --- Documents ("Document Table")

struct pdb_document {
    enum source_language language;
    enum hash_kind hash_kind;
    struct bytes hash; // of the source's bytes
};

// Documents are numbered from 1 to this.
uint32_t pdb_document_count(const struct pdb *pdb);
bool pdb_document(const struct pdb *pdb, uint32_t document, struct pdb_document *out);
// Appends the document's name: mostly an absolute path on the machine that built the module, in that machine's form;
// `/_/...` in a deterministic build ("Document Name Blob"). False when there is none, or it cannot be read; `out` is
// then as it was.
bool pdb_document_name(const struct pdb *pdb, uint32_t document, struct buffer *out);

// --- Local variables and constants ("LocalScope Table", "LocalVariable Table", "LocalConstant Table")

// Scopes of a method are rows of the LocalScope table, outer before inner, in the order of their start. Compilers leave
// out scopes in which nothing is declared, the outermost too.
struct pdb_scope {
    struct pdb_il_range il;
    struct metadata_range variables; // of the LocalVariable table
    struct metadata_range constants; // of the LocalConstant table
};

struct metadata_range pdb_scopes_of(const struct pdb *pdb, uint32_t method_token);
bool pdb_scope(const struct pdb *pdb, uint32_t row, struct pdb_scope *out);

struct pdb_variable {
    struct text name; // as compiled; names_local() gives the source's
    uint16_t slot;    // in the method's local signature
    bool hidden;      // from debuggers: the compiler's own
};

bool pdb_variable(const struct pdb *pdb, uint32_t row, struct pdb_variable *out);

// All variables of a method, each found by binary search: methods have tens of thousands of them.
struct pdb_variables {
    const struct pdb_variable_range *ranges;
    uint32_t count;
};

// False: no memory.
bool pdb_variables_of(const struct pdb *pdb, uint32_t method_token, struct arena *arena, struct pdb_variables *out);
// The variable that `slot` holds at an IL offset: that of the innermost scope around the offset which names the slot. 0
// when none does. What identifies a variable is its row: compilers give a slot to several, one after the other, and with
// optimisation often.
uint32_t pdb_variables_at(const struct pdb_variables *variables, uint16_t slot, uint32_t il_offset);
// The variable that an instruction defines by storing into `slot`: as above, or else what the slot holds right after
// it, for compilers that open the scope behind the first store. `il_end` is where the next instruction starts.
uint32_t pdb_variables_stored(const struct pdb_variables *variables, uint16_t slot, uint32_t il_offset,
                              uint32_t il_end);

enum pdb_constant_kind {
    PDB_CONSTANT_UNKNOWN,   // cannot be read
    PDB_CONSTANT_NULL,      // of object, string, a class
    PDB_CONSTANT_DEFAULT,   // of a value type: all zero
    PDB_CONSTANT_BOOLEAN,   // bits
    PDB_CONSTANT_CHARACTER, // bits: a UTF-16 unit
    PDB_CONSTANT_SIGNED,    // bits, sign-extended
    PDB_CONSTANT_UNSIGNED,  // bits
    PDB_CONSTANT_SINGLE,    // bits: the lower 32 of the float
    PDB_CONSTANT_DOUBLE,    // bits of the double
    PDB_CONSTANT_STRING,    // value: UTF-16LE, at any address, may be empty
    PDB_CONSTANT_DECIMAL,   // value: 13 bytes: scale with the sign on top, then low, mid, high
    PDB_CONSTANT_DATE_TIME, // bits: ticks
};

// "LocalConstantSig Blob"
struct pdb_constant {
    struct text name;
    enum pdb_constant_kind kind;
    uint8_t element; // enum element: of an enumeration the underlying type's
    uint32_t type;   // TypeDef, TypeRef or TypeSpec of an enumeration, class or value type, else 0
    uint64_t bits;
    struct bytes value; // empty for the kinds that are bits
};

bool pdb_constant(const struct pdb *pdb, uint32_t row, struct pdb_constant *out);

// --- State machines ("StateMachineMethod Table", "State Machine Hoisted Local Scopes", AsyncMethodSteppingInformation)

// The async or iterator method that a MoveNext was made from; 0 when the method is none's MoveNext, and for F#, which
// fills no such table (names_method() finds those by name).
uint32_t pdb_kickoff(const struct pdb *pdb, uint32_t move_next_token);

// Where in MoveNext a hoisted local is alive: `slot` is the one that names_field() gives. False when nothing is said,
// and for a slot that holds no source variable.
bool pdb_hoisted_scope(const struct pdb *pdb, uint32_t move_next_token, uint32_t slot, struct pdb_il_range *out);

enum { PDB_NO_OFFSET = 0xFFFFFFFF };

// The awaits of an async method, in no stated order.
struct pdb_awaits {
    uint32_t catch_handler; // where the compiler's own catch of an `async void` method begins, or PDB_NO_OFFSET
    struct bytes rest;
};
struct pdb_await {
    uint32_t yield, resume; // IL offsets: of leaving in MoveNext, of going on in resume_method
    uint32_t resume_method; // MethodDef
};

// False when the method is not async. MoveNext is the method to ask about.
bool pdb_awaits_of(const struct pdb *pdb, uint32_t move_next_token, struct pdb_awaits *out);
bool pdb_awaits_next(struct pdb_awaits *awaits, struct pdb_await *out);

// --- What compilers add ("CustomDebugInformation Table")

enum pdb_custom {
    PDB_CUSTOM_HOISTED_SCOPES,      // of a method; pdb_hoisted_scope() reads it
    PDB_CUSTOM_ASYNC_STEPS,         // of a method; pdb_awaits_of() reads it
    PDB_CUSTOM_DYNAMIC,             // of a variable or constant: bits, which `object` of its type is `dynamic`
    PDB_CUSTOM_TUPLE_NAMES,         // of a variable or constant; pdb_tuple_names_next() reads it
    PDB_CUSTOM_DEFAULT_NAMESPACE,   // of the module (VB): UTF-8
    PDB_CUSTOM_SLOT_MAP,            // of a method, for edit and continue
    PDB_CUSTOM_LAMBDA_MAP,          // of a method, for edit and continue
    PDB_CUSTOM_STATE_MAP,           // of a method, for edit and continue
    PDB_CUSTOM_SOURCE_LINK,         // of the module: JSON
    PDB_CUSTOM_EMBEDDED_SOURCE,     // of a document; pdb_embedded_source() reads it
    PDB_CUSTOM_REFERENCES,          // of the module
    PDB_CUSTOM_OPTIONS,             // of the module: `key\0value\0`, UTF-8
    PDB_CUSTOM_TYPE_DOCUMENTS,      // of a type without methods that have points: rows of documents, compressed
    PDB_CUSTOM_PRIMARY_CONSTRUCTOR, // of a type
    PDB_CUSTOM_COUNT,
};

enum { PDB_MODULE = TOKEN(TABLE_MODULE, 1) }; // the parent of information about the module as a whole

// The information of that kind about a token of the module or of the PDB (TABLE_DOCUMENT and on); the first if there are
// several, empty if none.
struct bytes pdb_custom(const struct pdb *pdb, uint32_t parent, enum pdb_custom kind);

// Removes the next name from PDB_CUSTOM_TUPLE_NAMES: one for each tuple element within the type, in depth-first order;
// empty for an element without a name.
bool pdb_tuple_names_next(struct bytes *names, struct text *out);

// Source text that the PDB carries ("Embedded Source").
struct pdb_source {
    struct bytes content;
    uint32_t size; // of the unpacked text, in bytes
    bool packed;   // content is raw deflate; inflate_raw() unpacks it
};
bool pdb_embedded_source(const struct pdb *pdb, uint32_t document, struct pdb_source *out);

#endif
