// The house has one direction: errors <- telemetry <- db <- migrations, errors <- serde, saver on db and serde, cli on all.
const rooms = {
  errors: ["^src/errors\\.ts$", "^src/errors/"],
  telemetry: ["^src/telemetry/"],
  db: ["^src/db/"],
  serde: ["^src/serde/"],
  migrations: ["^src/migrations/"],
  saver: ["^src/saver/"],
  cli: ["^src/cli/"],
};
const mayImport = {
  errors: [],
  telemetry: ["errors"],
  db: ["errors", "telemetry"],
  serde: ["errors"],
  migrations: ["errors", "db"],
  saver: ["errors", "telemetry", "db", "serde", "migrations"],
  cli: ["errors", "telemetry", "db", "serde", "migrations", "saver"],
};

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: "no-circular",
      severity: "error",
      comment: "Two files that import one another can't be read, tested or moved alone.",
      from: {},
      to: { circular: true },
    },
    ...Object.entries(mayImport).map(([room, allowed]) => ({
      name: `arrows-of-${room}`,
      severity: "error",
      comment: `src/${room} may import ${allowed.length === 0 ? "no other room" : allowed.join(", ")}.`,
      from: { path: rooms[room] },
      to: { path: "^src/", pathNot: [...rooms[room], ...allowed.flatMap((name) => rooms[name])] },
    })),
    {
      name: "no-dev-dependency-in-src",
      severity: "error",
      comment: "What ships must not need a package that is only installed for development.",
      from: { path: "^src/", pathNot: "\\.test\\.ts$" },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only", "npm-peer"] },
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
      extensions: [".ts", ".js"],
    },
  },
};
