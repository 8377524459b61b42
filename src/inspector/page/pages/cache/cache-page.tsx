import type { Route } from "../../routes/route.js";
import { useOverview } from "../../server/overview-context.js";
import { EntriesView, EntryView } from "./cache-entries.js";
import { NamespacesView } from "./cache-namespaces.js";
import "./cache.css";

/** The entries of caches. */
export function CachePage({ route: { subjects, params } }: { readonly route: Route }) {
  const { hasCache } = useOverview();
  const [namespace, key] = subjects;
  if (!hasCache) return <p>There is no cache that the inspector may read.</p>;
  if (namespace === undefined) return <NamespacesView />;
  if (key === undefined) return <EntriesView key={namespace} namespace={namespace} />;
  return <EntryView place={{ namespace, key }} path={params.get("path")} />;
}
