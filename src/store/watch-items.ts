import {
  type NotificationQueue,
  type QueueItem,
  reportWatchLost,
  reportWatchResumed,
} from "../db/listening/notification-queue.js";
import { watchUntilEnded, untilReachable } from "../db/listening/watch-until-ended.js";
import { throwIfAborted } from "../db/statements/cancellation.js";
import { runStatement } from "../db/statements/run-statement.js";
import { parseCallOptions } from "../parsing/parse-call-options.js";
import { parseNamespace } from "./boundary/parse-namespace.js";
import { toNamespace, toPrefix, type StoreRow, itemId, type ItemKey } from "./queries/item-rows.js";
import type { ItemValue, StoreItem } from "./item.js";
import { type ChangeCursor, changedItems, serverTime } from "./queries/changed-items.js";
import { getItems } from "./queries/get-items.js";
import { type StoreCall, itemOperations, sendAlone } from "./store-call.js";
import { toItem, withoutRoot } from "./convert-items.js";
import { checkCall, runCall } from "../db/run-call.js";
import { createHash } from "node:crypto";
import { CHANNEL_NAME } from "../db/listening/channel-name.js";

/** A change that a watch yields. */
export type StoreChange<Value extends ItemValue = ItemValue> =
  | { readonly type: "put"; readonly item: StoreItem<Value> }
  | { readonly type: "delete"; readonly namespace: string[]; readonly key: string }
  /** The connection was lost. What was stored meanwhile follows. What was deleted meanwhile is not known. */
  | { readonly type: "gap" };

/** A call of `watch`, before its arguments are checked. */
interface ItemWatchCall {
  readonly call: StoreCall;
  readonly namespacePrefix: unknown;
  readonly options: unknown;
  /** Resolves when the tables exist. */
  readonly ready: () => Promise<void>;
}

/** How many items one statement reads when it searches a gap. */
const PAGE_SIZE = 500;
/** How long a transaction may take, in seconds, whose items have the time of their statement but appear when it commits. */
const LONG_TRANSACTION = 10;

/**
 * Yields the changes of a scope that are made from now on; see `ItemStore.watch`.
 *
 * @param ending - Each of these signals ends the watch without an error.
 */
export async function* watchItems<Value extends ItemValue>(
  { call: given, namespacePrefix, options, ready }: ItemWatchCall,
  ending: readonly AbortSignal[],
): AsyncGenerator<StoreChange<Value>, undefined> {
  const { signal, prefix } = checkCall(given, itemOperations["store.watch"], () => ({
    signal: parseCallOptions(options),
    prefix: toPrefix([...given.settings.root, ...parseNamespace(namespacePrefix)]),
  }));
  throwIfAborted(signal);
  await ready();
  const { telemetry, policy, schema } = given;
  const watching = {
    name: changeChannel(schema, policy.tenantId),
    channel: {
      parse: parseChange,
      retry: policy.retry,
      lost: (failure: Error) => {
        reportWatchLost(telemetry, failure);
      },
      resumed: () => {
        reportWatchResumed(telemetry);
      },
    },
    listener: () => checkCall(given, itemOperations["store.watch"], () => given.database.listener()),
    signal,
    ending,
  };
  return yield* watchUntilEnded(given, watching, (call, queue) => changes<Value>(call, prefix, queue));
}

async function* changes<Value extends ItemValue>(
  call: StoreCall,
  prefix: string,
  queue: NotificationQueue<NotifiedChange>,
): AsyncGenerator<StoreChange<Value>> {
  const begin = await timeOf(call);
  const recent = new RecentItems();
  let since = begin;
  let hasListened = false;
  for (let next = await queue.next(); next !== undefined; next = await queue.next()) {
    if (next.kind === "gap") {
      if (hasListened) yield { type: "gap" };
      hasListened = true;
      const searched = await timeOf(call);
      for await (const row of storedSince(call, prefix, Math.max(begin, since - LONG_TRANSACTION))) {
        if (recent.add(row)) yield await putOf(call, row);
      }
      since = searched;
      continue;
    }
    since = Math.max(since, (yield* notified<Value>(call, prefix, next, recent)) ?? since);
  }
}

/** Yields a notified change, if it is in the scope and new. Returns when the item was stored. */
async function* notified<Value extends ItemValue>(
  call: StoreCall,
  prefix: string,
  change: Exclude<QueueItem<NotifiedChange>, { readonly kind: "gap" }>,
  recent: RecentItems,
): AsyncGenerator<StoreChange<Value>, number | undefined> {
  if (!isInScope(prefix, change.prefix)) return undefined;
  if (change.kind === "delete") {
    recent.remove(change);
    yield { type: "delete", namespace: withoutRoot(call, toNamespace(change.prefix)), key: change.key };
    return undefined;
  }
  // `undefined` if it has been deleted in the meantime, which has a notification of its own.
  const row = await readRow(call, change);
  if (row === undefined) return undefined;
  if (recent.add(row)) yield await putOf(call, row);
  return Number(row.updated_ms) / 1000;
}

async function putOf<Value extends ItemValue>(call: StoreCall, row: StoreRow): Promise<StoreChange<Value>> {
  return { type: "put", item: (await toItem(call, row)) as StoreItem<Value> };
}

async function* storedSince(call: StoreCall, prefix: string, since: number): AsyncGenerator<StoreRow> {
  // No text follows this one, so that the first page begins with all items of its time.
  let cursor: ChangeCursor = { since, afterPrefix: "\u{10ffff}", afterKey: "" };
  for (;;) {
    const statement = changedItems(call.schema, prefix, cursor, PAGE_SIZE);
    const rows = await observed(call, (part) => sendAlone(part, statement));
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_SIZE) return;
    cursor = { since: Number(last.updated_seconds), afterPrefix: last.prefix, afterKey: last.key };
  }
}

async function readRow(call: StoreCall, change: NotifiedChange): Promise<StoreRow | undefined> {
  const statement = getItems(call.schema, [change], false);
  const [row] = await observed(call, (part) => sendAlone(part, statement));
  return row;
}

async function timeOf(call: StoreCall): Promise<number> {
  const [row] = await observed(call, (part) => runStatement(part, serverTime, {}));
  return Number(row?.seconds ?? 0);
}

function observed<T>(call: StoreCall, read: (part: StoreCall) => Promise<T>): Promise<T> {
  return untilReachable(call, () => runCall(call, itemOperations["store.watch"], read));
}

function isInScope(scope: string, prefix: string): boolean {
  return scope === "" || prefix === scope || prefix.startsWith(`${scope}.`);
}

/** How many items a watch remembers, since a change may become known in two ways. */
const MAX_RECENT = 10_000;

/** The items that a watch has yielded last, in bounded memory. */
class RecentItems {
  readonly #seen = new Map<string, string>();

  /** Remembers an item. Returns whether it is new, or was stored again since. */
  add(row: Pick<StoreRow, "prefix" | "key" | "version" | "updated_ms">): boolean {
    const id = itemId(row);
    const state = `${row.version} ${row.updated_ms}`;
    if (this.#seen.get(id) === state) return false;
    this.#seen.delete(id);
    this.#seen.set(id, state);
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > MAX_RECENT && oldest !== undefined) this.#seen.delete(oldest);
    return true;
  }

  /** Forgets an item that was deleted. */
  remove(item: ItemKey): void {
    this.#seen.delete(itemId(item));
  }
}

/** A change of an item, as a notification announces it. */
interface NotifiedChange {
  readonly kind: "put" | "delete";
  readonly prefix: string;
  readonly key: string;
}

/** The channel that announces the changes of a store. Stores of two tenants have different ones. */
export function changeChannel(schema: string, tenantId: string | undefined): string {
  const scope = JSON.stringify(["langgraph-checkpoint-kysely", "store", schema, tenantId ?? null]);
  const digest = createHash("sha256").update(scope).digest("hex");
  return CHANNEL_NAME.prefix + digest.slice(0, CHANNEL_NAME.digits);
}

/** Parses the payload of a notification; `undefined` if another program sent it. */
function parseChange(payload: string): NotifiedChange | undefined {
  const [, kind, length, rest] = /^(put|delete) (\d{1,4}):([^]*)$/.exec(payload) ?? [];
  if ((kind !== "put" && kind !== "delete") || length === undefined || rest === undefined) return undefined;
  // Postgres counts code points: a surrogate pair is one character.
  const prefix = Array.from(rest).slice(0, Number(length)).join("");
  return { kind, prefix, key: rest.slice(prefix.length) };
}
