import { z } from "zod";
import { connectionOptions } from "../../parsing/connection-options.js";
import { parse, type StandardSchema, functionSchema, isStandardSchema } from "../../parsing/parse.js";
import { sweepOption } from "../../parsing/sweep-option.js";
import type { ContextualSerializer } from "../../serde/serde-context.js";
import { parseNamespace } from "./parse-namespace.js";
import { InvalidConfigError } from "../../errors/index.js";
import { VECTOR_DISTANCES, type VectorIndex } from "../../migrations/vector-layout.js";
import { keyText } from "../../parsing/keys.js";
import {
  type EmbeddingsFunction,
  type EmbeddingsLike,
  isEmbeddings,
  modelNameOf,
  toEmbeddings,
  type VectorSettings,
} from "../embeddings/embed-texts.js";
import { tokenizePath, WHOLE_VALUE } from "../embeddings/item-texts.js";
import type { StoreCall } from "../store-call.js";
import type { ReembedOptions, ExportItemsOptions, ImportItemsOptions } from "../store-options.js";
import { abortSignal } from "../../parsing/parse-call-options.js";

/** The longest time to live, 1,900 years. Postgres has no dates for times that are much longer. */
export const MAX_TTL_MINUTES = 1_000_000_000;

const positive = z.int().min(1);

/** The path of texts of a value. */
const textPath = keyText.refine(
  (path) => tokenizePath(path).length > 0,
  "must be a path such as title, list[*] or $",
);

/** The paths of a put or a rule; `false` for none. */
export const indexedPaths = z.union([z.literal(false), z.array(textPath)]);

const embeddings = z.custom<EmbeddingsLike | EmbeddingsFunction>(
  isEmbeddings,
  "must be a function, or have the functions embedDocuments and embedQuery",
);

const option = z.strictObject({
  dims: z.int().min(1).max(16_000),
  embed: embeddings.optional(),
  embeddings: embeddings.optional(),
  model: keyText.min(1).optional(),
  fields: z.array(textPath).min(1).default([WHOLE_VALUE]),
  distanceMetric: z.enum(VECTOR_DISTANCES).default("cosine"),
  vectorType: z.enum(["vector", "halfvec"]).optional(),
  indexType: z.enum(["hnsw", "ivfflat", "flat"]).default("hnsw"),
  hnsw: z
    .strictObject({
      m: z.int().min(2).max(100).optional(),
      efConstruction: z.int().min(4).max(1_000).optional(),
      ef: positive.max(1_000).optional(),
    })
    .default({}),
  ivfflat: z
    .strictObject({
      lists: positive.max(32_768).optional(),
      probes: positive.max(32_768).optional(),
    })
    .default({}),
  // Accepted and ignored, because the official store has it: a store compares embeddings in one way.
  createAllMetricIndexes: z.boolean().optional(),
  batchSize: positive.default(256),
});

/** The schema of the option `index`. Its names are those of the official store and of InMemoryStore. */
const indexOption = option.transform(toSettings);

type IndexOption = z.output<typeof option>;

/** The name of a model that has no name. */
const UNNAMED = "default";

/** How many dimensions an index of pgvector takes, by the type of the column. */
const MOST_INDEXED = { vector: 2_000, halfvec: 4_000 } as const;

function toSettings(parsed: IndexOption): VectorSettings {
  const { dims, fields, batchSize, distanceMetric: distance, indexType, hnsw, ivfflat } = parsed;
  const given = parsed.embed ?? parsed.embeddings;
  if (given === undefined)
    throw new InvalidConfigError("options.index.embed", "is missing: the model that embeds texts");
  const type =
    parsed.vectorType ?? (dims > MOST_INDEXED.vector && indexType !== "flat" ? "halfvec" : "vector");
  if (indexType !== "flat" && dims > MOST_INDEXED[type]) {
    const remedy = dims > MOST_INDEXED.halfvec ? 'indexType: "flat"' : 'vectorType: "halfvec"';
    throw new InvalidConfigError(
      "options.index.dims",
      `an index of pgvector takes up to ${MOST_INDEXED[type]} dimensions of type ${type}: use ${remedy}`,
    );
  }
  return {
    dims,
    fields,
    batchSize,
    model: parsed.model ?? modelNameOf(given) ?? UNNAMED,
    embeddings: toEmbeddings(given),
    layout: { dims, type, distance, index: indexOf(parsed) },
    effort: indexType === "ivfflat" ? ivfflat.probes : hnsw.ef,
  };
}

function indexOf({ indexType, hnsw, ivfflat }: IndexOption): VectorIndex {
  if (indexType === "hnsw") return { kind: "hnsw", m: hnsw.m, efConstruction: hnsw.efConstruction };
  return indexType === "ivfflat" ? { kind: "ivfflat", lists: ivfflat.lists } : { kind: "flat" };
}

const minutes = z.number().positive().max(MAX_TTL_MINUTES);

const ttlOptions = z.strictObject({
  defaultTtl: minutes.optional(),
  refreshOnRead: z.boolean().default(true),
  ...sweepOption,
});

const namespaceRule = z.strictObject({
  prefix: z.array(z.string()).transform((prefix) => parseNamespace(prefix)),
  ttl: minutes.nullable().optional(),
  schema: z.custom<StandardSchema>(isStandardSchema, "must be a Standard Schema").optional(),
  index: indexedPaths.optional(),
});

// Strict: a misspelt option would silently have no effect.
export const itemStoreOptions = z.strictObject({
  ...connectionOptions,
  ttl: ttlOptions.optional(),
  namespaces: z.array(namespaceRule).default([]),
  index: indexOption.optional(),
  textSearchLanguage: z
    .string()
    .regex(/^[a-z_][a-z0-9_]*$/i, "must be the name of a text search configuration")
    .default("english"),
  serde: z.custom<ContextualSerializer>().optional(),
  visibleKeys: z.array(z.string()).default([]),
  notify: z.boolean().default(false),
  ensureTables: z.boolean().default(true),
});

/** The parsed options of a store, with defaults. */
export type StoreOptions = z.output<typeof itemStoreOptions>;

const reembedOptions = z.strictObject({
  batchSize: z.int().min(1).max(10_000).default(100),
  onProgress: functionSchema<NonNullable<ReembedOptions["onProgress"]>>().optional(),
});

/** Parses the options of `reembed`, and returns how the store embeds. */
export function parseReembed({ settings, database }: StoreCall, options: unknown) {
  const plan = parse(reembedOptions, options, "options");
  const { vectors } = settings;
  if (vectors === undefined) {
    throw new InvalidConfigError("reembed", 'needs the option "index" of the store');
  }
  if (settings.root.length > 0) {
    throw new InvalidConfigError(
      "reembed",
      "embeds the items of all namespaces: call it on the store that is not scoped",
    );
  }
  if (database.kysely.isTransaction) {
    throw new InvalidConfigError(
      "reembed",
      "needs transactions of its own: pass in a pool, a Kysely or a connection string",
    );
  }
  return { vectors, plan };
}

const exportOptions = z
  .strictObject({ namespace: z.unknown().optional(), signal: abortSignal.nullish() })
  .nullish();

const importOptions = z
  .strictObject({
    onProgress: functionSchema<NonNullable<ImportItemsOptions["onProgress"]>>().optional(),
    signal: abortSignal.nullish(),
  })
  .nullish();

/** Parses the options of `exportItems`: the labels of the namespace to export, none for everything. */
export function parseExportItems(options: ExportItemsOptions | undefined): string[] {
  const { namespace = [] } = parse(exportOptions, options, "options") ?? {};
  return parseNamespace(namespace);
}

/** Parses the options of `importItems`: the listener for its progress. */
export function parseImportItems(options: ImportItemsOptions | undefined): ImportItemsOptions["onProgress"] {
  return parse(importOptions, options, "options")?.onProgress;
}

/**
 * Copies the options of a call, so that later code reads them without the caller's getters or Proxy. `null` has none, as in the calls
 * that take only a signal.
 *
 * @throws InvalidConfigError where reading them throws.
 */
export function readCallOptions<Options extends object>(options: Options): Options {
  try {
    return { ...options };
  } catch (cause) {
    throw new InvalidConfigError("options", "could not be read", { cause });
  }
}
