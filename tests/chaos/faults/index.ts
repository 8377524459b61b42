import { exhaustConnections, killClient } from "./client-faults.js";
import { delayStatements } from "./delay-faults.js";
import type { Fault } from "./fault.js";
import { cutMessages, loseConnections, resetConnections, stallNetwork } from "./network-faults.js";
import {
  killBackend,
  killServer,
  refuseConnections,
  stopImmediately,
  turnReadOnly,
} from "./server-faults.js";
import { holdLock, terminateActive, terminateConnecting, terminateIdle } from "./session-faults.js";

/** All faults of a run. */
export const FAULTS: readonly Fault[] = [
  stopImmediately,
  killServer,
  killBackend,
  turnReadOnly,
  refuseConnections,
  terminateIdle,
  terminateActive,
  terminateConnecting,
  holdLock,
  resetConnections,
  cutMessages,
  stallNetwork,
  loseConnections,
  delayStatements,
  exhaustConnections,
  killClient,
];
