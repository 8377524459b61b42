import { MoreButton } from "../../parts/more-button.js";
import type { ThreadRow } from "../../../api/threads.js";
import { countText, formatCount } from "../../parts/number-texts.js";
import type { ThreadList } from "./use-threads.js";
import type { Overview } from "../../../api/inspector-api.js";
import { DocsLink, FirstSteps } from "../../parts/first-steps.js";
import { namesUser } from "./thread-names.js";
import { useRead } from "../../server/use-read.js";
import { linkTo } from "../../routes/route.js";
import { useOverview } from "../../server/overview-context.js";

interface ListEndProps {
  readonly list: ThreadList;
  /** Whether the threads were searched for a text. */
  readonly isSearched: boolean;
  readonly threads: readonly ThreadRow[];
}

/** Says how many threads there are, or how many have been looked at for those in the list. */
export function ListEnd({ list, isSearched, threads }: ListEndProps) {
  const { hasMore, isLoadingMore, looked } = list;
  if (threads.length === 0 && looked === undefined) return null;
  const found = countText(threads.length, "thread");
  if (looked === undefined) {
    return (
      <p class="threads-end dim" role="status">
        {hasMore ? "Loading more threads…" : found}
      </p>
    );
  }
  return (
    <div class="threads-end">
      <p class="dim" role="status">
        {isLoadingMore
          ? "Looking at more threads…"
          : `${found} among the ${countText(looked, "thread")} ${whichOnes(list)}${hasMore ? "" : ", which are all"}`}
        {isSearched && hintOf(list)}
      </p>
      <MoreButton list={list}>Look further</MoreButton>
    </div>
  );
}

function whichOnes({ byWords }: ThreadList): string {
  return byWords === true ? "that have these words" : "with the latest activity";
}

/** Says what a search has left out, and why. */
function hintOf({ hasMore, byWords, unread }: ThreadList): string {
  const left =
    unread === 0
      ? ""
      : `. ${countText(unread, "thread")} ${unread === 1 ? "has" : "have"} values that were not searched: they are too long, or can’t be read here`;
  if (!hasMore || byWords === true) return left;
  return byWords === false
    ? `${left}. These words are in too many threads to look at all of them`
    : `${left}. With the text-index, all threads are searched`;
}

interface NoThreadsProps {
  readonly list: ThreadList;
  readonly search: string;
  readonly isFiltered: boolean;
}

/** Says why no threads are listed, and what to do. */
export function NoThreads({ list, search, isFiltered }: NoThreadsProps) {
  const overview = useOverview();
  const { schema, tenantId } = overview;
  if (isFiltered) {
    return (
      <div class="threads-none" role="status">
        <p>No thread matches.</p>
        {search !== "" && <Searched list={list} />}
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

/** Says what was searched in vain, and what else may help. */
function Searched({ list: { looked, byWords, hasMore } }: { readonly list: ThreadList }) {
  const { data } = useRead("metadataSuggestions", {});
  const names = (data?.suggestions ?? []).map(({ name }) => name).filter((name) => !OF_ENGINE.test(name));
  const count = formatCount(looked ?? 0);
  const latest = hasMore ? `the ${count} threads with the latest activity` : `all threads (${count})`;
  return (
    <>
      {looked !== undefined && (
        <p>
          Searched: the ids of all threads, the metadata{" "}
          {names.length > 0 && (
            <>
              (<bdi>{names.slice(0, MAX_NAMES).join(", ")}</bdi>){" "}
            </>
          )}
          and the messages, values, questions and errors of {byWords === true ? "all threads" : latest}.{" "}
          {hasMore
            ? "Look further below."
            : "Words are found from their beginning on: try fewer, or shorter ones."}
        </p>
      )}
      {data !== undefined && !names.some(namesUser) && (
        <p class="dim">
          No metadata names a user, since LangGraph.js stores none of what a run is given there. A saver with{" "}
          <code>metadataFromConfig: ["user_id"]</code> does: <DocsLink page="threads.md" />.
        </p>
      )}
    </>
  );
}

const MAX_NAMES = 8;
/** What LangGraph stores in the metadata by itself. */
const OF_ENGINE = /^(?:source|step|parents|run_id|delta_.*|langgraph_(?!auth).*|__.*)$/;

/** The options of a saver that differ from the defaults, as arguments in code. */
function optionsText({ schema, tenantId }: Pick<Overview, "schema" | "tenantId">): string {
  const options = { ...(schema !== "public" && { schema }), ...(tenantId !== undefined && { tenantId }) };
  return Object.keys(options).length === 0 ? "" : `, undefined, ${JSON.stringify(options)}`;
}

/** Says how to create the tables, or to bring them up to date. */
export function NoTables({ onRetry }: { readonly onRetry: () => void }) {
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
