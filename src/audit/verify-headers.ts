import type { CallContext } from "../db/call-context.js";
import { isUnreadable } from "../errors/index.js";
import { type CheckpointKey, checkpointKeyOf, compareText, rowKey } from "../saver/model/keys.js";
import { INLINE_REFUSAL } from "../saver/codec/decode-value.js";
import { mayBeEmpty } from "../saver/codec/special-values.js";
import { readHeader, type ReadHeader } from "../saver/codec/parse-header.js";
import { isOwnAncestor } from "../saver/queries/get-ancestry.js";
import type { CheckedHeaderRow } from "./queries/get-header-page.js";
import { DeltaChannels } from "./delta-channels.js";
import { faultsOfHeader } from "./faults-of-header.js";
import { error, type FoundProblem, notice } from "./problems.js";
import { UnstoredChannels } from "./unstored-channels.js";
import type { CheckedTombstoneRow } from "./queries/get-tombstone-page.js";

/** What the check of a header needs. */
interface HeaderCheck {
  readonly call: CallContext;
  readonly refusesPlaintext: boolean;
  readonly deltaChannels: DeltaChannels;
  readonly unstoredChannels: UnstoredChannels;
}

/** @param refusesPlaintext - Whether the serializer refuses values in headers. */
export function headerCheck(call: CallContext, refusesPlaintext: boolean): HeaderCheck {
  return {
    ...{ call, refusesPlaintext },
    deltaChannels: new DeltaChannels(call),
    unstoredChannels: new UnstoredChannels(call),
  };
}

/** The problems of a checkpoint, except those of its stored values. */
export async function problemsOfHeader(row: CheckedHeaderRow, check: HeaderCheck): Promise<FoundProblem[]> {
  const key = checkpointKeyOf(row);
  const read = await readOrReason(row, key);
  if (typeof read === "string") {
    return [error("corrupt-header", key, read), ...(await problemsOfParents(row, check, []))];
  }
  const faults = faultsOfHeader(key.checkpointId, read.header, read.metadata);
  const unstored = channelsIn(row.missing);
  const missing = unstored.filter(({ channel }) => !mayBeEmpty({ channel, ...originOf(read, channel) }));
  const deltas = await check.deltaChannels.among(
    key,
    missing.map(({ channel }) => channel),
  );
  const refused = check.refusesPlaintext ? namesIn(row.inline) : [];
  const values = missing.filter(({ channel }) => !deltas.has(channel));
  return [
    ...(faults.length === 0 ? [] : [error("corrupt-header", key, faults.join("; "))]),
    ...(await problemsOfUnstored(key, values, check)),
    ...refused.map((channel) => error("undecodable-value", { ...key, channel }, INLINE_REFUSAL)),
    ...(await problemsOfParents(row, check, [
      ...namesIn(row.emptied),
      ...unstored.map(({ channel }) => channel),
    ])),
  ];
}

/** Returns the reason where the row can't be read. */
async function readOrReason(row: CheckedHeaderRow, key: CheckpointKey): Promise<ReadHeader | string> {
  try {
    return await readHeader(row, key);
  } catch (reason) {
    if (!isUnreadable(reason)) throw reason;
    return reason.problem;
  }
}

function originOf({ header, metadata }: ReadHeader, channel: string) {
  return { version: header.channel_versions?.[channel], source: metadata.source };
}

async function problemsOfUnstored(
  key: CheckpointKey,
  channels: readonly VersionedChannel[],
  { unstoredChannels }: HeaderCheck,
): Promise<FoundProblem[]> {
  const problems: FoundProblem[] = [];
  for (const { channel, version } of channels) {
    const place = { ...key, channel, version };
    const state = await unstoredChannels.stateOf(place);
    // Many successive checkpoints have the same version.
    const cause = { key: rowKey("unstored", key.threadId, key.checkpointNs, channel, version), isOwn: false };
    if (state === "lost") problems.push(error("missing-value", place, "no value is stored", cause));
    if (state === "unclear") problems.push(notice("missing-value", place, UNCLEAR, cause));
  }
  return problems;
}

const UNCLEAR =
  "no value is stored: Python's saver stores nothing for an empty channel, and no row shows whether this one was empty";

/** @param unstored - The channels of the checkpoint without a stored value. */
async function problemsOfParents(
  row: CheckedHeaderRow,
  { call, deltaChannels }: HeaderCheck,
  unstored: readonly string[],
): Promise<FoundProblem[]> {
  const key = checkpointKeyOf(row);
  const { parent_checkpoint_id: parent } = row;
  const named = pairsIn(row.missing_parents).map(([ns, id]) => missingParent(key, ns, id));
  if (parent === null) return named;
  if (!row.has_parent) {
    const lost = await deltaChannels.among(key, unstored);
    if (lost.size === 0) return [missingParent(key, key.checkpointNs, parent), ...named];
    const reason = `${parentMissing(key, key.checkpointNs, parent)}: earlier writes to the channel are lost`;
    return [...[...lost].map((channel) => error("missing-parent", { ...key, channel }, reason)), ...named];
  }
  // Every cycle has a step to a parent with a larger or equal id, so that checking these steps is enough.
  if (compareText(parent, key.checkpointId) < 0 || !(await isOwnAncestor(call, key))) return named;
  return [error("parent-cycle", key, "the checkpoint is among its own ancestors"), ...named];
}

/** The notice for a parent, by its column or by the metadata. Several checkpoints may have the same one. */
function missingParent(key: CheckpointKey, ns: string, id: string): FoundProblem {
  const cause = { key: rowKey("parent", key.threadId, ns, id), isOwn: false };
  return notice("missing-parent", key, parentMissing(key, ns, id), cause);
}

function parentMissing({ checkpointNs }: CheckpointKey, ns: string, id: string): string {
  return `the parent "${id}"${ns === checkpointNs ? "" : ` in namespace "${ns}"`} is not stored`;
}

interface VersionedChannel {
  readonly channel: string;
  readonly version: string;
}

function channelsIn(json: string | null): VersionedChannel[] {
  return pairsIn(json).map(([channel, version]) => ({ channel, version }));
}

// The JSON comes from our own statement.
function pairsIn(json: string | null): [string, string][] {
  return JSON.parse(json ?? "[]") as [string, string][];
}

function namesIn(json: string | null): string[] {
  return JSON.parse(json ?? "[]") as string[];
}

/** The problem of a tombstone whose thread has checkpoints or a conversation. */
export function problemsOfTombstone({ thread_id: threadId, is_living }: CheckedTombstoneRow): FoundProblem[] {
  if (!is_living) return [];
  const reason =
    "the thread has a tombstone, and checkpoints or a conversation: savers with keepTombstones refuse to continue it";
  return [error("living-tombstone", { threadId, checkpointNs: "" }, reason)];
}
