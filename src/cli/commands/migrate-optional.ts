import { flag } from "../options/shared-options.js";
import { Option } from "commander";
import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import { problemOfCheckpointTable } from "../../migrations/checkpoint-table.js";
import type { OptionalIndex } from "../../migrations/indexes/optional-index.js";
import type { OptionalTables } from "../../migrations/migration-set.js";
import type { WantedTables } from "../../migrations/sets.js";
import type { VectorDistance, VectorLayout } from "../../migrations/vector-layout.js";
import { countOption } from "../options/option-values.js";
import type { IndexFlags } from "./migrate-indexes.js";

const INDEXES = [
  "time-index",
  "metadata-index",
  "run-index",
  "waiting-index",
  "text-index",
  "store-text-index",
] as const satisfies readonly OptionalIndex[];
const TABLES = [
  "store",
  "vectors",
  "cache",
  "conversations",
  "checkpoint-store",
] as const satisfies readonly OptionalTables[];

const VECTOR_TYPES = ["vector", "halfvec"] as const;
const DISTANCES = ["cosine", "l2", "inner_product"] as const satisfies readonly VectorDistance[];
const VECTOR_INDEXES = ["hnsw", "ivfflat", "flat"] as const;

const optionalFlags = z.object({
  with: z.array(z.enum([...TABLES, ...INDEXES])).default([]),
  without: z.array(z.enum(INDEXES)).default([]),
  textSearchLanguage: z.string().optional(),
  dims: z.number().optional(),
  vectorType: z.enum(VECTOR_TYPES).optional(),
  distance: z.enum(DISTANCES).optional(),
  vectorIndex: z.enum(VECTOR_INDEXES).optional(),
  loggedCache: z.boolean().optional(),
  checkpointTable: z.string().optional(),
  convertStore: flag,
});
type Flags = z.output<typeof optionalFlags>;

/** The tables or the index that each of the other options needs. */
const REQUIRED: readonly (readonly [keyof Flags, string, OptionalTables | OptionalIndex])[] = [
  ["textSearchLanguage", "--text-search-language", "store-text-index"],
  ["dims", "--dims", "vectors"],
  ["vectorType", "--vector-type", "vectors"],
  ["distance", "--distance", "vectors"],
  ["vectorIndex", "--vector-index", "vectors"],
  ["loggedCache", "--logged-cache", "cache"],
  ["checkpointTable", "--checkpoint-table", "checkpoint-store"],
];

/** The options of `migrate` about optional tables and indexes. */
export function optionalOptions(): Option[] {
  return [
    new Option(
      "--with <name...>",
      "create the optional tables of a store, its vectors, a cache, conversations or a checkpoint store; or an optional index, without blocking writers: " +
        "time-index for lists of all threads, metadata-index for filters, run-index for delete-runs, " +
        "waiting-index for the inspector's lists of threads that wait or failed, text-index for its search in their texts, store-text-index for searches of a store by text",
    ).choices([...TABLES, ...INDEXES]),
    new Option("--without <index...>", "drop an optional index")
      .choices(INDEXES)
      .conflicts(["plan", "check"]),
    new Option(
      "--text-search-language <name>",
      "the text search configuration of a new store-text-index (default: english)",
    ),
    countOption("--dims <n>", "the number of dimensions of an embedding, which new vectors need", 1),
    new Option("--vector-type <type>", "the type of new vectors (default: vector)").choices(VECTOR_TYPES),
    new Option("--distance <name>", "how new vectors are compared (default: cosine)").choices(DISTANCES),
    new Option(
      "--vector-index <name>",
      "the index of new vectors; flat creates none (default: hnsw)",
    ).choices(VECTOR_INDEXES),
    new Option("--logged-cache", "a new cache survives a crash and is on replicas, but is slower to write"),
    new Option(
      "--checkpoint-table <name>",
      "the table of a checkpoint store, or one of langgraphgo to adopt (default: checkpoint_store)",
    ),
  ];
}

/** What the options of {@link optionalOptions} ask for. */
export interface OptionalParts {
  readonly indexes: IndexFlags;
  readonly tables: WantedTables & { readonly with: readonly OptionalTables[] };
}

/**
 * Parses the options of {@link optionalOptions}.
 *
 * @throws InvalidConfigError for an option about tables or an index that `--with` does not name, where it would have no effect.
 */
export function parseOptional(given: unknown): OptionalParts {
  const flags = optionalFlags.parse(given);
  for (const [name, option, needed] of REQUIRED) {
    if (flags[name] === undefined || flags.with.includes(needed)) continue;
    throw new InvalidConfigError(option, `requires --with ${needed}`);
  }
  const { without, textSearchLanguage, loggedCache = false, checkpointTable } = flags;
  const problem = checkpointTable === undefined ? undefined : problemOfCheckpointTable(checkpointTable);
  if (problem !== undefined) throw new InvalidConfigError("--checkpoint-table", problem);
  return {
    indexes: { with: INDEXES.filter((name) => flags.with.includes(name)), without, textSearchLanguage },
    tables: {
      with: TABLES.filter((name) => flags.with.includes(name)),
      vectors: layoutOf(flags),
      unloggedCache: !loggedCache,
      checkpointTable,
    },
  };
}

/**
 * Refuses to create vectors without their number of dimensions, before anything is sent.
 *
 * @throws InvalidConfigError naming the option.
 */
export function requireLayout({ tables }: OptionalParts): void {
  if (!tables.with.includes("vectors") || tables.vectors !== undefined) return;
  throw new InvalidConfigError("--dims", "required for --with vectors: it can't be changed later");
}

function layoutOf({ dims, vectorType, distance, vectorIndex }: Flags): VectorLayout | undefined {
  if (dims === undefined) return undefined;
  const index = vectorIndex === undefined ? undefined : { kind: vectorIndex };
  return { dims, type: vectorType, distance, index };
}
