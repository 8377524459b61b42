import type { ComponentChildren } from "preact";
import type { ThreadStatus, ThreadCounts } from "../../../api/threads.js";
import { formatCount } from "../../parts/number-texts.js";
import { useQuery } from "@tanstack/preact-query";
import { read } from "../../server/call-server.js";

/** The states that a person looks for, by the names that the page gives to them. */
const STATES = [
  ["interrupted", "Waiting", "A person has to answer"],
  ["failed", "Failed", "A task has failed, and was not repeated"],
  ["pending", "Unfinished", "The next tasks are known: a run is active, or was stopped"],
  ["done", "Done", "Nothing is left to do"],
] as const satisfies readonly (readonly [ThreadStatus, string, string])[];

/** Returns the state that the address names. */
export function stateFrom(text: string | null): ThreadStatus | undefined {
  return STATES.map(([state]) => state).find((state) => state === text);
}

/** What is no state of a thread, but asked for beside them. */
export const FAILED_TOOLS = "tools";

interface ThreadStatesProps {
  /** Whether the threads are asked for in which a tool has failed. */
  readonly hasFailedTools: boolean;
  readonly state: ThreadStatus | undefined;
  readonly linkToState: (state: ThreadStatus | typeof FAILED_TOOLS | undefined) => string;
  /** What else is asked of the threads. */
  readonly children: ComponentChildren;
}

/** The states of threads with their numbers, each a link to its threads. */
export function ThreadStates({ state, hasFailedTools, linkToState, children }: ThreadStatesProps) {
  const counts = useThreadCounts();
  const isSampled = counts !== undefined && counts.counted.length < STATES.length;
  const ofLatest = isSampled ? ` of the ${formatCount(counts.looked)} threads with the latest activity` : "";
  return (
    <div class="threads-states">
      <nav aria-label="States">
        <a
          href={linkToState(undefined)}
          aria-current={state === undefined && !hasFailedTools ? "true" : undefined}
        >
          All
        </a>
        {STATES.map(([name, title, help]) => (
          <a
            key={name}
            href={linkToState(name)}
            aria-current={state === name ? "true" : undefined}
            title={`${help}${counts?.counted.includes(name) === false ? `. Counted${ofLatest}` : ""}`}
          >
            {title}
            {counts !== undefined && (
              <span class={`threads-count threads-count-${name}`}>
                {formatCount(counts.counts[name])}
                {!counts.counted.includes(name) && <span aria-hidden="true">*</span>}
              </span>
            )}
          </a>
        ))}
        <a
          href={linkToState(FAILED_TOOLS)}
          aria-current={hasFailedTools ? "true" : undefined}
          title="A tool has failed since a person wrote the last time"
        >
          Failed tools
        </a>
      </nav>
      {children}
      {isSampled && <p class="dim">* Counted among{ofLatest.replace(" of", "")}.</p>}
    </div>
  );
}

const REFRESH_MS = 5_000;

/** Counts the threads in each state, again and again: less often where that takes long. */
function useThreadCounts(): ThreadCounts | undefined {
  const { data } = useQuery<ThreadCounts & { readonly tookMs: number }>({
    queryKey: ["threadCounts"],
    queryFn: async ({ signal }) => {
      const start = Date.now();
      const counts = await read("threadCounts", {}, signal);
      return { ...counts, tookMs: Date.now() - start };
    },
    refetchInterval: ({ state }) => Math.max(REFRESH_MS, 20 * (state.data?.tookMs ?? 0)),
  });
  return data;
}
