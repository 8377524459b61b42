import {
  type Estimate,
  type TableEstimate,
  CONNECTIONS_PER_BUSY,
  NODE_BUSY_SHARE,
  NODE_CORES,
  POSTGRES_DEFAULTS,
} from "../../estimate/estimate.js";
import { PEAK_TO_MEAN } from "../../estimate/estimate-input.js";
import { NETWORK_MS } from "../../estimate/step-times.js";
import { countOf, humanBytes, humanCount } from "./format-numbers.js";
import { formatTable } from "./format-table.js";

const DAYS_OF_LOG = 7;

/**
 * Formats an estimate as tables: what it assumes, the tables of the database, and what the fleet needs.
 *
 * @param given - The names of the inputs that the user gave. The others are shown as defaults.
 * @param width - The width of the terminal.
 */
export function describeEstimate(
  estimate: Estimate,
  given: ReadonlySet<string>,
  width: number | undefined,
): string {
  return [
    formatTable([["ASSUMED", "VALUE", ""], ...assumptions(estimate, given)], { width }),
    formatTable([["TABLE", "ROWS", "ROWS' BYTES", "TOAST", "PRIMARY KEY", "ALL"], ...tables(estimate)], {
      ...{ numbers: [1, 2, 3, 4, 5], width },
    }),
    formatTable([["NEEDED", "FIGURE", "HOW"], ...needs(estimate)], { text: 2, width }),
  ].join("\n\n");
}

type Row = readonly [string, string, string];

function assumptions({ input, meanStepsPerSecond }: Estimate, given: ReadonlySet<string>): Row[] {
  const row = (name: string, value: string, ...inputs: string[]): Row => [
    ...([name, value] as const),
    inputs.some((one) => given.has(one)) ? "" : "default",
  ];
  const { services, poolSize, threads, checkpoints, retentionDays, stepsPerSecond, stepsPerRun } = input;
  const { channels, changed, valueBytes, messageBytes, splices, writes, content, replicas } = input;
  const perThread = humanCount(Math.round(checkpoints / threads));
  const peak = given.has("stepsPerSecond") ? "" : `, ${PEAK_TO_MEAN} times the mean`;
  return [
    row("services", humanCount(services), "services"),
    row("connections of a pool", humanCount(poolSize), "poolSize"),
    row("threads", humanCount(threads), "threads"),
    row(
      "checkpoints",
      `${humanCount(checkpoints)}, ${perThread} of each thread`,
      ...["checkpoints", "checkpointsPerThread"],
    ),
    row(
      "of these stay",
      input.keepLast === undefined ? "all" : `the newest ${humanCount(input.keepLast)} of each thread`,
      "keepLast",
    ),
    row("for", countOf(retentionDays, "day"), "retentionDays"),
    row("steps a second, mean", rate(meanStepsPerSecond), "checkpoints", "retentionDays"),
    row("steps a second, busiest", `${rate(stepsPerSecond)}${peak}`, "stepsPerSecond"),
    row("steps of a run", humanCount(stepsPerRun), "stepsPerRun"),
    row("channels", humanCount(channels), "channels"),
    row("values changed by a step", `${changed} of ${humanBytes(valueBytes)}`, "changed", "valueBytes"),
    row("messages added by a step", humanBytes(messageBytes), "messageBytes"),
    row("lists of messages", splices ? "stored as splices" : "stored whole at each step", "splices"),
    row("pending writes of a step", humanCount(writes), "writes"),
    row("values are", content === "text" ? "text, which compresses" : "random bytes", "content"),
    row("replicas of each server", humanCount(replicas), "replicas"),
  ];
}

function tables({ tables: all, total }: Estimate): string[][] {
  const row = (name: string, { rows, heapBytes, toastBytes, indexBytes, bytes }: TableEstimate): string[] => [
    name,
    humanCount(Math.round(rows)),
    ...[heapBytes, toastBytes, indexBytes, bytes].map(humanBytes),
  ];
  return [...Object.entries(all).map(([name, table]) => row(name, table)), row("all", total)];
}

function needs(estimate: Estimate): Row[] {
  return [
    ...diskNeeds(estimate),
    ...connectionNeeds(estimate),
    ...upkeep(estimate),
    ...timeNeeds(estimate),
    ...serverNeeds(estimate),
  ];
}

function diskNeeds({ log, total, bytesPerCheckpoint }: Estimate): Row[] {
  const week = total.bytes + DAYS_OF_LOG * log.bytesPerDay;
  return [
    ["disk", humanBytes(total.bytes), `${humanBytes(bytesPerCheckpoint)} for each checkpoint`],
    [
      "write-ahead log, busiest",
      `${humanBytes(log.bytesPerSecondAtPeak)}/s`,
      `for a step ${humanBytes(log.rowBytesPerStep)} of rows and ${humanBytes(log.imageBytesPerStep)} of page images`,
    ],
    [
      "write-ahead log, a day",
      humanBytes(log.bytesPerDay),
      `${humanBytes(log.deletionBytesPerDay)} of it for deletions`,
    ],
    ["backup", humanBytes(week), `a copy of all servers, and the log of ${countOf(DAYS_OF_LOG, "day")}`],
  ];
}

function connectionNeeds({ connections, input: { services, poolSize } }: Estimate): Row[] {
  const { ofPools, busy, throughPooler, fitWithoutPooler } = connections;
  const pools = `${countOf(services, "service")} × ${humanCount(poolSize)}`;
  return [
    [
      "connections of the pools",
      humanCount(ofPools),
      `${pools}: ${fitWithoutPooler ? "fewer" : "more"} than the ${POSTGRES_DEFAULTS.connections} of a server by default${fitWithoutPooler ? "" : ", so a pooler in transaction mode has to be between"}`,
    ],
    [
      "connections through a pooler",
      humanCount(throughPooler),
      `${CONNECTIONS_PER_BUSY} for each of the ${rate(busy)} that are in use at a time`,
    ],
  ];
}

function upkeep({ vacuum, memory }: Estimate): Row[] {
  const { deadRowsPerDay, daysBetween, hours, transactionsPerDay, daysToFreeze } = vacuum;
  return [
    [
      "vacuum of dead rows",
      `${rate(hours)} h`,
      `every ${rate(daysBetween)} days with Postgres's defaults; retention deletes ${humanCount(Math.round(deadRowsPerDay))} rows a day`,
    ],
    [
      "vacuum against wraparound",
      `every ${rate(daysToFreeze)} days`,
      `at the latest; ${humanCount(Math.round(transactionsPerDay))} transactions a day`,
    ],
    ["memory for indexes", humanBytes(memory.indexBytes), "pages that the busiest hour touches, at most"],
    ["memory for rows", humanBytes(memory.rowBytes), "what the busiest hour stores"],
  ];
}

function timeNeeds({ times, timesAreProvisional }: Estimate): Row[] {
  const how = `with ${NETWORK_MS} ms of network, and without waiting for a disk`;
  const note = timesAreProvisional ? "; provisional, measured on a busy machine" : "";
  return [
    ["put", milliseconds(times.putMs), `${how}${note}`],
    ["putWrites", milliseconds(times.putWritesMs), `${how}${note}`],
    ["getTuple", milliseconds(times.getTupleMs), `${how}${note}`],
  ];
}

function serverNeeds({ nodes, input }: Estimate): Row[] {
  const { servers, withReplicas, bytesPerServer, busyCores, stepsPerNode } = nodes;
  const cores =
    input.nodeSteps === undefined ? `, with ${NODE_CORES} cores ${NODE_BUSY_SHARE * 100} % busy` : "";
  const budget = `up to ${humanBytes(input.nodeBytes)} and ${humanCount(stepsPerNode)} steps a second${cores}`;
  return [
    ["busy cores", rate(busyCores), "on all servers, for these calls in the busiest minutes"],
    [
      "servers",
      servers === 1 ? "1" : `${humanCount(servers)} workers`,
      servers === 1
        ? `one is enough: it takes ${budget}`
        : `of Citus, with ${humanBytes(bytesPerServer)} each: one takes ${budget}`,
    ],
    [
      "servers with replicas",
      humanCount(withReplicas),
      servers === 1 ? "the server and its replicas" : "workers, a coordinator, and the replicas of each",
    ],
  ];
}

/** A figure with three digits: `0.26`, `12.5`, `1,286`. */
function rate(value: number): string {
  return value >= 100 ? humanCount(Math.round(value)) : value.toFixed(value >= 10 ? 1 : 2);
}

function milliseconds(value: number): string {
  return `${rate(value)} ms`;
}
