import type { ChildProcess } from "node:child_process";
import { delimiter } from "node:path";
import type { Readable } from "node:stream";

/** The path with the folders of servers, which Debian has only in root's. */
export const SERVER_PATH = ["/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin"].reduce(
  (path, folder) => path + delimiter + folder,
  process.env.PATH ?? "",
);

/**
 * A program of the shell for a server with a folder of its own: `sh -c … folder command …`, with a pipe as stdin. The server replaces the
 * shell. The subshell sees the pipe break when the tests have ended.
 */
export const RUN_WHILE_PARENT_LIVES = `
exec 3<&0
(
  cat <&3
  kill -KILL $$ || exit
  rm -rf "$0"
) >/dev/null 2>&1 &
exec "$@" 3<&- </dev/null`;

/**
 * Waits until a server has started. It exits at once if another program took the port in the meantime.
 *
 * @param output - Where the server writes its log.
 * @param ready - What the log contains once the server has started.
 * @param log - Receives the log until then, to explain a failure. Later output is dropped.
 * @returns Whether it has started.
 */
export function isReady(
  server: ChildProcess,
  output: Readable,
  ready: RegExp,
  log: string[],
): Promise<boolean> {
  return new Promise((resolve) => {
    server.on("error", (error) => {
      log.push(`${error.message}\n`);
      resolve(false);
    });
    server.once("exit", () => {
      resolve(false);
    });
    output.setEncoding("utf8").on("data", (text: string) => {
      if (log.length < 100) log.push(text);
      if (ready.test(text)) resolve(true);
    });
  });
}
