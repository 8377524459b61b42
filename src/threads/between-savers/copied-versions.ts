import { createHash } from "node:crypto";
import type { BaseCheckpointSaver, Checkpoint, ChannelVersions } from "@langchain/langgraph-checkpoint";
import { type ListedCheckpoint, nameOfCheckpoint, type StoredThread } from "./listed-checkpoints.js";

type Version = string | number;
/** The versions of a lineage that are stored under another number, by channel and version. */
type Renamed = ReadonlyMap<string, number>;

/** A version of this library, or of Python's saver, whose tail is a number of its own: a padded counter and a random tail. */
const TEXT_VERSION = /^(\d+)\.(?:0\.)?(\d+)$/;
const TAILS = 2 ** 32;
const NONE: Renamed = new Map();

/** The versions of a checkpoint in the target. */
interface CopiedVersions extends Pick<Checkpoint, "channel_versions" | "versions_seen"> {
  /** The versions that differ from those of the parent. */
  readonly newVersions: ChannelVersions;
}

/**
 * Decides the versions of the channels of one thread in the target. They stay what they are, except in two cases:
 *
 * - A saver that counts in whole numbers reaches the same number in two branches of a checkpoint. A saver that stores each value once,
 *   by channel and version, would give one branch the value of the other. So the later branch gets a number with a fraction, as the savers
 *   of this library count on.
 * - Where the target begins a thread with a number, as the official JavaScript savers do, it can't continue from text: a text becomes the
 *   number of its counter, with its tail as the fraction.
 *
 * A checkpoint that the target has keeps the versions that it has there, so a copy that is made again goes on from them, also where the source
 * has deleted a branch meanwhile. What the target has deleted had the versions that its descendants still have.
 */
export class VersionCopier {
  readonly #toNumbers: boolean;
  /** The versions that checkpoints have in the target, or had. */
  readonly #known = new Map<string, ChannelVersions>();
  /** The versions that a value of the target has, or will have. */
  readonly #taken = new Set<string>();
  readonly #renamed = new Map<string, Renamed>();

  /**
   * @param stored - What the target has of the thread.
   * @param listed - The checkpoints of the source, parents before their children.
   */
  constructor(
    target: BaseCheckpointSaver,
    stored: Pick<StoredThread, "checkpoints">,
    listed: readonly ListedCheckpoint[],
  ) {
    this.#toNumbers = typeof target.getNextVersion(undefined) === "number";
    for (const [name, { checkpointNs, versions }] of stored.checkpoints) {
      this.#known.set(name, versions);
      for (const [channel, version] of Object.entries(versions)) {
        this.#taken.add(valueOf(checkpointNs, channel, version));
      }
    }
    for (const { parent, ...child } of listed.toReversed()) {
      const known = this.#known.get(nameOfCheckpoint(child));
      if (parent === undefined || known === undefined || stored.checkpoints.has(nameOfCheckpoint(parent)))
        continue;
      const shared = Object.entries(known).filter(
        ([channel]) => child.versions[channel] === parent.versions[channel],
      );
      const name = nameOfCheckpoint(parent);
      this.#known.set(name, { ...this.#known.get(name), ...Object.fromEntries(shared) });
    }
  }

  /** Counts the versions of a checkpoint. Call it for each checkpoint of the thread, for parents before their children. */
  count(checkpoint: ListedCheckpoint): void {
    const { parent, versions, checkpointNs, checkpointId } = checkpoint;
    const inherited = this.#renamedOf(parent);
    const known = this.#known.get(nameOfCheckpoint(checkpoint));
    const own = new Map<string, number>();
    for (const [channel, version] of Object.entries(versions)) {
      if (version === parent?.versions[channel] || !Number.isInteger(version)) continue;
      const place = placeOf(channel, version);
      if (inherited.has(place)) continue;
      const value = valueOf(checkpointNs, channel, version);
      const there = known?.[channel];
      if (typeof there === "number" && there !== version) own.set(place, there);
      else if (there === undefined && this.#taken.has(value)) {
        own.set(place, Number(version) + fractionOf(checkpointId));
      }
      this.#taken.add(value);
    }
    this.#renamed.set(
      nameOfCheckpoint(checkpoint),
      own.size === 0 ? inherited : new Map([...inherited, ...own]),
    );
  }

  /** Returns the versions of a checkpoint that was counted. */
  copy(listed: ListedCheckpoint, { channel_versions, versions_seen }: Checkpoint): CopiedVersions {
    const renamed = this.#renamedOf(listed);
    const copyAll = <V extends Version>(versions: Record<string, V>) =>
      Object.fromEntries(
        Object.entries(versions).map(([channel, version]) => [
          channel,
          this.#copyOne(channel, version, renamed),
        ]),
      );
    const before = listed.parent?.versions ?? {};
    const changed = Object.entries(channel_versions).filter(([channel, one]) => one !== before[channel]);
    return {
      channel_versions: copyAll(channel_versions),
      versions_seen: Object.fromEntries(
        Object.entries(versions_seen).map(([node, seen]) => [node, copyAll(seen)]),
      ),
      newVersions: copyAll(Object.fromEntries(changed)),
    };
  }

  #copyOne(channel: string, version: Version, renamed: Renamed): Version {
    const other = renamed.get(placeOf(channel, version));
    if (other !== undefined) return other;
    const text = this.#toNumbers && typeof version === "string" ? TEXT_VERSION.exec(version) : null;
    return text === null ? version : Number(`${text[1]}.${text[2]}`);
  }

  #renamedOf(checkpoint: ListedCheckpoint | undefined): Renamed {
    return (checkpoint && this.#renamed.get(nameOfCheckpoint(checkpoint))) ?? NONE;
  }
}

function valueOf(checkpointNs: string, channel: string, version: Version): string {
  return JSON.stringify([checkpointNs, channel, version]);
}

function placeOf(channel: string, version: Version): string {
  return JSON.stringify([channel, version]);
}

/** A number between 0 and 1 that only this checkpoint has. */
function fractionOf(checkpointId: string): number {
  return (createHash("sha256").update(checkpointId).digest().readUInt32BE() + 1) / (TAILS + 1);
}
