import { DatabaseError } from "../errors/index.js";
import type { CheckpointValueContext } from "../serde/serde-context.js";

/** The number of times that a read starts, where its values are replaced or deleted while it fetches them. */
const MAX_READS = 5;

/** Reports a long value or a splice that was replaced or deleted after a read had found it. */
export class ReplacedValueError extends DatabaseError {
  override name = "ReplacedValueError";
  constructor({ channel, ...place }: CheckpointValueContext) {
    super(`channel "${channel}": its value was replaced while it was read`, {
      ...place,
      channel,
      transient: true,
    });
  }
}

/**
 * Starts a read again where a long value was replaced before it was fetched, so that the result existed at one
 * moment.
 *
 * @throws ReplacedValueError where that happens several times.
 */
export async function readUnreplaced<T>(read: () => Promise<T>, reads = MAX_READS): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ReplacedValueError) || reads <= 1) throw error;
    return readUnreplaced(read, reads - 1);
  }
}
