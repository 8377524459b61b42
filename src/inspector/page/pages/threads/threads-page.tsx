import { useMemo, useRef } from "preact/hooks";
import type { ThreadStatus } from "../../../api/threads.js";
import { Failure, Loading } from "../../parts/read-state.js";
import { linkTo, type Route, currentRoute, replaceRoute } from "../../routes/route.js";
import { ServerError } from "../../server/errors.js";
import { ErasePersonAction } from "../memory/erase/erase-actions.js";
import { NoTables, NoThreads, ListEnd } from "./list-end.js";
import { ManyThreads } from "./many-threads.js";
import { ActivityChoice, activityOf, ThreadsForm } from "./threads-form.js";
import { FAILED_TOOLS, stateFrom, ThreadStates } from "./thread-states.js";
import { ThreadTable, type ThreadOrder } from "./thread-table.js";
import { searchFrom, typedSearch } from "./typed-search.js";
import { useThreadSelection } from "./use-thread-selection.js";
import { useThreads, type VisibleRange } from "./use-threads.js";
import "./threads.css";

/** The list of threads. */
export function ThreadsPage({ route: { params } }: { readonly route: Route }) {
  const given = (name: string): string => params.get(name) ?? "";
  const search = searchFrom(params);
  const state = stateFrom(params.get("state"));
  const activity = { active: given("active"), idle: given("idle"), from: given("from"), to: given("to") };
  const hasFailedTools = params.get("state") === FAILED_TOOLS;
  const conditions = { search, ...activity };
  const order = orderOf(params.get("order"), state);
  const parsed = typedSearch(search);
  const problem = "problem" in parsed ? parsed.problem : undefined;
  const visible = useRef<VisibleRange>({ first: undefined, last: undefined });
  // The same until the address changes, so that the pages of a list belong together.
  const times = useMemo(() => activityOf(activity), Object.values(activity));
  const query = {
    order,
    ...(state !== undefined && { state }),
    ...times,
    ...(hasFailedTools && { failedTools: true }),
    ...("search" in parsed && parsed.search !== "" && { search: parsed.search }),
    ...("search" in parsed && parsed.filter !== undefined && { filter: parsed.filter }),
  } as const;
  const list = useThreads(query, problem === undefined, visible);
  const { threads, error, refreshError } = list;
  const selection = useThreadSelection(threads ?? []);
  const isWithoutTables = error instanceof ServerError && error.code === "MIGRATION_REQUIRED";
  return (
    <>
      <div class="threads-head">
        <h1>Threads</h1>
        <ThreadsForm
          {...{ search, problem }}
          onSearch={(text) => {
            const now = Object.fromEntries(currentRoute().params);
            replaceRoute(linkTo("threads", [], { ...now, search: text, text: "", filter: "" }));
          }}
        />
        <div class="toolbar">
          <ErasePersonAction />
        </div>
      </div>
      <ThreadStates
        {...{ state, hasFailedTools }}
        linkToState={(to) => linkTo("threads", [], { ...conditions, state: to })}
      >
        <ActivityChoice
          params={activity}
          onChange={(changes) => {
            replaceRoute(linkTo("threads", [], { ...Object.fromEntries(currentRoute().params), ...changes }));
          }}
        />
      </ThreadStates>
      {refreshError !== null && threads !== undefined && (
        <p class="dim" role="status">
          The list can’t be refreshed: {refreshError.message}
        </p>
      )}
      {error !== null && !isWithoutTables && <Failure error={error} onRetry={list.retry} />}
      {isWithoutTables && <NoTables onRetry={list.retry} />}
      {threads === undefined && error === null && problem === undefined && <Loading what="threads" />}
      {threads?.length === 0 && (
        <NoThreads
          {...{ list, search }}
          isFiltered={
            hasFailedTools || [state ?? "", ...Object.values(conditions)].some((each) => each !== "")
          }
        />
      )}
      {threads !== undefined && threads.length > 0 && (
        <ThreadTable
          {...{ list, visible, selection }}
          // Without an index, the server looks at the latest ones first.
          order={list.looked === undefined ? order : "recent"}
          isInState={state !== undefined || hasFailedTools}
          rows={threads}
          linkToOrder={(by) => linkTo("threads", [], { ...conditions, state, order: by })}
        />
      )}
      {threads !== undefined && <ListEnd {...{ list, threads }} isSearched={search !== ""} />}
      {threads !== undefined && <ManyThreads {...{ selection }} />}
    </>
  );
}

/** Who waits for longest comes first. */
function orderOf(text: string | null, state: ThreadStatus | undefined): ThreadOrder {
  if (state === undefined) return text === "id" ? "id" : "recent";
  if (state === "pending" || state === "done" || text === "recent") return "recent";
  return text === null && state === "failed" ? "recent" : "oldest";
}
