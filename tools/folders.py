"""The folders of src/: which may use which. The table of ARCHITECTURE.md."""

# A folder may always include its own files.
MAY_USE = {
    "base": [],
    "trace": ["base"],
    "clr": ["base"],
    "metadata": ["base", "trace"],
    "il": ["base", "metadata"],
    "ring": ["base", "trace"],
    "weave": ["base", "trace", "metadata", "il", "ring"],
    "recording": ["base", "trace"],
    "agent": ["base", "trace", "clr", "metadata", "il", "weave", "ring"],
    "source": ["base", "trace", "metadata"],
    "collector": ["base", "trace", "metadata", "ring", "recording", "source"],
    "model": ["base", "trace", "metadata", "recording", "source"],
    "library": ["base", "trace", "recording", "model"],
    "view": ["base", "trace", "model"],
    "serve": ["base", "view"],
    "cli": ["base", "trace", "clr", "metadata", "il", "weave", "ring", "recording", "source", "collector", "model", "view", "serve"],
}
# Rooms (sub-folders): each may include itself and those before it; rooms that share a place do not include each other. Files
# outside rooms may include all of them.
ROOMS = {
    "agent": ["session", "arch", "probe", "loaded", "types", "rewrite", "hooks", "unwind", "events", "heap", "control"],
    "view": ["text", "json", "table", "report", "replay", "story", "page", "export"],
    "metadata": ["tables", "pdb", "names"],
    "model": ["events"],
    "weave": ["operations", ("plan", "emit")],
    "collector": ["session", "sources", "drain", "collect", "start"],
}


def with_used(*folders):
    """These folders and those that they may use."""
    return set(folders).union(*(MAY_USE[folder] for folder in folders))


def users(folders):
    """These folders and all that use them, directly or not."""
    reached = set(folders)
    while True:
        more = {user for user, used in MAY_USE.items() if reached & set(used)} - reached
        if not more:
            return reached
        reached |= more
