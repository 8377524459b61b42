import type { DatabaseAddress } from "../../telemetry/database-address.js";
import type { CommandIO } from "../command-io.js";
import { printable } from "../output/printable.js";
import { CONNECTION_TIMEOUT_MS } from "./open-url.js";

const NOTICE_AFTER_MS = 1_500;

/**
 * Prints a notice on standard error if the server does not answer soon. A server that refuses the connection fails the command
 * at once; a firewall that drops packets would leave the user waiting without a message until the timeout.
 *
 * @param afterMs - The time until the notice, in milliseconds.
 * @returns A function that cancels the notice. May be called more than once.
 */
export function startWaitingNotice(
  { stderr }: CommandIO,
  { host, port }: DatabaseAddress,
  afterMs = NOTICE_AFTER_MS,
): () => void {
  // PGlite has no host: it runs in this process.
  if (host === undefined) return () => undefined;
  const where = host.startsWith("/") ? host : `${host}:${port ?? ""}`;
  const timer = setTimeout(() => {
    stderr.write(
      `waiting for an answer from ${printable(where)} (connection timeout: ${CONNECTION_TIMEOUT_MS / 1_000} s)\n`,
    );
  }, afterMs);
  return () => {
    clearTimeout(timer);
  };
}
