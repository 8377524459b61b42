import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Failure } from "./parts/failure.js";
import { ThreadsPage } from "./pages/threads/threads-page.js";
import { linkTo, type Route } from "./routes/route.js";
import { useRoute } from "./routes/use-route.js";
import { OverviewContext } from "./server/overview-context.js";
import { useRead } from "./server/use-read.js";

/** The pages by the first part of their routes. */
const PAGES: Readonly<Record<string, ComponentType<{ readonly route: Route }>>> = { threads: ThreadsPage };

/** The pages that the navigation links to. */
const LINKS = [
  ["threads", "Threads"],
  ["storage", "Storage"],
  ["memory", "Memory"],
  ["health", "Health"],
] as const;

export function App() {
  const route = useRoute();
  const overview = useRead("overview", {});
  const main = useRef<HTMLElement>(null);
  // A screen reader continues at the new page, as after loading one.
  useEffect(() => {
    main.current?.focus({ preventScroll: true });
  }, [route.page, ...route.subjects]);
  if (overview.error !== null)
    return <Failure error={overview.error} onRetry={() => void overview.refetch()} />;
  if (overview.data === undefined) return null;
  const { hasMemory, database, schema, canWrite } = overview.data;
  const Page = Object.hasOwn(PAGES, route.page) ? PAGES[route.page] : undefined;
  return (
    <OverviewContext.Provider value={overview.data}>
      <header class="top">
        <nav aria-label="Pages">
          {LINKS.filter(([page]) => page !== "memory" || hasMemory).map(([page, title]) => (
            <a key={page} href={linkTo(page)} aria-current={route.page === page ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <span class="dim database">
          {database} · {schema} · {canWrite ? "read and write" : "read-only"}
        </span>
      </header>
      <main ref={main} tabIndex={-1}>
        {Page === undefined ? <p>There is no such page.</p> : <Page route={route} />}
      </main>
    </OverviewContext.Provider>
  );
}
