import { compareValues, type ValueChange } from "../../audit/compare-values.js";
import { InvalidConfigError } from "../../errors/index.js";
import { compareText } from "../../saver/model/keys.js";
import type {
  ChannelChange,
  ChannelComparison,
  CheckpointComparison,
  PartChange,
} from "../api/checkpoints.js";
import type { ValueNode } from "../api/value-node.js";
import type { CheckpointPlace, ComparedCheckpoints } from "../api/places.js";
import type { CallRun } from "../calls/call-definition.js";
import { type ViewedChannelRow, getChannelRows } from "../queries/channel-rows.js";
import { getSurroundings } from "../queries/surroundings.js";
import { findChannelValue, checkpointNotFound } from "../stored-values/read-stored-value.js";
import { cutLabel, valueNodeOf } from "../values/describe-value.js";
import { commonStart, TextRoom } from "../values/cut-text.js";
import { unwrapSnapshot } from "../../saver/codec/special-values.js";
import { hasStoredValue } from "./view-channels.js";
import { types } from "node:util";
import { isArray, isObject } from "../../serde/objects/inspect-object.js";
import { readOwn } from "../values/read-property.js";
import { countParts, eachPart } from "../values/value-parts.js";

/** Compares the channels of two checkpoints by their versions and sizes. It reads no value. */
export async function compareCheckpoints(
  { call }: CallRun,
  { before, after }: ComparedCheckpoints,
): Promise<CheckpointComparison> {
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
): Promise<ReadonlyMap<string, ViewedChannelRow>> {
  const rows = await getChannelRows(call, place);
  if (rows.length === 0 && (await getSurroundings(call, place, 0)) === undefined)
    throw checkpointNotFound(place);
  return new Map(rows.map((row) => [row.channel, row]));
}

function changeBetween(
  before: ViewedChannelRow | undefined,
  after: ViewedChannelRow | undefined,
  isSameNamespace: boolean,
): ChannelChange["change"] {
  if (!mayHaveValue(before)) return mayHaveValue(after) ? "added" : "same";
  if (!mayHaveValue(after)) return "removed";
  const isSame = before.version === after.version && (isSameNamespace || isCopy(before, after));
  return isSame ? "same" : "changed";
}

/** A channel that has lost its value keeps a version. The value of a delta channel is in no row, so it may be there. */
function mayHaveValue(row: ViewedChannelRow | undefined): row is ViewedChannelRow {
  return row !== undefined && !(row.type === "empty" && row.inline_bytes === null);
}

/** Copies keep their versions, which both engines make unique by a random part. Versions that are numbers may be equal by chance. */
function isCopy(before: ViewedChannelRow, after: ViewedChannelRow): boolean {
  return (
    before.version?.startsWith('"') === true &&
    before.version.includes(".") &&
    before.type === after.type &&
    before.whole_bytes === after.whole_bytes &&
    before.inline_bytes === after.inline_bytes
  );
}

function bytesOf(row: ViewedChannelRow | undefined): number {
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
      ...room.cutNode(valueNodeOf(whole.slice(skipped))),
      size: whole.length,
    });
    return {
      ...{ label: cutLabel(path), before: show(text), after: show(otherText) },
      ...(skipped > 0 && { skipped }),
    };
  }
  return {
    label: cutLabel(path),
    ...(before !== undefined && { before: room.cutNode(valueNodeOf(before.value)) }),
    ...(after !== undefined && { after: room.cutNode(valueNodeOf(after.value)) }),
  };
}

/** Counting more parts would take longer than it is worth. */
const MAX_PARTS = 100_000;
/** Items of a list without ids are told apart by their texts. */
const OF_TEXT = 50;
/** Two lists are compared item by item up to this many pairs, each of which costs a tenth. */
const MAX_PAIRS = 250_000;
const OF_PAIR = 0.1;

/**
 * Estimates what it takes to compare values part by part. A part is compared again for each of the values around it, and each list within
 * the items of a list has its own pairs, so small values may take minutes. Values of very many parts cost infinitely much.
 */
function comparisonCost(values: readonly unknown[]): number {
  const waiting = values.map((part) => ({ part, ofEach: 1 }));
  let [cost, parts] = [0, waiting.length];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { part, ofEach } = next;
    cost += ofEach;
    if (!isObject(part)) continue;
    parts += countParts(part);
    if (parts > MAX_PARTS) return Infinity;
    if (isArray(part)) cost += Math.min(part.length ** 2, MAX_PAIRS) * OF_PAIR;
    else cost += ofEach * unnamedMembers(part) ** 2;
    for (const { value } of eachPart(part)) {
      const hasName = !isArray(part) || !isObject(value) || typeof readOwn(value, "id") === "string";
      waiting.push({ part: value, ofEach: ofEach + (hasName ? 1 : OF_TEXT) });
    }
  }
  return cost;
}

/** How many members of a Set, or keys of a Map, are objects: each is compared with all of the other value. */
function unnamedMembers(value: object): number {
  if (types.isSet(value)) return countObjects(Set.prototype.values.call(value));
  return types.isMap(value) ? countObjects(Map.prototype.keys.call(value)) : 0;
}

function countObjects(values: Iterable<unknown>): number {
  let count = 0;
  for (const value of values) if (isObject(value)) count += 1;
  return count;
}
