import { linkTo, type Route, type RouteParams } from "../../routes/route.js";

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
  const subjects = item === undefined ? [] : [namespaceText(item.namespace), item.key];
  return linkTo("memory", subjects, { ns: namespaceText(prefix), query, by, filter, ...params });
}

/** The labels of a namespace as addresses and people write it. */
export function labelsOf(text: string): string[] {
  return text === "" ? [] : text.split(SEPARATOR);
}

/** A namespace as addresses and people write it. */
export function namespaceText(labels: readonly string[]): string {
  return labels.join(SEPARATOR);
}
