/**
 * The names of the channels of notifications: their prefix, and the number of digits of the digest after it. Postgres allows 63 bytes,
 * and what is watched may have a longer name.
 */
export const CHANNEL_NAME = { prefix: "langgraph_", digits: 48 };
