import type { DatabaseAddress } from "../../telemetry/database-address.js";
import type { CommandIO } from "../command-io.js";
import { CONNECTION_TIMEOUT_MS } from "../run/open-url.js";
import { printable } from "../output/printable.js";

/** How long a server may take to answer before the user reads why nothing happens, in milliseconds. */
const SILENT_AFTER_MS = 1_500;

/**
 * Says on standard error that the server has not answered yet, unless it answers soon. A server that refuses a connection
 * fails the command at once; one that drops packets, as behind a firewall, says nothing until the time-out.
 *
 * @param afterMs - When to say so, in milliseconds.
 * @returns How to stop, once the server has answered or the command has failed. May be called more than once.
 */
export function noteSilence(
  { stderr }: CommandIO,
  { host, port }: DatabaseAddress,
  afterMs = SILENT_AFTER_MS,
): () => void {
  if (host === undefined) return nothing;
  const where = host.startsWith("/") ? host : `${host}:${port ?? ""}`;
  const timer = setTimeout(() => {
    stderr.write(
      `waiting for ${printable(where)}, which has not answered yet; ` +
        `a connection may take up to ${CONNECTION_TIMEOUT_MS / 1_000} s\n`,
    );
  }, afterMs);
  return () => {
    clearTimeout(timer);
  };
}

function nothing(): void {
  // PGlite runs in this process: there is nobody to wait for.
}
