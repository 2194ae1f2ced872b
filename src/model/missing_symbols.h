// A note about recorded modules without symbols: their statements have no lines, and their variables no names.
#ifndef CLEW_MODEL_MISSING_SYMBOLS_H
#define CLEW_MODEL_MISSING_SYMBOLS_H

#include "model/catalog.h"

// Adds the note to those of the recording, once the catalog is linked; none if all recorded modules have their symbols.
// NO_MEMORY is the only error.
enum clew_error missing_symbols_note(struct catalog *catalog);

#endif
