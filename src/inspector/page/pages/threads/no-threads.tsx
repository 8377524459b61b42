import { linkTo } from "../../routes/route.js";
import { useOverview } from "../../server/overview-context.js";

/** Says why no threads are listed, and what to do. */
export function NoThreads({ isFiltered }: { readonly isFiltered: boolean }) {
  const { schema, tenantId } = useOverview();
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
    <div class="threads-none" role="status">
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
      <pre class="mono">
        {`const graph = builder.compile({ checkpointer: saver });
await graph.invoke(input, { configurable: { thread_id: "1" } });`}
      </pre>
    </div>
  );
}
