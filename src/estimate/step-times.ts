import type { EstimateInput } from "./estimate-input.js";
import type { StepRows } from "./step-rows.js";
import type { CallCost, UnitCosts } from "./unit-costs.js";

/** The network between a service and its database in the same zone, there and back. */
export const NETWORK_MS = 0.5;

/** How long the calls of a step take, in milliseconds. */
export interface StepTimes {
  /** Each call on a server that is not busy, with the network. */
  readonly putMs: number;
  readonly putWritesMs: number;
  readonly getTupleMs: number;
  /** How long the calls of a step hold a connection. A run reads its thread once. */
  readonly heldMsPerStep: number;
  /** The processor time of the server for a step. */
  readonly serverCpuMsPerStep: number;
}

/** Returns how long the calls of a super-step take. */
export function stepTimes({ stepsPerRun }: EstimateInput, step: StepRows, { calls }: UnitCosts): StepTimes {
  const put = { rows: step.checkpoint_blobs.rows, bytes: step.putBytes };
  const writes = { rows: step.checkpoint_writes.rows, bytes: step.writeBytes };
  const read = { rows: step.readRows, bytes: step.readBytes };
  const putMs = callMs(calls.put.elapsed, put) + NETWORK_MS * calls.put.roundTrips;
  const putWritesMs = callMs(calls.putWrites.elapsed, writes) + NETWORK_MS * calls.putWrites.roundTrips;
  const getTupleMs = callMs(calls.getTuple.elapsed, read) + NETWORK_MS * calls.getTuple.roundTrips;
  return {
    ...{ putMs, putWritesMs, getTupleMs },
    heldMsPerStep: putMs + putWritesMs + getTupleMs / stepsPerRun,
    serverCpuMsPerStep:
      callMs(calls.put.serverCpu, put) +
      callMs(calls.putWrites.serverCpu, writes) +
      callMs(calls.getTuple.serverCpu, read) / stepsPerRun,
  };
}

function callMs(
  { fixedMs, rowMs, kilobyteMs }: CallCost,
  { rows, bytes }: { readonly rows: number; readonly bytes: number },
): number {
  return fixedMs + rows * rowMs + (bytes / 1_000) * kilobyteMs;
}
