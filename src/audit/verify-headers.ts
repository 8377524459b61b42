import type { CallContext } from "../db/call-context.js";
import { isUnreadable } from "../errors/index.js";
import type { CheckpointKey } from "../saver/model/checkpoint-key.js";
import { compareText } from "../saver/model/compare-text.js";
import { decodeJsonb } from "../serde/jsonb/decode-jsonb.js";
import { INLINE_REFUSAL } from "../saver/codec/decode-value.js";
import { mayBeEmpty } from "../saver/codec/may-be-empty.js";
import { requiredColumn } from "../saver/codec/required-column.js";
import { type CheckpointHeader, parseHeader, parseStoredMetadata } from "../saver/codec/parse-header.js";
import { isOwnAncestor } from "../saver/queries/get-ancestry.js";
import type { CheckedHeaderRow } from "./queries/get-header-page.js";
import type { IntroducedVersion } from "./queries/get-introduction.js";
import type { Problem } from "./audit-types.js";
import type { DeltaChannels } from "./delta-channels.js";
import { error, notice } from "./problems.js";
import type { UnstoredChannels } from "./unstored-channels.js";

/** What the check of a header needs. */
export interface HeaderCheck {
  readonly call: CallContext;
  /** Whether the serializer refuses values in headers. */
  readonly refusesPlaintext: boolean;
  readonly deltaChannels: DeltaChannels;
  readonly unstoredChannels: UnstoredChannels;
}

/** The problems of a checkpoint, except those of its stored values. */
export async function problemsOfHeader(row: CheckedHeaderRow, check: HeaderCheck): Promise<Problem[]> {
  const key = keyOf(row);
  const read = await readHeader(row, key);
  if ("problem" in read) return [read.problem, ...(await problemsOfParent(row, check, []))];
  const unstored = channelsIn(row.missing);
  const missing = unstored.filter(({ channel }) => !mayBeEmpty({ channel, ...originOf(read, channel) }));
  const deltas = await check.deltaChannels.among(
    key,
    missing.map(({ channel }) => channel),
  );
  const refused = check.refusesPlaintext ? namesIn(row.inline) : [];
  const values = missing.filter(({ channel }) => !deltas.has(channel));
  return [
    ...(await problemsOfUnstored(key, values, check)),
    ...refused.map((channel) => error("undecodable-value", { ...key, channel }, INLINE_REFUSAL)),
    ...(await problemsOfParent(row, check, [
      ...namesIn(row.emptied),
      ...unstored.map(({ channel }) => channel),
    ])),
  ];
}

export function keyOf(row: CheckedHeaderRow): CheckpointKey {
  return { threadId: row.thread_id, checkpointNs: row.checkpoint_ns, checkpointId: row.checkpoint_id };
}

interface ReadHeader {
  readonly header: CheckpointHeader;
  readonly source: unknown;
}

async function readHeader(
  row: CheckedHeaderRow,
  key: CheckpointKey,
): Promise<ReadHeader | { readonly problem: Problem }> {
  try {
    const header = parseHeader(
      await decodeJsonb(requiredColumn(row.checkpoint, "checkpoint", key), key, "header"),
      key,
    );
    const metadata = parseStoredMetadata(
      await decodeJsonb(requiredColumn(row.metadata, "metadata", key), key),
      key,
    );
    return { header, source: metadata.source };
  } catch (reason) {
    if (!isUnreadable(reason)) throw reason;
    return { problem: error("corrupt-header", key, reason.message) };
  }
}

function originOf({ header, source }: ReadHeader, channel: string) {
  return { version: header.channel_versions?.[channel], source };
}

async function problemsOfUnstored(
  key: CheckpointKey,
  channels: readonly VersionedChannel[],
  { unstoredChannels }: HeaderCheck,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const { channel, version } of channels) {
    const place = { ...key, channel, version };
    const state = await unstoredChannels.stateOf(place);
    if (state === "lost") problems.push(error("missing-value", place, missingMessage(place)));
    if (state === "unclear") problems.push(notice("missing-value", place, unclearMessage(place)));
  }
  return problems;
}

/** @param unstored - The channels of the checkpoint without a stored value. */
async function problemsOfParent(
  row: CheckedHeaderRow,
  { call, deltaChannels }: HeaderCheck,
  unstored: readonly string[],
): Promise<Problem[]> {
  const key = keyOf(row);
  const { parent_checkpoint_id: parent } = row;
  if (parent === null) return [];
  if (!row.has_parent) {
    const lost = await deltaChannels.among(key, unstored);
    if (lost.size === 0) return [notice("missing-parent", key, parentMessage(key, parent))];
    return [...lost].map((channel) =>
      error(
        "missing-parent",
        { ...key, channel },
        `${parentMessage(key, parent)}: earlier writes to channel "${channel}" are lost`,
      ),
    );
  }
  // Every cycle has a step to a parent with a larger or equal id, so that checking these steps is enough.
  if (compareText(parent, key.checkpointId) < 0 || !(await isOwnAncestor(call, key))) return [];
  const message = `thread "${key.threadId}": checkpoint "${key.checkpointId}" is among its own ancestors`;
  return [error("parent-cycle", key, message)];
}

function missingMessage({ threadId, checkpointId, channel, version }: IntroducedVersion): string {
  return `thread "${threadId}", checkpoint "${checkpointId}": no value of channel "${channel}" is stored at version "${version}"`;
}

function unclearMessage(version: IntroducedVersion): string {
  const reason =
    "Python's saver stores nothing for an empty channel, and no row shows whether this one was empty";
  return `${missingMessage(version)}: ${reason}`;
}

function parentMessage({ threadId, checkpointId }: CheckpointKey, parent: string): string {
  return `thread "${threadId}": the parent "${parent}" of checkpoint "${checkpointId}" is not stored`;
}

interface VersionedChannel {
  readonly channel: string;
  readonly version: string;
}

// The JSON comes from our own statement.
function channelsIn(json: string | null): VersionedChannel[] {
  const pairs = JSON.parse(json ?? "[]") as [channel: string, version: string][];
  return pairs.map(([channel, version]) => ({ channel, version }));
}

function namesIn(json: string | null): string[] {
  return JSON.parse(json ?? "[]") as string[];
}
