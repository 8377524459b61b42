import type { Overview } from "../../../api/inspector-api.js";
import { FirstSteps } from "../../parts/first-steps/first-steps.js";
import { linkTo } from "../../routes/route.js";
import { useOverview } from "../../server/overview-context.js";

/** Says why no threads are listed, and what to do. */
export function NoThreads({ isFiltered }: { readonly isFiltered: boolean }) {
  const overview = useOverview();
  const { schema, tenantId } = overview;
  if (isFiltered) {
    return (
      <div class="threads-none" role="status">
        <p>No thread matches.</p>
        <p>
          <a href={linkTo("threads")}>Show all threads</a>
        </p>
      </div>
    );
  }
  return (
    <FirstSteps
      docs="getting-started.md"
      sample={`const saver = new PostgresSaver(process.env.DATABASE_URL${optionsText(overview)});
await saver.setup();
const graph = builder.compile({ checkpointer: saver });
await graph.invoke(input, { configurable: { thread_id: "1" } });`}
    >
      <p>There are no threads yet.</p>
      <p class="dim">
        A thread appears here when a graph stores its first checkpoint in the schema <bdi>{schema}</bdi>
        {tenantId !== undefined && (
          <>
            {" "}
            for the tenant <bdi>{tenantId}</bdi>
          </>
        )}
        :
      </p>
    </FirstSteps>
  );
}

/** The options of a saver that differ from the defaults, as arguments in code. */
function optionsText({ schema, tenantId }: Pick<Overview, "schema" | "tenantId">): string {
  const options = { ...(schema !== "public" && { schema }), ...(tenantId !== undefined && { tenantId }) };
  return Object.keys(options).length === 0 ? "" : `, undefined, ${JSON.stringify(options)}`;
}

interface NoTablesProps {
  readonly onRetry: () => void;
}

/** Says how to create the tables, or to bring them up to date. */
export function NoTables({ onRetry }: NoTablesProps) {
  const { schema } = useOverview();
  return (
    <FirstSteps
      docs="migrations.md"
      sample={`npx langgraph-checkpoint-kysely migrate${schema === "public" ? "" : ` --schema ${JSON.stringify(schema)}`}`}
    >
      <p>
        The schema <bdi>{schema}</bdi> has no tables for threads, or tables of an older version.
      </p>
      <p class="dim">
        This command creates them and keeps what is stored; so does <code>saver.setup()</code>. It needs a
        role that may create tables.
      </p>
      <p>
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      </p>
    </FirstSteps>
  );
}
