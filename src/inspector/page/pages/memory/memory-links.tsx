import { linkTo, type Route, type RouteParams } from "../../routes/route.js";
import { MoreButton } from "../../parts/more-button.js";
import { usePages } from "../../server/use-pages.js";
import { Failure } from "../../parts/read-state.js";
import { read } from "../../server/call-server.js";

/** What the page of the memory shows. */
export interface MemoryView {
  /** The namespace whose items are listed, with those below it. */
  readonly prefix: readonly string[];
  readonly query: string;
  readonly by: "words" | "meaning" | undefined;
  readonly filter: string;
  /** The item that is open. */
  readonly item: { readonly namespace: readonly string[]; readonly key: string } | undefined;
}

/** Labels contain no period. */
const SEPARATOR = ".";

/** Reads what an address shows. */
export function memoryViewOf({ params, subjects: [namespace, key] }: Route): MemoryView {
  const by = params.get("by");
  return {
    prefix: labelsOf(params.get("ns") ?? ""),
    query: params.get("query") ?? "",
    by: by === "words" || by === "meaning" ? by : undefined,
    filter: params.get("filter") ?? "",
    item: namespace === undefined || key === undefined ? undefined : { namespace: labelsOf(namespace), key },
  };
}

/** Returns the link to what the page shows. */
export function linkToMemory(view: Partial<MemoryView>, params: RouteParams = {}): string {
  const { prefix = [], query, by, filter, item } = view;
  const subjects = item === undefined ? [] : [joinedLabels(item.namespace), item.key];
  return linkTo("memory", subjects, { ns: joinedLabels(prefix), query, by, filter, ...params });
}

/** The labels of a namespace as addresses and people write it. */
export function labelsOf(text: string): string[] {
  return text === "" ? [] : text.split(SEPARATOR);
}

/** A namespace as addresses and people write it. */
export function joinedLabels(labels: readonly string[]): string {
  return labels.join(SEPARATOR);
}

const PAGE_SIZE = 200;

/** The way from the root to a namespace. */
export function Crumbs({ view: { prefix, item } }: { readonly view: Pick<MemoryView, "prefix" | "item"> }) {
  const isOpen = item !== undefined;
  return (
    <nav class="crumbs" aria-label="Namespace">
      <ol>
        {["All namespaces", ...prefix].map((label, depth) => (
          <li key={depth}>
            <a
              href={linkToMemory({ prefix: prefix.slice(0, depth) })}
              aria-current={depth === prefix.length && !isOpen ? "page" : undefined}
            >
              <bdi>{label}</bdi>
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** The namespaces right below another one, page by page. */
export function Namespaces({ prefix }: { readonly prefix: readonly string[] }) {
  const { pages, ...list } = usePages(["memoryNamespaces", prefix], PAGE_SIZE, (page, signal) =>
    read("memoryNamespaces", { prefix, ...page }, signal),
  );
  if (list.error !== null) return <Failure error={list.error} onRetry={list.retry} />;
  const namespaces = pages?.flatMap((page) => page.namespaces) ?? [];
  if (namespaces.length === 0) return null;
  return (
    <div class="memory-namespaces">
      <ul aria-label="Namespaces below">
        {namespaces.map((namespace) => (
          <li key={namespace.join(".")}>
            <a href={linkToMemory({ prefix: namespace })}>
              <bdi>{namespace.at(-1)}</bdi>
            </a>
          </li>
        ))}
      </ul>
      <MoreButton list={list}>More namespaces</MoreButton>
    </div>
  );
}
