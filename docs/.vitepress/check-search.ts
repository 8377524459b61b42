import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runInNewContext } from "node:vm";
import MiniSearch from "minisearch";
import type { DefaultTheme, SiteConfig, SiteData } from "vitepress";

/** What newcomers look for, and what the address of the first result begins with. */
const ANSWERS: Readonly<Record<string, string>> = {
  "human approval": "/getting-started#human-approval",
  "human in the loop": "/getting-started#human-approval",
  interrupt: "/getting-started#human-approval",
  MIGRATION_REQUIRED: "/troubleshooting#database",
  THREAD_LOCKED: "/troubleshooting#threads",
  MigrationRequiredError: "/troubleshooting",
  "thread not found": "/when-something-is-wrong#a-thread-is-not-found-or-begins-anew",
  "serialization error": "/troubleshooting#values",
  license: "/#license",
  GDPR: "/personal-data",
  "right to be forgotten": "/personal-data",
  "delete user data": "/personal-data#erase",
  "how do I delete a thread": "/cli#delete",
  "connection pool": "/options#connection-pool",
  "too many connections": "/when-something-is-wrong#too-many-connections",
  pgbouncer: "/poolers",
  python: "/interop",
  upgrade: "/migrations#upgrade",
  timeout: "/options#timeouts",
  backup: "/threads#backups",
  "encryption key": "/encryption",
  "memory://": "/getting-started#about-memory",
  install: "/getting-started",
  production: "/in-production",
  "pool size": "/in-production#connections-and-pool-size",
  readiness: "/in-production#probes",
  prometheus: "/in-production#alerts-for-prometheus-and-grafana",
  grafana: "/in-production#alerts-for-prometheus-and-grafana",
  "graceful shutdown": "/in-production#graceful-shutdown",
  "is it for me": "/is-it-for-me",
  limits: "/is-it-for-me#limits",
  "runs hang": "/when-something-is-wrong#runs-hang",
  "permission denied": "/when-something-is-wrong#permission-denied",
  slow: "/when-something-is-wrong#reads-or-writes-are-slow",
  "long term memory": "/store",
  "semantic search": "/store#search-by-meaning",
  "time travel": "/threads#time-travel",
  "row level security": "/tenants",
  logging: "/observability#log",
  "health check": "/observability#health",
  "disk full": "/when-something-is-wrong#the-disk-is-full",
  MemorySaver: "/coming-from",
  // No guide has this one.
  CheckpointErrorCode: "/api/",
};

/** Fails the build if the search of the site, as the browser gets it, does not find {@link ANSWERS}, or the API before a guide. */
export async function checkSearch({ outDir }: SiteConfig): Promise<void> {
  const index = await openIndex(join(outDir, "assets/chunks"));
  const problems = Object.entries(ANSWERS).flatMap(([query, answer]) => {
    const pages = index.search(query).map(({ id }) => String(id));
    const firstOfApi = pages.findIndex(isApi);
    return [
      ...(pages[0]?.startsWith(answer) === true ? [] : [`finds ${pages[0]} before ${answer}`]),
      ...(firstOfApi < 0 || pages.slice(firstOfApi).every(isApi) ? [] : ["finds the API before a guide"]),
    ].map((problem) => `${query} ${problem}`);
  });
  if (problems.length > 0) throw new Error(`the search of the site:\n${problems.join("\n")}`);
}

const isApi = (page: string): boolean => page.startsWith("/api/");

async function openIndex(chunks: string): Promise<MiniSearch> {
  const names = readdirSync(chunks);
  const pathOf = (start: string): string =>
    join(chunks, names.find((name) => name.startsWith(start)) ?? start);
  const { default: json } = (await import(pathToFileURL(pathOf("@localSearchIndexroot")).href)) as {
    default: string;
  };
  const { options, searchOptions } = optionsIn(readFileSync(pathOf("metadata"), "utf8"));
  return MiniSearch.loadJSON(json, {
    fields: ["title", "titles", "text"],
    storeFields: ["title", "titles"],
    searchOptions: { ...searchOptions },
    ...options,
  });
}

/** The options with their functions, which VitePress sends to the browser as source text. */
function optionsIn(metadata: string): DefaultTheme.MiniSearchOptions {
  const window: { __VP_SITE_DATA__?: SiteData<DefaultTheme.Config> } = {};
  runInNewContext(metadata, { window });
  const { search } = window.__VP_SITE_DATA__?.themeConfig ?? {};
  if (search?.provider !== "local") throw new Error("the site has no options of a search");
  return search.options?.miniSearch ?? {};
}
