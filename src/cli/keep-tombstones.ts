/** The options of a saver for commands that write: it refuses threads that were deleted for good. */
export const KEEP_TOMBSTONES = { keepTombstones: true } as const;
