import type { ChannelValueContext } from "../../serde/serde-context.js";
import { UNCHECKED_FORMATS } from "../../splices/splice-type.js";
import type { Problem } from "../../audit/audit-types.js";
import { getWrites } from "../../audit/queries/recorded-writes.js";
import { decodeWrite } from "../../audit/writes-of.js";
import { isOurs } from "../foreign-values.js";
import { canRead, decodeValue } from "../../saver/codec/decode-value.js";
import { chainRowsOf } from "../../saver/codec/stored-value.js";
import { getChains } from "../../saver/queries/get-chains.js";
import { valueReader } from "../../saver/read-long-values.js";
import { setBlobType, setWriteType } from "../queries/change-rows.js";
import { typesOfThread } from "../queries/stored-rows.js";
import { checkpointOf, type RepairCall, type RepairTools, valueKeyOf } from "../repair-tools.js";

/** Gives a value the type of other values of its channel, where its bytes can be read as such. */
export async function retype(
  call: RepairCall,
  problem: Problem,
  tools: RepairTools,
): Promise<string | undefined> {
  const value = valueKeyOf(problem);
  const type =
    problem.kind === "undecodable-write"
      ? await retypeWrite(call, problem, tools)
      : value && (await retypeValue(call, value, tools));
  return type === undefined ? undefined : `sets the type to "${type}", by which its bytes can be read`;
}

async function retypeValue(
  call: RepairCall,
  key: ChannelValueContext,
  { serde }: RepairTools,
): Promise<string | undefined> {
  const rowOf = chainRowsOf(await getChains(call, [key]));
  const row = rowOf(key.version);
  if (row === undefined) return undefined;
  for (const type of await typesOfChannel(call, key, row.type)) {
    const retyped = { ...row, type };
    const chain = (version: string) => (version === key.version ? retyped : rowOf(version));
    if (!(await canRead(() => decodeValue(valueReader(call, serde), { ...retyped, chain }, key, key))))
      continue;
    await setBlobType(call, { ...key, type });
    return type;
  }
  return undefined;
}

async function retypeWrite(
  call: RepairCall,
  problem: Problem,
  { serde }: RepairTools,
): Promise<string | undefined> {
  const key = checkpointOf(problem);
  const { taskId, idx, channel } = problem;
  if (key === undefined || taskId === undefined || idx === undefined || channel === undefined)
    return undefined;
  const row = (await getWrites(call, key)).find((write) => write.task_id === taskId && write.idx === idx);
  if (row === undefined) return undefined;
  for (const type of await typesOfChannel(call, { ...key, channel }, row.type)) {
    if (!(await canRead(() => decodeWrite({ ...row, type }, key, valueReader(call, serde))))) continue;
    await setWriteType(call, { ...key, taskId, idx, type });
    return type;
  }
  return undefined;
}

/** The types of other values of the channel, and then of the thread, except one: the most frequent first. */
async function typesOfChannel(
  call: RepairCall,
  { threadId, channel }: Pick<ChannelValueContext, "threadId" | "channel">,
  except: string | null,
): Promise<string[]> {
  const rows = await typesOfThread(call, { threadId });
  // Several values of an unknown type are of another serializer. Its bytes may be readable as something else by chance.
  if (except !== null && !isOurs(except) && rows.filter(({ type }) => type === except).length > 1) return [];
  const counts = new Map<string, number>();
  for (const row of rows) {
    if (UNCHECKED_FORMATS.has(row.type) || row.type === except) continue;
    // A type of the same channel counts more than any other.
    const weight = row.channel === channel ? 1_000_000 : 1;
    counts.set(row.type, (counts.get(row.type) ?? 0) + weight);
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([type]) => type);
}
