import { MAX_BASES } from "../splices/value-chain.js";
import type { VersionRow } from "./queries/values-of-channel.js";

/** Which value of a channel refers to which, by version. */
export class VersionChains {
  readonly #baseOf = new Map<string, string | null>();
  /** By version, the versions of the splices that refer to it. */
  readonly #splicesOf = new Map<string, Set<string>>();

  constructor(versions: readonly Pick<VersionRow, "version" | "base">[]) {
    for (const { version, base } of versions) this.set(version, base);
  }

  /** Makes a value refer to another one, or to none. */
  set(version: string, base: string | null): void {
    this.#splicesOf.get(this.#baseOf.get(version) ?? "")?.delete(version);
    this.#baseOf.set(version, base);
    if (base === null) return;
    const splices = this.#splicesOf.get(base) ?? new Set();
    this.#splicesOf.set(base, splices.add(version));
  }

  /**
   * The values that a value is made of, the nearest first. `undefined` where one of them is not stored, or they refer to each other,
   * which only damage can cause.
   */
  basesOf(version: string): ReadonlySet<string> | undefined {
    const bases = new Set<string>();
    for (let base = this.#baseOf.get(version); base !== null; base = this.#baseOf.get(base)) {
      if (base === undefined || bases.has(base)) return undefined;
      bases.add(base);
    }
    return bases;
  }

  /** Whether a value is made of more than {@link MAX_BASES} others, and each of them is stored. */
  isTooLong(version: string): boolean {
    return (this.basesOf(version)?.size ?? 0) > MAX_BASES;
  }

  /** Whether a value may refer to `base`: it is not made of the value, and no chain through the two becomes too long. */
  mayRefer(version: string, base: string): boolean {
    const bases = this.basesOf(base);
    if (bases === undefined || base === version || bases.has(version)) return false;
    return 1 + bases.size + this.#heightOf(version) <= MAX_BASES;
  }

  /** The number of splices in the longest chain above a value. */
  #heightOf(version: string): number {
    const seen = new Set([version]);
    let height = 0;
    for (let level = [version]; ; height++) {
      level = level
        .flatMap((each) => [...(this.#splicesOf.get(each) ?? [])])
        .filter((each) => !seen.has(each));
      if (level.length === 0) return height;
      for (const each of level) seen.add(each);
    }
  }
}
