import { compareValues, type ValueChange } from "../../audit/compare-values.js";
import { InvalidConfigError } from "../../errors/index.js";
import { compareText } from "../../saver/model/keys.js";
import type { ChannelChange, ChannelComparison, Comparison, PartChange } from "../api/checkpoints.js";
import type { ValueNode } from "../api/value-node.js";
import type { CheckpointPlace } from "../api/places.js";
import type { CallRun } from "../calls/call-definition.js";
import { type ChannelRow, getChannelRows } from "../queries/channel-rows.js";
import { getSurroundings } from "../queries/get-surroundings.js";
import { findChannelValue, notFound } from "../stored-values/read-stored-value.js";
import { cutLabel, describeValue } from "../values/describe-value.js";
import { commonStart } from "../values/common-start.js";
import { unwrapSnapshot } from "../../saver/codec/special-values.js";
import { TextRoom } from "../values/text-room.js";
import { comparisonCost } from "./comparison-cost.js";
import { hasStoredValue } from "./preview-channels.js";

/** Two checkpoints. */
export interface ComparedCheckpoints {
  readonly before: CheckpointPlace;
  readonly after: CheckpointPlace;
}

/** Compares the channels of two checkpoints by their versions and sizes. It reads no value. */
export async function compareCheckpoints(
  { call }: CallRun,
  { before, after }: ComparedCheckpoints,
): Promise<Comparison> {
  const [rowsBefore, rowsAfter] = await Promise.all([rowsOf(call, before), rowsOf(call, after)]);
  const isSameNamespace = before.threadId === after.threadId && before.namespace === after.namespace;
  const names = new Set([...rowsBefore.keys(), ...rowsAfter.keys()]);
  const channels = [...names].sort(compareText).map((channel): ChannelChange => {
    const [one, other] = [rowsBefore.get(channel), rowsAfter.get(channel)];
    const change = changeBetween(one, other, isSameNamespace);
    return { channel, change, beforeBytes: bytesOf(one), afterBytes: bytesOf(other) };
  });
  return { channels };
}

async function rowsOf(
  call: CallRun["call"],
  place: CheckpointPlace,
): Promise<ReadonlyMap<string, ChannelRow>> {
  const rows = await getChannelRows(call, place);
  if (rows.length === 0 && (await getSurroundings(call, place, 0)) === undefined) throw notFound(place);
  return new Map(rows.map((row) => [row.channel, row]));
}

function changeBetween(
  before: ChannelRow | undefined,
  after: ChannelRow | undefined,
  isSameNamespace: boolean,
): ChannelChange["change"] {
  if (!mayHaveValue(before)) return mayHaveValue(after) ? "added" : "same";
  if (!mayHaveValue(after)) return "removed";
  const isSame = before.version === after.version && (isSameNamespace || isCopy(before, after));
  return isSame ? "same" : "changed";
}

/** A channel that has lost its value keeps a version. The value of a delta channel is in no row, so it may be there. */
function mayHaveValue(row: ChannelRow | undefined): row is ChannelRow {
  return row !== undefined && !(row.type === "empty" && row.inline_bytes === null);
}

/** Copies keep their versions, which both engines make unique by a random part. Versions that are numbers may be equal by chance. */
function isCopy(before: ChannelRow, after: ChannelRow): boolean {
  return (
    before.version?.startsWith('"') === true &&
    before.version.includes(".") &&
    before.type === after.type &&
    before.whole_bytes === after.whole_bytes &&
    before.inline_bytes === after.inline_bytes
  );
}

function bytesOf(row: ChannelRow | undefined): number {
  if (row === undefined) return 0;
  return hasStoredValue(row) ? row.whole_bytes : (row.inline_bytes ?? 0);
}

/** Compares the values of a channel. */
export async function compareChannel(
  run: CallRun,
  { before, after }: ComparedCheckpoints,
  channel: string,
  limit: number,
): Promise<ChannelComparison> {
  const [one, other] = await Promise.all([
    findChannelValue(run, { ...before, channel }),
    findChannelValue(run, { ...after, channel }),
  ]);
  if (one === undefined && other === undefined) {
    throw new InvalidConfigError("args.channel", "has no stored value at either checkpoint");
  }
  const changes = changesBetween(one, other);
  const room = new TextRoom();
  return {
    changes: changes.slice(0, limit).map((change) => describeChange(change, room)),
    omitted: Math.max(0, changes.length - limit),
  };
}

type FoundValue = { readonly value: unknown } | undefined;

/** What the comparison of two values may cost: more would keep the service busy for longer than a moment. */
const MAX_COST = 4_000_000;

/** Lists the changes between two values. Two that would take long to compare are one change as a whole. */
export function changesBetween(before: FoundValue, after: FoundValue): readonly ValueChange[] {
  const whole = [
    { path: "", ...(before !== undefined && { before }), ...(after !== undefined && { after }) },
  ];
  if (before === undefined || after === undefined) return whole;
  const [one, other] = [unwrapSnapshot(before.value), unwrapSnapshot(after.value)];
  return comparisonCost([one, other]) > MAX_COST ? whole : compareValues(one, other);
}

function describeChange({ path, before, after }: ValueChange, room: TextRoom): PartChange {
  const [text, otherText] = [before?.value, after?.value];
  if (typeof text === "string" && typeof otherText === "string") {
    const skipped = commonStart(text, otherText);
    const show = (whole: string): ValueNode => ({
      ...room.cutNode(describeValue(whole.slice(skipped))),
      size: whole.length,
    });
    return {
      ...{ label: cutLabel(path), before: show(text), after: show(otherText) },
      ...(skipped > 0 && { skipped }),
    };
  }
  return {
    label: cutLabel(path),
    ...(before !== undefined && { before: room.cutNode(describeValue(before.value)) }),
    ...(after !== undefined && { after: room.cutNode(describeValue(after.value)) }),
  };
}
