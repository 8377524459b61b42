import { linkTo, type Route, navigate } from "../../routes/route.js";
import { useOverview } from "../../server/overview-context.js";
import { OneThread } from "./storage-of-thread.js";
import { Failure, Loading } from "../../parts/read-state.js";
import { formatBytes, formatCount } from "../../parts/number-texts.js";
import { useRead, useSlowRead } from "../../server/use-read.js";
import { MeasuredSection } from "./measured-storage.js";
import { Bytes, Figures } from "../../parts/charts/figures.js";
import { useState } from "preact/hooks";
import { describeDeleted, usePruneRule, PruneAction } from "../../parts/actions/thread-actions.js";
import { TextField } from "../../parts/actions/fields.js";
import "./storage.css";
import { sent, typed } from "../../parts/typed-text.js";

/** What the rows of threads take. */
export function StoragePage({ route: { params } }: { readonly route: Route }) {
  const threadId = params.get("thread") ?? undefined;
  const { tenantId } = useOverview();
  return (
    <div class="storage">
      <div class="storage-head">
        <h1>Storage</h1>
        <ThreadForm
          key={threadId}
          threadId={threadId ?? ""}
          onChoose={(thread) => {
            navigate(linkTo("storage", [], { thread }));
          }}
        />
      </div>
      {threadId === undefined ? (
        <>
          <TablesSection />
          {tenantId !== undefined && (
            <p class="dim">
              The tables hold the rows of all tenants. What is measured below belongs to <bdi>{tenantId}</bdi>
              .
            </p>
          )}
          <AllThreads />
        </>
      ) : (
        <OneThread key={threadId} threadId={threadId} namespace={params.get("ns") ?? ""} />
      )}
      <PruneSection key={threadId} threadId={threadId} />
    </div>
  );
}

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

/** The tables with their sizes, by the catalog. */
export function TablesSection() {
  const { data, error, refetch } = useRead("tables", {});
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading what="the sizes of the tables" />;
  return (
    <section>
      <h2>Tables</h2>
      <Figures caption="Sizes of the tables" columns={["Table", "Rows, about", "Rows use", "Indexes use"]}>
        {data.tables.map(({ table, rows, tableBytes, indexBytes }) => (
          <tr key={table}>
            <th scope="row" class="mono">
              {table}
            </th>
            <td>{formatCount(Math.round(rows))}</td>
            <td>
              <Bytes bytes={tableBytes} />
            </td>
            <td>
              <Bytes bytes={indexBytes} />
            </td>
          </tr>
        ))}
      </Figures>
    </section>
  );
}

/** Shows what a prune would free. */
export function PruneSection({ threadId }: { readonly threadId: string | undefined }) {
  const { rule, keepLast, days } = usePruneRule(threadId);
  const { data, error, isReading, start, cancel } = useSlowRead("checkPrune", rule ?? {});
  return (
    <section>
      <h2>What a prune would free</h2>
      <form
        class="prune-form"
        onSubmit={sent(() => {
          if (rule !== undefined && !isReading) start();
        })}
      >
        <TextField {...keepLast} label="Checkpoints to keep of each namespace" />
        <TextField {...days} label="Keep checkpoints younger than, in days" />
        <div class="buttons">
          <button disabled={rule === undefined || isReading}>Show what it would free</button>
          {isReading && (
            <button type="button" onClick={cancel}>
              Cancel
            </button>
          )}
          <PruneAction threadId={threadId} />
        </div>
      </form>
      <p role="status">
        {isReading && "Checking…"}
        {!isReading && data !== undefined && <>It would delete {describeDeleted(data)}.</>}
      </p>
      {error !== null && <Failure error={error} />}
    </section>
  );
}

interface ThreadFormProps {
  readonly threadId: string;
  /** Called with `""` for all threads. */
  readonly onChoose: (threadId: string) => void;
}

/** Asks which thread to measure. */
export function ThreadForm({ threadId, onChoose }: ThreadFormProps) {
  const [text, setText] = useState(threadId);
  return (
    <form
      class="buttons"
      onSubmit={sent(() => {
        onChoose(text.trim());
      })}
    >
      <label>
        <span class="dim">Thread id</span>{" "}
        <input
          type="search"
          placeholder="all threads"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={typed(setText)}
        />
      </label>
      <button>Show</button>
    </form>
  );
}
