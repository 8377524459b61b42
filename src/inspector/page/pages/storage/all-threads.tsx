import { Failure } from "../../parts/failure.js";
import { formatBytes, formatCount } from "../../parts/number-texts.js";
import { useRead } from "../../server/use-read.js";
import { useSlowRead } from "../../server/use-slow-read.js";
import { MeasuredSection } from "./measured-section.js";

const ARGS = { limit: 30 };
/** The tables whose rows are measured. */
const MEASURED = ["checkpoints", "checkpoint_blobs", "checkpoint_writes"];

/** Measures all threads, after it has said how much that reads. */
export function AllThreads() {
  const { data: sizes } = useRead("tables", {});
  const { data, error, isReading, start, cancel } = useSlowRead("storage", ARGS);
  const measured = sizes?.tables.filter(({ table }) => MEASURED.includes(table)) ?? [];
  const rows = measured.reduce((sum, table) => sum + table.rows, 0);
  const bytes = measured.reduce((sum, { tableBytes }) => sum + tableBytes, 0);
  return (
    <section>
      <h2>All threads</h2>
      <p>
        Measuring reads every row: about {formatCount(Math.round(rows))} rows in tables of{" "}
        {formatBytes(bytes)}. Long values are not read.
      </p>
      <p class="buttons" aria-live="polite">
        <button
          type="button"
          class={data === undefined ? "primary" : ""}
          onClick={start}
          disabled={isReading}
        >
          {data === undefined ? "Measure all threads" : "Measure again"}
        </button>
        {isReading && (
          <>
            <button type="button" onClick={cancel}>
              Cancel
            </button>
            <span>Measuring…</span>
          </>
        )}
      </p>
      {error !== null && <Failure error={error} />}
      {data !== undefined && <MeasuredSection measured={data} />}
    </section>
  );
}
