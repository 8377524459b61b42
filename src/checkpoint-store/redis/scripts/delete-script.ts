import { redisScript } from "./redis-script.js";

/**
 * Deletes a record and its entries.
 *
 * Arguments: prefix, id. Key: the record. Answer: the number of deleted records.
 */
export const DELETE = /* @__PURE__ */ redisScript(`
local record = describe(KEYS[1])
return record and remove(ARGV[2], record) or 0
`);
