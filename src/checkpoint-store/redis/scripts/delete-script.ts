import { redisScript } from "./redis-script.js";

/**
 * Deletes a record and its entries.
 *
 * Arguments: prefix, id. Key: the record. Answer: the number of deleted records.
 */
export const DELETE = /* @__PURE__ */ redisScript(`
return remove(ARGV[2], describe(KEYS[1]) or {})
`);
