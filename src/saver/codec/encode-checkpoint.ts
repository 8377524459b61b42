import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import type { ValueMemory } from "../../splices/value-memory.js";
import type { StoredCheckpoint } from "../../db/stored-json.js";
import type { ErrorLocation } from "../../errors/index.js";
import type { CheckedCheckpoint } from "../boundary/parse-checkpoint.js";
import type { PutTarget } from "../boundary/parse-config.js";
import type { CarriedInline, EncodedBlob, EncodedCheckpoint } from "../queries/checkpoint-rows.js";
import {
  toStoredBarrier,
  type InlineValue,
  isInlineValue,
  mayBeInline,
  isEmptyTrigger,
  mayHoldInline,
  needsNoRow,
} from "./special-values.js";
import { jsonTextOf } from "../../serde/json/json-text.js";
import type { JsonValue } from "../../serde/json/json-value.js";
import { isOf64Bits } from "../../serde/msgpack/wire.js";
import { encodeJsonb } from "../../serde/json/jsonb.js";
import { encodeValue } from "./encode-value.js";
import { type OpenChain, openChain } from "./read-chain.js";
import { guardRead } from "../../serde/objects/inspect-object.js";

/** The parsed arguments of `put`. */
export interface PutRequest extends PutTarget {
  readonly checkpoint: CheckedCheckpoint;
  readonly metadata: Record<string, unknown>;
  /** The versions of the values that changed. `undefined` if the caller doesn't say which ones did. */
  readonly newVersions: Record<string, string | number> | undefined;
}

/** A `put` of which it is known what changed. */
type VersionedRequest = PutRequest & { readonly newVersions: Record<string, string | number> };

/** What values are encoded with. */
export interface Encoding {
  readonly serde: SerializerProtocol;
  /** Whether small scalars are stored in the header, as Python's saver does, instead of in a blob each. */
  readonly inlineScalars: boolean;
  /** What the saver remembers of the values of checkpoints. Absent for a saver without splices. */
  readonly memory?: ValueMemory | undefined;
}

/**
 * Encodes a checkpoint as the rows that store it. It encodes everything before it first awaits.
 *
 * @throws SerializationError naming the channel and the path of a value that can't be stored.
 */
export async function encodeCheckpoint(given: PutRequest, encoding: Encoding): Promise<EncodedCheckpoint> {
  const request = withNewVersions(given);
  const { threadId, checkpointNs, parentCheckpointId, checkpoint, metadata } = request;
  const storesCarried = given.newVersions === undefined;
  const source = guardRead(() => metadata.source, { threadId, checkpointNs, checkpointId: checkpoint.id });
  const { inline, stored, carried, referenced, requiresParent } = splitValues(request, encoding, {
    storesCarried,
    source,
  });
  const headerText = withInlineValues(jsonTextOf(encodeHeader(checkpoint), "checkpoint"), inline);
  const metadataText = jsonTextOf(encodeJsonb(metadata, "metadata"), "metadata");
  const branches = request.isReplay || BRANCHING_SOURCES.has(source);
  // Started last. If an earlier line throws, nothing awaits these promises, and a rejection among them would end the
  // process.
  const chain = encoding.memory && openChain(request, encoding.memory);
  const blobs = stored.map((value) => encodeBlob(value, request, encoding.serde, chain));
  return {
    threadId,
    checkpointNs,
    checkpointId: checkpoint.id,
    parentCheckpointId: parentCheckpointId ?? null,
    branches,
    checkpoint: headerText,
    carriedInline: carriedInline(carried, inline, { storesCarried, encoding }),
    metadata: metadataText,
    blobs: await Promise.all(blobs),
    requiresParent,
    versions: checkpoint.channel_versions,
    referencedVersions: Object.fromEntries(referenced),
    chained: chain?.values,
    carriedBlobs: () => {
      const unchanged = inOrder(carried.filter(({ channel }) => !inline.has(channel)));
      return Promise.all(unchanged.map((value) => encodeBlob(value, request, encoding.serde)));
    },
  };
}

/**
 * Without a parent all values are new. With one, each may be a value of the parent, so none counts as new, and each is stored where its
 * row is missing.
 */
function withNewVersions(request: PutRequest): VersionedRequest {
  const { checkpoint, parentCheckpointId } = request;
  const assumed = parentCheckpointId === undefined ? checkpoint.channel_versions : {};
  return { ...request, newVersions: request.newVersions ?? assumed };
}

/** The sources of checkpoints that branch off on purpose. */
const BRANCHING_SOURCES: ReadonlySet<unknown> = new Set(["fork", "update"]);

interface ChannelValue {
  readonly channel: string;
  readonly version: string;
  readonly value: unknown;
  readonly isEmpty: boolean;
  /** Whether the value did not change, so that it is stored only where its row is missing. */
  readonly isCarried?: boolean;
}

interface SplitValues {
  readonly inline: ReadonlyMap<string, InlineValue>;
  readonly stored: readonly ChannelValue[];
  /** The unchanged values, also empty ones. A value that is not inline is in a blob that the parent references. */
  readonly carried: readonly ChannelValue[];
  /** The versions of the unchanged values that are not stored again. */
  readonly referenced: ReadonlyMap<string, string | number>;
  /**
   * Whether the checkpoint is complete only together with older ones: with their unchanged values, or with the writes that a delta
   * channel without a value of its own is rebuilt from. The lock on the parent costs time, so it is taken only where it is needed. In a
   * graph whose own channels change in every step, such as a chat, all unchanged channels are empty triggers.
   */
  readonly requiresParent: boolean;
}

interface SplitOptions {
  /** Whether the caller doesn't say what changed, so that unchanged values are stored too. */
  readonly storesCarried: boolean;
  /** The source of the checkpoint, from its metadata. */
  readonly source: unknown;
}

/** Decides for each channel whether its value goes into the header, into a blob, or is stored already. */
function splitValues(
  request: VersionedRequest,
  encoding: Encoding,
  { storesCarried, source }: SplitOptions,
): SplitValues {
  const { newVersions, parentCheckpointId } = request;
  const inline = new Map<string, InlineValue>();
  const stored: ChannelValue[] = [];
  const carried: ChannelValue[] = [];
  const referenced = new Map<string, string | number>();
  let requiresParent = false;
  const add = (given: ChannelValue): void => {
    const { channel, isEmpty, value } = given;
    if (!isEmpty && encoding.inlineScalars && isInlineValue(value)) inline.set(channel, value);
    else stored.push(given);
  };
  for (const [channel, version] of Object.entries(newVersions)) add(givenValue(request, channel, version));
  // A checkpoint without a parent has no unchanged values.
  const versions = parentCheckpointId === undefined ? {} : request.checkpoint.channel_versions;
  for (const [channel, version] of Object.entries(versions)) {
    const given = givenValue(request, channel, version);
    const { isEmpty, value } = given;
    const isCarried = !Object.hasOwn(newVersions, channel);
    if (isCarried) {
      carried.push(given);
      // Where Python's saver kept a scalar inline, there is no blob to reference, and the header that holds it is an
      // ancestor's. So the value is stored again: inline, or as a blob that is inserted only where it is missing.
      const isStoredAgain = !isEmpty && mayBeInline(value) && !isCopied(value, encoding);
      if (storesCarried || isStoredAgain) add({ ...given, isCarried });
      else if (!isEmpty) referenced.set(channel, version);
    }
    if (!inline.has(channel))
      requiresParent ||= isEmpty ? !needsNoRow({ channel, version, source }) : isCarried;
  }
  return { inline, stored: inOrder(stored), carried, referenced, requiresParent };
}

// Concurrent writers of the same blobs must take their locks in the same order, or they may deadlock (C2).
function inOrder(values: ChannelValue[]): ChannelValue[] {
  return values.sort((a, b) => (a.channel < b.channel ? -1 : 1));
}

function givenValue(request: PutRequest, channel: string, version: string | number): ChannelValue {
  const { channel_values } = request.checkpoint;
  return guardRead(
    () => {
      const value = channel_values[channel];
      const isEmpty = isEmptyTrigger(channel, value) || !Object.hasOwn(channel_values, channel);
      return { channel, version: String(version), isEmpty, value };
    },
    placeOf(request, channel),
  );
}

function placeOf({ threadId, checkpointNs, checkpoint }: PutRequest, channel: string): ErrorLocation {
  return { threadId, checkpointNs, checkpointId: checkpoint.id, channel };
}

interface CarryOptions {
  readonly storesCarried: boolean;
  readonly encoding: Encoding;
}

/**
 * The unchanged values that are copied from the parent's header, where it has them:
 *
 * - those that this checkpoint lacks. A graph passes on the versions of channels that it doesn't know, without the values.
 * - numbers that the parent may spell in another way: inline ones, and those that can't be stored again as what they are for Python.
 *   Only whole numbers have several spellings.
 */
function carriedInline(
  carried: readonly ChannelValue[],
  inline: ReadonlyMap<string, InlineValue>,
  { storesCarried, encoding }: CarryOptions,
): Record<string, CarriedInline> {
  const copied = new Map<string, CarriedInline>();
  for (const { channel, value, isEmpty } of carried) {
    if (isEmpty) {
      if (mayHoldInline(channel) && !refusesPlaintext(encoding)) copied.set(channel, undefined);
      continue;
    }
    if (!isWhole(value)) continue;
    const isInline = inline.has(channel) && typeof value === "number";
    if (isInline || (!storesCarried && isCopied(value, encoding))) copied.set(channel, value);
  }
  return Object.fromEntries(copied);
}

/**
 * Whether an unchanged number is copied from the parent's header, where it is there, because Python would not read it as the same from a
 * row of this saver: a large float that is spelled as such, and with an encrypting serializer an integer beyond 64 bits.
 */
function isCopied(value: unknown, encoding: Encoding): boolean {
  if (encoding.inlineScalars) return isWhole(value) && !isInlineValue(value);
  return typeof value === "bigint" && !isOf64Bits(value) && !refusesPlaintext(encoding);
}

function refusesPlaintext({ serde }: Encoding): boolean {
  return "refusesPlaintext" in serde && serde.refusesPlaintext === true;
}

function isWhole(value: unknown): value is number | bigint {
  return Number.isInteger(value) || typeof value === "bigint";
}

async function encodeBlob(
  { channel, version, value, isEmpty, isCarried }: ChannelValue,
  request: PutRequest,
  serde: SerializerProtocol,
  chain?: OpenChain,
): Promise<EncodedBlob> {
  const carried = isCarried === true && { isCarried };
  if (isEmpty) return { channel, version, type: "empty", blob: null, ...carried };
  const context = {
    threadId: request.threadId,
    checkpointNs: request.checkpointNs,
    channel,
    version,
  };
  const location = placeOf(request, channel);
  const stored = guardRead(() => toStoredBarrier(channel, value), location);
  if (chain !== undefined && carried === false) {
    return { channel, version, ...(await chain.encode(serde, stored, context, location)) };
  }
  const encoded = await encodeValue(serde, stored, context, location);
  return { channel, version, ...encoded, ...carried };
}

function encodeHeader(checkpoint: CheckedCheckpoint): StoredCheckpoint {
  const { v, id, ts, channel_versions } = checkpoint;
  const others = new Map<string, JsonValue>();
  for (const [key, value] of Object.entries(checkpoint))
    if (!SEPARATE_KEYS.has(key)) others.set(key, encodeJsonb(value, `checkpoint.${key}`));
  // The versions are not encoded like the rest, because statements look up values by them, whatever the channels are
  // called.
  return { v, id, ts, channel_versions, ...Object.fromEntries(others) };
}

/** Adds the inline values to the text of a header. `JSON.stringify` does not support BigInt. */
function withInlineValues(header: string, inline: ReadonlyMap<string, InlineValue>): string {
  const values: string[] = [];
  for (const [channel, value] of inline)
    values.push(
      `${JSON.stringify(channel)}:${typeof value === "bigint" ? String(value) : JSON.stringify(value)}`,
    );
  return values.length === 0 ? header : `${header.slice(0, -1)},"channel_values":{${values.join()}}}`;
}

const SEPARATE_KEYS = new Set(["v", "id", "ts", "channel_values", "channel_versions"]);
