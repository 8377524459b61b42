import { success } from "./reports.js";
import { Option } from "commander";
import { z } from "zod";
import { DEFAULT_INPUT, type EstimateOptions } from "../../estimate/estimate-input.js";
import type { CommandDefinition } from "../command-definition.js";
import { countOption, bytesOption, quantityOption } from "../options/option-values.js";
import { humanBytes, humanCount } from "../output/format-numbers.js";

const number = z.number().optional();
const estimateFlags = z.object({
  ...{ services: number, poolSize: number, threads: number, checkpoints: number, perThread: number },
  ...{ stepsPerSecond: number, stepsPerRun: number, retentionDays: number, replicas: number },
  ...{ channels: number, changed: number, valueBytes: number, messageBytes: number, writes: number },
  ...{ keepLast: number, nodeBytes: number, nodeSteps: number },
  splices: z.boolean().optional(),
  content: z.enum(["text", "random"]).optional(),
});

export const estimateCommand: CommandDefinition = {
  name: "estimate",
  summary: "print what a fleet of services needs: disk, log, connections, servers; needs no database",
  options: () => [...fleetOptions(), ...stepOptions(), ...serverOptions()],
  examples: [
    "estimate --services 1000 --threads 10M --checkpoints 1B",
    "estimate --threads 50k --per-thread 200 --message-bytes 3kB --splices",
    "estimate --steps-per-second 2k --retention-days 30 --value-bytes 20kB --content random --json",
  ],
  runAlone: async ({ terminal: { columns: width } }, flags) => {
    const { perThread, ...given } = estimateFlags.parse(flags);
    const options: EstimateOptions = { ...given, checkpointsPerThread: perThread };
    const { estimate: estimateFleet } = await import("../../estimate/estimate.js");
    const { completeInput } = await import("../../estimate/estimate-input.js");
    const { MEASURED_COSTS } = await import("../../estimate/measured-costs.js");
    const { describeEstimate } = await import("../output/describe-estimate.js");
    const result = estimateFleet(completeInput(options), MEASURED_COSTS);
    const names = Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    return success(describeEstimate(result, new Set(names), width), result);
  },
};

function fleetOptions(): Option[] {
  const { services, poolSize, threads, checkpointsPerThread, retentionDays, stepsPerRun } = DEFAULT_INPUT;
  return [
    quantityOption("--services <n>", `processes with a pool each (default: ${services})`, 1),
    countOption("--pool-size <n>", `connections of each pool (default: ${poolSize})`, 1),
    quantityOption("--threads <n>", `threads, such as 10M (default: ${humanCount(threads)})`, 1),
    quantityOption("--checkpoints <n>", "checkpoints of all threads, such as 1B", 1),
    quantityOption(
      "--per-thread <n>",
      `or those of each thread (default: ${checkpointsPerThread})`,
      1,
    ).conflicts("checkpoints"),
    countOption("--retention-days <n>", `how long a checkpoint stays (default: ${retentionDays})`, 1),
    countOption("--keep-last <n>", "with the saver's option `keepLast` (default: all stay)", 1),
    quantityOption(
      "--steps-per-second <n>",
      "super-steps a second in the busiest minutes (default: 4 times the mean)",
      1,
    ),
    countOption("--steps-per-run <n>", `super-steps of one invoke (default: ${stepsPerRun})`, 1),
  ];
}

function stepOptions(): Option[] {
  const { channels, changed, valueBytes, messageBytes, content } = DEFAULT_INPUT;
  return [
    countOption("--channels <n>", `channels, with those that trigger nodes (default: ${channels})`, 3),
    countOption("--changed <n>", `values that change with each step (default: ${changed})`),
    bytesOption("--value-bytes <bytes>", `bytes of each of them (default: ${humanBytes(valueBytes)})`),
    bytesOption(
      "--message-bytes <bytes>",
      `bytes that a step adds to the list of messages, 0 for none (default: ${humanBytes(messageBytes)})`,
    ),
    new Option("--splices", "with the saver's option `splices`"),
    countOption("--writes <n>", "pending writes of a step (default: one for each of these, and one more)"),
    new Option(
      "--content <kind>",
      `how values compress; random is for encrypted ones (default: ${content})`,
    ).choices(["text", "random"]),
  ];
}

function serverOptions(): Option[] {
  const { replicas, nodeBytes } = DEFAULT_INPUT;
  return [
    countOption("--replicas <n>", `copies of each server (default: ${replicas})`),
    bytesOption(
      "--node-bytes <bytes>",
      `bytes that one server is given (default: ${humanBytes(nodeBytes)})`,
      1,
    ),
    quantityOption(
      "--node-steps <n>",
      "super-steps a second that one server is given (default: what 16 cores do when half busy)",
      1,
    ),
  ];
}
