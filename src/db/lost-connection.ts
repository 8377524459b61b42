import type { Telemetry } from "../telemetry/telemetry.js";

/** Reports an idle connection that died. The next call opens another one. */
export function reportLostConnection(telemetry: Telemetry, error: unknown): void {
  telemetry.report("warn", "an idle connection was lost", { error });
}
