import {
  CallGroups,
  type GroupContent,
  type GroupedCall,
  type GroupRules,
} from "../db/grouping/call-groups.js";
import { LOCK_TIMEOUT_MS, LockWaits } from "../db/grouping/lock-waits.js";
import { ReadGroups, type ReadRules } from "../db/grouping/read-groups.js";
import { runTransaction } from "../db/statements/run-statement.js";
import type { EncodedWrite } from "./encoded-write.js";
import type { ItemGet, ItemGroups, SentSearch, WriteMember } from "./item-groups.js";
import { idOf } from "./item-id.js";
import { getItems } from "./queries/get-items.js";
import type { ItemRow } from "./queries/item-columns.js";
import { type FoundRow, searchItems } from "./queries/search-items.js";
import { storeWrites } from "./run-batch.js";
import type { StoreCall } from "./store-call.js";

/** How many writes share a statement at most, and how many characters of their values. A statement must not delay its calls by much. */
const MAX_WRITES = 100;
const MAX_LENGTH = 512 * 1_024;

/** A call that is alone is sent at once. The calls beside it take as long in one statement as each of them would. */
const ALONE = 1;

/**
 * Opens the groups for the calls of a store.
 *
 * @param base - The context that each call of the store starts from.
 * @returns Nothing in a passed-in transaction, whose statements run one after another, and fail all together.
 */
export function openItemGroups(base: StoreCall): ItemGroups | undefined {
  if (base.database.kysely.isTransaction) return undefined;
  const { maxConnections } = base.database;
  // The only user of an embedded database finds no lock that another one holds.
  const isEmbedded = maxConnections === "embedded";
  const connections = isEmbedded ? 1 : maxConnections;
  const lockWaits = new LockWaits(isEmbedded ? Infinity : connections - 1);
  return {
    writes: new CallGroups(writesTogether(base), connections, lockWaits),
    gets: new ReadGroups(getsTogether(base), connections),
    searches: new ReadGroups(searchesTogether(base), connections),
  };
}

function writesTogether(base: StoreCall): GroupRules<WriteMember & GroupedCall> {
  // A group that fails is sent again call by call, and these are retried.
  const call = { ...base, lockTimeoutMs: LOCK_TIMEOUT_MS, policy: { ...base.policy, retry: false as const } };
  return {
    alone: ALONE,
    newContent: () => new Writes(),
    storeTogether: async (calls) => {
      await storeWrites(
        call,
        calls.map(({ write }) => write),
      );
      return calls.map(() => true);
    },
  };
}

/** Writes of items that differ: either items to store or deletions, each of which takes one statement. */
class Writes implements GroupContent<WriteMember> {
  readonly #ids = new Set<string>();
  #kind: EncodedWrite["kind"] | undefined;
  #length = 0;

  add({ write, length }: WriteMember): boolean {
    const id = idOf(write);
    if (this.#kind !== undefined) {
      if (this.#kind !== write.kind || this.#ids.has(id)) return false;
      if (this.#ids.size >= MAX_WRITES || this.#length + length > MAX_LENGTH) return false;
    }
    this.#kind = write.kind;
    this.#ids.add(id);
    this.#length += length;
    return true;
  }
}

function getsTogether(base: StoreCall): ReadRules<ItemGet, ItemRow> {
  return {
    alone: ALONE,
    kindOf: () => "get",
    placeOf: ({ item }) => idOf(item),
    readTogether: async (reads, signal) => {
      const statement = getItems(
        base.schema,
        reads.map(({ item }) => item),
        false,
      );
      const [rows = []] = await runTransaction({ ...base, signal }, { statements: [statement] });
      return new Map(rows.map((row) => [idOf(row), [row]]));
    },
  };
}

/** Searches take as long as their statements, each of which has a connection where one is free. Further ones share a round trip. */
function searchesTogether(base: StoreCall): ReadRules<SentSearch, FoundRow> {
  return {
    kindOf: () => "search",
    placeOf: ({ search }) => JSON.stringify(search),
    readTogether: async (reads, signal) => {
      const statements = reads.map(({ search }) => searchItems(base.schema, search));
      const rows = await runTransaction({ ...base, signal }, { statements });
      return new Map(reads.map(({ search }, nth) => [JSON.stringify(search), rows[nth] ?? []]));
    },
  };
}
