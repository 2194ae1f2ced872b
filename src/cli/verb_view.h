// Lets `run --view` open the page.
#ifndef CLEW_CLI_VERB_VIEW_H
#define CLEW_CLI_VERB_VIEW_H

// Serves the page of a recording, prints its address to stderr, opens the browser and returns when the user ends it. Returns
// a cli_status.
int cli_view_recording(const char *path);

#endif
