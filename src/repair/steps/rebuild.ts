import type { ChannelValueContext } from "../../serde/serde-context.js";
import { readableOrUndefined, decodeAt, rowReaderOf } from "../../saver/codec/decode-value.js";
import { WRITES_IDX_MAP } from "@langchain/langgraph-checkpoint";
import type { Problem } from "../../audit/audit-types.js";
import { CHECKPOINT_FORMATS, isFormat, isTime } from "../../audit/faults-of-header.js";
import { rebuildBlobs } from "../../audit/rebuild/rebuild-blobs.js";
import { InvalidConfigError, isUnreadable, WritesMissingError } from "../../errors/index.js";
import { readChain } from "../../saver/codec/read-chain.js";
import { chainRowsOf } from "../../saver/codec/stored-value.js";
import type { CheckpointKey } from "../../saver/model/keys.js";
import { timeInId } from "../../saver/model/checkpoint-time.js";
import { getChains } from "../../saver/queries/get-chains.js";
import { valueReader } from "../../saver/read-long-values.js";
import { isSplice } from "../../splices/splice-type.js";
import { liftTombstones } from "../../threads/thread-tombstones.js";
import {
  addToHeader,
  deleteBlob,
  renameBlob,
  renameCheckpoint,
  setBlobColumns,
  setWriteIndex,
} from "../queries/change-rows.js";
import {
  type HeaderState,
  headerState,
  checkpointsIn,
  checkpointsWith,
  writesBeside,
} from "../queries/stored-rows.js";
import { checkpointOf, type RepairCall, type RepairTools, valueKeyOf } from "../repair-tools.js";

/** Mends what can be derived from other rows. */
export async function rebuild(
  call: RepairCall,
  problem: Problem,
  tools: RepairTools,
): Promise<string | undefined> {
  const [checkpoint, value] = [checkpointOf(problem), valueKeyOf(problem)];
  switch (problem.kind) {
    case "corrupt-header":
      return checkpoint && rebuildHeader(call, checkpoint);
    case "corrupt-value":
      return value && describeValue(call, value, tools);
    case "corrupt-write":
      return checkpoint && orderWrites(call, checkpoint, problem.taskId);
    case "living-tombstone":
      await liftTombstones(call, [problem.threadId]);
      return "lifts the tombstone";
    case "missing-value":
    case "undecodable-value":
    case "broken-chain":
      return value && rebuildValue(call, value, tools);
    default:
      return undefined;
  }
}

async function rebuildHeader(call: RepairCall, key: CheckpointKey): Promise<string | undefined> {
  const state = await headerState(call, key);
  if (state === undefined) return undefined;
  if (key.checkpointId === "") return nameCheckpoint(call, key, state.id);
  const header = state.is_object ? headerFields(state, key.checkpointId) : {};
  const metadata = state.has_metadata ? metadataFields(state) : {};
  const names = [...Object.keys(header), ...Object.keys(metadata).map((name) => `metadata.${name}`)];
  if (names.length === 0) return undefined;
  await addToHeader(call, { ...key, header: JSON.stringify(header), metadata: JSON.stringify(metadata) });
  return `derives ${names.map((name) => `"${name}"`).join(" and ")} from the id and the parent`;
}

/** Gives a row without an id the one that its header has, if no other row has it. */
async function nameCheckpoint(
  call: RepairCall,
  key: CheckpointKey,
  id: string | null,
): Promise<string | undefined> {
  if (id === null || timeInId(id) === undefined) return undefined;
  const stored = await checkpointsIn(call, key);
  if (stored.some(({ checkpoint_id }) => checkpoint_id === id)) return undefined;
  await renameCheckpoint(call, { ...key, newId: id });
  return "gives the row the id that its header has";
}

/** The fields that have another value than they must have. */
function headerFields({ id, ts, v, parent_v }: HeaderState, checkpointId: string) {
  const time = timeInId(checkpointId);
  return {
    ...(id !== checkpointId && { id: checkpointId }),
    ...(!isTime(ts) && time !== undefined && { ts: time.toISOString() }),
    ...(!isFormat(Number(v)) && {
      v: isFormat(Number(parent_v)) ? Number(parent_v) : CHECKPOINT_FORMATS.last,
    }),
  };
}

/** Every step of a graph is one after that of its parent, and the first is the input. */
function metadataFields({ step, parent_step, parent_checkpoint_id }: HeaderState) {
  if (step !== null && Number.isInteger(Number(step))) return {};
  if (parent_checkpoint_id === null) return { step: -1 };
  return parent_step === null ? {} : { step: Number(parent_step) + 1 };
}

/** Describes a value by what is stored of it. */
async function describeValue(
  call: RepairCall,
  key: ChannelValueContext,
  { serde }: RepairTools,
): Promise<string | undefined> {
  const rowOf = chainRowsOf(await getChains(call, [key]));
  const { type = null, base = null } = rowOf(key.version) ?? {};
  if (type === null) return undefined;
  if (!isSplice(type)) {
    await setBlobColumns(call, { ...key, base: null, wholeBytes: null });
    return "describes the value as the whole one that it is";
  }
  const reader = rowReaderOf(valueReader(call, serde));
  const value = await readableOrUndefined(() => decodeAt(key, type, () => readChain(reader, key, rowOf)));
  if (value === undefined) return undefined;
  await setBlobColumns(call, { ...key, base, wholeBytes: value.bytes.byteLength });
  return "counts the length of the value";
}

/** Gives writes the indexes that they must have: those of special channels theirs, and the others the ones that are free. */
async function orderWrites(
  call: RepairCall,
  key: CheckpointKey,
  taskId: string | undefined,
): Promise<string | undefined> {
  if (taskId === undefined || taskId === "" || key.checkpointId === "") return undefined;
  const writes = (await writesBeside(call, key)).filter((write) => write.task_id === taskId);
  const specialIndex = (channel: string): number | undefined =>
    Object.hasOwn(WRITES_IDX_MAP, channel) ? WRITES_IDX_MAP[channel] : undefined;
  const isRight = ({ idx, channel }: (typeof writes)[number]) => idx >= 0 || idx === specialIndex(channel);
  const taken = new Set(writes.filter(isRight).map(({ idx }) => idx));
  const nextFree = (): number => {
    let free = 0;
    while (taken.has(free)) free += 1;
    return free;
  };
  // Reads sort by the path first, so all writes of a task need the same one.
  const taskPath = writes.find(({ task_path }) => task_path !== null)?.task_path ?? "";
  // A negated index comes back to its place.
  for (const write of [...writes].sort((a, b) => Math.abs(a.idx) - Math.abs(b.idx))) {
    const newIdx = isRight(write) ? write.idx : (specialIndex(write.channel) ?? nextFree());
    if (newIdx !== write.idx && taken.has(newIdx)) return undefined;
    taken.add(newIdx);
    await setWriteIndex(call, { ...key, taskId, idx: write.idx, newIdx, taskPath });
  }
  return "gives the task's writes the indexes and the path that they must have";
}

/** Rebuilds a value from the writes of the steps that led to it. What is stored of it counts no more. */
async function rebuildValue(
  call: RepairCall,
  key: ChannelValueContext,
  { serde, reducers }: RepairTools,
): Promise<string | undefined> {
  const [checkpointId] = await checkpointsWith(call, key);
  if (checkpointId === undefined) return undefined;
  const { threadId, checkpointNs, channel, version } = key;
  const aside = `${version}~damaged`;
  await renameBlob(call, { ...key, renamed: aside });
  const target = { threadId, checkpointNs, checkpointId };
  try {
    const rebuilt = await rebuildBlobs(call, target, reducers, serde, [channel]);
    if (rebuilt.some((blob) => blob.channel === channel)) {
      await deleteBlob(call, { ...key, version: aside });
      return "rebuilds the value from the writes of its steps";
    }
  } catch (error) {
    const isImpossible = error instanceof WritesMissingError || error instanceof InvalidConfigError;
    if (!isImpossible && !isUnreadable(error)) throw error;
  }
  await renameBlob(call, { ...key, version: aside, renamed: version });
  return undefined;
}
