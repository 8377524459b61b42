/** The longest name of a schema or a role, in bytes of UTF-8. Postgres silently truncates a longer one. */
export const MAX_NAME_BYTES = 63;
