import { loadOnce } from "../db/async/load-once.js";
import { ConnectionError, InvalidConfigError } from "../errors/index.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import type { ScheduleRequest } from "./boundary/parse-schedule.js";
import type { Retention, RetentionScope } from "./retention-schedule.js";

const loadRunning = loadOnce(() => import("./running-retention.js"));

/**
 * Starts a retention.
 *
 * @throws InvalidConfigError in a passed-in transaction.
 */
export function startRetention(call: SaverCall, request: ScheduleRequest, scope: RetentionScope): Retention {
  const { kysely, closed } = call.database;
  if (kysely.isTransaction) {
    throw new InvalidConfigError(
      "source",
      "startRetention can't run on a transaction, which it would outlive",
    );
  }
  if (closed) throw new ConnectionError("the database has been closed", { transient: false });
  const running = loadRunning().then(({ RunningRetention }) => new RunningRetention(call, request, scope));
  const stop = async (): Promise<void> => (await running).stop();
  return { stop, [Symbol.asyncDispose]: stop };
}
