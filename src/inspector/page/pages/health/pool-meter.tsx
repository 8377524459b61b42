import type { HealthView } from "../../../api/health.js";
import { counted } from "../../parts/numbers.js";

/** The connections of the saver's pool. */
export function PoolMeter({
  pool: { total, idle, waiting },
}: {
  readonly pool: NonNullable<HealthView["pool"]>;
}) {
  const used = total - idle;
  return (
    <section>
      <h2>Pool</h2>
      <p class="pool">
        <meter aria-label="Connections in use" min={0} max={Math.max(total, 1)} value={used} />
        <span>
          {used} of {counted(total, "connection")} in use, {counted(waiting, "call")} waiting
        </span>
      </p>
    </section>
  );
}
