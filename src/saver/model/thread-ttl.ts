/**
 * The key, in the config of a run and in the metadata of its checkpoints, of the time that the thread lives after its newest
 * checkpoint, in milliseconds. It is part of what is stored, so copies, forks and backups keep it.
 */
export const THREAD_TTL_KEY = "thread_ttl_ms";
