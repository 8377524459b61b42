import { Failure } from "../../parts/failure.js";
import { Loading } from "../../parts/loading.js";
import type { Route } from "../../routes/route.js";
import { currentRoute, replaceRoute } from "../../routes/use-route.js";
import { useRead } from "../../server/use-read.js";
import { parseFilter } from "../threads/parse-metadata-filter.js";
import { ItemView } from "./item-view.js";
import { ItemsForm } from "./items-form.js";
import { ItemsList } from "./items-list.js";
import { linkToMemory, memoryViewOf } from "./memory-links.js";
import { NewItemAction } from "./new-item-action.js";
import { Crumbs, Namespaces } from "./namespace-links.js";
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
  const parsed = parseFilter(view.filter);
  const by = view.by ?? (memory.hasVectors ? "meaning" : "words");
  return (
    <div class="memory">
      {failure}
      <div class="memory-head">
        <h1>Store</h1>
        <div class="memory-actions">
          <NewItemAction prefix={view.prefix} writesAsApplication={memory.writesAsApplication} />
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
