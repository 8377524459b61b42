import { useInfiniteQuery } from "@tanstack/preact-query";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ThreadHit, ThreadHits } from "../../../../api/finds.js";
import { listen } from "../../../parts/effects.js";
import { MoreButton } from "../../../parts/more-button.js";
import { countText } from "../../../parts/number-texts.js";
import { Failure } from "../../../parts/read-state.js";
import { localTime } from "../../../parts/time.js";
import { sent, typed } from "../../../parts/typed-text.js";
import { linkToThread } from "../../../routes/route.js";
import { moveAmongRows } from "../../../shell/keys/page-keys.js";
import { read } from "../../../server/call-server.js";
import { growing } from "../../../server/use-pages.js";
import { linkToFound } from "../../threads/link-to-found.js";
import "./thread-search.css";

/** What a person looked for last, by thread: it is still there when they come back from what they found. */
const lastSearches = new Map<string, string>();

/** Finds words in all steps of a thread, also in those that are not drawn. Ctrl-F goes to its field; pressed there, it is the browser's. */
export function ThreadSearchField({ threadId }: { readonly threadId: string }) {
  const [search, setSearch] = useState(lastSearches.get(threadId) ?? "");
  const [text, setText] = useState(search);
  const field = useRef<HTMLInputElement>(null);
  useEffect(
    () =>
      listen(window, ["keydown"], (event) => {
        const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
        if (key !== "f" || !(ctrlKey || metaKey) || altKey || shiftKey) return;
        if (document.activeElement === field.current || document.querySelector("dialog[open]") !== null)
          return;
        event.preventDefault();
        field.current?.focus();
        field.current?.select();
      }),
    [],
  );
  const find = (words: string): void => {
    lastSearches.set(threadId, words);
    setSearch(words);
  };
  return (
    <div class="thread-search">
      <form
        role="search"
        onSubmit={sent(() => {
          find(text.trim());
        })}
      >
        <input
          ref={field}
          type="search"
          aria-label="Find in this thread"
          placeholder="Find in all steps (Ctrl-F)"
          enterKeyHint="search"
          spellcheck={false}
          value={text}
          onInput={typed((words) => {
            setText(words);
            if (words === "") find("");
          })}
          onKeyDown={({ key }) => {
            if (key !== "Escape") return;
            setText("");
            find("");
          }}
        />
        <button type="submit">Find</button>
      </form>
      {search !== "" && <Hits {...{ threadId, search }} />}
    </div>
  );
}

function Hits({ threadId, search }: { readonly threadId: string; readonly search: string }) {
  const list = useInfiniteQuery({
    queryKey: ["searchThread", threadId, search],
    queryFn: ({ pageParam: before, signal }) =>
      read("searchThread", { threadId, search, ...(before !== undefined && { before }) }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: ThreadHits) => next,
  });
  const pages = list.data?.pages ?? [];
  // A text that an earlier step has as well is shown there.
  const hits = new Map(pages.flatMap((page) => page.hits).map((hit) => [hit.key, hit]));
  const looked = pages.reduce((sum, page) => sum + page.looked, 0);
  const isPartial = pages.some((page) => page.isPartial === true);
  return (
    <section class="thread-hits" aria-label="Found in this thread">
      {list.error !== null && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      <p class="dim" role="status">
        {list.isFetching
          ? "Searching…"
          : `${countText(hits.size, "text")} in ${list.hasNextPage ? "the newest " : "all "}${countText(looked, "step")}${isPartial ? "; some long values, or more texts of one step, are left out" : ""}`}
        {!list.isFetching &&
          hits.size === 0 &&
          ". Each word must be in the same text, and is found from its beginning on"}
      </p>
      <ol data-list onKeyDown={moveAmongRows}>
        {[...hits.values()]
          .sort((a, b) => b.at - a.at)
          .map((hit) => (
            <Hit key={hit.key} hit={hit} />
          ))}
      </ol>
      <MoreButton list={growing(list)}>Look in older steps</MoreButton>
    </section>
  );
}

function Hit({ hit }: { readonly hit: ThreadHit }) {
  const { step, at, namespace, kind, channel, label, before, match, after } = hit;
  return (
    <li>
      <a class="thread-hit" href={linkToFound(hit, { at: hit.checkpointId })}>
        <bdi>
          {before}
          <mark>{match}</mark>
          {after}
        </bdi>
      </a>
      <span class="dim">
        <a href={linkToThread(hit, { at: hit.checkpointId })} title={localTime(at)}>
          {step === undefined ? "its step" : step < 0 ? "the input" : `step ${step}`}
        </a>
        {namespace !== "" && (
          <>
            {" "}
            of <bdi>{namespace.split(":", 1)[0]}</bdi>
          </>
        )}{" "}
        · {kind === "value" ? <bdi>{hit.isMessage === true ? channel : `${channel} ${label}`}</bdi> : kind}
      </span>
    </li>
  );
}
