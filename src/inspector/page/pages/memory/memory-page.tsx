import { Failure, Loading } from "../../parts/read-state.js";
import { type Route, currentRoute, replaceRoute } from "../../routes/route.js";
import { useRead } from "../../server/use-read.js";
import { typedFilter } from "../threads/typed-search.js";
import { DeleteItemsAction, ErasePersonAction } from "./erase/erase-actions.js";
import { ItemView } from "./item-view.js";
import { ItemsList } from "./items-list.js";
import { linkToMemory, memoryViewOf, Crumbs, Namespaces, type MemoryView } from "./memory-links.js";
import { NewItemAction } from "./item-actions.js";
import { useId } from "preact/hooks";
import { sent, typed, useTypedText } from "../../parts/typed-text.js";
import "./memory.css";

/** The items of the store. */
export function MemoryPage({ route }: { readonly route: Route }) {
  const view = memoryViewOf(route);
  const { data: memory, error, refetch } = useRead("memory", {});
  const failure = error !== null && <Failure error={error} onRetry={() => void refetch()} />;
  if (memory === undefined) return failure || <Loading what="the store" />;
  if (!memory.exists) return <p>There is no store that the inspector may read.</p>;
  if (view.item !== undefined)
    return <ItemView {...{ view, item: view.item }} path={route.params.get("path")} />;
  const parsed = typedFilter(view.filter);
  const by = view.by ?? (memory.hasVectors ? "meaning" : "words");
  return (
    <div class="memory">
      {failure}
      <div class="memory-head">
        <h1>Store</h1>
        <div class="memory-actions">
          <NewItemAction prefix={view.prefix} writesAsApplication={memory.writesAsApplication} />
          {view.prefix.length > 0 && <DeleteItemsAction namespace={view.prefix} />}
          <ErasePersonAction />
        </div>
      </div>
      <Crumbs view={view} />
      <Namespaces key={view.prefix.join(".")} prefix={view.prefix} />
      <ItemsForm
        key={`form ${view.prefix.join(".")}`}
        {...{ view, by, hasVectors: memory.hasVectors }}
        problem={"problem" in parsed ? parsed.problem : undefined}
        onChange={(changes) => {
          replaceRoute(linkToMemory({ ...memoryViewOf(currentRoute()), ...changes }));
        }}
      />
      {"filter" in parsed && (
        <ItemsList
          key={JSON.stringify([view.prefix, view.query, by, view.filter])}
          view={view}
          query={{
            prefix: view.prefix,
            ...(view.query !== "" && { query: view.query, by }),
            ...(parsed.filter !== undefined && { filter: parsed.filter }),
          }}
        />
      )}
    </div>
  );
}

interface ItemsFormProps {
  readonly view: MemoryView;
  readonly by: "words" | "meaning";
  readonly hasVectors: boolean;
  /** Why the filter can't be used. */
  readonly problem: string | undefined;
  readonly onChange: (changes: Partial<MemoryView>) => void;
}

/** Asks which items to list. */
export function ItemsForm({ view, by, hasVectors, problem, onChange }: ItemsFormProps) {
  const [query, setQuery] = useTypedText(view.query, (text) => {
    onChange({ query: text });
  });
  const [filter, setFilter] = useTypedText(view.filter, (text) => {
    onChange({ filter: text });
  });
  const problemId = useId();
  return (
    <form
      class="items-form"
      role="search"
      onSubmit={sent(() => {
        onChange({ query, filter });
      })}
    >
      <label>
        <span>Search</span>
        <input
          type="search"
          placeholder={by === "words" ? "words" : "a text of similar meaning"}
          value={query}
          onInput={typed(setQuery)}
        />
      </label>
      {hasVectors && (
        <label>
          <span>by</span>
          <select
            value={by}
            onChange={({ currentTarget }) => {
              onChange({ query, filter, by: currentTarget.value === "words" ? "words" : "meaning" });
            }}
          >
            <option value="meaning">meaning</option>
            <option value="words">words</option>
          </select>
        </label>
      )}
      <label>
        <span>Filter</span>
        <input
          type="search"
          class="mono"
          spellcheck={false}
          autocomplete="off"
          placeholder='kind=fact or {"age": {"$gte": 18}}'
          value={filter}
          aria-invalid={problem !== undefined}
          aria-describedby={problemId}
          onInput={typed(setFilter)}
        />
      </label>
      <p id={problemId} class="items-problem" role="status">
        {problem}
      </p>
      {/* Without a button, Enter sends no form of several fields. */}
      <button type="submit" hidden />
    </form>
  );
}
