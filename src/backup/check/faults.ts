import type { BackupFault } from "./check-types.js";

const MAX_LISTED = 100;

/** Counts faults, and keeps the first ones. */
export class Faults {
  readonly #listed: BackupFault[] = [];
  #count = 0;

  get listed(): readonly BackupFault[] {
    return this.#listed;
  }

  get count(): number {
    return this.#count;
  }

  add(fault: BackupFault): void {
    this.#count += 1;
    if (this.#listed.length < MAX_LISTED) this.#listed.push(fault);
  }
}
