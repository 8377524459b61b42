// A room is a folder of src. Each one imports only the rooms that are listed for it, so imports point one way.
const base = ["errors", "telemetry", "parsing", "db", "serde", "splices"];
const withoutSaver = ["errors", "telemetry", "parsing", "db", "serde", "migrations", "health"];
const wholeThreads = [
  "threads",
  "retention",
  "compaction",
  "sanitize",
  "audit",
  "backup",
  "archive",
  "repair",
  "scheduled-retention",
  "watch",
  "doctor",
];
const mayImport = {
  errors: [],
  conformance: ["errors", "checkpoint-store"],
  telemetry: ["errors"],
  parsing: ["errors", "telemetry", "serde", "db"],
  db: ["errors", "telemetry"],
  serde: ["errors"],
  splices: ["errors", "serde"],
  estimate: ["errors", "splices"],
  migrations: ["errors", "db"],
  health: ["errors", "telemetry", "parsing", "db", "migrations"],
  saver: [...base, "migrations"],
  store: withoutSaver,
  cache: withoutSaver,
  conversations: [...base, "migrations", "saver"],
  "checkpoint-store": withoutSaver,
  threads: [...base, "migrations", "saver"],
  retention: [...base, "saver"],
  compaction: [...base, "saver"],
  sanitize: [...base, "saver", "compaction"],
  audit: [...base, "saver"],
  backup: [...base, "saver"],
  archive: [...base, "saver", "retention", "backup", "threads"],
  repair: [...base, "saver", "threads", "audit", "backup", "archive"],
  "scheduled-retention": [...base, "saver", "retention", "archive"],
  watch: [...base, "saver"],
  doctor: [...base, "migrations", "health", "saver", "audit"],
  inspector: [...base, "migrations", "health", "saver", "store", "cache", ...wholeThreads, "the-savers"],
  cli: [
    ...[...base, "migrations", "saver", "store", "cache", "checkpoint-store", ...wholeThreads, "the-savers"],
    "inspector",
    "estimate",
  ],
};

const pathOf = (room) => (room === "the-savers" ? "^src/[^/]+\\.ts$" : `^src/${room}/`);

// The layers inside the rooms that talk to the database. `boundary` parses arguments, `queries` sends statements,
// `codec` converts between rows and values, and the files of the room itself use all three.
const mayImportInside = {
  "saver/model": [],
  "saver/clock": ["saver/model"],
  "saver/queries": ["saver/model"],
  "saver/boundary": ["saver/model", "saver/queries"],
  "saver/codec": ["saver/model", "saver/clock", "saver/queries", "saver/boundary"],
  "saver/notifications": ["saver/model", "saver/queries", "saver/codec", "saver/call"],
  "saver/grouping": ["saver/model", "saver/queries", "saver/codec"],
  "saver/call": ["saver/clock", "saver/grouping"],
  "store/queries": [],
  "checkpoint-store/model": [],
  "checkpoint-store/sql": ["checkpoint-store/model"],
  "inspector/api": [],
  "inspector/page": ["inspector/api"],
  "inspector/queries": ["inspector/api", "inspector/values"],
  "inspector/values": ["inspector/api"],
  "cache/queries": [],
};
/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: "no-circular",
      severity: "error",
      comment: "Two files that import each other can't be read, tested or moved alone.",
      from: {},
      to: { circular: true },
    },
    ...Object.entries(mayImport).map(([room, allowed]) => ({
      name: `imports-of-${room}`,
      severity: "error",
      comment: `src/${room} may import ${allowed.length === 0 ? "no other room" : allowed.join(", ")}.`,
      from: { path: pathOf(room) },
      to: { path: "^src/", pathNot: [room, ...allowed].map(pathOf) },
    })),
    ...Object.entries(mayImportInside).map(([layer, allowed]) => ({
      name: `imports-of-${layer.replace("/", "-")}`,
      severity: "error",
      comment: `${layer} may import ${allowed.length === 0 ? "no other layer" : allowed.join(", ")}.`,
      from: { path: `^src/${layer}/` },
      to: {
        path: `^src/${layer.split("/")[0]}/`,
        pathNot: [layer, ...allowed].map((name) => `^src/${name}/`),
      },
    })),
    ...wholeThreads.map((room) => ({
      name: `queries-of-${room}`,
      severity: "error",
      comment: `The queries of src/${room} import no other file of the room.`,
      from: { path: `^src/${room}/queries/` },
      to: { path: `^src/${room}/`, pathNot: `^src/${room}/queries/` },
    })),
    {
      name: "on-nodes-when-needed",
      severity: "error",
      comment:
        "Only savers on several servers need src/saver/on-nodes, so it is loaded by import() when the first one does.",
      from: { path: "^src/", pathNot: "^src/saver/on-nodes/" },
      to: { path: "^src/saver/on-nodes/", dynamic: false },
    },
    {
      name: "conformance-loads-no-store",
      severity: "error",
      comment: "A suite checks a store of anyone, so it imports only types of ours.",
      from: { path: "^src/conformance/" },
      to: { path: "^src/checkpoint-store/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "no-tests-in-src",
      severity: "error",
      comment: "What ships, and the tests beside it, import nothing from the folder tests.",
      from: { path: "^src/" },
      to: { path: "^tests/" },
    },
    {
      name: "no-dev-dependency-in-src",
      severity: "error",
      comment: "What ships must not need a package that is only installed for development.",
      from: { path: "^src/", pathNot: ["\\.test\\.ts$", "/test-support/", "^src/inspector/page/"] },
      to: {
        dependencyTypes: ["npm-dev"],
        dependencyTypesNot: ["type-only", "npm-peer"],
        // tsdown.config.ts makes them a part of the build.
        pathNot: ["^node_modules/(@opentelemetry/api|@remix-run/node-fetch-server|msgpackr)/"],
      },
    },
    {
      name: "no-orphans",
      severity: "error",
      comment: "A file that nothing imports is dead.",
      from: { orphan: true, path: "^src/", pathNot: ["^src/index\\.ts$"] },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "types"],
      extensions: [".ts", ".tsx", ".js"],
    },
  },
};
