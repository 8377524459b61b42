import type { Logger } from "langgraph-checkpoint-kysely";

const print =
  (level: string) =>
  (message: string, fields: object = {}): void => {
    const line = { at: new Date().toISOString(), level, message, ...fields };
    console.log(
      JSON.stringify(line, (_key, value: unknown) => (value instanceof Error ? tell(value) : value)),
    );
  };

/**
 * Prints a line of JSON for each event. The saver, the store and the cache use it too: they log each retry and each failure, and nothing
 * that a thread holds. pino and winston fit as well.
 */
export const log = { info: print("info"), warn: print("warn"), error: print("error") } satisfies Logger;

function tell({ name, message, stack }: Error): object {
  return { name, message, stack };
}
