import type { CallGroups, GroupedCall } from "../db/grouping/call-groups.js";
import type { ReadGroups, SharedRead } from "../db/grouping/read-groups.js";
import type { EncodedWrite } from "./encoded-write.js";
import type { ItemRow } from "./queries/item-columns.js";
import type { ItemKey } from "./queries/item-keys.js";
import type { FoundRow, ItemSearch } from "./queries/search-items.js";

/** The groups in which a store sends calls that are made at the same time. */
export interface ItemGroups {
  /** Absent within a call that has its turn already. */
  readonly writes?: CallGroups<WriteMember & GroupedCall> | undefined;
  /** Absent where each read is sent by itself. */
  readonly gets?: ReadGroups<ItemGet, ItemRow>;
  readonly searches?: ReadGroups<SentSearch, FoundRow>;
}

/** What a group knows of a call that stores or deletes an item. */
export interface WriteMember {
  readonly write: EncodedWrite;
  /** The length of the value as JSON text. */
  readonly length: number;
}

export interface ItemGet extends SharedRead<ItemRow> {
  readonly item: ItemKey;
}

export interface SentSearch extends SharedRead<FoundRow> {
  readonly search: ItemSearch;
}
