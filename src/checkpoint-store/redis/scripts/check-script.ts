import { redisScript } from "./redis-script.js";

/**
 * Writes nothing, by a command that the server refuses where it would refuse a save: on a replica, without memory, without a working disk, and
 * to a user without the right.
 *
 * Arguments: prefix. Key: that of a record without an id, which nobody can save.
 */
export const CHECK = /* @__PURE__ */ redisScript(`
if redis.call('TYPE', KEYS[1]).ok == 'none' then redis.call('SET', KEYS[1], '', 'XX') end
return 0
`);
