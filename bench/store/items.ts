import { variedText } from "../scenarios/sample-data.js";
import type { Size } from "../scenarios/scenario.js";

/** An item of the stores, of about 226 bytes as JSON. */
export interface Item {
  readonly namespace: string[];
  readonly key: string;
  readonly value: Record<string, unknown>;
}

const TENANTS = 10;

/** The items that both stores hold: as many of each user, spread over the table as users come and go. */
export class Items {
  readonly count: number;
  readonly users: number;

  constructor({ quick }: Size) {
    [this.count, this.users] = quick ? [400, 20] : [100_000, 1_000];
  }

  /** One of the items, the oldest first. */
  at(n: number): Item {
    return itemOf(this.user(n), n % this.count);
  }

  /** The namespace of one of the users. */
  user(n: number): string[] {
    const user = n % this.users;
    return ["tenants", `t${user % TENANTS}`, `u${user}`];
  }

  *all(): Iterable<Item> {
    for (let n = 0; n < this.count; n++) yield this.at(n);
  }
}

/** An item of a namespace. One of twenty is of each kind, one of a hundred has a score above 990, about ten share a topic. */
export function itemOf(namespace: string[], n: number): Item {
  return {
    namespace,
    key: `item-${n}`,
    value: {
      kind: kind(scattered(n)),
      ref: reference(n),
      active: n % 3 === 0,
      score: scattered(n) % 1_001,
      meta: { depth: n % 7, source: "conversation" },
      text: `${topic(n)} ${variedText(90, n)}`,
    },
  };
}

/** One of twenty. */
export function kind(n: number): string {
  return `kind-${n % 20}`;
}

/** What no other item has. */
export function reference(n: number): string {
  return `ref-${n}`;
}

/** A word that few items have. */
export function topic(n: number): string {
  return `topic${n % 10_007}`;
}

/** Another number for each one, so that the items of a user differ. */
function scattered(n: number): number {
  return Math.imul(n, 2_654_435_761) >>> 12;
}
