import { createHash } from "node:crypto";

/** The value of a channel or a write. It contains its place and its own checksum. */
export interface ChaosValue {
  readonly thread: string;
  /** The checkpoint that this value was made for. */
  readonly checkpoint: string;
  readonly channel: string;
  readonly body: string | Uint8Array | readonly string[];
  /** The checksum of all fields above. */
  readonly sum: string;
}

/** Makes a value for this place, with a unique body of about `bytes` bytes. */
export function makeValue(
  place: Pick<ChaosValue, "thread" | "checkpoint" | "channel">,
  bytes: number,
): ChaosValue {
  const body = BODIES[bytes % BODIES.length]?.(place.checkpoint, bytes) ?? "";
  return { ...place, body, sum: sumOf({ ...place, body }) };
}

/** Makes a value for this place: what `before` contains, and something new. Of a long value it drops the start. */
export function growValue(
  place: Pick<ChaosValue, "thread" | "checkpoint" | "channel">,
  before: unknown,
): ChaosValue {
  const body = isIntact(before) ? before.body : FIRST_ENTRIES;
  if (typeof body === "string" || body instanceof Uint8Array) throw new Error("not a growing value");
  const kept = body.length < MAX_ENTRIES ? body : body.slice(MAX_ENTRIES / 2);
  const grown = [...kept, place.checkpoint.repeat(ENTRY_IDS)];
  return { ...place, body: grown, sum: sumOf({ ...place, body: grown }) };
}

/** Whether a value is complete and not mixed with another one. */
export function isIntact(value: unknown): value is ChaosValue {
  if (typeof value !== "object" || value === null || !("sum" in value) || !("body" in value)) return false;
  return value.sum === sumOf(value as ChaosValue);
}

/** A growing value has about 6 to 12 kB. */
const MAX_ENTRIES = 40;
const ENTRY_IDS = 8;
const FIRST_ENTRIES = Array.from({ length: 10 }, (_, index) => `${index} `.repeat(300));

const BODIES = [
  (seed: string, bytes: number) => seed.repeat(Math.ceil(bytes / seed.length)).slice(0, bytes),
  (seed: string, bytes: number) => new Uint8Array(Buffer.alloc(bytes, seed)),
  (seed: string, bytes: number) =>
    Array.from({ length: Math.ceil(bytes / 100) }, (_, i) => `${i} ${seed.repeat(3)}`),
];

function sumOf({ thread, checkpoint, channel, body }: Omit<ChaosValue, "sum">): string {
  return digestOf({ thread, checkpoint, channel, body });
}

/** A short checksum of a JSON value that may contain byte arrays. Equal values have equal checksums. */
export function digestOf(value: unknown): string {
  const text = JSON.stringify(value, (_key, part: unknown) =>
    part instanceof Uint8Array ? { bytes: createHash("sha1").update(part).digest("hex") } : part,
  );
  return createHash("sha1").update(text).digest("hex").slice(0, 16);
}
