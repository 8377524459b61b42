import type { NamespaceRule } from "./store-options.js";

/** What holds for the items of one namespace. */
export type ItemRule = Omit<NamespaceRule, "prefix">;

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
