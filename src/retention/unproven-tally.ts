import type { NamespaceKey } from "../saver/model/keys.js";
import type { OrphanedValues, OrphanedWrites } from "./find-orphans.js";
import type { UnprovenOrphans } from "./retention-types.js";

/** How many namespaces are named. */
const MAX_NAMED = 1_000;

/** Nothing that looks like an orphan was left. */
export const NO_UNPROVEN: UnprovenOrphans = { blobs: 0, writes: 0, bytes: 0, namespaces: [] };

/** Sums up what looks like an orphan and stays. */
export class UnprovenTally {
  #orphans = NO_UNPROVEN;

  get orphans(): UnprovenOrphans {
    return this.#orphans;
  }

  /**
   * Adds what stays of a namespace.
   *
   * @param head - With the newest checkpoint of the namespace, where it was read.
   */
  add(
    { key, newestId }: { readonly key: NamespaceKey; readonly newestId?: string | null },
    values: OrphanedValues | undefined,
    orphanedWrites?: OrphanedWrites,
  ): void {
    const { blobs, writes, bytes, namespaces } = this.#orphans;
    const left = { blobs: values?.unproven.length ?? 0, writes: orphanedWrites?.unproven ?? 0 };
    if (left.blobs + left.writes === 0) return;
    const reason =
      values?.isUnreadable === true ? "unreadable" : newestId === null ? "no-checkpoint" : "recent";
    this.#orphans = {
      blobs: blobs + left.blobs,
      writes: writes + left.writes,
      bytes: (values?.unproven ?? []).reduce((sum, value) => sum + (value.bytes ?? 0), bytes),
      namespaces: namespaces.length < MAX_NAMED ? [...namespaces, { ...key, ...left, reason }] : namespaces,
    };
  }
}
