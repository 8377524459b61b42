const PACKAGE = "langgraph-checkpoint-kysely";

interface SidebarItem {
  readonly text: string;
  readonly link: string;
}

interface SidebarGroup {
  readonly text: string;
  readonly items: SidebarItem[];
}

/** The page of an entry point in `docs/api`, which `npm run docs:api` writes. */
const apiOf = (path: string): SidebarItem => ({
  text: `${PACKAGE}${path}`,
  link: `/api/${PACKAGE}${path}/`,
});

/** Every page of the site, in the order of its sidebar. */
export const sidebar: readonly SidebarGroup[] = [
  {
    text: "Decide",
    items: [
      { text: "Is it for me?", link: "/is-it-for-me" },
      { text: "Compared with the official savers", link: "/comparison" },
      { text: "Reliability", link: "/reliability" },
      { text: "Where it runs", link: "/places" },
      { text: "Agents, chats and their clients", link: "/clients" },
    ],
  },
  {
    text: "Start",
    items: [
      { text: "Getting started", link: "/getting-started" },
      { text: "Concepts", link: "/concepts" },
      { text: "What is stored", link: "/what-is-stored" },
      { text: "Coming from another saver", link: "/coming-from" },
      { text: "Python and TypeScript", link: "/interop" },
      { text: "Threads", link: "/threads" },
      { text: "Conversations", link: "/conversations" },
      { text: "Store", link: "/store" },
      { text: "Cache", link: "/cache" },
      { text: "Checkpoint stores", link: "/checkpoint-store" },
      { text: "Inspector", link: "/inspector" },
    ],
  },
  {
    text: "Operate",
    items: [
      { text: "In production", link: "/in-production" },
      { text: "When something is wrong", link: "/when-something-is-wrong" },
      { text: "When the database is away", link: "/when-the-database-is-away" },
      { text: "Disaster recovery", link: "/disaster-recovery" },
      { text: "Migrations", link: "/migrations" },
      { text: "Observability", link: "/observability" },
      { text: "Failed saves", link: "/failed-saves" },
      { text: "Concurrency", link: "/concurrency" },
      { text: "Retention", link: "/retention" },
      { text: "Archive", link: "/archive" },
      { text: "Poolers", link: "/poolers" },
      { text: "Large databases", link: "/large-databases" },
      { text: "Scale", link: "/scale" },
      { text: "Growth", link: "/growth" },
      { text: "Trimming", link: "/trimming" },
      { text: "Optional indexes", link: "/indexes" },
    ],
  },
  {
    text: "Protect",
    items: [
      { text: "Encryption and compression", link: "/encryption" },
      { text: "Tenants", link: "/tenants" },
      { text: "Personal data", link: "/personal-data" },
    ],
  },
  {
    text: "Reference",
    items: [
      { text: "Stability", link: "/stability" },
      { text: "Options", link: "/options" },
      { text: "Command line", link: "/cli" },
      { text: "Errors and findings", link: "/troubleshooting" },
      { text: "Write a backend", link: "/checkpoint-backends" },
      { text: "Conformance suites", link: "/conformance" },
    ],
  },
  {
    text: "Contribute",
    items: [
      { text: "Architecture", link: "/internals/architecture" },
      { text: "The life of a call", link: "/internals/life-of-a-call" },
      { text: "Recipes", link: "/internals/recipes" },
      { text: "Concurrency invariants", link: "/internals/concurrency" },
      { text: "Statements and their plans", link: "/internals/statements" },
      { text: "Test engine", link: "/internals/test-engine" },
      { text: "What tests miss", link: "/internals/what-tests-miss" },
      { text: "Citus in code and tests", link: "/internals/citus" },
      { text: "Dependencies", link: "/internals/dependencies" },
      { text: "Releases", link: "/internals/release" },
    ],
  },
  {
    text: "API reference",
    items: [
      "",
      "/cache",
      "/checkpoint-store",
      "/checkpoint-store/redis",
      "/checkpoint-store/sqlite",
      "/conformance",
      "/conversations",
      "/db",
      "/inspector",
      "/migrations",
      "/serde",
      "/store",
    ].map(apiOf),
  },
];
