import type { QueryClient } from "@tanstack/preact-query";
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Failure, lazyPart, Loading } from "./parts/read-state.js";
import { ThreadsPage } from "./pages/threads/threads-page.js";
import { type Route, useRoute } from "./routes/route.js";
import { partQuery } from "./server/load-part.js";
import { OverviewContext } from "./server/overview-context.js";
import { useRead } from "./server/use-read.js";
import { Header } from "./shell/header.js";
import { pageTitle } from "./shell/page-title.js";
import { useScrollMemory } from "./shell/use-scroll-memory.js";
import "./shell/shell.css";

type Page = ComponentType<{ readonly route: Route }>;

/** Loads the pages by the first part of their routes. All but the first one load when they are shown. */
const LOADS: Readonly<Record<string, () => Promise<Page>>> = {
  checkpoint: async () => (await import("./pages/checkpoint/checkpoint-page.js")).CheckpointPage,
  storage: async () => (await import("./pages/storage/storage-page.js")).StoragePage,
  memory: async () => (await import("./pages/memory/memory-page.js")).MemoryPage,
  cache: async () => (await import("./pages/cache/cache-page.js")).CachePage,
  health: async () => (await import("./pages/health/health-page.js")).HealthPage,
  thread: async () => (await import("./pages/thread/thread-page.js")).ThreadPage,
};

const PAGES = new Map<string, Page>([
  ["threads", ThreadsPage],
  ...Object.entries(LOADS).map(([name, load]): [string, Page] => [name, lazyPart(name, "the page", load)]),
]);

/** Loads a page beside what it is shown with. */
export function preloadPage(client: QueryClient, name: string): void {
  const load = Object.hasOwn(LOADS, name) ? LOADS[name] : undefined;
  // A failure is shown where the page would be.
  if (load !== undefined) client.query(partQuery(name, load)).catch(() => undefined);
}

export function App() {
  const route = useRoute();
  const overview = useRead("overview", {});
  const main = useRef<HTMLElement>(null);
  useScrollMemory(route);
  useEffect(() => {
    document.title = pageTitle(route);
    // A screen reader continues at the new page, as after loading one.
    main.current?.focus({ preventScroll: true });
  }, [route.page, ...route.subjects]);
  if (overview.data === undefined) {
    if (overview.error === null) return <Loading what="the inspector" />;
    return <Failure error={overview.error} onRetry={() => void overview.refetch()} />;
  }
  const Shown = PAGES.get(route.page);
  return (
    <OverviewContext.Provider value={overview.data}>
      {/* The fragment is the route, so a link to one can't skip. */}
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <Header overview={overview.data} page={route.page} />
      <main ref={main} tabIndex={-1}>
        {Shown === undefined ? <p>There is no such page.</p> : <Shown route={route} />}
      </main>
    </OverviewContext.Provider>
  );
}
