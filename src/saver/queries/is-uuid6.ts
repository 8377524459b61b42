import { type Expression, type RawBuilder, sql } from "kysely";

/** Whether a checkpoint's id is a UUID of version 6, which contains a time. `UUID6` is the same check in JavaScript. */
export function isUuid6(checkpointId: Expression<string>): RawBuilder<boolean> {
  return sql<boolean>`${checkpointId} ~ '^[0-9a-f]{8}-[0-9a-f]{4}-6[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$'`;
}
