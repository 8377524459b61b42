import type { CallContext } from "../db/call-context.js";
import type { Damage, DatabaseError } from "../errors/index.js";
import { isLost } from "./refused-rows.js";

/** The context of an export. */
export interface ExportCall extends CallContext {
  /** Receives rows that the server can't read. The export leaves them out. Absent: it ends at the first one. */
  readonly onDamaged?: ((damage: Damage) => void) | undefined;
}

/**
 * Reads rows by their keys. Where the server can't read all of them, it finds out which, and returns the others.
 *
 * @param onLost - Receives the key of each row that can't be read. Absent: the error is thrown.
 */
export async function readEach<Key, Row>(
  keys: readonly Key[],
  read: (keys: readonly Key[]) => Promise<Row[]>,
  onLost: ((key: Key, error: DatabaseError) => void) | undefined,
): Promise<Row[]> {
  try {
    return await read(keys);
  } catch (error) {
    if (onLost === undefined || !isLost(error)) throw error;
    const [key] = keys;
    if (key !== undefined && keys.length === 1) {
      onLost(key, error);
      return [];
    }
  }
  const half = Math.ceil(keys.length / 2);
  const first = await readEach(keys.slice(0, half), read, onLost);
  return [...first, ...(await readEach(keys.slice(half), read, onLost))];
}
