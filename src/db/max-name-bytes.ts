/** The longest name of a schema or a role, in bytes of UTF-8: Postgres cuts a longer one off, silently. */
export const MAX_NAME_BYTES = 63;
