import { outsideCalls } from "../telemetry/running-calls.js";
import type { Telemetry } from "../telemetry/telemetry.js";

/** Reports an idle connection that died, as code of no call: any of them may have opened it. The next call opens another one. */
export function reportLostConnection(telemetry: Telemetry, error: unknown): void {
  outsideCalls(() => {
    telemetry.report("warn", "an idle connection was lost", { error });
  });
}
