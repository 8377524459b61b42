import { useRef } from "preact/hooks";
import { Failure } from "../../parts/failure.js";
import { Loading } from "../../parts/loading.js";
import { linkTo, type Route } from "../../routes/route.js";
import { currentRoute, replaceRoute } from "../../routes/use-route.js";
import { NoThreads } from "./no-threads.js";
import { parseFilter } from "./parse-metadata-filter.js";
import { ThreadTable } from "./thread-table.js";
import { ThreadsForm } from "./threads-form.js";
import { useThreads, type VisibleRange } from "./use-threads.js";
import "./threads.css";

/** The list of threads. */
export function ThreadsPage({ route: { params } }: { readonly route: Route }) {
  const [search, filter] = [params.get("search") ?? "", params.get("filter") ?? ""];
  const order = params.get("order") === "id" ? "id" : "recent";
  const parsed = parseFilter(filter);
  const problem = "problem" in parsed ? parsed.problem : undefined;
  const visible = useRef<VisibleRange>({ first: undefined, last: undefined });
  const query = {
    order,
    ...(search !== "" && { search }),
    ...("filter" in parsed && parsed.filter !== undefined && { filter: parsed.filter }),
  } as const;
  const list = useThreads(query, problem === undefined, visible);
  const { threads, error, refreshError } = list;
  return (
    <>
      <div class="threads-head">
        <h1>Threads</h1>
        <ThreadsForm
          {...{ search, filter, problem }}
          onChange={(changes) => {
            const now = Object.fromEntries(currentRoute().params);
            replaceRoute(linkTo("threads", [], { ...now, ...changes }));
          }}
        />
      </div>
      {refreshError !== null && threads !== undefined && (
        <p class="dim" role="status">
          The list can’t be refreshed: {refreshError.message}
        </p>
      )}
      {error !== null && <Failure error={error} onRetry={list.retry} />}
      {threads === undefined && error === null && problem === undefined && <Loading what="threads" />}
      {threads?.length === 0 && <NoThreads isFiltered={search !== "" || filter !== ""} />}
      {threads !== undefined && threads.length > 0 && (
        <ThreadTable
          {...{ list, order, visible }}
          rows={threads}
          linkToOrder={(by) => linkTo("threads", [], { search, filter, order: by })}
        />
      )}
    </>
  );
}
