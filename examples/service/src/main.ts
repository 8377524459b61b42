/** Starts the service, and stops it when the process is told to. */
import { INSPECTOR_PATH } from "./inspector.js";
import { surviveLateAborts } from "./late-aborts.js";
import { log } from "./log.js";
import { startService } from "./service.js";
import { readSettings } from "./settings.js";

surviveLateAborts();
const settings = readSettings(process.env);
const service = await startService(settings);
log.info("listening", { url: service.url });
const { isTokenNew, inspectorToken: password } = settings;
if (isTokenNew) log.info("inspector", { url: service.url + INSPECTOR_PATH, user: "any name", password });

// Windows has no SIGTERM: a process is told to stop by Ctrl-C, Ctrl-Break, or the end of its console.
for (const signal of ["SIGTERM", "SIGINT", "SIGBREAK", "SIGHUP"] as const) process.on(signal, stop);

/** How long it may take to close the database, after the turns have ended. */
const CLOSE_MS = 10_000;
let isStopping = false;

function stop(signal: string): void {
  // Ctrl-C reaches every process of the terminal, and npm passes it on: one key may be two signals.
  if (isStopping) return;
  isStopping = true;
  log.info("stopping", { signal });
  setTimeout(() => {
    log.error("stopping takes too long");
    process.exit(1);
  }, settings.shutdownTimeoutMs + CLOSE_MS).unref();
  service.stop().then(
    () => {
      log.info("stopped");
    },
    (error: unknown) => {
      log.error("stopping failed", { error });
      process.exitCode = 1;
    },
  );
}
