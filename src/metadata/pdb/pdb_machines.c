// State machines: the method behind a MoveNext, where its hoisted locals are alive, where it awaits.
// Source of facts: Portable PDB v1.0, "StateMachineMethod Table", "State Machine Hoisted Local Scopes"; the layout of
// the stepping information is that of MetadataWriter.PortablePdb of Roslyn.
#include "base/assert.h"
#include "metadata/pdb/pdb.h"

enum { HOISTED_SCOPE_SIZE = 8 };

static_assert(HOISTED_SCOPE_SIZE == 2 * sizeof(uint32_t), "a start and a length");

uint32_t pdb_kickoff(const struct pdb *pdb, uint32_t move_next_token)
{
    const struct metadata *metadata = &pdb->metadata;
    if (TOKEN_TABLE(move_next_token) != TABLE_METHOD_DEF || !pdb->sorted_state_machines) {
        return 0;
    }
    uint32_t row =
        metadata_find(metadata, TABLE_STATE_MACHINE_METHOD, STATE_MACHINE_METHOD_MOVE_NEXT, TOKEN_ROW(move_next_token));
    uint32_t kickoff = metadata_column(metadata, TABLE_STATE_MACHINE_METHOD, row, STATE_MACHINE_METHOD_KICKOFF);
    return kickoff ? TOKEN(TABLE_METHOD_DEF, kickoff) : 0;
}

bool pdb_hoisted_scope(const struct pdb *pdb, uint32_t move_next_token, uint32_t slot, struct pdb_il_range *out)
{
    struct bytes scopes = pdb_custom(pdb, move_next_token, PDB_CUSTOM_HOISTED_SCOPES);
    uint32_t start, length;
    if (!bytes_skip(&scopes, (size_t)slot * HOISTED_SCOPE_SIZE) || !bytes_u32(&scopes, &start) ||
        !bytes_u32(&scopes, &length) || length == 0 || length > UINT32_MAX - start) {
        return false;
    }
    *out = (struct pdb_il_range){start, start + length};
    return true;
}

bool pdb_awaits_of(const struct pdb *pdb, uint32_t move_next_token, struct pdb_awaits *out)
{
    struct bytes blob = pdb_custom(pdb, move_next_token, PDB_CUSTOM_ASYNC_STEPS);
    uint32_t handler;
    if (!bytes_u32(&blob, &handler)) {
        return false;
    }
    *out = (struct pdb_awaits){.catch_handler = handler ? handler - 1 : PDB_NO_OFFSET, .rest = blob};
    return true;
}

bool pdb_awaits_next(struct pdb_awaits *awaits, struct pdb_await *out)
{
    uint32_t row;
    if (!bytes_u32(&awaits->rest, &out->yield) || !bytes_u32(&awaits->rest, &out->resume) ||
        !bytes_compressed(&awaits->rest, &row) || row > 0xFFFFFF) {
        awaits->rest = (struct bytes){0};
        return false;
    }
    out->resume_method = TOKEN(TABLE_METHOD_DEF, row);
    return true;
}
