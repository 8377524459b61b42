import type { CallContext } from "../db/call-context.js";
import { type Damage, DatabaseError } from "../errors/index.js";

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
    if (onLost === undefined || !isLostRow(error)) throw error;
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

/** The SQLSTATEs of what the server can't read: a lost part of a long value, a damaged page, a damaged index. */
const LOST = new Set(["XX000", "XX001", "XX002"]);

/** The SQLSTATEs of a row that a table does not take: a column is NULL there that may not be, or a constraint is not met. */
const REFUSED = new Set(["23502", "23514"]);

/** Whether the server can't read a stored row. Others may be readable. */
export function isLostRow(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && LOST.has(error.sqlState ?? "");
}

/** Whether an error is about single rows that were to be stored, or about stored ones that they were compared with. */
export function isOfRows(error: unknown): error is DatabaseError {
  return isLostRow(error) || (error instanceof DatabaseError && REFUSED.has(error.sqlState ?? ""));
}
