import type { RunnableConfig } from "@langchain/core/runnables";
import {
  DeltaSnapshot,
  isDeltaSnapshot,
  maxChannelVersion,
  TASKS,
  uuid6,
} from "@langchain/langgraph-checkpoint";
import { CheckpointNotFoundError, DeserializationError, InvalidConfigError } from "../errors/index.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import type { ForkRequest } from "./boundary/parse-fork.js";
import { sizeOfCheckpoint, type SizeCheck } from "../saver/codec/call-size.js";
import { countOwnId } from "../saver/clock/clock-rule.js";
import { idAfter } from "../saver/model/checkpoint-time.js";
import { configOf } from "../saver/boundary/parse-config.js";
import { INLINE_REFUSAL } from "../saver/codec/decode-value.js";
import { encodePut, parsePut } from "../saver/codec/encode-call.js";
import { readTuple } from "../saver/read-tuple.js";
import { store } from "../saver/storing/store.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { COUNTERS, countedChannels } from "../saver/codec/parse-header.js";
import { rebuildDeltaValues } from "./rebuild-delta-values.js";
import { type ForkTarget, readForkTarget } from "./fork-target.js";

/** The parts of a saver that a fork needs. */
export interface Forker {
  readonly serde: ContextualSerializer;
  readonly sizeCheck: SizeCheck;
  readonly nextVersion: (current: string | number | undefined) => string | number;
}

type Values = Readonly<Record<string, unknown>>;

/** The first format of checkpoints that stores sends as the value of a channel. */
const SENDS_FORMAT = 4;

/**
 * Stores a checkpoint that continues from another with its values; see `fork` of the savers. The storing transaction takes the
 * parent lock on the target, and fails when the target has been deleted.
 */
export async function fork(call: SaverCall, request: ForkRequest, forker: Forker): Promise<RunnableConfig> {
  const target = await readForkTarget(call, request.subject);
  const values = await newValues(call, target, request, forker.serde);
  const inline = inlineValues(target, values, forker.serde);
  const versions = newVersions(target, values, forker);
  const id = newId(target, request);
  countOwnId(id);
  const checkpoint = {
    ...carriedFields(target, values),
    v: Math.max(target.header.v, SENDS_FORMAT),
    id,
    ts: new Date().toISOString(),
    channel_values: { ...inline, ...values },
    channel_versions: { ...target.header.channel_versions, ...versions },
    versions_seen: target.header.versions_seen ?? {},
  };
  const given = [configOf(target.key), checkpoint, newMetadata(target, values), versions] as const;
  const put = await encodePut({ serde: forker.serde }, parsePut({}, ...given));
  const encoded = { ...put, metadata: joinedObjects(target.carriedMetadata, put.metadata) };
  forker.sizeCheck.check(encoded, () => sizeOfCheckpoint(encoded));
  if (call.observer !== undefined) call.observer.addBytes(sizeOfCheckpoint(encoded).bytes);
  // The put fails when the target has been deleted.
  await store(call, [
    { kind: "put", checkpoint: { ...encoded, requiresParent: true, carriedBlobs: undefined } },
  ]);
  return configOf(encoded);
}

/** Joins the texts of two JSON objects that have no key in common. */
function joinedObjects(a: string, b: string): string {
  return a === "{}" ? b : `${a.slice(0, -1)},${b.slice(1)}`;
}

/** The values that the fork does not share with its target. */
async function newValues(
  call: SaverCall,
  target: ForkTarget,
  request: ForkRequest,
  serde: ContextualSerializer,
): Promise<Values> {
  const counted = countedChannels(target);
  const given = Object.entries(request.values).map(([channel, value]): [string, unknown] => [
    channel,
    counted.has(channel) && !isDeltaSnapshot(value) ? new DeltaSnapshot(value) : value,
  ]);
  return {
    ...(await sends(call, target, serde)),
    ...(await rebuildDeltaValues(call, target, request, serde)),
    ...Object.fromEntries(given),
  };
}

/** Before format 4 the sends of a checkpoint are writes beside its parent, which is not the fork's parent. */
async function sends(
  call: SaverCall,
  { header, key }: ForkTarget,
  serde: ContextualSerializer,
): Promise<Values> {
  if (header.v >= SENDS_FORMAT) return {};
  const tuple = await readTuple(call, key, { channels: [TASKS], writes: false }, serde);
  if (tuple === undefined) throw new CheckpointNotFoundError(key);
  return tuple.checkpoint.channel_values;
}

/** The values in the target's header that no blob has, so that the fork can't share them. */
function inlineValues(
  { header, stored, key }: ForkTarget,
  values: Values,
  serde: ContextualSerializer,
): Values {
  const inline = Object.entries(header.channel_values ?? {}).filter(
    ([channel]) => !stored.has(channel) && !Object.hasOwn(values, channel),
  );
  const [first] = inline;
  // Anyone could have put a plaintext value there without a key. The fork would encrypt it and so make it trusted.
  if (serde.refusesPlaintext === true && first !== undefined)
    throw new DeserializationError(INLINE_REFUSAL, { ...key, channel: first[0] });
  return Object.fromEntries(inline);
}

/** The version of all new values, larger than every existing version. */
function newVersions(
  { header }: ForkTarget,
  values: Values,
  forker: Forker,
): Record<string, string | number> {
  const current = Object.values(header.channel_versions ?? {});
  const version = forker.nextVersion(current.length === 0 ? undefined : maxChannelVersion(...current));
  return Object.fromEntries(Object.keys(values).map((channel) => [channel, version]));
}

function newId({ key, headId, metadata }: ForkTarget, { becomesHead }: ForkRequest): string {
  const fresh = uuid6(metadata.step);
  const id = idAfter(headId, fresh);
  if (id === undefined && becomesHead)
    throw new InvalidConfigError(
      "threadId",
      `no new checkpoint can become the newest of the namespace: its newest checkpoint "${headId}" has an id that is not a UUID`,
      key,
    );
  return id ?? fresh;
}

/** The other fields of the header, from any version of LangGraph. */
function carriedFields({ header }: ForkTarget, values: Values): Record<string, unknown> {
  const { pending_sends: _, ...withoutSends } = header;
  const { updated_channels, ...carried } = header.v >= SENDS_FORMAT ? header : withoutSends;
  // Python looks for the next nodes only among these channels.
  if (!Array.isArray(updated_channels)) return carried;
  const names: unknown[] = updated_channels;
  return { ...carried, updated_channels: [...new Set([...names, ...Object.keys(values)])] };
}

function newMetadata(target: ForkTarget, values: Values): Record<string, unknown> {
  const { step, parents }: { readonly step?: unknown; readonly parents?: unknown } = target.metadata;
  const counters = [...countedChannels(target)].filter(([channel]) => !Object.hasOwn(values, channel));
  return {
    source: "fork",
    step: (typeof step === "number" ? step : -1) + 1,
    parents: parents ?? {},
    ...(counters.length > 0 && { [COUNTERS]: Object.fromEntries(counters) }),
  };
}
