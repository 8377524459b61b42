import type { CallContext } from "../db/call-context.js";
import { operationsOf } from "../telemetry/running-calls.js";
import type { Sealing } from "./item-codec.js";
import type { VectorSettings } from "./embeddings/embed-texts.js";
import type { CallGroups } from "../db/grouping/call-groups.js";
import type { GroupedCall } from "../db/grouping/group-rules.js";
import type { ReadGroups, SharedRead } from "../db/grouping/read-groups.js";
import type { StoreRow, ItemKey } from "./queries/item-rows.js";
import type { FoundRow, ItemSearch } from "./queries/search-items.js";
import type { PutRow } from "./queries/write-items.js";
import type { EmbeddedItem } from "./embeddings/wanted-vectors.js";
import type { NamespaceRule } from "./store-options.js";
import { runTransaction } from "../db/statements/run-statement.js";
import type { BoundStatement } from "../db/statements/statement.js";

/** What the calls of one store share. */
export interface StoreSettings {
  /** The tables that the store uses. With a tenant, each of them must separate tenants. */
  readonly tables: readonly string[];
  /** The labels that every namespace of a caller is below. Empty except in a scoped store. */
  readonly root: readonly string[];
  readonly rules: NamespaceRules;
  /** How long an item lives that is put without a TTL, in minutes. `null`: for ever. */
  readonly defaultTtl: number | null;
  /** Whether reading an item starts its time again. */
  readonly refreshesOnRead: boolean;
  /** Whether reads take namespaces and keys that no put takes, as other programs may have stored them. */
  readonly readsAnyPlace?: boolean;
  readonly textSearchLanguage: string;
  /** How values are encrypted or compressed. `undefined` for JSON that SQL and other programs read. */
  readonly sealing: Sealing | undefined;
  /** The channel that announces changes. `undefined` for a store that announces none. */
  readonly channel: string | undefined;
  /** How texts are embedded. `undefined`: they are not. */
  readonly vectors: VectorSettings | undefined;
}

/** The context of one call of a store. */
export interface StoreCall extends CallContext {
  readonly settings: StoreSettings;
  /** The groups in which the store's calls are sent. Absent where each call is sent by itself. */
  readonly groups?: ItemGroups | undefined;
  /** Resolves when the tables are there. Absent where they are there already. */
  readonly ready?: Promise<void> | undefined;
}

/** Returns the context for a part of a call that has its turn. */
export function inItsTurn(call: StoreCall): StoreCall {
  return { ...call, groups: { ...call.groups, writes: undefined } };
}

/** The operations of a store. */
export const itemOperations = operationsOf({
  "store.setup": { table: "store_kysely_migration" },
  "store.batch": { table: "store" },
  "store.get": { table: "store", isOnlyTable: true },
  "store.put": { table: "store" },
  "store.delete": { table: "store" },
  "store.search": { table: "store" },
  "store.listNamespaces": { table: "store", isOnlyTable: true },
  "store.count": { table: "store", isOnlyTable: true },
  "store.update": { table: "store" },
  "store.deleteNamespace": { table: "store" },
  "store.sweep": { table: "store", mayTakeAnyTime: true },
  "store.watch": { table: "store" },
  "store.health": { table: "pg_class" },
  "store.exportItems": { table: "store", isOnlyTable: true },
  "store.importItems": { table: "store" },
  "store.reembed": { table: "store" },
});

/** The groups in which a store sends calls that are made at the same time. */
export interface ItemGroups {
  /** Absent within a call that has its turn already. */
  readonly writes?: CallGroups<WriteMember & GroupedCall> | undefined;
  /** Absent where each read is sent by itself. */
  readonly gets?: ReadGroups<ItemGet, StoreRow>;
  readonly searches?: ReadGroups<SentSearch, FoundRow>;
}

/** What a group knows of a call that stores or deletes an item. */
export interface WriteMember {
  readonly write: EncodedItemWrite;
  /** The length of the value as JSON text. */
  readonly length: number;
}

export interface ItemGet extends SharedRead<StoreRow> {
  readonly item: ItemKey;
}

export interface SentSearch extends SharedRead<FoundRow> {
  readonly search: ItemSearch;
}

/** What is stored of an item, or the place of one that is deleted. */
export type EncodedItemWrite = EncodedPut | EncodedDeletion;

export interface EncodedPut extends ItemKey {
  readonly kind: "put";
  readonly row: PutRow;
  /** What its vectors are made of. */
  readonly embedded: EmbeddedItem;
}

interface EncodedDeletion extends ItemKey {
  readonly kind: "delete";
}

/** What holds for the items of one namespace. */
type ItemRule = Omit<NamespaceRule, "prefix">;

/** The rules of a store, the longest prefix first. */
export class NamespaceRules {
  readonly #rules: readonly NamespaceRule[];

  constructor(rules: readonly NamespaceRule[]) {
    this.#rules = rules.toSorted((one, other) => other.prefix.length - one.prefix.length);
  }

  /** Whether no rule can apply. */
  get isEmpty(): boolean {
    return this.#rules.length === 0;
  }

  /** Returns what holds for a namespace: each property of the rule with the longest prefix that has it. */
  of(namespace: readonly string[]): ItemRule {
    const applying = this.#rules.filter(({ prefix }) => beginsWith(namespace, prefix));
    return {
      ttl: applying.find(({ ttl }) => ttl !== undefined)?.ttl,
      schema: applying.find(({ schema }) => schema !== undefined)?.schema,
      index: applying.find(({ index }) => index !== undefined)?.index,
    };
  }
}

function beginsWith(namespace: readonly string[], prefix: readonly string[]): boolean {
  return (
    prefix.length <= namespace.length &&
    prefix.every((label, nth) => label === "*" || label === namespace[nth])
  );
}

/** Sends one statement, and returns its rows. */
export async function sendAlone<Row>(call: StoreCall, statement: BoundStatement<Row>): Promise<Row[]> {
  const [rows = []] = await runTransaction(call, { statements: [statement] });
  return rows;
}
