import { sql } from "kysely";
import type { Parameter } from "../../db/statements/statement.js";
import { hiddenFromPlanner } from "./planning.js";

/** An item's place in the table. */
export interface ItemKey {
  readonly prefix: string;
  readonly key: string;
}

/** The parameters of a statement about several items. */
export interface ManyKeys {
  readonly prefixes: readonly string[];
  readonly keys: readonly string[];
}

/** Returns the parameters of a statement about several items. */
export function manyKeys(items: readonly ItemKey[]): ManyKeys {
  return { prefixes: items.map(({ prefix }) => prefix), keys: items.map(({ key }) => key) };
}

/** The places of the parameters, as rows with the name `wanted`. */
export function wantedKeys(parameter: Parameter<ManyKeys>) {
  const prefixes = hiddenFromPlanner(parameter("prefixes"), "text[]");
  const keys = hiddenFromPlanner(parameter("keys"), "text[]");
  return sql<ItemKey>`unnest(${prefixes}, ${keys})`.as<"wanted">(sql`wanted(prefix, key)`);
}

/** Every statement that waits for locks of several items takes them in this order, so that concurrent calls can't deadlock. */
export const LOCK_ORDER = /* @__PURE__ */ sql`store.prefix collate "C", store.key collate "C"`;
