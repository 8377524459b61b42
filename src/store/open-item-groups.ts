import { CallGroups } from "../db/grouping/call-groups.js";
import { type GroupContent, type GroupedCall, type GroupRules } from "../db/grouping/group-rules.js";
import { groupingOf, orderOnly } from "../db/grouping/grouping-of.js";
import { ReadGroups, type ReadRules } from "../db/grouping/read-groups.js";
import { runTransaction } from "../db/statements/run-statement.js";
import { progressOf } from "../telemetry/running-calls.js";
import {
  type EncodedItemWrite,
  type ItemGet,
  type ItemGroups,
  type SentSearch,
  type WriteMember,
  type StoreCall,
  sendAlone,
} from "./store-call.js";
import { itemId, type StoreRow } from "./queries/item-rows.js";
import { getItems } from "./queries/get-items.js";
import { type FoundRow, searchItems } from "./queries/search-items.js";
import { storeItemWrites } from "./run-batch.js";

/** How many writes share a statement at most, and how many characters of their values. A statement must not delay its calls by much. */
const MAX_WRITES = 100;
const MAX_LENGTH = 512 * 1_024;

/** A call that is alone is sent at once. The calls beside it take as long in one statement as each of them would. */
const ALONE = 1;

/**
 * Opens the groups for the calls of a store.
 *
 * @param base - The context that each call of the store starts from.
 * @returns In a passed-in transaction, whose statements run one after another and fail all together, only the order of writes.
 */
export function openItemGroups(base: StoreCall): ItemGroups {
  const grouping = groupingOf(base);
  if (grouping === undefined) return { writes: orderOnly() };
  const { connections, lockWaits, together } = grouping;
  return {
    writes: new CallGroups(writesTogether(together), connections, lockWaits),
    gets: new ReadGroups(getsTogether(base), connections),
    searches: new ReadGroups(searchesTogether(base), connections),
  };
}

/** @param call - The context of the statements that several calls share. */
function writesTogether(call: StoreCall): GroupRules<WriteMember & GroupedCall> {
  return {
    alone: ALONE,
    newContent: () => new Writes(),
    storeTogether: async (calls) => {
      await storeItemWrites(
        { ...call, progress: progressOf(calls) },
        calls.map(({ write }) => write),
      );
      return calls.map(() => true);
    },
  };
}

/** Writes of items that differ: either items to store or deletions, each of which takes one statement. */
class Writes implements GroupContent<WriteMember> {
  readonly #ids = new Set<string>();
  #kind: EncodedItemWrite["kind"] | undefined;
  #length = 0;

  add({ write, length }: WriteMember): boolean {
    const id = itemId(write);
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

function getsTogether(base: StoreCall): ReadRules<ItemGet, StoreRow> {
  return {
    alone: ALONE,
    kindOf: () => "get",
    placeOf: ({ item }) => itemId(item),
    readTogether: async (reads, signal) => {
      const items = reads.map(({ item }) => item);
      const call = { ...base, signal, progress: progressOf(reads) };
      const rows = await sendAlone(call, getItems(base.schema, items, false));
      return new Map(rows.map((row) => [itemId(row), [row]]));
    },
  };
}

/** Searches take as long as their statements, each of which has a connection where one is free. Further ones share a round trip. */
function searchesTogether(base: StoreCall): ReadRules<SentSearch, FoundRow> {
  const placeOf = ({ search }: SentSearch): string => JSON.stringify(search);
  return {
    kindOf: () => "search",
    placeOf,
    readTogether: async (reads, signal) => {
      const statements = reads.map(({ search }) => searchItems(base.schema, search));
      const call = { ...base, signal, progress: progressOf(reads) };
      const rows = await runTransaction(call, { statements });
      return new Map(reads.map((read, nth) => [placeOf(read), rows[nth] ?? []]));
    },
  };
}
