import type {
  GetOperation,
  ListNamespacesOperation,
  MatchCondition,
  Operation,
  PutOperation,
  SearchOperation,
} from "@langchain/langgraph-checkpoint";
import { bytewise, matches } from "./matches.js";

/** What a test sees of an item. */
export interface ModelItem {
  readonly namespace: string[];
  readonly key: string;
  readonly value: Record<string, unknown>;
  readonly version: number;
}

/** A store in memory that does what the documentation says, in the plainest way. */
export class ModelStore {
  readonly #items = new Map<string, ModelItem>();
  /** When items were updated, by the time of the database, which the model can't know. */
  #updated = new Map<string, number>();

  /** Runs operations: first all reads, then all writes. */
  batch(operations: readonly Operation[]): unknown[] {
    const results = operations.map((operation) => this.#read(operation));
    const last = new Map<string, PutOperation>();
    for (const operation of operations.filter(isPut))
      last.set(idOf(operation.namespace, operation.key), operation);
    for (const [id, { namespace, key, value }] of last) {
      const version = (this.#items.get(id)?.version ?? 0) + 1;
      if (value === null) this.#items.delete(id);
      else this.#items.set(id, { namespace, key, value, version });
    }
    return results;
  }

  /** Takes over when items were updated. */
  learnTimes(
    rows: readonly { readonly prefix: string; readonly key: string; readonly updated: number }[],
  ): void {
    this.#updated = new Map(rows.map(({ prefix, key, updated }) => [idOf(prefix.split("."), key), updated]));
  }

  #read(operation: Operation): unknown {
    if (isPut(operation)) return undefined;
    if ("namespacePrefix" in operation) return this.#search(operation);
    return "key" in operation ? this.#get(operation) : this.#list(operation);
  }

  #get({ namespace, key }: GetOperation): ModelItem | null {
    return this.#items.get(idOf(namespace, key)) ?? null;
  }

  #search({ namespacePrefix, filter = {}, limit = 10, offset = 0 }: SearchOperation): ModelItem[] {
    const found = [...this.#items.entries()].filter(
      ([, { namespace, value }]) => beginsWith(namespace, namespacePrefix) && matches(value, filter),
    );
    const updated = (id: string) => this.#updated.get(id) ?? 0;
    found.sort(
      ([id, item], [otherId, other]) =>
        updated(otherId) - updated(id) ||
        bytewise(item.namespace.join("."), other.namespace.join(".")) ||
        bytewise(item.key, other.key),
    );
    return found.map(([, item]) => item).slice(offset, offset + limit);
  }

  #list({ matchConditions = [], maxDepth, limit, offset }: ListNamespacesOperation): string[][] {
    const texts = [...this.#items.values()]
      .filter(({ namespace }) => matchConditions.every((condition) => isMatch(namespace, condition)))
      .map(({ namespace }) => namespace.slice(0, maxDepth ?? namespace.length).join("."));
    const sorted = [...new Set(texts)].sort(bytewise);
    return sorted.slice(offset, offset + limit).map((text) => text.split("."));
  }
}

function isPut(operation: Operation): operation is PutOperation {
  return "value" in operation;
}

function isMatch(namespace: readonly string[], { matchType, path }: MatchCondition): boolean {
  if (path.length > namespace.length) return false;
  const first = matchType === "prefix" ? 0 : namespace.length - path.length;
  return path.every((label, nth) => label === "*" || label === namespace[first + nth]);
}

function beginsWith(namespace: readonly string[], prefix: readonly string[]): boolean {
  return prefix.every((label, nth) => label === namespace[nth]);
}

function idOf(namespace: readonly string[], key: string): string {
  return JSON.stringify([namespace, key]);
}
