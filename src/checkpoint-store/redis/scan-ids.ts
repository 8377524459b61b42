import type { BackendCall } from "../model/backend.js";
import { recordKey } from "./redis-keys.js";
import { partsOf, type RedisCommands } from "./redis-commands.js";

/** How many keys of the whole database a command looks at. */
const SCANNED = "1000";

/** Returns the ids of all records, each once, in no order. What is stored meanwhile may be missing. */
export async function scanIds(commands: RedisCommands, prefix: string, call: BackendCall): Promise<string[]> {
  const start = recordKey(prefix, "");
  const ids = new Set<string>();
  let cursor = "0";
  do {
    const pattern = `${start.replaceAll(/[\\*?[\]]/g, "\\$&")}*`;
    const reply = await commands.send(
      call,
      "SCAN",
      cursor,
      "MATCH",
      pattern,
      "COUNT",
      SCANNED,
      "TYPE",
      "string",
    );
    const [next, keys] = partsOf(reply);
    cursor = String(next);
    for (const key of partsOf(keys)) ids.add(String(key).slice(start.length));
  } while (cursor !== "0");
  return [...ids];
}
